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

#endif
