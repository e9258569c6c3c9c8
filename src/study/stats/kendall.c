/* kendall.c - Kendall's tau-b in O(n log n): elements are taken in the order of x, and a Fenwick tree over
 * the ranks of y says how many of those before are lower and how many are higher. */
#include "study/stats/ranks.h"

#include <math.h>

#include "base/mem.h"
#include "base/search.h"
#include "tacho/stats.h"

typedef struct pair {
    double x, y;
    uint32_t element;
} pair;

ORDER_BY(by_y, pair, y);

/* To the last, so that the order is the same with every sorting function. */
static int by_x(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    int x = ORDER(p->x, q->x);
    int y = by_y(a, b);
    return x ? x : y ? y : ORDER(p->element, q->element);
}

static void rank_y(kendall *k, pair *pairs, uint32_t *rank_of_element)
{
    tacho_sort(pairs, k->count, sizeof *pairs, by_y);
    for (size_t i = 0; i < k->count; i++) {
        k->y_ranks += i == 0 || pairs[i].y != pairs[i - 1].y;
        rank_of_element[pairs[i].element] = k->y_ranks - 1;
    }
}

static void rank_x(kendall *k, pair *pairs, const uint32_t *y_rank_of_element)
{
    uint32_t rank = 0;
    tacho_sort(pairs, k->count, sizeof *pairs, by_x);
    for (size_t i = 0; i < k->count; i++) {
        rank += i > 0 && pairs[i].x != pairs[i - 1].x;
        k->order[i] = pairs[i].element;
        k->x_rank[i] = rank;
        k->y_rank[i] = y_rank_of_element[pairs[i].element];
    }
}

int kendall_prepare(kendall *k, const double *x, const double *y, size_t count)
{
    size_t n = count ? count : 1;
    *k = (kendall){.count = count};
    TACHO_MEM_FREED pair *pairs = tacho_mem_zalloc(n, sizeof *pairs);
    TACHO_MEM_FREED uint32_t *ranks = tacho_mem_zalloc(n, sizeof *ranks);
    k->order = tacho_mem_zalloc(n, sizeof *k->order);
    k->x_rank = tacho_mem_zalloc(n, sizeof *k->x_rank);
    k->y_rank = tacho_mem_zalloc(n, sizeof *k->y_rank);
    k->tree = tacho_mem_zalloc(n + 1, sizeof *k->tree);
    k->ties = tacho_mem_zalloc(n, sizeof *k->ties);
    int result = pairs && ranks && k->order && k->x_rank && k->y_rank && k->tree && k->ties ? 0 : -1;
    if (!result) {
        for (size_t i = 0; i < count; i++)
            pairs[i] = (pair){x[i], y[i], (uint32_t)i};
        rank_y(k, pairs, ranks);
        rank_x(k, pairs, ranks);
    }
    if (result)
        kendall_free(k);
    return result;
}

void kendall_free(kendall *k)
{
    TACHO_MEM_FREE(k->order, k->x_rank, k->y_rank, k->tree, k->ties);
    *k = (kendall){0};
}

/* Elements so far with a rank of y below `rank`. */
static uint64_t below(const kendall *k, uint32_t rank)
{
    uint64_t sum = 0;
    for (uint32_t i = rank; i; i &= i - 1)
        sum += k->tree[i];
    return sum;
}

static void insert(kendall *k, uint32_t rank, uint64_t weight)
{
    for (uint32_t i = rank + 1; i <= k->y_ranks; i += i & -i)
        k->tree[i] += weight;
    k->ties[rank] += weight;
}

static uint64_t pairs_of(uint64_t n)
{
    return n & 1 ? (n - 1) / 2 * n : n / 2 * (n - 1);
}

double kendall_tau_b(kendall *k, const uint32_t *weights)
{
    uint64_t total = 0, tied_x = 0, tied_y = 0;
    int64_t concordant_more = 0;
    memset(k->tree, 0, (k->y_ranks + 1) * sizeof *k->tree);
    memset(k->ties, 0, k->y_ranks * sizeof *k->ties);
    for (size_t from = 0, to; from < k->count; from = to) {
        uint64_t group = 0;
        for (to = from; to < k->count && k->x_rank[to] == k->x_rank[from]; to++) {
            uint64_t w = weights ? weights[k->order[to]] : 1, lower;
            if (!w)
                continue;
            lower = below(k, k->y_rank[to]);
            uint64_t higher = total - lower - k->ties[k->y_rank[to]];
            concordant_more += (int64_t)(w * lower) - (int64_t)(w * higher);
            group += w;
        }
        for (size_t i = from; i < to; i++)
            insert(k, k->y_rank[i], weights ? weights[k->order[i]] : 1);
        total += group;
        tied_x += pairs_of(group);
    }
    for (uint32_t r = 0; r < k->y_ranks; r++)
        tied_y += pairs_of(k->ties[r]);
    uint64_t x_pairs = pairs_of(total) - tied_x, y_pairs = pairs_of(total) - tied_y;
    return x_pairs && y_pairs ? (double)concordant_more / (sqrt((double)x_pairs) * sqrt((double)y_pairs))
                              : NAN;
}

int tacho_kendall_tau_b(const double *x, const double *y, size_t count, double *out)
{
    kendall k;
    if (kendall_prepare(&k, x, y, count))
        return TACHO_ERR_MEMORY;
    *out = kendall_tau_b(&k, NULL);
    kendall_free(&k);
    return 0;
}

/* Pearson's correlation of two lists of numbers, and the interval of a median. */

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
