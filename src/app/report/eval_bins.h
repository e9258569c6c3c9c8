/* eval_bins.h - what pictures of an evaluation show: blocks counted by measured and predicted cycles, and by
 * error. */
#ifndef TACHO_REPORT_EVAL_BINS_H
#define TACHO_REPORT_EVAL_BINS_H

#include "tacho/eval.h"

enum {
    REPORT_HEAT_CYCLES = 10,   /**< heat maps go up to so many cycles, as in the uiCA paper */
    REPORT_HEAT_PER_CYCLE = 8, /**< bins; halves, thirds and quarters of a cycle lie inside of one */
    REPORT_HEAT_BINS = REPORT_HEAT_CYCLES * REPORT_HEAT_PER_CYCLE + 1, /**< bin k is around k / 8 cycles */
    REPORT_ERROR_DECADES = 4,                                          /**< from 0.1 to 1000 % */
    REPORT_ERROR_PER_DECADE = 40,
    REPORT_ERROR_POINTS = REPORT_ERROR_DECADES * REPORT_ERROR_PER_DECADE + 1
};

/** A predictor's blocks in bins. */
typedef struct report_heat {
    uint32_t counts[REPORT_HEAT_BINS][REPORT_HEAT_BINS]; /**< [predicted][measured] */
    uint32_t most;                                       /**< blocks in the fullest bin */
    size_t shown;
    size_t beyond; /**< blocks that were measured to be inside, but whose prediction is not */
} report_heat;

void report_heat_fill(report_heat *out, const tacho_eval_result *r, size_t predictor);
/** Blocks that were measured to be inside. */
size_t report_heat_measured(const tacho_eval_result *r);

/** Error number `point` of the curve, a fraction. */
double report_error_at(size_t point);
/** Shares of a predictor's blocks whose error is at most that of each point; all NaN without predictions. */
void report_error_shares(double out[REPORT_ERROR_POINTS], const tacho_eval_result *r, size_t predictor);

#endif
