/* std.h - what of the C library nearly every file uses; str.h brings it. What only some use (processes,
 * files, signals) they include themselves. */
#ifndef TACHO_BASE_STD_H
#define TACHO_BASE_STD_H

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Before the declaration of a record, which has a value there: function(&record) is called where its block
 * ends, whichever way that is left. */
#define TACHO_ENDS(function) __attribute__((cleanup(function)))

#endif
