/* eval_bins.h - what pictures of an evaluation show: blocks counted by measured and predicted cycles, and by
 * error. */
#ifndef TACHO_STUDY_EVAL_BINS_H
#define TACHO_STUDY_EVAL_BINS_H

#include "base/private.h"
#include "tacho/eval.h"

enum {
    EVAL_HEAT_CYCLES = 10,   /**< heat maps go up to so many cycles, as in the uiCA paper */
    EVAL_HEAT_PER_CYCLE = 8, /**< bins; halves, thirds and quarters of a cycle lie inside of one */
    EVAL_HEAT_BINS = EVAL_HEAT_CYCLES * EVAL_HEAT_PER_CYCLE + 1, /**< bin k is around k / 8 cycles */
    EVAL_ERROR_DECADES = 4,                                      /**< from 0.1 to 1000 % */
    EVAL_ERROR_PER_DECADE = 40,
    EVAL_ERROR_POINTS = EVAL_ERROR_DECADES * EVAL_ERROR_PER_DECADE + 1
};

/** A predictor's blocks in bins. */
typedef struct eval_heat {
    uint32_t counts[EVAL_HEAT_BINS][EVAL_HEAT_BINS]; /**< [predicted][measured] */
    uint32_t most;                                   /**< blocks in the fullest bin */
    size_t shown;
    size_t beyond; /**< blocks that were measured to be inside, but whose prediction is not */
} eval_heat;

TACHO_PRIVATE void tacho_eval_heat_fill(eval_heat *out, const tacho_eval_result *r, size_t predictor);
/** Blocks that were measured to be inside. */
TACHO_PRIVATE size_t tacho_eval_heat_measured(const tacho_eval_result *r);

/** Error number `point` of the curve, a fraction. */
TACHO_PRIVATE double tacho_eval_error_at(size_t point);
/** Shares of a predictor's blocks whose error is at most that of each point; all NaN without predictions. */
TACHO_PRIVATE void tacho_eval_error_shares(double out[EVAL_ERROR_POINTS], const tacho_eval_result *r,
                                           size_t predictor);

#endif
