/* distribution.c - quartiles and spread of a sample; the normal distribution. */
#include <float.h>

#include "base/mem.h"
#include "base/number.h"
#include "tacho/stats.h"

double tacho_normal_below(double z)
{
    return erfc(-z * M_SQRT1_2) / 2;
}

/* By halving: exact enough for anything, and there is nothing to get wrong. */
double tacho_normal_quantile(double share)
{
    double low = -40, high = 40;
    if (!(share > 0 && share < 1))
        return NAN;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (tacho_normal_below(middle) < share)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* The share within t of 0 as a sum (Abramowitz, Stegun, 26.7.3 and 26.7.4). */
static double student_within(double t, int freedom)
{
    double angle = atan(t / sqrt(freedom)), c = cos(angle), s = sin(angle);
    bool odd = freedom & 1;
    double sum = 0, term = odd ? c : 1;
    for (int k = odd ? 1 : 0; k <= freedom - 2; k += 2) {
        sum += term;
        term *= c * c * (k + 1) / (k + 2);
    }
    return odd ? M_2_PI * (angle + s * sum) : s * sum;
}

double tacho_student_below(double t, double freedom)
{
    const double many = 1000; /* is as the normal one to more digits than matter */
    if (isnan(t) || isnan(freedom))
        return NAN;
    if (freedom > many)
        return tacho_normal_below(t);
    double within = fmin(1, student_within(fabs(t), freedom < 1 ? 1 : (int)freedom));
    return t < 0 ? (1 - within) / 2 : (1 + within) / 2;
}

/* By the normal one: its expansion in 1 / degrees of freedom (M. Abramowitz, I. Stegun, "Handbook of
 * Mathematical Functions", 26.7.5). */
static double student_expansion(double share, double freedom)
{
    double z = tacho_normal_quantile(share), z2 = z * z, v = freedom;
    return z + z * (z2 + 1) / (4 * v) + z * ((5 * z2 + 16) * z2 + 3) / (96 * v * v) +
           z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v * v * v);
}

double tacho_student_quantile(double share, double freedom)
{
    const double few = 100; /* with more the expansion is as good */
    if (!(share > 0 && share < 1) || !(freedom >= 1 && freedom <= few) || freedom != floor(freedom))
        return student_expansion(share, freedom);
    if (share < 0.5)
        return -tacho_student_quantile(1 - share, freedom);
    double low = 0, high = 1;
    while (tacho_student_below(high, freedom) < share && high < DBL_MAX / 2)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (tacho_student_below(middle, freedom) < share)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

int tacho_distribution_compute(const double *values, size_t count, tacho_distribution *out)
{
    size_t n = 0;
    double *sorted = tacho_mem_zalloc(count ? count : 1, sizeof *sorted);
    if (!sorted)
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            sorted[n++] = values[i];
    numbers_sort(sorted, n);
    *out = (tacho_distribution){.count = n,
                                .min = tacho_quantile(sorted, n, 0),
                                .q1 = tacho_quantile(sorted, n, 0.25),
                                .median = tacho_quantile(sorted, n, 0.5),
                                .q3 = tacho_quantile(sorted, n, 0.75),
                                .max = tacho_quantile(sorted, n, 1)};
    for (size_t i = 0; i < n; i++)
        sorted[i] = fabs(sorted[i] - out->median);
    out->mad = numbers_median(sorted, n);
    tacho_mem_free(sorted);
    return 0;
}

/* ---- quantiles of sorted numbers ---- */

double tacho_quantile(const double *sorted, size_t count, double q)
{
    return numbers_quantile(sorted, count, q);
}
