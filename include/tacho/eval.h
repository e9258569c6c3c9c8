/* eval.h - predictors judged by measurements, over suites of blocks.
 *
 * An evaluation is filled with blocks, predictors and groupings, then scored; what it gives out belongs to it
 * and lives until it is freed. One thread at a time may use it.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_EVAL_H
#define TACHO_EVAL_H

#include "models.h"
#include "options.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacho_eval tacho_eval;

enum {
    TACHO_EVAL_MAX_GROUPS = 1000 /**< of a grouping */
};

/** A block that was measured. */
typedef struct tacho_eval_block {
    const char *hex;  /**< its code, as it was given */
    double measured;  /**< cycles per iteration */
    const char *note; /**< what is known of the block or its measurement that may explain an error; "" */
} tacho_eval_block;

/** What a predictor said of a block. */
typedef struct tacho_eval_prediction {
    double cycles;       /**< NaN: failed */
    const char *message; /**< why it failed; "" */
    bool lower_bound;    /**< it may really take more: the predictor lacks figures of some instructions */
} tacho_eval_prediction;

typedef struct tacho_eval_group {
    const char *name;        /**< "sqlite", "5-6" */
    const uint32_t *members; /**< numbers of blocks, ascending */
    size_t member_count;
} tacho_eval_group;

/** A division of the blocks: by application, category, length ...; a block may be in several groups, or none.
 */
typedef struct tacho_eval_grouping {
    const char *name;               /**< "application" */
    const tacho_eval_group *groups; /**< in the order in which their names were first given */
    size_t group_count;
} tacho_eval_grouping;

typedef struct tacho_eval_predictor {
    const char *name;
    const tacho_eval_prediction *predictions; /**< one for each block */
    tacho_score overall;                      /**< valid once scored, as are the next two */
    const tacho_score *const *by_group;       /**< [grouping][group] */
    const uint32_t *worst; /**< numbers of the blocks with the largest errors, which are not 0; worst first */
    size_t worst_count;
    const char *version; /**< of the model that was asked ("LLVM version 19.1.7, -mcpu=skylake"), "" where it
                            is not known */
    double seconds;      /**< that predicting took, of processor time where that is known; NaN: not known */
    size_t lower_bounds; /**< of its predictions that did not fail; valid once scored */
} tacho_eval_predictor;

/** All of it. */
typedef struct tacho_eval_result {
    const tacho_eval_block *blocks;
    size_t block_count;
    const tacho_eval_grouping *groupings;
    size_t grouping_count;
    const tacho_eval_predictor *predictors;
    size_t predictor_count;
    tacho_score_options options; /**< that it was scored with */
} tacho_eval_result;

/** @return NULL when memory runs out. */
TACHO_API tacho_eval *tacho_eval_new(void);
TACHO_API void tacho_eval_free(tacho_eval *e);

/** Adds a block. Texts are copied; `note` may be NULL.
 *  @return its number, from 0; TACHO_ERR_USAGE (`measured` is not a number above 0), TACHO_ERR_MEMORY,
 *  TACHO_ERR_LIMIT (more than 2^31 - 1 blocks). */
TACHO_API int64_t tacho_eval_add_block(tacho_eval *e, const char *hex, double measured, const char *note,
                                       tacho_error *err);
/** The first block with this code, without regard to the case of hex digits; -1: none. */
TACHO_API int64_t tacho_eval_find_block(const tacho_eval *e, const char *hex);
/** The next block with the same code as block number `block`; -1: none. */
TACHO_API int64_t tacho_eval_next_block(const tacho_eval *e, int64_t block);

/** Adds a predictor; until told otherwise it has failed on all blocks.
 *  @return its number; TACHO_ERR_USAGE (a name that another one has), TACHO_ERR_MEMORY. */
TACHO_API int tacho_eval_add_predictor(tacho_eval *e, const char *name, tacho_error *err);
/** Sets a prediction; of a failure `cycles` is NaN and `message` (may be NULL) says why. A prediction that is
 *  not a number of at least 0 is a failure.
 *  @return 0, TACHO_ERR_USAGE (no such predictor or block), TACHO_ERR_MEMORY. */
TACHO_API int tacho_eval_predict(tacho_eval *e, int predictor, int64_t block, double cycles,
                                 const char *message, tacho_error *err);
/** Says of a prediction that was set, and did not fail, that it is a lower bound.
 *  @return 0, TACHO_ERR_USAGE (no such predictor or block) */
TACHO_API int tacho_eval_mark_lower_bound(tacho_eval *e, int predictor, int64_t block, tacho_error *err);
/** From now on all predictions that are lower bounds count as failures, which say so. */
TACHO_API void tacho_eval_fail_lower_bounds(tacho_eval *e);
TACHO_API void tacho_eval_set_seconds(tacho_eval *e, int predictor, double seconds);

/** Adds a grouping. @return its number; TACHO_ERR_USAGE (a name that another one has), TACHO_ERR_MEMORY */
TACHO_API int tacho_eval_add_grouping(tacho_eval *e, const char *name, tacho_error *err);
/** Makes a group known before it has members, so that it comes in this place.
 *  @return 0, TACHO_ERR_USAGE, TACHO_ERR_MEMORY */
TACHO_API int tacho_eval_add_group(tacho_eval *e, int grouping, const char *name, tacho_error *err);
/** Puts a block into a group, which is made if need be. Blocks of a group must come in ascending order;
 *  again the same one is left out.
 *  @return 0, TACHO_ERR_USAGE, TACHO_ERR_LIMIT (too many groups), TACHO_ERR_MEMORY */
TACHO_API int tacho_eval_put(tacho_eval *e, int grouping, int64_t block, const char *group, tacho_error *err);

/** How to run a model. Initialise with TACHO_EVAL_RUN_OPTIONS_INIT. */
typedef struct tacho_eval_run_options {
    size_t size;
    tacho_model_options model; /**< mode, initial state, timeout; stop: also asked between blocks */
    unsigned threads;          /**< 1.. ; each opens the model for itself; the result does not depend on it */
    const char *bottlenecks;   /**< a grouping of this name is added: by what the model says limits a block; a
                                    block with several is in several groups. NULL: none */
    void (*progress)(void *payload, size_t done, size_t count); /**< may be NULL; one call at a time */
    void *payload;
} tacho_eval_run_options;
#define TACHO_EVAL_RUN_OPTIONS_INIT                                                                          \
    TACHO_OPTIONS_INIT(eval_run, .model = TACHO_MODEL_OPTIONS_INIT, .threads = 1)
TACHO_OPTIONS(eval_run);

/** Asks a model (models.h) about all blocks. Its answers become the predictions of `predictor`, and the time
 *  that it took, summed over threads, its seconds; with -1 they are used for the bottlenecks only.
 *  A block that cannot be predicted is a failure of the predictor, not an error.
 *  @return 0; what tacho_model_open and tacho_model_run return; TACHO_ERR_USAGE. After TACHO_ERR_CANCELLED
 * the predictions are those until then; the other blocks have none, and no message */
TACHO_API int tacho_eval_run_model(tacho_eval *e, int predictor, const char *model, const tacho_arch *arch,
                                   const tacho_eval_run_options *options, tacho_error *err);

/** Adds a grouping "length": by the number of instructions, from one to few to many (blocks that cannot be
 *  decoded are in none). @return as tacho_eval_add_grouping */
TACHO_API int tacho_eval_group_by_length(tacho_eval *e, tacho_error *err);
/** Adds a grouping "content": loads, stores, register moves, vectors, x87, divisions and roots, branches; a
 * block is in each group of which it has an instruction. @return as tacho_eval_add_grouping */
TACHO_API int tacho_eval_group_by_content(tacho_eval *e, tacho_error *err);

/** Adds to the notes of the worst blocks of all predictors, once scored, what tacho's own model sees in them:
 *  what limits them, where their µops come from, what in them is rare or badly known.
 *  @return 0, TACHO_ERR_MEMORY */
TACHO_API int tacho_eval_explain(tacho_eval *e, const tacho_arch *arch, const tacho_model_options *options,
                                 tacho_error *err);

/** Takes out the blocks that a predictor has failed on, so that all are judged by the same blocks; the others
 * get new numbers. @return 0 and how many went; TACHO_ERR_MEMORY */
TACHO_API int tacho_eval_keep_common(tacho_eval *e, size_t *left_out, tacho_error *err);

/** Scores all predictors, on all blocks and on each group, and finds the `worst` blocks of each.
 *  `threads`: 1..; the result does not depend on it.
 *  @return 0, TACHO_ERR_USAGE, TACHO_ERR_MEMORY */
TACHO_API int tacho_eval_score(tacho_eval *e, const tacho_score_options *options, size_t worst,
                               unsigned threads, tacho_error *err);
/** What there is, scored or not. */
TACHO_API const tacho_eval_result *tacho_eval_view(tacho_eval *e);

#ifdef __cplusplus
}
#endif
#endif
