/* tacho.h - everything of libtacho: decoding, instruction tables, cores, predictions, advice, dependencies.
 * Within a major version functions and members are added only. tools.h has the rest of tacho.
 *
 * Core: stable within a major version. */
#ifndef TACHO_TACHO_H
#define TACHO_TACHO_H

#include "arch.h"
#include "assemble.h"
#include "decode.h"
#include "deps.h"
#include "error.h"
#include "explain.h"
#include "extension.h"
#include "insndb.h"
#include "options.h"
#include "predict.h"
#include "state.h"
#include "trace.h"
#include "version.h"

#endif
