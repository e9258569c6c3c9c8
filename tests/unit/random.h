/* random.h - made-up values for tests: always the same from one `seed` on, which main() sets. */
#ifndef TESTS_UNIT_RANDOM_H
#define TESTS_UNIT_RANDOM_H

#include <math.h>
#include <stdint.h>

#include "base/hash.h"

static uint64_t seed;

/* Between 0 and 1, never one of them. */
static inline double uniform(void)
{
    return ((double)(hash_mix(seed++) >> 11) + 0.5) * 0x1p-53;
}

static inline double normal(void)
{
    double radius = sqrt(-2 * log(uniform()));
    return radius * cos(2 * M_PI * uniform());
}

#endif
