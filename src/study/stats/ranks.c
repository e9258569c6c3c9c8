/* ranks.c - ranks of numbers, and Spearman's correlation, which is Pearson's of the ranks. */
#include "study/stats/ranks.h"

#include <math.h>

#include "base/mem.h"
#include "base/search.h"
#include "tacho/stats.h"

typedef struct placed {
    double value;
    size_t place;
} placed;

ORDER_BY(by_value, placed, value);

int ranks_doubled(const double *values, size_t count, uint32_t *out, double *ties)
{
    placed *sorted = tacho_mem_zalloc(count ? count : 1, sizeof *sorted);
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
    tacho_mem_free(sorted);
    return 0;
}

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
    uint32_t *ranks = tacho_mem_zalloc(count ? 2 * count : 1, sizeof *ranks);
    int failed =
        !ranks || ranks_doubled(x, count, ranks, &ties) || ranks_doubled(y, count, ranks + count, &ties);
    if (!failed) {
        *rho = correlation(ranks, ranks + count, count);
        *p = isnan(*rho) ? NAN : 2 * tacho_normal_below(-fabs(*rho) * sqrt((double)count - 1));
    }
    tacho_mem_free(ranks);
    return failed ? TACHO_ERR_MEMORY : 0;
}
