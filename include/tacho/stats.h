/* stats.h - how well predictions agree with measurements (errors, rank correlation, intervals), and what can
 * be said of samples of times: ratios with intervals, rank tests, several modes, trends.
 *
 * The error of a prediction is |measured - predicted| / measured, a fraction (BHive paper, section VI.A).
 * Nothing here depends on anything but the arguments: the same numbers and seeds give the same results.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_STATS_H
#define TACHO_STATS_H

#include <stdbool.h>

#include "error.h"
#include "options.h"

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
    size_t size;
    uint32_t resamples; /**< bootstrap resamples for the intervals, 0..TACHO_MAX_RESAMPLES; 0: no intervals */
    double confidence;  /**< of the intervals, above 0 and below 1; 0.95 */
    uint64_t seed;      /**< of the resampling; 1. The same seed gives the same intervals everywhere */
    double tau_step;    /**< for Kendall's tau, both numbers are rounded to multiples of this many cycles, as
                             differences below what a measurement resolves are no order; 0: not rounded */
} tacho_score_options;
#define TACHO_SCORE_OPTIONS_INIT TACHO_OPTIONS_INIT(score, .resamples = 1000, .confidence = 0.95, .seed = 1)
TACHO_OPTIONS(score);
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

/** Kendall's tau-b of two rankings, with ties, in O(n log n): (concordant - discordant pairs) /
 *  sqrt(pairs not tied in x * pairs not tied in y). No NaNs.
 *  @return 0 and *out, NaN where one of them has no two different values; TACHO_ERR_MEMORY. */
TACHO_API int tacho_kendall_tau_b(const double *x, const double *y, size_t count, double *out);

/** Pearson's correlation of two lists of numbers; NaN where one of them does not vary, or one is no number.
 */
TACHO_API double tacho_pearson(const double *x, const double *y, size_t count);
/** The interval between two of n observations that holds the median of what they come from, whatever its
 * distribution, with at least `confidence`: the binomial distribution says which two (W. Conover, "Practical
 * Nonparametric Statistics", 1999, section 3.2). `sorted` ascending. NaNs where there are too few. */
TACHO_API tacho_estimate tacho_median_interval(const double *sorted, size_t count, double confidence);

/** Of numbers in ascending order, the one below which a share `q` (0..1) of them lies, linearly interpolated
 *  between two (R. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", 1996, definition 7); NaN when
 *  there are none. */
TACHO_API double tacho_quantile(const double *sorted, size_t count, double q);

/** The standard normal distribution: the share of it below z, and the z below which a share lies (NaN unless
 *  0 < share < 1). */
TACHO_API double tacho_normal_below(double z);
TACHO_API double tacho_normal_quantile(double share);
/** The same of Student's distribution: exactly where `freedom` is a whole number, else to 0.5 % where `share`
 * is up to 0.99 and `freedom` at least 4. */
TACHO_API double tacho_student_quantile(double share, double freedom);
/** The share of it below t, exactly where `freedom` is a whole number; other numbers are rounded down, at
 * least to 1. */
TACHO_API double tacho_student_below(double t, double freedom);

/** How values are distributed. All NaN where there are none. */
typedef struct tacho_distribution {
    size_t count;
    double min, q1, median, q3, max; /**< quartiles as tacho_quantile has them */
    double mad; /**< median of the absolute differences from the median, not scaled to anything */
} tacho_distribution;
/** NaNs are left out. @return 0 and *out; TACHO_ERR_MEMORY */
TACHO_API int tacho_distribution_compute(const double *values, size_t count, tacho_distribution *out);

/** Wilcoxon's signed-rank test: the probability that differences which are as likely to be of one sign as of
 *  the other have rank sums as unequal as these, or more. Two-sided. Zeros are left out; equal ones share
 *  their ranks. Exact (given the ties) up to TACHO_SIGNED_RANK_EXACT differences, else by the normal
 *  distribution, corrected for ties and continuity (F. Wilcoxon, "Individual Comparisons by Ranking Methods",
 *  1945; W. J. Conover, "Practical Nonparametric Statistics", 1999, section 5.7).
 *  @return 0 and *p, 1 where no difference is left; TACHO_ERR_MEMORY */
TACHO_API int tacho_signed_rank(const double *differences, size_t count, double *p);
/** The rank-sum test of Mann, Whitney and Wilcoxon for two independent samples, as above; exact up to
 *  TACHO_RANK_SUM_EXACT numbers in all (H. B. Mann, D. R. Whitney, 1947).
 *  @return 0 and *p, 1 where a sample is empty; TACHO_ERR_MEMORY */
TACHO_API int tacho_rank_sum(const double *a, size_t a_count, const double *b, size_t b_count, double *p);
enum {
    TACHO_SIGNED_RANK_EXACT = 100,
    TACHO_RANK_SUM_EXACT = 60
};

/** Of each of many tests the share of false discoveries among those with its p-value or a smaller one, at
 * most (Y. Benjamini, Y. Hochberg, "Controlling the False Discovery Rate", 1995): where that is at most 5 %,
 * so are false ones on average. NaNs are left out, and stay.
 *  @return 0 and `count` numbers at `q`; TACHO_ERR_MEMORY */
TACHO_API int tacho_false_discovery(const double *p, size_t count, double *q);
/** Spearman's rank correlation, with ties, and its two-sided p-value (large samples: normal distribution of
 *  rho * sqrt(count - 1)).
 *  @return 0; NaNs where x or y has no two different values; TACHO_ERR_MEMORY */
TACHO_API int tacho_spearman(const double *x, const double *y, size_t count, double *rho, double *p);

/** The dip: how far, at least, the distribution function of the numbers is from that of any distribution with
 *  one mode (J. A. Hartigan, P. M. Hartigan, "The Dip Test of Unimodality", 1985). Between 1/(2 count) and
 *  1/4. `sorted`: ascending. @return 0 and *out, NaN without numbers; TACHO_ERR_MEMORY */
TACHO_API int tacho_dip(const double *sorted, size_t count, double *out);
/** The probability that as many numbers from a uniform distribution, which of all with one mode is the
 *  hardest to tell, have this dip or a larger one: by 999 made-up samples, or fewer when 20 of them have
 *  (J. Besag, P. Clifford, "Sequential Monte Carlo p-Values", 1991). Of more than 1,000 numbers by that of
 *  1,000, as dip * sqrt(count) hardly changes any more.
 *  @return 0 and *p; TACHO_ERR_MEMORY */
TACHO_API int tacho_dip_p(double dip, size_t count, uint64_t seed, double *p);

/** A value of one of two sides. */
typedef struct tacho_sided_value {
    double value;  /**< above 0 */
    uint32_t side; /**< 0 or 1 */
    uint32_t
        unit; /**< 0..count - 1: what is drawn as a whole in resamples; none of the numbers is left out */
} tacho_sided_value;

/** A ratio of medians: that of side 1 by that of side 0. */
typedef struct tacho_median_ratio {
    tacho_estimate ratio;  /**< its interval: NaN with fewer than TACHO_RATIO_MIN_UNITS units on a side */
    double standard_error; /**< relative to the ratio: half of the width of the resamples' middle 68.3 %,
                                widened as the interval is; NaN as the interval */
} tacho_median_ratio;
enum {
    TACHO_RATIO_MIN_UNITS = 3
};

/** The interval is of the percentile bootstrap: whole units are drawn with replacement, so that what a unit's
 *  values have in common does not make it too narrow. `paired`: each unit has values of both sides, which see
 *  the same draws; else the units of the two sides have nothing to do with each other, and are numbered
 *  apart. The percentiles are further out than the confidence says, by sqrt(n / (n - 1)) and by Student's
 *  distribution for n - 1 degrees of freedom instead of the normal one: few units need that
 *  (T. Hesterberg, "What Teachers Should Know About the Bootstrap", 2015).
 *  `confidence`: above 0 and below 1; `resamples`: 1..TACHO_MAX_RESAMPLES.
 *  @return 0 and *out; TACHO_ERR_USAGE (a value that is not a finite number above 0, a side without values,
 *  arguments out of range), TACHO_ERR_MEMORY */
TACHO_API int tacho_median_ratio_compute(const tacho_sided_value *values, size_t count, bool paired,
                                         double confidence, uint32_t resamples, uint64_t seed,
                                         tacho_median_ratio *out, tacho_error *err);

#ifdef __cplusplus
}
#endif
#endif
