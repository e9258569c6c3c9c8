/* progress.c - how far a sweep is: told before each run, link and layout, where it is also asked whether to
 * go on. */
#include <math.h>

#include "base/seconds.h"
#include "program/bias/bias_internal.h"

void bias_begin(bias *b, tacho_bias_kind kind, tacho_bias_phase phase, uint32_t all)
{
    b->now = (tacho_bias_progress){.kind = kind, .phase = phase, .runs_all = all};
}

/* Of this factor and those after it; causes and advice are only found where there is bias. */
static double runs_left(const bias *b)
{
    const tacho_bias_progress *p = &b->now;
    double left = p->runs_all - fmin(p->runs_done, p->runs_all);
    left += p->phase == TACHO_BIAS_SWEEPING ? CONFIRM_RUNS : 0;
    for (uint32_t i = 0; i < b->result.factor_count; i++)
        if (b->factors[i].point_count && b->factors[i].kind > p->kind)
            left += (double)b->factors[i].point_count * b->passes + CONFIRM_RUNS;
    return left;
}

bool bias_next(bias *b)
{
    const tacho_bias_options *o = &b->options;
    tacho_bias_progress *p = &b->now;
    double now = seconds_now();
    p->seconds = now - b->started;
    p->seconds_left = NAN;
    if (b->run_seconds > 0 && p->phase != TACHO_BIAS_LINKING)
        p->seconds_left = fmax(0, fmin(b->until - now, b->run_seconds * runs_left(b)));
    /* What comes between runs would not end the next one. */
    b->stopped |= o->stop && o->stop(o->payload);
    b->stopped |= !b->stopped && p->runs_all && o->progress && o->progress(p, o->payload);
    p->runs_done++;
    return !b->stopped;
}
