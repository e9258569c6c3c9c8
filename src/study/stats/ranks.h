/* ranks.h - Kendall's tau-b of two rankings, also where each element counts several times. */
#ifndef TACHO_STATS_RANKS_H
#define TACHO_STATS_RANKS_H

#include <stddef.h>
#include <stdint.h>

/** Two rankings, sorted once. Start with {0}. */
typedef struct kendall {
    size_t count;
    uint32_t *order;           /* elements by x, those with equal x by y */
    uint32_t *x_rank, *y_rank; /* dense ranks, by place in `order` */
    uint32_t y_ranks;          /* different values of y */
    uint64_t *tree;            /* elements so far by y_rank: sums of ranges (P. Fenwick, 1994); from 1 */
    uint64_t *ties;            /* elements of each y_rank */
} kendall;

/** @return 0, or -1 when memory runs out */
int kendall_prepare(kendall *k, const double *x, const double *y, size_t count);
void kendall_free(kendall *k);
/** With element i counted weights[i] times (NULL: each once); the total is below 2^32. NaN where x or y has
 * no two different values. */
double kendall_tau_b(kendall *k, const uint32_t *weights);

#endif
