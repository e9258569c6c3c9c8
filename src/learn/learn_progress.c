/* learn_progress.c - how far learning has come, and how long it will take: by the loops that stages are
 * expected to ask for, and lessons of blocks to predict, by how long those took that were timed or predicted,
 * and no longer than stages may take. What a journal answers takes no time. */

#include "base/seconds.h"
#include "learn/learn_internal.h"

/* Rounds of proposals, about, and passes over all rows. */
#define LESSONS 6
/* Seconds, before any was timed, or predicted. */
#define A_LOOP       0.02
#define A_PREDICTION 0.0005

/* Loops of a step, about, on cores in the simulator; of a lesson, predictions. And the share of the time by
 * when no other step begins. */
static const struct {
    double loops, end;
} steps[TACHO_LEARN_STAGE_COUNT] = {
    [TACHO_LEARN_EXPERIMENTS] = {120, LEARN_EXPERIMENTS_END},
    [TACHO_LEARN_FORMS] = {25, LEARN_FORMS_END},
    [TACHO_LEARN_BLOCKS] = {1, 1},
    [TACHO_LEARN_LESSONS] = {65000, 1},
};

static void expect(learning *l, tacho_learn_stage stage, size_t count)
{
    l->costs[stage].left = (double)count * steps[stage].loops;
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
    l->step_loops = l->progress.loops;
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

/* Of a loop, in seconds; a stage that has not begun goes like the others. */
static double speed_of(const learning *l, tacho_learn_stage stage)
{
    learn_cost all = {0};
    if (l->costs[stage].done > 0)
        return l->costs[stage].took / l->costs[stage].done;
    if (stage == TACHO_LEARN_LESSONS)
        return l->predictions ? l->predicting / (double)l->predictions : A_PREDICTION;
    for (unsigned i = 0; i < TACHO_LEARN_STAGE_COUNT; i++) {
        all.done += l->costs[i].done;
        all.took += l->costs[i].took;
    }
    return all.done > 0 ? all.took / all.done : A_LOOP;
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

/* Experiments differ, so that loops tell what is left of them, not their number. A record answers without
 * any that are timed. */
void learning_steps_end(learning *l, size_t count)
{
    const tacho_learn_stage stage = l->progress.stage;
    learn_cost *c = &l->costs[stage];
    const double timed = (double)(l->progress.loops - l->step_loops),
                 expected = (double)count * steps[stage].loops,
                 done = stage == TACHO_LEARN_LESSONS || !learning_measures(l) ? expected : timed;
    l->progress.done += count;
    c->left = fmax(0, c->left - (stage == TACHO_LEARN_EXPERIMENTS ? done : expected));
    if (done > 0) {
        c->done += done;
        c->took += seconds_now() - l->step_start;
    }
    l->progress.seconds_left = seconds_left(l);
}

void learning_stage_end(learning *l)
{
    l->costs[l->progress.stage].left = 0;
}
