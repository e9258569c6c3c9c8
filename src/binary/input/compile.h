/* compile.h - source code to assembly text. */
#ifndef TACHO_INPUT_COMPILE_H
#define TACHO_INPUT_COMPILE_H

#include "base/private.h"
#include "base/str.h"
#include "tacho/error.h"

/** Compiles `input` ("-": standard input), which messages call `name`, by a compiler and its options ("gcc
 * -O3"). @return 0; TACHO_ERR_USAGE: that is no such command; TACHO_ERR_INPUT. *out is the caller's in any
 * case */
TACHO_PRIVATE int tacho_compile(tacho_str *out, const char *command, const char *input, const char *name,
                                tacho_error *err);

#endif
