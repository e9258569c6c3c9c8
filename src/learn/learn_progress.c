/* learn_progress.c - how far learning has come, and how long it will take: what stages are expected to take,
 * corrected by how long their steps took, and no longer than they may. Steps that a journal has answers for
 * take no time, and do not count where the others are measured. */
#include <math.h>

#include "base/seconds.h"
#include "learn/learn_internal.h"

/* Rounds of proposals, about. */
#define LESSONS 6
/* Steps shorter than this share of what is expected came from the journal. */
#define FROM_JOURNAL 0.02

/* Of a step, in seconds, on a processor without counters; and the share of the time by when no other begins.
 */
static const struct {
    double seconds, end;
} steps[TACHO_LEARN_STAGE_COUNT] = {
    [TACHO_LEARN_EXPERIMENTS] = {4, LEARN_EXPERIMENTS_END},
    [TACHO_LEARN_FORMS] = {2.2, LEARN_FORMS_END},
    [TACHO_LEARN_BLOCKS] = {0.06, 1},
    [TACHO_LEARN_LESSONS] = {10, 1},
};

static void expect(learning *l, tacho_learn_stage stage, size_t count)
{
    l->costs[stage].left = (double)count * steps[stage].seconds;
}

void learning_plan(learning *l)
{
    const tacho_learn_options *o = &l->options;
    size_t experiments = 0;
    for (const experiment *e = learn_experiments; e->part; e++)
        experiments += learning_wants(l, e->part, e->name);
    expect(l, TACHO_LEARN_EXPERIMENTS, experiments);
    if (learning_wants(l, "forms", NULL))
        expect(l, TACHO_LEARN_FORMS, o->forms);
    if (learning_wants(l, "blocks", NULL)) {
        expect(l, TACHO_LEARN_BLOCKS, (size_t)LEARN_HALVES * LEARN_MODES * o->blocks);
        expect(l, TACHO_LEARN_LESSONS, LESSONS);
    }
    l->progress.seconds_left = NAN;
}

void learning_stage(learning *l, tacho_learn_stage stage, size_t count)
{
    l->progress.stage = stage;
    l->progress.done = 0;
    l->progress.count = count;
    l->progress.name = "";
    if (stage != TACHO_LEARN_LESSONS) /* of which it is proposals, not rounds */
        expect(l, stage, count);
}

void learning_look_at(learning *l, const char *name)
{
    l->progress.name = name;
    if (l->options.progress)
        l->options.progress(l->options.payload, &l->progress);
}

void learning_step(learning *l, const char *name)
{
    l->step_start = seconds_now();
    learning_look_at(l, name);
}

bool learning_measures(const learning *l)
{
    return !l->options.of && (!l->options.record_count || l->options.also_measure);
}

bool learning_late(const learning *l, double share)
{
    return learning_measures(l) && seconds_now() - l->start > share * l->options.seconds;
}

/* A stage of which nothing was timed goes like the others, but not slower than expected: what blocks take
 * tells little of forms. */
static double speed_of(const learning *l, tacho_learn_stage stage)
{
    double done = 0, took = 0;
    if (l->costs[stage].done > 0)
        return l->costs[stage].took / l->costs[stage].done;
    for (unsigned i = 0; i < TACHO_LEARN_STAGE_COUNT; i++) {
        done += l->costs[i].done;
        took += l->costs[i].took;
    }
    return done > 0 ? fmin(1, took / done) : 1;
}

static double seconds_left(const learning *l)
{
    const double now = seconds_now() - l->start;
    double end = now;
    for (unsigned i = 0; i < TACHO_LEARN_STAGE_COUNT; i++) {
        const double last = fmax(end, steps[i].end * l->options.seconds);
        end += l->costs[i].left * speed_of(l, (tacho_learn_stage)i);
        if (learning_measures(l))
            end = fmin(end, last);
    }
    return end - now;
}

void learning_steps_end(learning *l, size_t count)
{
    learn_cost *c = &l->costs[l->progress.stage];
    const double took = seconds_now() - l->step_start,
                 expected = (double)count * steps[l->progress.stage].seconds;
    l->progress.done += count;
    c->left = fmax(0, c->left - expected);
    if (!learning_measures(l) || took > FROM_JOURNAL * expected) {
        c->done += expected;
        c->took += took;
    }
    l->progress.seconds_left = seconds_left(l);
}

void learning_stage_end(learning *l)
{
    l->costs[l->progress.stage].left = 0;
}
