/* answers.h - what the processor that is learnt has answered, and its journal: a file that a later process
 * goes on with.
 *
 * The journal is text: a head that says whose answers these are, and a line for each answer, which ends in a
 * dot. A line without it was cut off and does not count; of several about the same code the last one does. */
#ifndef TACHO_LEARN_ANSWERS_H
#define TACHO_LEARN_ANSWERS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/hash_index.h"
#include "tacho/measure.h"

/** What a loop is known by: two hashes of its code, mode and values. */
typedef struct answer {
    uint64_t key[2];
    double cycles, uncertainty;
    tacho_measure_status status;
    bool recorded; /* from a record (learn_record.h), and not asked for yet */
} answer;

/** Start with {0}; answers_free. */
typedef struct answers {
    answer *items;
    size_t count, capacity;
    hash_index index;
    FILE *journal; /* NULL: none */
    char path[512];
} answers;

const answer *answers_find(const answers *a, const uint64_t key[2]);
/** Adds or replaces, and writes it to the journal, unless a later process may find out more: of loops that
 *  were not stable. @return 0; TACHO_ERR_MEMORY, TACHO_ERR_SYSTEM */
int answers_keep(answers *a, const answer *item, tacho_error *err);
/** From now on what is kept goes to this file, too. With `resume` what it holds is taken over; else there
 *  must be nothing in it. `who`: whose answers, a line.
 *  @return 0; TACHO_ERR_INPUT (it is another processor's, no journal, or not empty), TACHO_ERR_SYSTEM,
 *  TACHO_ERR_MEMORY */
int answers_open(answers *a, const char *path, const char *who, bool resume, tacho_error *err);
/** A remark, which is not read again. @return 0; TACHO_ERR_SYSTEM */
int answers_note(answers *a, const char *text, tacho_error *err);
/** Adds or replaces it, and writes nothing. @return 0; TACHO_ERR_MEMORY */
int answers_add(answers *a, const answer *item, tacho_error *err);
/** Where the journal begins in the text, which may be a model that was submitted; then `who` is whose, in a
 * line. NULL: nowhere. */
char *answers_head(char *text, char *who, size_t size);
/** Takes over what the text of a journal holds, which is changed; `name` for messages. @return as above */
int answers_parse(answers *a, char *text, const char *who, const char *name, tacho_error *err);
void answers_free(answers *a);

#endif
