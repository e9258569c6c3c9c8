/* quantile.c - quantiles of sorted numbers. */
#include <math.h>

#include "tacho/stats.h"

double tacho_quantile(const double *sorted, size_t count, double q)
{
    if (!count || !(q >= 0 && q <= 1))
        return NAN;
    double at = q * (double)(count - 1), whole = floor(at);
    size_t low = (size_t)whole;
    if (low + 1 >= count || at == whole)
        return sorted[low];
    return sorted[low] + (at - whole) * (sorted[low + 1] - sorted[low]);
}
