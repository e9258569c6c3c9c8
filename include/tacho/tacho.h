/* tacho.h - everything of libtacho. */
#ifndef TACHO_TACHO_H
#define TACHO_TACHO_H

#include "error.h"
#include "code.h"
#include "decode.h"
#include "insndb.h"
#include "arch.h"
#include "extension.h"
#include "loops.h"
#include "extract.h"
#include "hot.h"
#include "characterise.h"
#include "cluster.h"
#include "compare.h"
#include "measure.h"
#include "models.h"
#include "predict.h"
#include "state.h"
#include "trace.h"
#include "trial.h"
#include "explain.h"
#include "bias.h"
#include "doctor.h"
#include "deps.h"
#include "deps_run.h"
#include "stats.h"
#include "eval.h"
#include "eval_diff.h"
#include "suite.h"
#include "kernels.h"

#endif
