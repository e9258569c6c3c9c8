/* eval_diff_score.c - what became of each block between two files of predictions, and the figures of both. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/options_take.h"
#include "base/parallel.h"
#include "base/search.h"
#include "study/eval/eval_internal.h"

/* ---- each block ---- */

/* Errors that differ by less are the same. */
static const double same_error = 1e-9;

static double error_of(const tacho_diff_block *b, int side)
{
    return fabs(b->cycles[side] - b->measured) / b->measured;
}

static tacho_diff_kind judge_two(tacho_diff_block *b, double tolerance)
{
    double old = b->cycles[TACHO_DIFF_OLD], new = b->cycles[TACHO_DIFF_NEW], larger = old > new ? old : new;
    b->change = larger > 0 ? (new - old) / larger : 0;
    if (fabs(new - old) <= tolerance * larger * (1 + 1e-9))
        return TACHO_DIFF_UNCHANGED;
    if (isnan(b->measured))
        return TACHO_DIFF_CHANGED;
    double difference = error_of(b, TACHO_DIFF_NEW) - error_of(b, TACHO_DIFF_OLD);
    if (fabs(difference) < same_error)
        return TACHO_DIFF_CHANGED;
    b->change = difference;
    return difference < 0 ? TACHO_DIFF_BETTER : TACHO_DIFF_WORSE;
}

static tacho_diff_kind judge(tacho_diff_block *b, double tolerance)
{
    bool had = !isnan(b->cycles[TACHO_DIFF_OLD]), has = !isnan(b->cycles[TACHO_DIFF_NEW]);
    b->change = NAN;
    if (!b->present[TACHO_DIFF_NEW])
        return TACHO_DIFF_REMOVED;
    if (!b->present[TACHO_DIFF_OLD])
        return TACHO_DIFF_ADDED;
    if (had && has)
        return judge_two(b, tolerance);
    return had ? TACHO_DIFF_LOST : has ? TACHO_DIFF_GAINED : TACHO_DIFF_FAILED;
}

/* Blocks whose code was measured less often than it comes have the last measurement of it. */
static void spread_measurements(tacho_diff *d)
{
    for (size_t i = 0; i < d->result.block_count; i++) {
        if (!d->places[i].last || isnan(d->places[i].newest_measurement))
            continue;
        for (uint32_t b = d->places[i].at[DIFF_MEASURED]; b; b = d->places[b - 1].next)
            d->blocks[b - 1].measured = d->places[i].newest_measurement;
    }
}

static void judge_all(tacho_diff *d, double tolerance)
{
    tacho_diff_result *r = &d->result;
    memset(r->counts, 0, sizeof r->counts);
    r->higher = r->lower = r->measured = 0;
    for (size_t i = 0; i < r->block_count; i++) {
        tacho_diff_block *b = &d->blocks[i];
        b->kind = judge(b, tolerance);
        r->counts[b->kind]++;
        r->measured += !isnan(b->measured);
        if (b->kind == TACHO_DIFF_BETTER || b->kind == TACHO_DIFF_WORSE || b->kind == TACHO_DIFF_CHANGED)
            ++*(b->cycles[TACHO_DIFF_NEW] > b->cycles[TACHO_DIFF_OLD] ? &r->higher : &r->lower);
    }
}

/* ---- the largest changes ---- */

typedef struct ranked_block {
    double change; /* its size; of those without, 0 */
    uint32_t block;
} ranked_block;

ORDER_AS(largest_first, ranked_block, ORDER(b->change, a->change) ?: ORDER(a->block, b->block));

/* @return -1 when memory runs out */
static int find_largest(tacho_diff *d, size_t wanted)
{
    tacho_diff_result *r = &d->result;
    size_t used = 0;
    ranked_block *ranked = tacho_mem_zalloc(r->block_count + 1, sizeof *ranked);
    tacho_mem_free(d->largest);
    d->largest = tacho_mem_zalloc(r->block_count + 1, sizeof *d->largest);
    if (!ranked || !d->largest) {
        tacho_mem_free(ranked);
        return -1;
    }
    for (int kind = 0; kind < TACHO_DIFF_KIND_COUNT; kind++) {
        bool listed = kind != TACHO_DIFF_UNCHANGED && kind != TACHO_DIFF_FAILED;
        size_t n = 0;
        for (size_t i = 0; listed && i < r->block_count; i++)
            if (d->blocks[i].kind == (tacho_diff_kind)kind)
                ranked[n++] =
                    (ranked_block){isnan(d->blocks[i].change) ? 0 : fabs(d->blocks[i].change), (uint32_t)i};
        tacho_sort(ranked, n, sizeof *ranked, largest_first);
        r->largest[kind] = d->largest + used;
        r->largest_count[kind] = n < wanted ? n : wanted;
        for (size_t i = 0; i < r->largest_count[kind]; i++)
            d->largest[used++] = ranked[i].block;
    }
    tacho_mem_free(ranked);
    return 0;
}

/* ---- figures ---- */

/* One score, or the comparison. */
typedef struct task {
    const double *measured, *predicted[TACHO_DIFF_SIDE_COUNT];
    size_t count;
    const tacho_score_options *options;
    tacho_score *score; /* of predicted[0]; NULL: the comparison of both */
    tacho_score_difference *difference;
    bool skipped; /* another one has the same numbers */
} task;

enum {
    TASKS = 5
};

/* Measured blocks: all of each side, then those that both have a prediction for. */
typedef struct numbers {
    double *room; /* all of them */
    double *measured[TASKS], *predicted[TASKS];
    size_t counts[TACHO_DIFF_SIDE_COUNT], common;
} numbers;

/* The comparison, which takes longest, is the last task, and done first. */
static int run_task(void *payload, void *state, size_t turn, tacho_error *err)
{
    const task *t = (const task *)payload + (TASKS - 1 - turn);
    if (t->skipped)
        return 0;
    return t->score ? tacho_score_compute(t->measured, t->predicted[0], t->count, t->options, t->score, err)
                    : tacho_score_compare(t->measured, t->predicted[0], t->predicted[1], t->count, t->options,
                                          t->difference, err);
}

/* @return -1 when memory runs out */
static int collect(const tacho_diff *d, numbers *n)
{
    size_t room = d->result.block_count + 1, used = 0;
    n->room = tacho_mem_zalloc(room, 7 * sizeof *n->room);
    if (!n->room)
        return -1;
    for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++) {
        n->measured[side] = n->room + room * used++;
        n->predicted[side] = n->room + room * used++;
    }
    double *common = n->room + room * used++;
    for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++) {
        n->measured[TACHO_DIFF_SIDE_COUNT + side] = common;
        n->predicted[TACHO_DIFF_SIDE_COUNT + side] = n->room + room * used++;
    }
    for (size_t i = 0; i < d->result.block_count; i++) {
        const tacho_diff_block *b = &d->blocks[i];
        if (isnan(b->measured))
            continue;
        for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++)
            if (b->present[side]) {
                n->measured[side][n->counts[side]] = b->measured;
                n->predicted[side][n->counts[side]++] = b->cycles[side];
            }
        if (isnan(b->cycles[TACHO_DIFF_OLD]) || isnan(b->cycles[TACHO_DIFF_NEW]))
            continue;
        common[n->common] = b->measured;
        for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++)
            n->predicted[TACHO_DIFF_SIDE_COUNT + side][n->common] = b->cycles[side];
        n->common++;
    }
    return 0;
}

static int figures(tacho_diff *d, const tacho_diff_options *o, tacho_error *err)
{
    tacho_diff_result *r = &d->result;
    numbers n = {0};
    if (collect(d, &n))
        return tacho_no_memory(err);
    task tasks[TASKS] = {0};
    for (int i = 0; i < TASKS; i++) {
        bool common = i >= TACHO_DIFF_SIDE_COUNT, last = i == TASKS - 1;
        int side = i % TACHO_DIFF_SIDE_COUNT, from = last ? TACHO_DIFF_SIDE_COUNT : i;
        tasks[i] = (task){.measured = n.measured[from],
                          .predicted = {n.predicted[from], n.predicted[TACHO_DIFF_SIDE_COUNT + 1]},
                          .count = common ? n.common : n.counts[side],
                          .options = &o->score,
                          .score = last     ? NULL
                                   : common ? &r->common[side]
                                            : &r->all[side],
                          .difference = &r->difference,
                          .skipped = !common && n.counts[side] == n.common};
    }
    parallel_loop loop = {.count = TASKS, .threads = o->threads, .turn = run_task, .payload = tasks};
    int result = parallel_run(&loop, err);
    tacho_mem_free(n.room);
    for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++)
        if (tasks[side].skipped)
            r->all[side] = r->common[side];
    return result;
}

OPTIONS_DEFINE(diff, TACHO_DIFF_OPTIONS_INIT)

int tacho_diff_score(tacho_diff *d, const tacho_diff_options *options, tacho_error *err)
{
    tacho_diff_options o;
    int rc = OPTIONS_TAKE(diff, &o, options, err);
    if (rc)
        return rc;
    o.score.size = sizeof o.score;
    if (!(o.tolerance >= 0 && o.tolerance <= 1))
        return tacho_error_set(err, TACHO_ERR_USAGE, "a tolerance of %g is not from 0 to 1", o.tolerance);
    spread_measurements(d);
    judge_all(d, o.tolerance);
    if (find_largest(d, o.largest))
        return tacho_no_memory(err);
    d->result.options = o;
    return figures(d, &o, err);
}
