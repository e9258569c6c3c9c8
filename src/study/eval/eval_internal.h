/* eval_internal.h - what an evaluation holds. */
#ifndef TACHO_EVAL_EVAL_H
#define TACHO_EVAL_EVAL_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "tacho/eval.h"

/* ---- blocks found by their code in hex, without regard to the case of its digits ---- */

/** The blocks of a code; numbers are one more than those of blocks. */
typedef struct same_code {
    const char *hex; /**< lives as long as the table; borrowed */
    uint32_t first, last;
} same_code;

/** Start with {0}. */
typedef struct codes {
    hash_index by_hex;
    same_code *list;
    size_t count, capacity;
} codes;

typedef struct eval_group {
    uint32_t *members;
    size_t capacity;
} eval_group;

typedef struct eval_grouping {
    tacho_eval_group *groups; /* what is given out */
    eval_group *own;          /* the same groups' memory */
    size_t capacity, own_capacity;
} eval_grouping;

typedef struct eval_predictor {
    tacho_eval_prediction *predictions;
    size_t filled, capacity; /* of these */
    tacho_score *scores;     /* of all groups, grouping after grouping */
    const tacho_score **by_group;
    uint32_t *worst;
} eval_predictor;

struct tacho_eval {
    arena texts;
    tacho_eval_block *blocks;
    uint32_t *next; /* block with the same code, one more than its number; 0: none */
    size_t block_capacity, next_capacity;
    codes codes;
    tacho_eval_grouping *groupings;
    eval_grouping *own_groupings;
    size_t grouping_capacity, own_grouping_capacity;
    tacho_eval_predictor *predictors;
    eval_predictor *own_predictors;
    size_t predictor_capacity, own_predictor_capacity;
    tacho_eval_result result; /* counts, and what was scored; pointers are set when it is given out */
};

/** A copy that lives as long as the evaluation; "" for NULL. NULL when memory runs out. */
const char *eval_text(tacho_eval *e, const char *text);
/** A block's code. Start with {0}; free `data`. */
typedef struct eval_code {
    uint8_t *data;
    size_t capacity;
} eval_code;
/** @return its bytes; -1 for bad hex, -2 when memory runs out */
long eval_code_of(const tacho_eval_block *block, eval_code *code);

/** Gives all predictors room for all blocks. @return -1 when memory runs out */
int eval_fill_predictors(tacho_eval *e);

#endif
