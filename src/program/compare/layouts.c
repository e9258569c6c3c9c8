/* layouts.c - how much of what was seen comes from where things lie in memory: an analysis of variance with
 * the layouts as its groups. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "program/compare/compare_internal.h"

enum {
    SHUFFLES = 999
};

/* One-way, of groups that may differ in size. */
typedef struct variance {
    size_t groups, count;
    double within, between; /* mean squares */
    double group_size;      /* a mean that is right for unequal groups */
} variance;

/* `groups`: of each number, below `limit`. `room`: 2 * limit numbers. */
static variance analyse(const double *numbers, const uint32_t *groups, size_t count, size_t limit,
                        double *room)
{
    variance v = {0};
    double *sums = room, *sizes = room + limit, mean = 0, squares = 0, within = 0;
    memset(room, 0, 2 * limit * sizeof *room);
    for (size_t i = 0; i < count; i++) {
        sums[groups[i]] += numbers[i];
        sizes[groups[i]]++;
        mean += numbers[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        double d = numbers[i] - sums[groups[i]] / sizes[groups[i]];
        within += d * d;
    }
    for (size_t g = 0; g < limit; g++) {
        double d = sizes[g] > 0 ? sums[g] / sizes[g] - mean : 0;
        v.groups += sizes[g] > 0;
        v.between += sizes[g] * d * d;
        squares += sizes[g] * sizes[g];
    }
    double freedom = (double)v.groups - 1, rest = (double)count - (double)v.groups;
    v.count = count;
    v.between = freedom > 0 ? v.between / freedom : NAN;
    v.within = rest > 0 ? within / rest : NAN;
    v.group_size = freedom > 0 ? ((double)count - squares / (double)count) / freedom : NAN;
    return v;
}

/* The variance of the groups' own means, at least 0. */
static double of_groups(const variance *v)
{
    return fmax(0, (v->between - v->within) / v->group_size);
}

static double layout_share(const judging *j, uint32_t side, double *numbers, uint32_t *groups, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < j->value_count; i++)
        if (j->values[i].side == side) {
            numbers[n] = log(j->values[i].value);
            groups[n++] = j->values[i].unit;
        }
    variance v = analyse(numbers, groups, n, j->layout_count, room);
    double own = of_groups(&v);
    return own + v.within > 0 ? own / (own + v.within) : NAN;
}

/* The ratios of the blocks, and which layouts these are of. @return how many */
static size_t take_blocks(const judging *j, double *numbers, uint32_t *groups)
{
    for (size_t b = 0; b < j->block_count; b++) {
        numbers[b] = j->blocks[b].log_ratio;
        groups[b] = j->blocks[b].unit;
    }
    return j->block_count;
}

/* How likely it is that blocks which know nothing of layouts differ between them as much as these. */
static double by_shuffling(const judging *j, uint64_t seed, double *numbers, uint32_t *groups, double *room)
{
    size_t n = take_blocks(j, numbers, groups), larger = 0;
    variance seen = analyse(numbers, groups, n, j->layout_count, room);
    if (isnan(seen.between) || isnan(seen.within))
        return NAN;
    uint64_t state = hash_mix(seed);
    for (int s = 0; s < SHUFFLES; s++) {
        for (size_t i = n; i > 1; i--) {
            size_t k = hash_draw(&state, (uint32_t)i);
            double other = numbers[k];
            numbers[k] = numbers[i - 1];
            numbers[i - 1] = other;
        }
        larger += analyse(numbers, groups, n, j->layout_count, room).between >= seen.between * (1 - 1e-12);
    }
    return (double)(larger + 1) / (SHUFFLES + 1);
}

static int list(const judging *j, tacho_judgement *out)
{
    out->layouts = tacho_mem_zalloc(j->layout_count ? j->layout_count : 1, sizeof *out->layouts);
    if (!out->layouts)
        return -1;
    for (out->layout_count = 0; out->layout_count < j->layout_count; out->layout_count++) {
        const judged_unit *u = &j->layouts[out->layout_count];
        out->layouts[out->layout_count] = (tacho_layout_ratio){u->number, u->blocks, exp(u->log_ratio)};
    }
    return 0;
}

int layouts_judge(const judging *j, const tacho_judge_options *o, tacho_judgement *out)
{
    size_t n = j->value_count + 1;
    double *numbers = tacho_mem_zalloc(n, sizeof *numbers);
    double *room = tacho_mem_zalloc(2 * (size_t)j->layout_count + 1, sizeof *room);
    uint32_t *groups = tacho_mem_zalloc(n, sizeof *groups);
    int failed = !numbers || !room || !groups || list(j, out);
    if (!failed) {
        bool above = false, below = false;
        for (uint32_t side = 0; side < 2; side++)
            out->sides[side].layout_share = layout_share(j, side, numbers, groups, room);
        out->layouts_p = by_shuffling(j, o->seed, numbers, groups, room);
        for (size_t i = 0; i < out->layout_count; i++) {
            above |= out->layouts[i].ratio > 1;
            below |= out->layouts[i].ratio < 1;
        }
        out->depends_on_layout = out->layouts_p < 0.01 && above && below;
    }
    TACHO_MEM_FREE(numbers, room, groups);
    return failed ? -1 : 0;
}

bool layouts_dominate(const judging *j)
{
    size_t n = j->block_count;
    double *numbers = tacho_mem_zalloc(n + 1, sizeof *numbers);
    double *room = tacho_mem_zalloc(2 * (size_t)j->layout_count + 1, sizeof *room);
    uint32_t *groups = tacho_mem_zalloc(n + 1, sizeof *groups);
    bool dominate = false;
    if (numbers && room && groups && j->layout_count > 1) {
        take_blocks(j, numbers, groups);
        variance v = analyse(numbers, groups, n, j->layout_count, room);
        dominate = v.within / v.group_size < 0.1 * of_groups(&v); /* false where a part is NaN */
    }
    TACHO_MEM_FREE(numbers, room, groups);
    return dominate;
}
