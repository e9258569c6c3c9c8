/* evidence.c - from samples to independent pieces of evidence: blocks, or layouts where the question is one
 * of layouts.
 *
 * What the runs of a block have in common - the clock's frequency, a neighbour, the time of day - cancels in
 * the block's own ratio, which the rank test sees, and does not make the interval of the ratio of medians too
 * narrow or much wider, as blocks are drawn whole. Dividing it out first would be no better: the median of a
 * block leans to the values that it is then taken from, and draws the ratio towards 1. */

#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"
#include "program/compare/compare_internal.h"

/* Samples that count, sorted by block. */
typedef struct sorted_sample {
    const tacho_sample *sample;
    size_t place;
} sorted_sample;

ORDER_BY_TWO(by_block, sorted_sample, sample->block, place);

ORDER_BY(by_number, judged_unit, number);

/* The median of a side's values in a block. NaN where there are none. */
static double median_of(const sorted_sample *s, size_t count, uint32_t side, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (s[i].sample->side == side)
            room[n++] = s[i].sample->value;
    return numbers_median(room, n);
}

static int take_block(judging *j, const sorted_sample *s, size_t count, bool layouts, double *room,
                      tacho_error *err)
{
    const tacho_sample *first = s->sample;
    double a = median_of(s, count, 0, room), b = median_of(s, count, 1, room);
    if (isnan(a) || isnan(b))
        return 0;
    judged_unit *u = &j->blocks[j->block_count];
    *u = (judged_unit){
        .number = first->block, .log_ratio = log(b / a), .unit = j->block_count++, .layout = first->layout};
    for (size_t i = 0; i < count; i++) {
        if (layouts && s[i].sample->layout != first->layout)
            return tacho_error_set(err, TACHO_ERR_INPUT, "sample %zu: block %u is of two layouts, %u and %u",
                                   s[i].place + 1, first->block, first->layout, s[i].sample->layout);
        j->values[j->value_count++] = (tacho_sided_value){s[i].sample->value, s[i].sample->side, u->unit};
    }
    return 0;
}

static int take_blocks(judging *j, sorted_sample *s, size_t count, bool layouts, tacho_error *err)
{
    int rc = 0;
    double *room = tacho_mem_zalloc(count ? count : 1, sizeof *room);
    if (!room)
        return tacho_no_memory(err);
    tacho_sort(s, count, sizeof *s, by_block);
    for (size_t from = 0, to; from < count && !rc; from = to) {
        for (to = from; to < count && s[to].sample->block == s[from].sample->block; to++)
            ;
        rc = take_block(j, s + from, to - from, layouts, room, err);
    }
    tacho_mem_free(room);
    j->units = j->block_count;
    return rc;
}

/* Samples of both sides that have nothing to do with each other. */
static void take_independent(judging *j, const sorted_sample *s, size_t count)
{
    uint32_t units[2] = {0, 0};
    for (size_t i = 0; i < count; i++)
        j->values[j->value_count++] =
            (tacho_sided_value){s[i].sample->value, s[i].sample->side, units[s[i].sample->side]++};
    j->units = units[0] < units[1] ? units[0] : units[1];
}

static judged_unit *find_layout(const judging *j, uint32_t number)
{
    return tacho_find_sorted(&(judged_unit){.number = number}, j->layouts, j->layout_count,
                             sizeof *j->layouts, by_number);
}

/* Layouts become the units: each has the mean of its blocks' ratios. */
static void group_by_layout(judging *j)
{
    for (uint32_t b = 0; b < j->block_count; b++) {
        judged_unit *u = find_layout(j, j->blocks[b].layout);
        if (!u) { /* few of them: sorted again for each */
            j->layouts[j->layout_count++] = (judged_unit){.number = j->blocks[b].layout};
            tacho_sort(j->layouts, j->layout_count, sizeof *j->layouts, by_number);
            u = find_layout(j, j->blocks[b].layout);
        }
        u->log_ratio += j->blocks[b].log_ratio;
        u->blocks++;
    }
    for (uint32_t b = 0; b < j->block_count; b++)
        j->blocks[b].unit = (uint32_t)(find_layout(j, j->blocks[b].layout) - j->layouts);
    for (size_t i = 0; i < j->value_count; i++)
        j->values[i].unit = j->blocks[j->values[i].unit].unit;
    for (uint32_t i = 0; i < j->layout_count; i++)
        j->layouts[i].log_ratio /= j->layouts[i].blocks;
    j->units = j->layout_count;
}

/* @return how many samples count */
static size_t choose(judging *j, sorted_sample *out)
{
    size_t n = 0;
    for (size_t i = 0; i < j->count; i++)
        j->paired |= j->samples[i].block != TACHO_NO_BLOCK;
    for (size_t i = 0; i < j->count; i++)
        if (!isnan(j->samples[i].value) && (!j->paired || j->samples[i].block != TACHO_NO_BLOCK))
            out[n++] = (sorted_sample){&j->samples[i], i};
    return n;
}

static int check(const judging *j, tacho_error *err)
{
    for (size_t i = 0; i < j->count; i++) {
        const tacho_sample *s = &j->samples[i];
        if (s->side > 1)
            return tacho_error_set(err, TACHO_ERR_USAGE, "sample %zu: side %u", i + 1, s->side);
        if (!isnan(s->value) && !(s->value >= JUDGE_LEAST && s->value <= JUDGE_MOST))
            return tacho_error_set(err, TACHO_ERR_INPUT, "sample %zu (of %c) is %g: ratios need values %s",
                                   i + 1, "AB"[s->side], s -> value,
                                   s -> value > 0 ? "from 1e-100 to 1e100" : "above 0");
    }
    return 0;
}

int judging_make(judging *j, const tacho_sample *samples, size_t count, bool layouts, tacho_error *err)
{
    *j = (judging){.samples = samples, .count = count};
    int rc = check(j, err);
    if (rc)
        return rc;
    size_t n = count ? count : 1;
    sorted_sample *s = tacho_mem_zalloc(n, sizeof *s);
    j->blocks = tacho_mem_zalloc(n, sizeof *j->blocks);
    j->layouts = tacho_mem_zalloc(n, sizeof *j->layouts);
    j->values = tacho_mem_zalloc(n, sizeof *j->values);
    if (!s || !j->blocks || !j->layouts || !j->values) {
        rc = tacho_no_memory(err);
    } else {
        size_t chosen = choose(j, s);
        if (!j->paired && layouts && chosen)
            rc = tacho_error_set(err, TACHO_ERR_INPUT,
                                 "samples with layouts need blocks, too: which runs belong together");
        else if (!j->paired)
            take_independent(j, s, chosen);
        else if (!(rc = take_blocks(j, s, chosen, layouts, err)) && layouts)
            group_by_layout(j);
    }
    tacho_mem_free(s);
    if (rc)
        judging_free(j);
    return rc;
}

void judging_free(judging *j)
{
    TACHO_MEM_FREE(j->blocks, j->layouts, j->values);
    *j = (judging){0};
}

/* The fewest units with which a test can reject. Paired: n units that all have one sign have the probability
 * 2 / 2^n. Independent samples: as many reject, too, and the interval needs as many. */
uint32_t judging_units_needed(double confidence)
{
    uint32_t n = 1;
    for (double p = 1; p > 1 - confidence + 1e-12; p /= 2)
        n++;
    return n > TACHO_RATIO_MIN_UNITS ? n : TACHO_RATIO_MIN_UNITS;
}

int judging_ratio(const judging *j, const tacho_judge_options *o, uint32_t resamples, tacho_median_ratio *out,
                  tacho_error *err)
{
    return tacho_median_ratio_compute(j->values, j->value_count, j->paired, o->confidence, resamples, o->seed,
                                      out, err);
}

/* ---- layouts ---- */

/* How much of what was seen comes from where things lie in memory: an analysis of variance with the layouts
 * as its groups. */

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
static size_t take_layouts(const judging *j, double *numbers, uint32_t *groups)
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
    size_t n = take_layouts(j, numbers, groups), larger = 0;
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
        take_layouts(j, numbers, groups);
        variance v = analyse(numbers, groups, n, j->layout_count, room);
        dominate = v.within / v.group_size < 0.1 * of_groups(&v); /* false where a part is NaN */
    }
    TACHO_MEM_FREE(numbers, room, groups);
    return dominate;
}
