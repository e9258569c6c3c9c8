/* warnings.h - sentences for people that go with a result. */
#ifndef TACHO_BASE_WARNINGS_H
#define TACHO_BASE_WARNINGS_H

#include <stdarg.h>
#include <stddef.h>

/** Start with {0}. */
typedef struct warnings {
    char **list;
    size_t count, capacity;
} warnings;

/** Adds a sentence; only the first `most` are kept, 0: all. @return 0, TACHO_ERR_MEMORY without a message */
int warnings_add(warnings *w, size_t most, const char *format, va_list args);
void warnings_free(warnings *w);

#endif
