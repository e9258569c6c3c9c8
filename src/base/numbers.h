/* numbers.h - sorted numbers and their quantiles. */
#ifndef TACHO_BASE_NUMBERS_H
#define TACHO_BASE_NUMBERS_H

#include <math.h>

#include "base/search.h"

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

/** Sorts them. */
static inline double numbers_median(double *values, size_t count)
{
    numbers_sort(values, count);
    return numbers_quantile(values, count, 0.5);
}

#endif
