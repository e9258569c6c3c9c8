/* stats_correlation.c - Pearson's correlation of two lists of numbers, and the interval of a median. */
#include <math.h>

#include "tacho/stats.h"

double tacho_pearson(const double *x, const double *y, size_t count)
{
    double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        mean_x += x[i] / (double)count;
        mean_y += y[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    /* What rounding leaves of numbers that are all the same is no variation. */
    double least_x = mean_x * mean_x * (double)count * 1e-28,
           least_y = mean_y * mean_y * (double)count * 1e-28;
    return xx > least_x && yy > least_y ? fmax(-1, fmin(1, xy / sqrt(xx * yy))) : NAN;
}

tacho_estimate tacho_median_interval(const double *sorted, size_t count, double confidence)
{
    tacho_estimate e = {tacho_quantile(sorted, count, 0.5), NAN, NAN};
    /* Below the k-th smallest with the probability that fewer than k of n fair coins show heads. */
    double below = 0, term = count < 1000 ? pow(0.5, (double)count) : 0;
    size_t k = 0;
    if (count >= 1000) { /* the normal approximation */
        double z = confidence > 0.99 ? 3.29 : confidence > 0.95 ? 2.576 : 1.96;
        double at = ((double)count - z * sqrt((double)count)) / 2;
        k = at > 1 ? (size_t)at : 0;
    }
    for (; count < 1000 && k < count / 2; k++) {
        below += term;
        if (below > (1 - confidence) / 2)
            break;
        term = term * (double)(count - k) / (double)(k + 1);
    }
    if (k) {
        e.low = sorted[k - 1];
        e.high = sorted[count - k];
    }
    return e;
}
