/* quantile.c - quantiles of sorted numbers. */
#include "base/numbers.h"
#include "tacho/stats.h"

double tacho_quantile(const double *sorted, size_t count, double q)
{
    return numbers_quantile(sorted, count, q);
}
