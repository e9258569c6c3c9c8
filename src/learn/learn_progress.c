/* learn_progress.c - how far learning has come, and how long it will take: each step has a weight, about what
 * it costs; steps that a journal has answers for take no time, and do not count where the others are
 * measured. */
#include <math.h>

#include "base/seconds.h"
#include "learn/learn_internal.h"

/* Weights in about a second on a processor without counters. */
#define EXPERIMENT_WEIGHT 4
#define FORM_WEIGHT       2.2
#define BLOCK_WEIGHT      0.06
#define LESSON_WEIGHT     10 /* a round of proposals */
#define LESSONS           6  /* rounds, about */
/* Steps shorter than this share of what they weigh came from the journal. */
#define FROM_JOURNAL 0.02

static double weight_of(tacho_learn_stage stage)
{
    static const double weights[] = {EXPERIMENT_WEIGHT, FORM_WEIGHT, BLOCK_WEIGHT, LESSON_WEIGHT};
    return weights[stage];
}

void learning_plan(learning *l)
{
    const tacho_learn_options *o = &l->options;
    size_t experiments = 0;
    for (const experiment *e = learn_experiments; e->part; e++)
        experiments += learning_wants(l, e->part, e->name);
    l->weight_left = (double)experiments * EXPERIMENT_WEIGHT;
    if (learning_wants(l, "forms", NULL))
        l->weight_left += o->forms * FORM_WEIGHT;
    if (learning_wants(l, "blocks", NULL))
        l->weight_left += 4 * o->blocks * BLOCK_WEIGHT + LESSONS * LESSON_WEIGHT;
    l->progress.seconds_left = NAN;
}

void learning_stage(learning *l, tacho_learn_stage stage, size_t count)
{
    l->progress.stage = stage;
    l->progress.done = 0;
    l->progress.count = count;
    l->progress.name = "";
}

void learning_step(learning *l, const char *name)
{
    l->progress.name = name;
    l->step_start = seconds_now();
    if (l->options.progress)
        l->options.progress(l->options.payload, &l->progress);
}

bool learning_measures(const learning *l)
{
    return !l->options.of && (!l->options.record_count || l->options.also_measure);
}

bool learning_late(const learning *l, double share)
{
    return learning_measures(l) && seconds_now() - l->start > share * l->options.seconds;
}

void learning_steps_end(learning *l, size_t count)
{
    double took = seconds_now() - l->step_start, weight = (double)count * weight_of(l->progress.stage);
    l->progress.done += count;
    l->weight_left = fmax(0, l->weight_left - weight);
    if (!learning_measures(l) || took > FROM_JOURNAL * weight) {
        l->weight_done += weight;
        l->seconds_of_weight += took;
    }
    if (l->weight_done > 0)
        l->progress.seconds_left = l->seconds_of_weight / l->weight_done * l->weight_left;
    if (learning_measures(l))
        l->progress.seconds_left =
            fmin(l->progress.seconds_left, fmax(0, l->start + l->options.seconds - seconds_now()));
}
