/* suggest.h - "did you mean": the names nearest to one that is not known. */
#ifndef TACHO_BASE_SUGGEST_H
#define TACHO_BASE_SUGGEST_H

#include <stddef.h>

enum {
    TACHO_SUGGEST_MAX = 3,
    TACHO_SUGGEST_NAME_SIZE = 80
};

/** The nearest of the names offered so far. Begins with `wanted` alone. */
typedef struct tacho_suggest {
    const char *wanted; /**< borrowed */
    size_t count;
    unsigned distances[TACHO_SUGGEST_MAX];
    char names[TACHO_SUGGEST_MAX][TACHO_SUGGEST_NAME_SIZE];
    char text[(TACHO_SUGGEST_MAX + 1) * TACHO_SUGGEST_NAME_SIZE];
} tacho_suggest;

/** Insertions, deletions, substitutions and swaps of neighbours, case ignored; names are compared up to
 *  TACHO_SUGGEST_NAME_SIZE - 1 bytes. */
unsigned tacho_edit_distance(const char *a, const char *b);

/** Keeps `name` if it is near enough: few edits, or one of the two contains the other. */
void tacho_suggest_offer(tacho_suggest *s, const char *name);
/** "; did you mean A, B or C?" or, when nothing was near, "". */
const char *tacho_suggest_text(tacho_suggest *s);

#endif
