/* cmd_suite_choose.h - which blocks of a suite belong together, in an order that is random but for its seed.
 */
#ifndef TACHO_CLI_SUITE_CHOOSE_H
#define TACHO_CLI_SUITE_CHOOSE_H

#include "app/cli/cmd_suite.h"

enum {
    SUITE_MAX_PARTS = 64
};

/** A block, in whatever rows it stands. */
typedef struct chosen_block {
    uint64_t key;
    uint64_t stratum; /**< a number made of the names of its applications; 0 without strata */
    uint32_t part;    /**< set by choose_parts */
} chosen_block;

/** Start with {0}, end with choice_free. */
typedef struct choice {
    chosen_block *blocks;
    uint32_t *block_of; /**< of each row */
    size_t block_count;
} choice;

/** Finds the blocks and their keys. @return false with a message */
bool choice_make(choice *c, const suite *s, uint64_t seed, bool by_app);
void choice_free(choice *c);

/** Puts exactly `count` of the blocks (or all, if there are fewer) in part 0, the rest in part 1: those with
 *  the lowest keys, or of each stratum its share. @return false with a message */
bool choose_sample(choice *c, uint64_t count, bool by_app);
/** Puts each block in a part, by its key alone, or so that each stratum is divided as the whole is. @return
 *  false with a message */
bool choose_parts(choice *c, const uint32_t *shares, uint32_t count, bool by_app);

#endif
