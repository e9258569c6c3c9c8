/* stats.h - how well predictions agree with measurements: errors, rank correlation, intervals.
 *
 * The error of a prediction is |measured - predicted| / measured, a fraction (BHive paper, section VI.A). */
#ifndef TACHO_STATS_H
#define TACHO_STATS_H

#include <stdbool.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A figure with a confidence interval. NaN: not to be had. */
typedef struct tacho_estimate {
    double value;
    double low, high; /**< of the interval; NaN without resamples */
} tacho_estimate;

/** How a predictor did on a set of blocks. The figures are over the blocks that have a prediction, and NaN
 *  where there is none; Kendall's tau also where all measurements, or all predictions, are equal. */
typedef struct tacho_score {
    size_t count;                  /**< blocks with a prediction */
    size_t failures;               /**< blocks without one */
    tacho_estimate mape;           /**< mean error ("mean absolute percentage error"), a fraction */
    tacho_estimate median, q1, q3; /**< quartiles of the error; between two blocks by linear interpolation */
    tacho_estimate kendall_tau;    /**< Kendall's tau-b */
    double worst;                  /**< the largest error */
    double bias;                   /**< mean of (predicted - measured) / measured */
    double within_1, within_5, within_10; /**< shares of the blocks whose error is at most 1, 5, 10 % */
} tacho_score;

typedef struct tacho_score_options {
    size_t size;        /**< sizeof(tacho_score_options) */
    uint32_t resamples; /**< bootstrap resamples for the intervals, 0..TACHO_MAX_RESAMPLES; 0: no intervals */
    double confidence;  /**< of the intervals, above 0 and below 1; 0.95 */
    uint64_t seed;      /**< of the resampling; 1. The same seed gives the same intervals everywhere */
    double tau_step;    /**< for Kendall's tau, both numbers are rounded to multiples of this many cycles, as
                             differences below what a measurement resolves are no order; 0: not rounded */
} tacho_score_options;
#define TACHO_SCORE_OPTIONS_INIT                                                                             \
    {                                                                                                        \
        sizeof(tacho_score_options), 1000, 0.95, 1, 0                                                        \
    }
enum {
    TACHO_MAX_RESAMPLES = 100000
};

/** Scores `count` pairs. A prediction that is NaN is a failure.
 *  The intervals are percentiles of the figures of resamples (B. Efron, R. Tibshirani, "An Introduction to
 * the Bootstrap", 1993, section 13.3): of the blocks with a prediction, as many drawn with replacement. Two
 *  predictors scored on the same blocks with the same seed see the same resamples.
 *  @return 0 and *out; TACHO_ERR_USAGE (a measurement that is not a number above 0, an infinite prediction,
 *  options out of range), TACHO_ERR_MEMORY. */
TACHO_API int tacho_score_compute(const double *measured, const double *predicted, size_t count,
                                  const tacho_score_options *options, tacho_score *out, tacho_error *err);

/** How the figures of two predictors differ on the same blocks: those of the second less those of the first.
 */
typedef struct tacho_score_difference {
    size_t count; /**< blocks that both have a prediction for; the figures are over these */
    tacho_estimate mape, kendall_tau;
} tacho_score_difference;

/** Compares predictors a and b. The intervals are of the paired bootstrap: in each resample the figures of
 *  both are those of the same blocks.
 *  @return as tacho_score_compute. */
TACHO_API int tacho_score_compare(const double *measured, const double *a, const double *b, size_t count,
                                  const tacho_score_options *options, tacho_score_difference *out,
                                  tacho_error *err);

/** Kendall's tau-b of two rankings, with ties, in O(n log n): (concordant - discordant pairs) /
 *  sqrt(pairs not tied in x * pairs not tied in y). No NaNs.
 *  @return 0 and *out, NaN where one of them has no two different values; TACHO_ERR_MEMORY. */
TACHO_API int tacho_kendall_tau_b(const double *x, const double *y, size_t count, double *out);

/** Of numbers in ascending order, the one below which a share `q` (0..1) of them lies, linearly interpolated
 *  between two (R. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", 1996, definition 7); NaN when
 *  there are none. */
TACHO_API double tacho_quantile(const double *sorted, size_t count, double q);

#ifdef __cplusplus
}
#endif
#endif
