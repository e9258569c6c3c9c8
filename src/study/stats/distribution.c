/* distribution.c - quartiles and spread of a sample; the normal distribution; a test against one mode. */
#include <float.h>
#include <math.h>

#include "base/hash.h"
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
    TACHO_MEM_FREED double *sorted = tacho_mem_zalloc(count ? count : 1, sizeof *sorted);
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
    return 0;
}

/* ---- quantiles of sorted numbers ---- */

double tacho_quantile(const double *sorted, size_t count, double q)
{
    return numbers_quantile(sorted, count, q);
}

/* ---- a test against one mode ---- */

/* Hartigan and Hartigan's dip test ("The Dip Test of Unimodality", Annals of Statistics 13, 1985, section 3:
 * the algorithm).
 *
 * A distribution function with one mode is convex before the mode and concave after it. The greatest
 * convex minorant and the least concave majorant of the sample's distribution function are compared on an
 * interval that holds the mode and becomes narrower; outside of it, the function follows one of the two.
 * Distances are counted in numbers of the sample. They are twice the dip, since a function halfway between
 * the two has half the distance from both. */

enum {
    SIMULATIONS = 999,
    ENOUGH_LARGER = 20, /* ends them: the p-value is large, and known well enough */
    LARGEST_SIMULATED = 1000
};

/* The distribution function as corners: at each different number it rises from below[] to above[]. */
typedef struct steps {
    size_t count;
    double *x, *below, *above;
    size_t *minorant, *majorant; /* corners that they touch, ascending */
    size_t minorants, majorants;
} steps;

/* Twice the area of a triangle, with its sign: above 0 where the middle point is below the line. */
static double turn(const steps *s, const double *y, size_t a, size_t b, size_t c)
{
    return (s->x[b] - s->x[a]) * (y[c] - y[a]) - (s->x[c] - s->x[a]) * (y[b] - y[a]);
}

/* One side of the convex hull of corners low..high. `sign` 1: from below, -1: from above. */
static size_t hull(const steps *s, const double *y, size_t low, size_t high, int sign, size_t *out)
{
    size_t n = 0;
    for (size_t i = low; i <= high; i++) {
        while (n >= 2 && sign * turn(s, y, out[n - 2], out[n - 1], i) <= 0)
            n--;
        out[n++] = i;
    }
    return n;
}

/* On the line between corners a and b at corner i. */
static double line(const steps *s, const double *y, size_t a, size_t b, size_t i)
{
    return b == a ? y[a] : y[a] + (s->x[i] - s->x[a]) * ((y[b] - y[a]) / (s->x[b] - s->x[a]));
}

/* Where the majorant is furthest above the minorant, and the interval around it between a corner of the
 * minorant and one of the majorant. @return the distance */
static double widest(const steps *s, size_t *low, size_t *high)
{
    double most = -1;
    for (size_t i = 0, k = 0; i < s->minorants; i++) {
        size_t at = s->minorant[i];
        while (k + 2 < s->majorants && s->majorant[k + 1] < at)
            k++;
        size_t next = s->majorants > 1 ? s->majorant[k + 1] : s->majorant[k];
        double d = line(s, s->above, s->majorant[k], next, at) - s->below[at];
        if (d > most) {
            most = d;
            *low = at;
            *high = s->majorant[k] >= at ? s->majorant[k] : next;
        }
    }
    for (size_t i = 0, k = 0; i < s->majorants; i++) {
        size_t at = s->majorant[i];
        while (k + 2 < s->minorants && s->minorant[k + 1] <= at)
            k++;
        size_t next = s->minorants > 1 ? s->minorant[k + 1] : s->minorant[k];
        double d = s->above[at] - line(s, s->below, s->minorant[k], next, at);
        if (d > most) {
            most = d;
            *high = at;
            *low = next <= at ? next : s->minorant[k];
        }
    }
    return most;
}

/* How far the function is above the minorant up to corner `to`, at most. */
static double above_minorant(const steps *s, size_t to)
{
    double most = 0;
    for (size_t k = 0; k + 1 < s->minorants && s->minorant[k] < to; k++)
        for (size_t i = s->minorant[k]; i <= s->minorant[k + 1]; i++)
            most = fmax(most, s->above[i] - line(s, s->below, s->minorant[k], s->minorant[k + 1], i));
    return most;
}

static double below_majorant(const steps *s, size_t from)
{
    double most = 0;
    for (size_t k = 0; k + 1 < s->majorants; k++)
        for (size_t i = s->majorant[k]; s->majorant[k] >= from && i <= s->majorant[k + 1]; i++)
            most = fmax(most, line(s, s->above, s->majorant[k], s->majorant[k + 1], i) - s->below[i]);
    return most;
}

static double dip_of(steps *s)
{
    size_t low = 0, high = s->count - 1;
    double dip = 1;
    for (;;) {
        size_t next_low = low, next_high = high;
        s->minorants = hull(s, s->below, low, high, 1, s->minorant);
        s->majorants = hull(s, s->above, low, high, -1, s->majorant);
        if (widest(s, &next_low, &next_high) <= dip)
            return dip;
        dip = fmax(dip, fmax(above_minorant(s, next_low), below_majorant(s, next_high)));
        if (next_low == low && next_high == high)
            return dip;
        low = next_low;
        high = next_high;
    }
}

static void steps_free(steps *s)
{
    tacho_mem_free(s->x);
    tacho_mem_free(s->minorant);
}

/* @return -1: no memory */
static int steps_new(steps *s, size_t count)
{
    *s = (steps){0};
    s->x = tacho_mem_zalloc(3 * count, sizeof *s->x);
    s->minorant = tacho_mem_zalloc(2 * count, sizeof *s->minorant);
    if (!s->x || !s->minorant) {
        steps_free(s);
        return -1;
    }
    s->below = s->x + count;
    s->above = s->below + count;
    s->majorant = s->minorant + count;
    return 0;
}

static void steps_take(steps *s, const double *sorted, size_t count)
{
    s->count = 0;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && sorted[to] == sorted[from]; to++)
            ;
        s->x[s->count] = sorted[from];
        s->below[s->count] = (double)from;
        s->above[s->count++] = (double)to;
    }
}

int tacho_dip(const double *sorted, size_t count, double *out)
{
    steps s;
    *out = NAN;
    if (!count)
        return 0;
    if (steps_new(&s, count))
        return TACHO_ERR_MEMORY;
    steps_take(&s, sorted, count);
    *out = dip_of(&s) / (2 * (double)count);
    steps_free(&s);
    return 0;
}

/* Sorted uniform numbers without sorting: sums of exponential ones. Their scale does not matter. */
static void draw_uniform(double *out, size_t count, uint64_t *state)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double u = ((double)(hash_mix((*state)++) >> 11) + 0.5) * 0x1p-53;
        sum -= log(u);
        out[i] = sum;
    }
}

int tacho_dip_p(double dip, size_t count, uint64_t seed, double *p)
{
    size_t n = count < LARGEST_SIMULATED ? count : LARGEST_SIMULATED;
    double limit = dip * sqrt((double)count / (double)(n ? n : 1)) * (1 - 1e-12);
    uint64_t state = hash_mix(seed);
    unsigned larger = 0;
    steps s;
    *p = 1;
    if (!n)
        return 0;
    TACHO_MEM_FREED double *sample = tacho_mem_zalloc(n, sizeof *sample);
    if (!sample || steps_new(&s, n))
        return TACHO_ERR_MEMORY;
    int done = 0;
    for (; done < SIMULATIONS && larger < ENOUGH_LARGER; done++) {
        draw_uniform(sample, n, &state);
        steps_take(&s, sample, n);
        larger += dip_of(&s) / (2 * (double)n) >= limit;
    }
    *p = larger == ENOUGH_LARGER ? (double)larger / done : (double)(larger + 1) / (SIMULATIONS + 1);
    steps_free(&s);
    return 0;
}
