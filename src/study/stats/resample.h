/* resample.h - bootstrap resamples of pairs of numbers. */
#ifndef TACHO_STATS_RESAMPLE_H
#define TACHO_STATS_RESAMPLE_H

#include "tacho/stats.h"

enum {
    RESAMPLE_MIN_PAIRS = 10 /* intervals of fewer would be too narrow by far */
};

/** @return 0; TACHO_ERR_USAGE: of the numbers or the options, with a message */
int score_check(const double *measured, const double *predicted, size_t count, const tacho_score_options *o,
                tacho_error *err);
/** Rounds to multiples of `step`, if that is not 0: differences below it are no order. */
void score_round(double *numbers, size_t count, double step);

/** How often each of `count` pairs is in a resample of as many, with replacement: the same for the same seed,
 *  number and count. */
void resample_draw(uint32_t *drawn, size_t count, uint64_t seed, uint32_t resample);
/** The percentile interval of a figure's values, which are sorted. NaNs are left out: a resample may have no
 * two different values to rank. */
void resample_interval(double *values, size_t count, double confidence, tacho_estimate *out);

/** The median of a resample: `drawn` by the values' units. `sorted`: by value. NaN where nothing was drawn.
 */
double resample_median(const tacho_sided_value *sorted, size_t count, const uint32_t *drawn);
/** So many standard errors beyond an estimate of `units` units a share lies: tacho_median_ratio_compute says
 *  how this is wider than the normal distribution. */
double resample_normal_widened(double share, size_t units);

#endif
