/* diff_sums.c - the change of a program's time, divided among its places, what remains of their functions,
 * other code and the kernel: each run's time is divided without a remainder, so the parts add up to the whole
 * change.
 *
 * Intervals come from the differences of pairs of runs, by Student's distribution; they are never narrower
 * than what the number of samples allows, which is also all that is known where there is one run of each. */
#include <math.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/search.h"
#include "program/hot/diff.h"

#define CONFIDENCE 0.95
enum {
    SIDES = 2 /* A, B */
};

/* ---- one part ---- */

typedef struct summing {
    const tacho_hot_side *side[SIDES];
    size_t runs; /* pairs of runs */
    tacho_hot_change *list;
    size_t count, capacity;
    double *times; /* of change i: [2 * i * runs], of A, then of B */
    size_t times_capacity;
    arena *memory;
    double least;             /* a part with less on both sides has no line of its own */
    tacho_hot_change *blocks; /* those that are their functions' */
    size_t block_count;
} summing;

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Variance of the mean of values, or, where `less` is not NULL, of how much more they are than those. */
static double variance_of(const double *values, const double *less, size_t count)
{
    double mean = mean_of(values, count) - (less ? mean_of(less, count) : 0), sum = 0;
    for (size_t i = 0; i < count; i++) {
        double off = values[i] - (less ? less[i] : 0) - mean;
        sum += off * off;
    }
    return count > 1 ? sum / (double)(count - 1) / (double)count : 0;
}

/* What the number of samples leaves open of a part's time: that of a share of so many samples. */
static double sampling_variance(const tacho_hot_side *side, double time)
{
    const tacho_hot_profile *p = side->profile;
    double own = mean_of(side->own, side->runs);
    double n = p->weight_squares > 0 ? p->weight * p->weight / p->weight_squares : (double)p->samples;
    double share = own > 0 ? fmin(fmax(time / own, 0), 1) : 0;
    return n > 0 ? own * own * share * (1 - share) / n : 0;
}

static tacho_estimate estimate_of(double value, double variance, double limit)
{
    double reach = limit * sqrt(variance);
    if (!(limit > 0))
        return (tacho_estimate){value, NAN, NAN};
    return (tacho_estimate){value, value - reach, value + reach};
}

void diff_judge_times(tacho_hot_change *c, const double *a, const double *b, size_t n,
                      const tacho_hot_side *const sampled[SIDES])
{
    double before = mean_of(a, n), after = mean_of(b, n), change = after - before;
    double of_a = sampled ? sampling_variance(sampled[0], before) : 0;
    double of_b = sampled ? sampling_variance(sampled[1], after) : 0;
    double variance = fmax(variance_of(b, a, n), of_a + of_b);
    double limit = n > 1     ? tacho_student_quantile((1 + CONFIDENCE) / 2, (double)(n - 1))
                   : sampled ? tacho_normal_quantile((1 + CONFIDENCE) / 2)
                             : NAN;
    c->before = estimate_of(before, fmax(variance_of(a, NULL, n), of_a), limit);
    c->after = estimate_of(after, fmax(variance_of(b, NULL, n), of_b), limit);
    c->change = estimate_of(change, variance, limit);
    double t = variance > 0 ? change / sqrt(variance) : change != 0 ? INFINITY : 0;
    c->p = !(limit > 0) ? NAN
           : n > 1      ? 2 * tacho_student_below(-fabs(t), (double)(n - 1))
                        : 2 * tacho_normal_below(-fabs(t));
}

/* ---- parts ---- */

/* Room for one more; its times follow. @return NULL: memory ran out */
static double *add_change(summing *s, const tacho_hot_change *c)
{
    const size_t n = s->count;
    if (tacho_mem_grow(&s->list, &s->capacity, n + 1, sizeof *s->list) ||
        tacho_mem_grow(&s->times, &s->times_capacity, (n + 1) * SIDES * s->runs, sizeof *s->times))
        return NULL;
    s->list[s->count++] = *c;
    double *times = s->times + n * SIDES * s->runs;
    memset(times, 0, SIDES * s->runs * sizeof *times);
    return times;
}

static void add_times(double *to, const double *table, size_t columns, size_t column, size_t runs)
{
    for (size_t r = 0; r < runs; r++)
        to[r] += table[r * columns + column];
}

static bool is_small(const summing *s, const double *times)
{
    return mean_of(times, s->runs) < s->least && mean_of(times + s->runs, s->runs) < s->least;
}

/* Samples slip from block to block, and whether a loop around others is a place is decided by few of them; so
 * blocks, and such loops on one side alone, are no lines, but their functions'. */
static bool is_of_function(const summing *s, const diff_group *g)
{
    const tacho_hot_place *p =
        g->a_count ? &s->side[0]->hot->places[g->a[0]] : &s->side[1]->hot->places[g->b[0]];
    return !p->is_loop || (p->has_inner && (!g->a_count || !g->b_count));
}

/* The times of what was added last become those of a block. */
static void keep_block(summing *s, const double *times)
{
    tacho_hot_change *c = &s->blocks[s->block_count++];
    *c = s->list[--s->count];
    const double before = mean_of(times, s->runs), after = mean_of(times + s->runs, s->runs);
    c->before = (tacho_estimate){before, NAN, NAN};
    c->after = (tacho_estimate){after, NAN, NAN};
    c->change = (tacho_estimate){after - before, NAN, NAN};
    c->p = c->share = NAN;
}

/* A line for each group of loops that is not small, and what it takes from functions is noted. */
static int sum_places(summing *s, const diff_groups *groups, bool **taken)
{
    s->blocks = arena_alloc(s->memory, (groups->count + 1) * sizeof *s->blocks);
    if (!s->blocks)
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < groups->count; i++) {
        const diff_group *g = &groups->list[i];
        const tacho_hot_change c = {.part = TACHO_HOT_PLACES,
                                    .a = g->a,
                                    .b = g->b,
                                    .a_count = g->a_count,
                                    .b_count = g->b_count,
                                    .matched = g->matched,
                                    .likeness = g->likeness};
        double *times = add_change(s, &c);
        if (!times)
            return TACHO_ERR_MEMORY;
        for (size_t k = 0; k < g->a_count; k++)
            add_times(times, s->side[0]->places, s->side[0]->hot->count, g->a[k], s->runs);
        for (size_t k = 0; k < g->b_count; k++)
            add_times(times + s->runs, s->side[1]->places, s->side[1]->hot->count, g->b[k], s->runs);
        if (is_of_function(s, g) || is_small(s, times)) {
            keep_block(s, times);
            continue;
        }
        for (size_t k = 0; k < g->a_count; k++)
            taken[0][g->a[k]] = true;
        for (size_t k = 0; k < g->b_count; k++)
            taken[1][g->b[k]] = true;
    }
    return 0;
}

/* ---- functions ---- */

/* A function of either side, or several of one name. */
typedef struct named {
    const char *name; /* plain; NULL: none */
    uint32_t side, number;
    uint32_t group;
} named;

static bool is_in(const tacho_hot_function *f, const tacho_hot_place *p)
{
    return p->object == f->object && p->loop->start >= f->start && p->loop->start < f->end;
}

static bool same_code(const tacho_hot_function *a, const tacho_hot_function *b)
{
    return a->start == b->start && diff_same_file(a->object, b->object);
}

/* Functions without names: of the same file, or by a place that both have. */
static bool have_same_place(const summing *s, const named *a, const named *b)
{
    const tacho_hot *x = s->side[0]->hot, *y = s->side[1]->hot;
    const tacho_hot_function *f = &x->functions[a->number], *g = &y->functions[b->number];
    if (same_code(f, g))
        return true;
    for (size_t i = 0; i < s->count; i++) {
        const tacho_hot_change *c = &s->list[i];
        if (c->a_count && c->b_count && is_in(f, &x->places[c->a[0]]) && is_in(g, &y->places[c->b[0]]))
            return true;
    }
    return false;
}

static bool is_same_function(const summing *s, const named *a, const named *b)
{
    if (a->name && b->name)
        return !strcmp(a->name, b->name);
    return a->side != b->side && (a->side ? have_same_place(s, b, a) : have_same_place(s, a, b));
}

/* Functions of both sides, those that are the same in one group: that of the first of them. */
static int list_functions(const summing *s, named **out, size_t *count)
{
    const size_t a_count = s->side[0]->hot->function_count, n = a_count + s->side[1]->hot->function_count;
    named *list = *out = arena_alloc(s->memory, (n + 1) * sizeof *list);
    *count = n;
    for (uint32_t i = 0; list && i < n; i++) {
        const uint32_t side = i >= a_count, number = i - (side ? (uint32_t)a_count : 0);
        const char *name = s->side[side]->hot->functions[number].name;
        list[i] = (named){diff_plain_name(s->memory, name), side, number, i};
        if (name && !list[i].name)
            return TACHO_ERR_MEMORY;
        for (uint32_t k = 0; k < i && list[i].group == i; k++)
            if (list[k].group == k && is_same_function(s, &list[k], &list[i]))
                list[i].group = k;
    }
    return list ? 0 : TACHO_ERR_MEMORY;
}

/* The places of a function that have lines of their own are taken out of it. */
static void add_rest(const summing *s, const named *f, bool *const *taken, double *times)
{
    const tacho_hot_side *side = s->side[f->side];
    const tacho_hot *hot = side->hot;
    times += f->side ? s->runs : 0;
    add_times(times, side->functions, hot->function_count, f->number, s->runs);
    for (size_t p = 0; p < hot->count; p++)
        if (taken[f->side][p] && is_in(&hot->functions[f->number], &hot->places[p]))
            for (size_t r = 0; r < s->runs; r++)
                times[r] -= side->places[r * hot->count + p];
}

ORDER_AS(largest_block_first, tacho_hot_change,
         ORDER(fabs(b->change.value), fabs(a->change.value)) ?: ORDER(b->before.value, a->before.value));

/* Whether a block lies in one of a group's functions. */
static bool is_block_of(const summing *s, const tacho_hot_change *block, const tacho_hot_change *c)
{
    const int side = !block->a_count;
    const tacho_hot *hot = s->side[side]->hot;
    const tacho_hot_place *place = &hot->places[(side ? block->b : block->a)[0]];
    for (size_t k = 0; k < (side ? c->b_count : c->a_count); k++)
        if (is_in(&hot->functions[(side ? c->b : c->a)[k]], place))
            return true;
    return false;
}

static int list_blocks(const summing *s, tacho_hot_change *c)
{
    size_t count = 0;
    for (size_t i = 0; i < s->block_count; i++)
        count += is_block_of(s, &s->blocks[i], c);
    tacho_hot_change *list = arena_alloc(s->memory, (count + 1) * sizeof *list);
    for (size_t i = 0; list && i < s->block_count; i++)
        if (is_block_of(s, &s->blocks[i], c))
            list[c->block_count++] = s->blocks[i];
    tacho_sort(list, c->block_count, sizeof *list, largest_block_first);
    c->blocks = list;
    return list ? 0 : TACHO_ERR_MEMORY;
}

static int sum_functions(summing *s, bool *const *taken)
{
    named *list;
    size_t count;
    int rc = list_functions(s, &list, &count);
    for (uint32_t g = 0; g < count && !rc; g++) {
        if (list[g].group != g)
            continue;
        size_t members = 0;
        for (uint32_t i = g; i < count; i++)
            members += list[i].group == g;
        uint32_t *numbers = arena_alloc(s->memory, 2 * members * sizeof *numbers);
        tacho_hot_change c = {.part = TACHO_HOT_FUNCTION, .likeness = NAN};
        c.matched = list[g].name ? TACHO_HOT_BY_NAME : TACHO_HOT_BY_CODE;
        c.a = numbers;
        c.b = numbers ? numbers + members : NULL;
        double *times = numbers ? add_change(s, &c) : NULL;
        if (!times)
            return TACHO_ERR_MEMORY;
        for (uint32_t i = g; i < count; i++) {
            if (list[i].group != g)
                continue;
            numbers[list[i].side ? members + c.b_count++ : c.a_count++] = list[i].number;
            add_rest(s, &list[i], taken, times);
        }
        c.matched = c.a_count && c.b_count ? c.matched : TACHO_HOT_BY_NOTHING;
        s->count -= is_small(s, times);
        if (is_small(s, times))
            continue;
        rc = list_blocks(s, &c);
        s->list[s->count - 1] = c;
    }
    return rc;
}

/* ---- the rest ---- */

/* What no line has: the whole of each run less all lines so far. */
static int sum_other(summing *s, bool kernel)
{
    double *times = add_change(s, &(tacho_hot_change){.part = TACHO_HOT_OTHER, .likeness = NAN});
    if (!times)
        return TACHO_ERR_MEMORY;
    for (size_t side = 0; side < SIDES; side++)
        for (size_t r = 0; r < s->runs; r++) {
            double rest = s->side[side]->own[r];
            for (size_t i = 0; i + 1 < s->count; i++)
                rest -= s->times[(i * SIDES + side) * s->runs + r];
            times[side * s->runs + r] = fabs(rest) < 1e-9 * s->side[side]->own[r] ? 0 : rest;
        }
    times = kernel ? add_change(s, &(tacho_hot_change){.part = TACHO_HOT_KERNEL, .likeness = NAN}) : times;
    for (size_t side = 0; kernel && times && side < SIDES; side++)
        memcpy(times + side * s->runs, s->side[side]->kernel, s->runs * sizeof *times);
    return times ? 0 : TACHO_ERR_MEMORY;
}

static int sum_whole(const summing *s, tacho_hot_change *whole, bool kernel)
{
    double *times = arena_alloc(s->memory, SIDES * s->runs * sizeof *times);
    for (size_t side = 0; times && side < SIDES; side++)
        for (size_t r = 0; r < s->runs; r++)
            times[side * s->runs + r] = s->side[side]->own[r] + (kernel ? s->side[side]->kernel[r] : 0);
    if (!times)
        return TACHO_ERR_MEMORY;
    diff_judge_whole(whole, times, times + s->runs, s->runs);
    return 0;
}

void diff_judge_whole(tacho_hot_change *whole, const double *a, const double *b, size_t runs)
{
    *whole = (tacho_hot_change){.part = TACHO_HOT_OTHER, .likeness = NAN};
    diff_judge_times(whole, a, b, runs, NULL);
    whole->share = 1;
    whole->state = !(whole->p <= 1 - CONFIDENCE) ? TACHO_HOT_SAME
                   : whole->change.value < 0     ? TACHO_HOT_FASTER
                                                 : TACHO_HOT_SLOWER;
}

ORDER_AS(least_likely_first, tacho_hot_change, ORDER(a->p, b->p));

/* Holm's correction: in the order of their p, each is compared with what is left to be shared out. */
void diff_judge_all(tacho_hot_change *list, size_t count, const tacho_hot_change *whole)
{
    bool shown = true;
    tacho_sort(list, count, sizeof *list, least_likely_first);
    for (size_t i = 0; i < count; i++) {
        tacho_hot_change *c = &list[i];
        const bool pair = c->part >= TACHO_HOT_OTHER || (c->a_count && c->b_count);
        shown = shown && c->p <= (1 - CONFIDENCE) / (double)(count - i);
        c->share = whole->state || isnan(whole->p) ? c->change.value / whole->change.value : NAN;
        c->share = isfinite(c->share) ? c->share : NAN;
        const bool chance = !shown && (pair || isfinite(c->p)); /* of one run each nothing is known */
        c->state = chance                ? TACHO_HOT_SAME
                   : !pair               ? c->a_count ? TACHO_HOT_GONE : TACHO_HOT_NEW
                   : c->change.value < 0 ? TACHO_HOT_FASTER
                                         : TACHO_HOT_SLOWER;
    }
}

ORDER_AS(largest_change_first, tacho_hot_change,
         ORDER(fabs(b->change.value), fabs(a->change.value)) ?: ORDER(a->part, b->part)
             ?: ORDER(b->before.value, a->before.value));

/* ---- all of it ---- */

typedef struct diff_result {
    tacho_hot_diff diff; /* first: the public pointer is to this */
    tacho_hot_change *list;
    arena memory;
} diff_result;

static bool knows_kernel(const tacho_hot_side *side)
{
    for (size_t r = 0; r < side->runs; r++)
        if (!isfinite(side->kernel[r]))
            return false;
    return true;
}

static int sum_all(diff_result *d, summing *s, const tacho_hot_side *a, const tacho_hot_side *b)
{
    diff_groups groups;
    bool *taken[SIDES] = {arena_alloc(&d->memory, a->hot->count + 1),
                          arena_alloc(&d->memory, b->hot->count + 1)};
    int rc = taken[0] && taken[1] ? diff_match(&groups, &d->memory, a->hot, b->hot) : TACHO_ERR_MEMORY;
    d->diff.kernel = knows_kernel(a) && knows_kernel(b);
    rc = rc ? rc : sum_places(s, &groups, taken);
    rc = rc ? rc : sum_functions(s, taken);
    rc = rc ? rc : sum_other(s, d->diff.kernel);
    rc = rc ? rc : sum_whole(s, &d->diff.whole, d->diff.kernel);
    for (size_t i = 0; i < s->count && !rc; i++) {
        const double *times = s->times + SIDES * i * s->runs;
        diff_judge_times(&s->list[i], times, times + s->runs, s->runs,
                         s->list[i].part == TACHO_HOT_KERNEL ? NULL : s->side);
    }
    if (!rc) {
        diff_judge_all(s->list, s->count, &d->diff.whole);
        tacho_sort(s->list, s->count, sizeof *s->list, largest_change_first);
    }
    return rc;
}

int tacho_hot_diff_make(tacho_hot_diff **out, const tacho_hot_side *a, const tacho_hot_side *b,
                        double min_share, tacho_error *err)
{
    *out = NULL;
    if (!a->runs || !b->runs)
        return tacho_error_set(err, TACHO_ERR_USAGE, "a comparison needs runs of both");
    if (a->unit != b->unit)
        return tacho_error_set(
            err, TACHO_ERR_USAGE,
            "the samples of one are in %s, those of the other in %s: they cannot be compared",
            tacho_hot_unit_name(a->unit), tacho_hot_unit_name(b->unit));
    diff_result *d = tacho_mem_zalloc(1, sizeof *d);
    if (!d)
        return tacho_no_memory(err);
    summing s = {.side = {a, b}, .runs = a->runs < b->runs ? a->runs : b->runs, .memory = &d->memory};
    s.least = min_share * fmax(mean_of(a->own, s.runs), mean_of(b->own, s.runs));
    int rc = sum_all(d, &s, a, b);
    rc = rc ? rc : diff_threads(&d->diff, &d->memory, a, b, min_share);
    tacho_mem_free(s.times);
    d->list = s.list;
    d->diff.changes = s.list;
    d->diff.count = s.count;
    if (rc) {
        tacho_hot_diff_free(&d->diff);
        return tacho_no_memory(err);
    }
    *out = &d->diff;
    return 0;
}

void tacho_hot_diff_free(tacho_hot_diff *diff)
{
    diff_result *d = (diff_result *)diff;
    if (!d)
        return;
    arena_free(&d->memory);
    TACHO_MEM_FREE(d->list, d);
}

/* ---- names ---- */

NAMES_OF(tacho_hot_state_name, tacho_hot_state, "", "same", "faster", "slower", "new", "gone")

NAMES_OF(tacho_hot_part_name, tacho_hot_part, "", "places", "function", "other", "kernel", "runs", "spins",
         "ready", "waits", "absent")

NAMES_OF(tacho_hot_match_name, tacho_hot_match, "", NULL, "name", "source", "code")

NAMES_OF(tacho_hot_unit_name, tacho_hot_unit, "", "s", "cycles", "samples")
