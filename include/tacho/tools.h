/* tools.h - everything of libtacho-tools: files, loops, measuring, other predictors, whole programs.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_TOOLS_H
#define TACHO_TOOLS_H

#include "tacho.h"

#include "bias.h"
#include "characterise.h"
#include "cluster.h"
#include "code.h"
#include "compare.h"
#include "deps_run.h"
#include "doctor.h"
#include "eval.h"
#include "extract.h"
#include "hot.h"
#include "hot_diff.h"
#include "kernels.h"
#include "learn.h"
#include "loops.h"
#include "measure.h"
#include "memory.h"
#include "models.h"
#include "stats.h"
#include "loop_data.h"
#include "suite.h"
#include "trial.h"

#endif
