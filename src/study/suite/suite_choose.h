/* suite_choose.h - which blocks of a suite belong together, in an order that is random but for its seed.
 */
#ifndef TACHO_STUDY_SUITE_CHOOSE_H
#define TACHO_STUDY_SUITE_CHOOSE_H

#include "study/suite/suite_rows.h"

enum {
    TACHO_SUITE_MAX_PARTS = 64
};

/** A block, in whatever rows it stands. */
typedef struct tacho_suite_block {
    uint64_t key;
    uint64_t stratum; /**< a number made of the names of its applications; 0 without strata */
    uint32_t part;    /**< set by tacho_suite_choose_* */
} tacho_suite_block;

/** Start with {0}, end with tacho_suite_choice_free. */
typedef struct tacho_suite_choice {
    tacho_suite_block *blocks;
    uint32_t *block_of; /**< of each row */
    size_t block_count;
} tacho_suite_choice;

/** Finds the blocks and their keys. @return 0, TACHO_ERR_INPUT (no applications), TACHO_ERR_LIMIT,
 *  TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_suite_choice_make(tacho_suite_choice *c, const tacho_suite *s, uint64_t seed,
                                          bool by_app, tacho_error *err);
TACHO_PRIVATE void tacho_suite_choice_free(tacho_suite_choice *c);

/** Puts exactly `count` of the blocks (or all, if there are fewer) in part 0, the rest in part 1: those with
 *  the lowest keys, or of each stratum its share. @return 0, TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_suite_choose_sample(tacho_suite_choice *c, uint64_t count, bool by_app,
                                            tacho_error *err);
/** Puts each block in a part, by its key alone, or so that each stratum is divided as the whole is. @return
 *  0, TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_suite_choose_parts(tacho_suite_choice *c, const uint32_t *shares, uint32_t count,
                                           bool by_app, tacho_error *err);

#endif
