/* tacho.h - everything of libtacho: decoding, instruction tables, cores, predictions, advice, dependencies.
 *
 * This interface is stable: within a major version functions and members are added only. tools.h has the rest
 * of tacho. */
#ifndef TACHO_TACHO_H
#define TACHO_TACHO_H

#include "arch.h"
#include "decode.h"
#include "deps.h"
#include "error.h"
#include "explain.h"
#include "extension.h"
#include "insndb.h"
#include "predict.h"
#include "state.h"
#include "trace.h"
#include "version.h"

#endif
