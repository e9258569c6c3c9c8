/* causal_experiments.c - times from visit to visit are ratios of sums over experiments; intervals come from
 * drawing experiments again (bootstrap, percentiles). */
#include "program/causal/causal_experiments.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"

enum {
    RESAMPLES = 1000,
    LEAST_FOR_INTERVAL = 3 /* experiments */
};

static bool is_vain(const experiments *e, uint32_t place, double less)
{
    size_t i = 0;
    while (i < e->count && !(e->list[i].place == place && e->list[i].less == less && !e->list[i].visits))
        i++;
    return i < e->count;
}

void experiments_plan(experiments *e, const uint32_t *places, size_t count)
{
    uint32_t order[EXPERIMENT_ROUND];
    experiment all[EXPERIMENT_ROUND];
    size_t n = 0;
    for (size_t i = 0; i < count && i < EXPERIMENT_PLACES; i++)
        for (int k = 1; k <= EXPERIMENT_STEPS; k++)
            if (!is_vain(e, places[i], (double)k / EXPERIMENT_STEPS))
                all[n++] = (experiment){.place = places[i], .less = (double)k / EXPERIMENT_STEPS};
    /* all are compared with these, which are worth more of them by the root of their number */
    for (size_t bases = (size_t)ceil(sqrt((double)n)); bases && n < EXPERIMENT_ROUND; bases--)
        all[n++] = (experiment){.place = EXPERIMENT_BASE};
    hash_draw_order(&e->random, order, (uint32_t)n);
    for (size_t i = 0; i < n; i++)
        e->round[i] = all[order[i]];
    e->left = n;
}

void experiments_add(experiments *e, const experiment *done)
{
    e->failed |= tacho_mem_grow(&e->list, &e->capacity, e->count + 1, sizeof *done) != 0;
    if (!e->failed)
        e->list[e->count++] = *done;
}

void experiments_free(experiments *e)
{
    tacho_mem_free(e->list);
}

/* ---- judging ---- */

/* Those of a place and share. @return how many */
static size_t select_those(const experiments *e, uint32_t place, double less, experiment *out)
{
    size_t n = 0;
    for (size_t i = 0; i < e->count; i++)
        if (e->list[i].place == place && e->list[i].less == less && e->list[i].visits)
            out[n++] = e->list[i];
    return n;
}

/* Seconds from visit to visit; of as many drawn by chance where `random` is not NULL. */
static double spacing(const experiment *list, size_t count, uint64_t *random)
{
    double seconds = 0, visits = 0;
    for (size_t i = 0; i < count; i++) {
        const experiment *x = &list[random ? hash_draw(random, (uint32_t)count) : i];
        seconds += x->seconds;
        visits += (double)x->visits;
    }
    return visits > 0 ? seconds / visits : NAN;
}

static void fill_interval(tacho_causal_point *out, const experiment *these, size_t count,
                          const experiment *base, size_t base_count)
{
    double gains[RESAMPLES];
    uint64_t random = 1;
    out->low = out->high = NAN;
    if (count < LEAST_FOR_INTERVAL || base_count < LEAST_FOR_INTERVAL)
        return;
    for (int i = 0; i < RESAMPLES; i++)
        gains[i] = 1 - spacing(these, count, &random) / spacing(base, base_count, &random);
    numbers_sort(gains, RESAMPLES);
    out->low = numbers_quantile(gains, RESAMPLES, 0.025);
    out->high = numbers_quantile(gains, RESAMPLES, 0.975);
}

static size_t fill_points(const experiments *e, uint32_t place, experiment *room, tacho_causal_point *points)
{
    size_t n = 0;
    const size_t base_count = select_those(e, EXPERIMENT_BASE, 0, room);
    experiment *these = room + base_count;
    for (int k = 1; base_count && k <= EXPERIMENT_STEPS; k++) {
        const double less = (double)k / EXPERIMENT_STEPS;
        const size_t count = select_those(e, place, less, these);
        if (!count)
            continue;
        tacho_causal_point *p = &points[n++];
        *p = (tacho_causal_point){.less = less, .experiments = (uint32_t)count};
        for (size_t i = 0; i < count; i++)
            p->visits += these[i].visits;
        p->gain = 1 - spacing(these, count, NULL) / spacing(room, base_count, NULL);
        fill_interval(p, these, count, room, base_count);
    }
    return n;
}

bool experiments_judge(const experiments *e, uint32_t place, arena *memory, tacho_causal_place *out)
{
    double above = 0, below = 0;
    tacho_causal_point *points = arena_alloc(memory, EXPERIMENT_STEPS * sizeof *points);
    experiment *room = tacho_mem_zalloc(e->count + 1, sizeof *room);
    if (!points || !room) {
        tacho_mem_free(room);
        return false;
    }
    out->points = points;
    out->point_count = fill_points(e, place, room, points);
    tacho_mem_free(room);
    for (size_t i = 0; i < out->point_count; i++) {
        above += points[i].gain * points[i].less * points[i].experiments;
        below += points[i].less * points[i].less * points[i].experiments;
    }
    out->slope = below > 0 ? above / below : NAN;
    return true;
}

double experiments_base(const experiments *e, uint32_t *base, uint32_t *others)
{
    double seconds = 0, visits = 0;
    *base = *others = 0;
    for (size_t i = 0; i < e->count; i++)
        if (e->list[i].place == EXPERIMENT_BASE) {
            seconds += e->list[i].seconds;
            visits += (double)e->list[i].visits;
            ++*base;
        } else {
            *others += e->list[i].visits > 0;
        }
    return seconds > 0 ? visits / seconds : NAN;
}
