/* suite_choose.h - which blocks of a suite belong together, in an order that is random but for its seed. */
#ifndef TACHO_STUDY_SUITE_CHOOSE_H
#define TACHO_STUDY_SUITE_CHOOSE_H

#include "base/hash_index.h"
#include "study/suite/suite_rows.h"

/** Start with {0}, end with tacho_suite_choice_free. */
typedef struct tacho_suite_choice {
    bool *rows; /**< whether a row's block is chosen */
    size_t block_count, chosen_count;
} tacho_suite_choice;

/** Chooses `count` of the blocks (or all, if there are fewer): those with the lowest keys. @return 0,
 *  TACHO_ERR_LIMIT, TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_suite_choose(tacho_suite_choice *c, const tacho_suite *s, uint64_t count,
                                     uint64_t seed, tacho_error *err);
TACHO_PRIVATE void tacho_suite_choice_free(tacho_suite_choice *c);

/* ---- the rows of a suite that hold the same block, as lists ---- */

#define TACHO_SUITE_NOT_FIRST UINT32_MAX

/** Start with {0}, end with tacho_suite_groups_free. */
typedef struct tacho_suite_groups {
    hash_index firsts; /**< the first row of each block */
    uint32_t *next;    /**< 1 + the next row of the same block; 0: none */
    uint32_t *last;    /**< of the block that this row is the first of, or TACHO_SUITE_NOT_FIRST */
} tacho_suite_groups;

/** @return 0, TACHO_ERR_LIMIT, TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_suite_groups_make(tacho_suite_groups *g, const tacho_suite *s, tacho_error *err);
TACHO_PRIVATE void tacho_suite_groups_free(tacho_suite_groups *g);
/** Appends a row for the block that row `first` is the first of: the applications of all its rows, the sum of
 *  the counts that are known, of other columns the first field that is not empty.
 *  @return 0, or TACHO_ERR_INPUT where a count is no number */
TACHO_PRIVATE int tacho_suite_groups_put(const tacho_suite_groups *g, const tacho_suite *s, uint32_t first,
                                         tacho_str *out, tacho_error *err);

#endif
