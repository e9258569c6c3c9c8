/* bias_sweep.c - the runs: each place once a pass, each pass in an order of its own. */

#include "base/hash.h"
#include "base/seconds.h"
#include "program/bias/bias_internal.h"

enum {
    FEWEST_PASSES = 3,
    WARM_UP_RUNS = 3,
    MOST_WARM_UP_RUNS = 20 /* where none gives a value */
};

static double metric_of(const bias *b, const tacho_trial *t)
{
    const char *metric = b->result.metric;
    if (b->metric_event >= 0)
        return t->events[b->metric_event];
    return !strcmp(metric, "cpu")       ? t->cpu_seconds
           : !strcmp(metric, "elapsed") ? t->elapsed_seconds
                                        : t->cycles;
}

/* Those that every run has, then the events of this run. */
static void count(const bias *b, uint32_t trials, const tacho_trial *t, double *out)
{
    const double standard[STANDARD_COUNTERS] = {
        t->cycles,
        t->cpu_seconds,
        t->elapsed_seconds,
        (double)t->page_faults,
        (double)t->switches_forced,
        (double)t->major_faults,
        (double)t->switches_voluntary,
    };
    for (uint32_t i = 0; i < b->result.counter_count; i++)
        out[i] = i < STANDARD_COUNTERS ? standard[i] : NAN;
    uint32_t first = STANDARD_COUNTERS + trials * EVENTS_A_RUN;
    for (uint32_t i = 0; i < EVENTS_A_RUN && first + i < b->result.counter_count; i++)
        out[first + i] = t->events[i];
}

static int check_end(bias *b, const bias_place *place, const tacho_trial *t)
{
    const char *name = b->name;
    if (t->timed_out)
        return tacho_error_set(b->err, TACHO_ERR_INPUT, "%s has not ended within the time limit of a run",
                               name);
    if (b->options.ignore_failure)
        return 0;
    if (t->signal)
        return tacho_error_set(b->err, TACHO_ERR_FAILED, "%s was ended by signal %d (%s) at %s", name,
                               t->signal, strsignal(t->signal), place->label);
    if (t->exit_status)
        return tacho_error_set(b->err, TACHO_ERR_FAILED, "%s ended with status %d at %s", name,
                               t->exit_status, place->label);
    return 0;
}

static int run_once(bias *b, const bias_place *place, uint32_t trials, double *value, double *counters)
{
    tacho_trial t;
    int rc = tacho_trials_run(b->trials[trials], &place->command, &place->layout, &t, b->err);
    if (rc)
        return rc;
    b->stopped |= t.stopped;
    if (b->stopped)
        return 0;
    rc = check_end(b, place, &t);
    double metric = rc ? NAN : metric_of(b, &t);
    if (metric > 0)
        *value = log(metric);
    if (!rc && counters)
        count(b, trials, &t, counters);
    return rc;
}

/* Cycles are not known where the core's clock was not the same before and after a run; then once more. */
int sweep_run(bias *b, const bias_place *place, uint32_t trials, double *value, double *counters)
{
    enum {
        ATTEMPTS = 3
    };
    int rc = 0;
    *value = NAN;
    bias_next(b);
    for (int i = 0; i < ATTEMPTS && !rc && !b->stopped && isnan(*value); i++)
        rc = run_once(b, place, trials, value, counters);
    return rc;
}

/* @return 0 and whether a run gave a value, or an error */
static int warm_up(bias *b, bool *any)
{
    const bias_place place = {.label = "the place where it is", .layout = b->base, .command = b->command};
    double since = seconds_now(), least = INFINITY;
    int rc = 0;
    *any = false;
    for (int i = 0; i < (*any ? WARM_UP_RUNS : MOST_WARM_UP_RUNS) && !rc && !b->stopped; i++) {
        double value, start = seconds_now();
        rc = sweep_run(b, &place, 0, &value, NULL);
        least = fmin(least, seconds_now() - start);
        *any |= !isnan(value);
        if (seconds_now() - since > b->options.max_seconds / 20)
            break;
    }
    b->run_seconds = least;
    return rc;
}

int sweep_warm_up(bias *b)
{
    bool any;
    b->now.runs_all = 0; /* these are not told */
    int rc = warm_up(b, &any);
    bool cycles = !strcmp(b->result.metric, "cycles");
    if (!rc && !any && !b->stopped && cycles && !b->options.metric) {
        rc = bias_note(
            b, NULL, "measured in processor time, not in cycles: the core's clock is unknown or not steady");
        rc = rc ? rc : bias_use_metric(b, "cpu");
        rc = rc ? rc : warm_up(b, &any);
    }
    if (rc || any || b->stopped)
        return rc;
    return tacho_error_set(b->err, TACHO_ERR_UNSUPPORTED, "no run of %s gave a value of %s%s", b->name,
                           b->result.metric,
                           cycles ? ": the core's clock is not known, or not steady (the metric cpu does "
                                    "without)"
                                  : "");
}

/* How many passes there is time for; with fewer than the fewest, places are left out instead. */
static uint32_t plan(bias *b, bias_series *s, double seconds)
{
    uint32_t wanted = b->options.passes ? b->options.passes : USUAL_PASSES;
    double runs = seconds / fmax(b->run_seconds, 1e-6), affordable = runs - fmin(CONFIRM_RUNS, 0.6 * runs);
    uint32_t least = b->options.passes ? b->options.passes : FEWEST_PASSES;
    if (affordable >= (double)wanted * s->count)
        return wanted;
    if (affordable >= (double)least * s->count)
        return (uint32_t)(affordable / s->count);
    uint32_t keep_each = 1, kept = 0;
    while (s->count / keep_each > 8 && (double)least * (s->count / keep_each) > affordable)
        keep_each *= 2;
    for (uint32_t i = 0; i < s->count; i += keep_each)
        s->places[kept++] = s->places[i];
    s->count = kept;
    s->step_bytes *= keep_each;
    return least;
}

static int reserve(bias *b, bias_series *s, uint32_t passes)
{
    size_t values = (size_t)passes * s->count, counters = b->result.counter_count;
    s->values = bias_alloc(b, values * sizeof *s->values);
    s->counters = bias_alloc(b, values * counters * sizeof *s->counters);
    s->medians = bias_alloc(b, s->count * sizeof *s->medians);
    s->offsets = bias_alloc(b, passes * sizeof *s->offsets);
    if (!s->values || !s->counters || !s->medians || !s->offsets)
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < values; i++)
        s->values[i] = NAN;
    for (size_t i = 0; i < values * counters; i++)
        s->counters[i] = NAN;
    return 0;
}

static int run_pass(bias *b, bias_series *s, uint32_t pass, uint32_t *order)
{
    int rc = 0;
    hash_draw_order(&b->random, order, s->count);
    for (uint32_t i = 0; i < s->count && !rc; i++) {
        size_t at = (size_t)pass * s->count + order[i];
        if (b->stopped || seconds_now() > s->until) {
            s->out->partial = true;
            break;
        }
        double start = seconds_now();
        rc = sweep_run(b, &s->places[order[i]], pass % b->trials_count, &s->values[at],
                       &s->counters[at * b->result.counter_count]);
        b->run_seconds += (seconds_now() - start - b->run_seconds) * 0.05;
    }
    return rc;
}

int sweep_series(bias *b, bias_series *s)
{
    uint32_t before = s->count, step = s->step_bytes;
    uint32_t passes = plan(b, s, s->until - seconds_now());
    uint32_t *order = bias_alloc(b, s->count * sizeof *order);
    int rc = order ? reserve(b, s, passes) : TACHO_ERR_MEMORY;
    if (!rc && s->count < before)
        rc = step ? bias_note(b, s->out,
                              "places every %u bytes, as time did not allow for every %u (--max-time)",
                              s->step_bytes, step)
                  : bias_note(b, s->out, "%u variants of %u, as time did not allow for all (--max-time)",
                              s->count, before);
    b->passes = passes;
    bias_begin(b, s->kind, TACHO_BIAS_SWEEPING, passes * s->count);
    for (; s->passes < passes && !rc && !b->stopped && seconds_now() < s->until;)
        rc = run_pass(b, s, s->passes++, order);
    s->out->partial |= b->stopped || s->passes < passes;
    return rc;
}

/* ---- progress ---- */

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
