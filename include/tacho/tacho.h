/* tacho.h - everything of libtacho. */
#ifndef TACHO_TACHO_H
#define TACHO_TACHO_H

#include "arch.h"
#include "bias.h"
#include "characterise.h"
#include "cluster.h"
#include "code.h"
#include "compare.h"
#include "decode.h"
#include "deps.h"
#include "deps_run.h"
#include "doctor.h"
#include "error.h"
#include "eval.h"
#include "eval_diff.h"
#include "explain.h"
#include "extension.h"
#include "extract.h"
#include "hot.h"
#include "insndb.h"
#include "kernels.h"
#include "loops.h"
#include "measure.h"
#include "models.h"
#include "predict.h"
#include "state.h"
#include "stats.h"
#include "suite.h"
#include "trace.h"
#include "trial.h"

#endif
