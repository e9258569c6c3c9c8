/* noise.h - made-up noise of a run, as logarithm; `state` is what stays from run to run. Of random.h's
 * numbers.
 */
#ifndef TACHO_TEST_NOISE_H
#define TACHO_TEST_NOISE_H

#include <math.h>

#include "random.h"

typedef double noise(double *state);

static inline double small_normal(double *state)
{
    return 0.01 * normal();
}

/* Cauchy's: without a mean. */
static inline double heavy_tails(double *state)
{
    return fmax(-20, fmin(20, 0.1 * tan(M_PI * (uniform() - 0.5))));
}

static inline double skewed(double *state)
{
    return -0.5 * log(uniform());
}

static inline double two_modes(double *state)
{
    return (uniform() < 0.5) * log(3) + 0.01 * normal();
}

static inline double neighbours(double *state)
{
    return (uniform() < 0.25) * log(4) + 0.01 * normal();
}

#endif
