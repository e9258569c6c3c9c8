/* eval_diff.h - two files of predictions, of two versions of a predictor: what changed, and whether for the
 * better.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_EVAL_DIFF_H
#define TACHO_EVAL_DIFF_H

#include "options.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What became of a block. */
typedef enum tacho_diff_kind {
    TACHO_DIFF_UNCHANGED = 0, /**< to within the tolerance */
    TACHO_DIFF_BETTER,        /**< nearer to the measurement */
    TACHO_DIFF_WORSE,         /**< further from it */
    TACHO_DIFF_CHANGED,       /**< changed, and not measured; or as far from the measurement as before */
    TACHO_DIFF_LOST,          /**< had a prediction, fails now */
    TACHO_DIFF_GAINED,        /**< failed, has a prediction now */
    TACHO_DIFF_FAILED,        /**< fails as before */
    TACHO_DIFF_REMOVED,       /**< not among the new ones */
    TACHO_DIFF_ADDED,         /**< not among the old ones */
    TACHO_DIFF_KIND_COUNT
} tacho_diff_kind;
/** Its name as in JSON and CSV ("unchanged", "better", ...); static storage. */
TACHO_API const char *tacho_diff_kind_name(tacho_diff_kind kind);

typedef enum tacho_diff_side {
    TACHO_DIFF_OLD = 0,
    TACHO_DIFF_NEW,
    TACHO_DIFF_SIDE_COUNT
} tacho_diff_side;

typedef struct tacho_diff_block {
    const char *hex;
    bool present[TACHO_DIFF_SIDE_COUNT];        /**< by tacho_diff_side: among its predictions */
    double cycles[TACHO_DIFF_SIDE_COUNT];       /**< NaN: not there, or failed */
    const char *message[TACHO_DIFF_SIDE_COUNT]; /**< why it failed; "" */
    double measured;                            /**< NaN: not measured */
    tacho_diff_kind kind;                       /**< once scored, as is the next */
    double change; /**< of better and worse ones the difference of the errors (new - old); else, with two
                        predictions, (new - old) / the larger one; NaN: there are not two */
} tacho_diff_block;

typedef struct tacho_diff_options {
    size_t size;
    tacho_score_options score;
    double
        tolerance; /**< predictions that differ by at most this share of the larger one are unchanged; 0..1 */
    size_t largest;   /**< so many blocks are listed of each kind */
    unsigned threads; /**< 1..; the result does not depend on it */
} tacho_diff_options;
#define TACHO_DIFF_OPTIONS_INIT                                                                              \
    TACHO_OPTIONS_INIT(diff, .score = TACHO_SCORE_OPTIONS_INIT, .tolerance = 0.001, .largest = 10,           \
                       .threads = 1)
TACHO_OPTIONS(diff);

typedef struct tacho_diff_result {
    const tacho_diff_block *blocks; /**< those of the old predictions in their order, then the added ones */
    size_t block_count;
    size_t counts[TACHO_DIFF_KIND_COUNT];
    size_t higher, lower; /**< of better, worse and changed blocks: predicted to take more, fewer cycles */
    size_t measured;      /**< blocks with a measurement */
    size_t unused; /**< measurements of no block: without a prediction on either side, or more than blocks */
    tacho_score all[TACHO_DIFF_SIDE_COUNT]; /**< over the measured blocks that a side has */
    tacho_score
        common[TACHO_DIFF_SIDE_COUNT]; /**< over the measured blocks that both have a prediction for */
    tacho_score_difference difference; /**< new less old, over the same */
    const uint32_t *largest[TACHO_DIFF_KIND_COUNT]; /**< numbers of blocks of a kind, the largest changes
                                                       first (in order where there is no change); none of the
                                                         unchanged ones and of those that fail as before */
    size_t largest_count[TACHO_DIFF_KIND_COUNT];
    tacho_diff_options options; /**< that it was scored with */
} tacho_diff_result;

typedef struct tacho_diff tacho_diff;

/** @return NULL when memory runs out. */
TACHO_API tacho_diff *tacho_diff_new(void);
TACHO_API void tacho_diff_free(tacho_diff *d);

/** Adds a row of predictions; the new ones come after all old ones. The k-th row of a side with some code
 * (without regard to the case of hex digits) and the k-th of the other side are about the same block. What is
 * not a number of at least 0 is a failure; `message` (may be NULL) says why.
 *  @return 0, TACHO_ERR_USAGE, TACHO_ERR_MEMORY, TACHO_ERR_LIMIT (more than 2^31 - 1 blocks). */
TACHO_API int tacho_diff_predict(tacho_diff *d, tacho_diff_side side, const char *hex, double cycles,
                                 const char *message, tacho_error *err);
/** Adds a measurement, after all predictions. That of the k-th row with some code is for the k-th block with
 * it, and the last one also for the further ones.
 *  @return 0, TACHO_ERR_USAGE (not a number above 0). */
TACHO_API int tacho_diff_measure(tacho_diff *d, const char *hex, double cycles, tacho_error *err);

/** Judges all blocks. @return 0, TACHO_ERR_USAGE, TACHO_ERR_MEMORY */
TACHO_API int tacho_diff_score(tacho_diff *d, const tacho_diff_options *options, tacho_error *err);
/** What there is; it belongs to `d`. */
TACHO_API const tacho_diff_result *tacho_diff_view(tacho_diff *d);

#ifdef __cplusplus
}
#endif
#endif
