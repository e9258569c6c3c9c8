/* resample.h - bootstrap resamples of pairs of numbers. */
#ifndef TACHO_STATS_RESAMPLE_H
#define TACHO_STATS_RESAMPLE_H

#include "tacho/stats.h"

enum {
    RESAMPLE_MIN_PAIRS = 10 /* intervals of fewer would be too narrow by far */
};

/** How often each of `count` pairs is in a resample of as many, with replacement: the same for the same seed,
 *  number and count. */
void resample_draw(uint32_t *drawn, size_t count, uint64_t seed, uint32_t resample);

/** The median of a resample: `drawn` by the values' units. `sorted`: by value. NaN where nothing was drawn.
 */
double resample_median(const tacho_sided_value *sorted, size_t count, const uint32_t *drawn);
/** So many standard errors beyond an estimate of `units` units a share lies: tacho_median_ratio_compute says
 *  how this is wider than the normal distribution. */
double resample_normal_widened(double share, size_t units);

#endif
