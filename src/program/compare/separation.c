/* separation.c - a verdict on fewer units than the rank test of units needs: where all values of one side lie
 * far beyond all of the other.
 *
 * What it takes for granted beyond what the blocks do: that runs are independent of each other. Then the rank
 * sum's probability holds, and the ratios of the furthest and of the nearest values are an interval of at
 * least the same confidence (J. Hodges, E. Lehmann, "Estimates of Location Based on Rank Tests", 1963) where
 * both sides are equally noisy. Sides that are not widen it: both ends are moved outwards by the larger
 * range. doc/COMPARE.md has how often that is wrong. */
#include <math.h>

#include "base/mem.h"
#include "program/compare/compare_internal.h"

static const double many = 5; /* thresholds that the interval has to be away from 1 */

/* The ends of a side, as logarithms. */
typedef struct ends {
    double low, high;
} ends;

static ends ends_of(const judging *j, uint32_t side)
{
    ends e = {INFINITY, -INFINITY};
    for (size_t i = 0; i < j->value_count; i++)
        if (j->values[i].side == side) {
            e.low = fmin(e.low, log(j->values[i].value));
            e.high = fmax(e.high, log(j->values[i].value));
        }
    return e;
}

/* Of m values of each side, all of one beyond all of the other have the probability 2 m! m! / (2 m)!. */
uint32_t separation_units_needed(const judging *j, double confidence)
{
    uint32_t values = 0, of_a_unit = j->paired ? JUDGE_RUNS_OF_A_BLOCK / 2 : 1;
    if (j->layout_count)
        return judging_units_needed(confidence);
    for (double p = 2; p > 1 - confidence + 1e-12; values++)
        p *= (values + 1.0) / (4 * values + 2);
    return (values + of_a_unit - 1) / of_a_unit;
}

int judging_rank_sum(const judging *j, double *p)
{
    size_t n = j->value_count, sides[2] = {0, 0};
    double *room = tacho_mem_zalloc(2 * n + 1, sizeof *room);
    if (!room)
        return -1;
    for (size_t i = 0; i < n; i++) {
        uint32_t side = j->values[i].side;
        room[side * n + sides[side]++] = j->values[i].value;
    }
    int failed = tacho_rank_sum(room, sides[0], room + n, sides[1], p);
    tacho_mem_free(room);
    return failed ? -1 : 0;
}

int separation_judge(const judging *j, const tacho_judge_options *o, separation *out)
{
    *out = (separation){.low = NAN, .high = NAN, .nearest = NAN, .p = NAN};
    ends a = ends_of(j, 0), b = ends_of(j, 1);
    if (j->layout_count || isinf(a.low) || isinf(b.low))
        return 0; /* that runs are apart in some layouts says nothing of others */
    double range = fmax(a.high - a.low, b.high - b.low);
    double low = b.low - a.high - range, high = b.high - a.low + range;
    double least = many * log1p(o->threshold);
    if (!(low > 0 && low >= least) && !(high < 0 && high <= -least))
        return 0;
    double p;
    if (judging_rank_sum(j, &p))
        return -1;
    if (p > 1 - o->confidence + 1e-12)
        return 0;
    double nearest = low > 0 ? b.low - a.high : b.high - a.low;
    *out =
        (separation){.is_clear = true, .low = exp(low), .high = exp(high), .nearest = exp(nearest), .p = p};
    return 0;
}
