/* number.h - small arithmetic of whole numbers; sorted numbers and their quantiles. */
#ifndef TACHO_BASE_NUMBER_H
#define TACHO_BASE_NUMBER_H

#include <math.h>

#include "base/search.h"

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline int32_t max_i32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Of two numbers of which neither is negative; that of 0 and n is n. */
static inline int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* A number with so many ones, at most 64, from the lowest bit on. */
static inline uint64_t lowest_bits(unsigned count)
{
    return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

/* Ones among the lowest 16 bits, the others being 0; a processor's own instruction for it may be missing. */
static inline uint32_t bits_in_16(uint32_t x)
{
    x -= x >> 1 & 0x5555;
    x = (x & 0x3333) + (x >> 2 & 0x3333);
    x = (x + (x >> 4)) & 0x0f0f;
    return (x + (x >> 8)) & 31;
}

/* Sorted numbers and their quantiles. */

static inline int numbers_by_value(const void *a, const void *b)
{
    return ORDER(*(const double *)a, *(const double *)b);
}

static inline void numbers_sort(double *values, size_t count)
{
    tacho_sort(values, count, sizeof *values, numbers_by_value);
}

/** Of sorted numbers, linearly interpolated between two; NaN where there are none. tacho_quantile
 * (tacho/stats.h) is the same. */
static inline double numbers_quantile(const double *sorted, size_t count, double q)
{
    if (!count || !(q >= 0 && q <= 1))
        return NAN;
    double at = q * (double)(count - 1), whole = floor(at);
    size_t low = (size_t)whole;
    if (low + 1 >= count || at == whole)
        return sorted[low];
    return sorted[low] + (at - whole) * (sorted[low + 1] - sorted[low]);
}

/** The same rounded down to one of them. There is at least one. */
static inline double numbers_quantile_below(const double *sorted, size_t count, double q)
{
    return sorted[(size_t)(q * (double)(count - 1))];
}

/** The 95 % interval of a share that so many independent ones have shown (E. Wilson 1927). */
static inline void share_interval(double share, double count, double *low, double *high)
{
    const double z = 1.959964, norm = 1 + z * z / count;
    const double middle = (share + z * z / (2 * count)) / norm;
    const double reach = z / norm * sqrt(share * (1 - share) / count + z * z / (4 * count * count));
    *low = fmax(middle - reach, 0);
    *high = fmin(middle + reach, 1);
}

/** Sorts them. */
static inline double numbers_median(double *values, size_t count)
{
    numbers_sort(values, count);
    return numbers_quantile(values, count, 0.5);
}

#endif
