/* suggest.h - "did you mean": the names nearest to one that is not known. */
#ifndef TACHO_BASE_SUGGEST_H
#define TACHO_BASE_SUGGEST_H

#include <stddef.h>

enum {
    TACHO_SUGGEST_MAX = 3,
    TACHO_SUGGEST_NAME_SIZE = 80
};

/** The nearest of the names offered so far. */
typedef struct tacho_suggest {
    const char *wanted; /**< borrowed */
    size_t count;
    unsigned distances[TACHO_SUGGEST_MAX];
    char names[TACHO_SUGGEST_MAX][TACHO_SUGGEST_NAME_SIZE];
} tacho_suggest;

/** Insertions, deletions, substitutions and swaps of neighbours, case ignored; names are compared up to
 *  TACHO_SUGGEST_NAME_SIZE - 1 bytes. */
unsigned tacho_edit_distance(const char *a, const char *b);

void tacho_suggest_start(tacho_suggest *s, const char *wanted);
/** Keeps `name` if it is near enough: few edits, or one of the two contains the other. */
void tacho_suggest_offer(tacho_suggest *s, const char *name);
/** Writes "; did you mean A, B or C?" or, when nothing was near, "". @return out */
const char *tacho_suggest_text(const tacho_suggest *s, char *out, size_t size);

#endif
