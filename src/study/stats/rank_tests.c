/* rank_tests.c - do two samples differ? Wilcoxon's signed ranks for pairs, rank sums for independent samples.
 *
 * Exact distributions are counted: ways to choose ranks that have a certain sum, rank after rank. Ranks are
 * doubled, so that those of equal numbers are whole. */
#include <math.h>

#include "base/mem.h"
#include "base/search.h"
#include "tacho/stats.h"

typedef struct placed {
    double value;
    size_t place;
} placed;

ORDER_BY(by_value, placed, value);

/* Twice the rank of each number, from 2 on: equal numbers have the mean of the ranks that they take, which
 * is a whole number only when doubled. *ties: the sum of t^3 - t over groups of t equal numbers.
 *  @return 0, or -1 when memory runs out */
static int ranks_doubled(const double *values, size_t count, uint32_t *out, double *ties)
{
    TACHO_MEM_FREED placed *sorted = tacho_mem_zalloc(count ? count : 1, sizeof *sorted);
    if (!sorted)
        return -1;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (placed){values[i], i};
    tacho_sort(sorted, count, sizeof *sorted, by_value);
    *ties = 0;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && sorted[to].value == sorted[from].value; to++)
            ;
        double t = (double)(to - from);
        *ties += t * t * t - t;
        for (size_t i = from; i < to; i++)
            out[sorted[i].place] = (uint32_t)(from + 1 + to);
    }
    return 0;
}

/* Two-sided, of a sum with this mean and variance; half of a step nearer to the mean, for continuity. */
static double normal_p(double sum, double mean, double variance, double half_step)
{
    double distance = fmax(0, fabs(sum - mean) - half_step);
    return variance > 0 ? fmin(1, 2 * tacho_normal_below(-distance / sqrt(variance))) : 1;
}

/* The share of all ways whose sum is as far from the mean as `sum`, or further. */
static double share_as_far(const double *ways, size_t sums, double mean, double sum)
{
    double far = 0, all = 0, distance = fabs(sum - mean);
    for (size_t s = 0; s < sums; s++) {
        all += ways[s];
        if (fabs((double)s - mean) >= distance - 1e-9)
            far += ways[s];
    }
    return fmin(1, far / all);
}

/* ---- pairs ---- */

/* Each rank is that of a positive difference or not: all 2^count ways alike. @return -1: no memory */
static int signed_rank_exact(const uint32_t *ranks, size_t count, double sum, double *p)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most += ranks[i];
    TACHO_MEM_FREED double *ways = tacho_mem_zalloc(most + 1, sizeof *ways);
    if (!ways)
        return -1;
    ways[0] = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t s = most; s >= ranks[i]; s--)
            ways[s] += ways[s - ranks[i]];
    *p = share_as_far(ways, most + 1, (double)most / 2, sum);
    return 0;
}

static int signed_rank(const double *d, double *sizes, uint32_t *ranks, size_t count, double *p)
{
    size_t n = 0;
    double ties, sum = 0;
    for (size_t i = 0; i < count; i++)
        if (d[i] != 0)
            sizes[n++] = fabs(d[i]);
    *p = 1;
    if (!n)
        return 0;
    if (ranks_doubled(sizes, n, ranks, &ties))
        return -1;
    for (size_t i = 0, k = 0; i < count; i++) {
        sum += d[i] > 0 ? ranks[k] : 0;
        k += d[i] != 0;
    }
    if (n <= TACHO_SIGNED_RANK_EXACT)
        return signed_rank_exact(ranks, n, sum, p);
    double m = (double)n;
    *p = normal_p(sum / 2, m * (m + 1) / 4, m * (m + 1) * (2 * m + 1) / 24 - ties / 48, 0.5);
    return 0;
}

int tacho_signed_rank(const double *differences, size_t count, double *p)
{
    TACHO_MEM_FREED double *sizes = tacho_mem_zalloc(count ? count : 1, sizeof *sizes);
    TACHO_MEM_FREED uint32_t *ranks = tacho_mem_zalloc(count ? count : 1, sizeof *ranks);
    int failed = !sizes || !ranks || signed_rank(differences, sizes, ranks, count, p);
    return failed ? TACHO_ERR_MEMORY : 0;
}

/* ---- independent samples ---- */

/* Which `chosen` of the ranks are those of the first sample: all ways alike. @return -1: no memory */
static int rank_sum_exact(const uint32_t *ranks, size_t count, size_t chosen, double sum, double *p)
{
    size_t sums = count * (count + 1) + 1;
    TACHO_MEM_FREED double *ways = tacho_mem_zalloc((chosen + 1) * sums, sizeof *ways);
    if (!ways)
        return -1;
    ways[0] = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t k = chosen; k >= 1; k--)
            for (size_t s = sums - 1; s >= ranks[i]; s--)
                ways[k * sums + s] += ways[(k - 1) * sums + s - ranks[i]];
    *p = share_as_far(ways + chosen * sums, sums, (double)(chosen * (count + 1)), sum);
    return 0;
}

static int rank_sum(double *all, uint32_t *ranks, size_t a_count, size_t count, double *p)
{
    double ties, sum = 0, n = (double)count, na = (double)a_count;
    if (ranks_doubled(all, count, ranks, &ties))
        return -1;
    for (size_t i = 0; i < a_count; i++)
        sum += ranks[i];
    if (count <= TACHO_RANK_SUM_EXACT)
        return rank_sum_exact(ranks, count, a_count, sum, p);
    *p = normal_p(sum / 2, na * (n + 1) / 2, na * (n - na) / 12 * (n + 1 - ties / (n * (n - 1))), 0.5);
    return 0;
}

int tacho_rank_sum(const double *a, size_t a_count, const double *b, size_t b_count, double *p)
{
    size_t count = a_count + b_count;
    *p = 1;
    if (!a_count || !b_count)
        return 0;
    TACHO_MEM_FREED double *all = tacho_mem_zalloc(count, sizeof *all);
    TACHO_MEM_FREED uint32_t *ranks = tacho_mem_zalloc(count, sizeof *ranks);
    int failed = !all || !ranks;
    if (!failed) {
        memcpy(all, a, a_count * sizeof *all);
        memcpy(all + a_count, b, b_count * sizeof *all);
        failed = rank_sum(all, ranks, a_count, count, p);
    }
    return failed ? TACHO_ERR_MEMORY : 0;
}

/* ---- Spearman's correlation: Pearson's of the ranks ---- */

static double correlation(const uint32_t *x, const uint32_t *y, size_t count)
{
    double mean = (double)count + 1, xy = 0, xx = 0, yy = 0; /* of the doubled ranks */
    for (size_t i = 0; i < count; i++) {
        double dx = x[i] - mean, dy = y[i] - mean;
        xy += dx * dy;
        xx += dx * dx;
        yy += dy * dy;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

int tacho_spearman(const double *x, const double *y, size_t count, double *rho, double *p)
{
    double ties;
    TACHO_MEM_FREED uint32_t *ranks = tacho_mem_zalloc(count ? 2 * count : 1, sizeof *ranks);
    int failed =
        !ranks || ranks_doubled(x, count, ranks, &ties) || ranks_doubled(y, count, ranks + count, &ties);
    if (!failed) {
        *rho = correlation(ranks, ranks + count, count);
        *p = isnan(*rho) ? NAN : 2 * tacho_normal_below(-fabs(*rho) * sqrt((double)count - 1));
    }
    return failed ? TACHO_ERR_MEMORY : 0;
}

/* ---- which of many tests have found something, so that few of those are by chance ---- */

typedef struct ranked {
    double p;
    size_t place;
} ranked;

ORDER_BY_TWO(by_p_and_place, ranked, p, place);

int tacho_false_discovery(const double *p, size_t count, double *q)
{
    size_t known = 0;
    TACHO_MEM_FREED ranked *list = tacho_mem_zalloc(count ? count : 1, sizeof *list);
    if (!list)
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        q[i] = NAN;
        if (!isnan(p[i]))
            list[known++] = (ranked){p[i], i};
    }
    tacho_sort(list, known, sizeof *list, by_p_and_place);
    double least = 1;
    for (size_t i = known; i-- > 0;) {
        /* the ratio first: it is at least 1, exactly, so that no q is below its p */
        least = fmin(least, list[i].p * ((double)known / (double)(i + 1)));
        q[list[i].place] = least;
    }
    return 0;
}
