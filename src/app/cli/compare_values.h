/* compare_values.h - the values of a parameter of a scan. */
#ifndef TACHO_CLI_COMPARE_VALUES_H
#define TACHO_CLI_COMPARE_VALUES_H

#include "base/arena.h"
#include "tacho/compare.h"

typedef struct scan_values {
    const char *list[TACHO_COMPARE_MAX_COMMANDS];
    size_t count;
} scan_values;

/** Values between commas; unless `as_words`, also ranges of numbers. At least one, which may be empty.
 *  @return false with a message */
bool scan_values_read(arena *memory, const char *text, bool as_words, scan_values *out);

#endif
