/* eval_diff_internal.h - what a comparison of two files of predictions holds. */
#ifndef TACHO_EVAL_DIFF_PARTS_H
#define TACHO_EVAL_DIFF_PARTS_H

#include "base/arena.h"
#include "study/eval/codes.h"
#include "tacho/eval_diff.h"

enum {
    DIFF_ROWS = TACHO_DIFF_SIDE_COUNT + 1, /* kinds of rows: of the two sides, and measurements */
    DIFF_MEASURED = TACHO_DIFF_SIDE_COUNT
};

/* A block's place among those with the same code. Numbers are one more than those of blocks; 0: none. */
typedef struct diff_place {
    uint32_t next;
    uint32_t last;             /* of the first block only: the end of the chain */
    uint32_t at[DIFF_ROWS];    /* of the first block only: the block of the next row */
    double newest_measurement; /* of the first block only; NaN */
} diff_place;

struct tacho_diff {
    arena texts;
    tacho_diff_block *blocks;
    diff_place *places;
    size_t block_capacity, place_capacity;
    codes codes;
    uint32_t *largest; /* of all kinds */
    tacho_diff_result result;
};

#endif
