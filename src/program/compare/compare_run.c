/* compare_run.c - runs of two commands, interleaved, and what comes out of them. */
#include <fcntl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/options_take.h"
#include "base/process.h"
#include "base/seconds.h"
#include "program/compare/compare_internal.h"

static bool asks_to_stop(void *payload)
{
    comparing *c = payload;
    c->stopped |= c->options->stop && c->options->stop(c->options->payload);
    return c->stopped;
}

/* ---- what is run before and after ---- */

typedef enum hook {
    SETUP,
    PREPARE,
    CONCLUDE,
    CLEANUP,
    HOOKS
} hook;
static const char *const hook_names[HOOKS] = {"setup", "preparation", "conclusion", "cleanup"};

static const char *find(const comparing *c, hook which, uint32_t command)
{
    const tacho_compare_hooks *hooks = c->options->hooks ? &c->options->hooks[command] : NULL;
    const char *const of_command[HOOKS] = {hooks ? hooks->setup : NULL, hooks ? hooks->prepare : NULL,
                                           hooks ? hooks->conclude : NULL, hooks ? hooks->cleanup : NULL};
    return which == PREPARE && c->options->prepare ? c->options->prepare : of_command[which];
}

static int run(comparing *c, hook which, uint32_t command, tacho_error *err)
{
    const char *text = find(c, which, command);
    bool ends = which == CONCLUDE || which == CLEANUP;      /* what was begun is ended, also after a signal */
    bool has_limit = which == PREPARE || which == CONCLUDE; /* the others may be builds */
    double seconds = has_limit ? c->options->trials.timeout_seconds : 0;
    int shown = c->options->trials.errors;
    tacho_process_end end;
    if (!text)
        return 0;
    const char *argv[] = {"sh", "-c", text, NULL};
    tacho_process p = {.path = c->shell,
                       .argv = argv,
                       .input = c->null,
                       .output = shown < 0 ? c->null : shown,
                       .errors = shown < 0 ? c->null : shown,
                       .file = -1,
                       .seconds = seconds > 0 ? seconds : INFINITY,
                       .stop = ends ? NULL : asks_to_stop,
                       .payload = c};
    if (tacho_process_run(&p, &end))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot run sh: %s", strerror(errno));
    if (end.stopped || (!end.timed_out && end.exit_status == 0))
        return 0;
    if (end.timed_out)
        return tacho_error_set(err, TACHO_ERR_INPUT, "the %s '%s' did not end within %g s", hook_names[which],
                               text, seconds);
    return tacho_error_set(err, TACHO_ERR_INPUT, "the %s '%s' ended with %s %d", hook_names[which], text,
                           end.signal ? "signal" : "status", end.signal ? end.signal : end.exit_status);
}

/* Whether there is what runs them. */
static int hooks_prepare(comparing *c, tacho_error *err)
{
    bool any = false;
    for (uint32_t i = 0; i < COMPARE_SIDES; i++)
        for (int which = SETUP; which < HOOKS; which++)
            any |= find(c, (hook)which, i) != NULL;
    if (any && !tacho_process_find("sh", c->shell, sizeof c->shell))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "there is no sh to prepare runs with");
    return 0;
}

static int hooks_before_all(comparing *c, tacho_error *err)
{
    int rc = 0;
    while (c->setups < COMPARE_SIDES && !rc && !c->stopped)
        rc = run(c, SETUP, c->setups++, err);
    return rc;
}

/* The error of `rc`, if it is one, stays. */
static int hooks_after_run(comparing *c, uint32_t command, int rc, tacho_error *err)
{
    tacho_error own;
    int failed = run(c, CONCLUDE, command, rc ? &own : err);
    return rc ? rc : failed;
}

static void hooks_after_all(comparing *c)
{
    tacho_error err;
    for (uint32_t i = 0; i < c->setups; i++)
        if (run(c, CLEANUP, i, &err) && !*c->out->cleanup_failed)
            snprintf(c->out->cleanup_failed, sizeof c->out->cleanup_failed, "%s", err.message);
}

NAMES_OF(tacho_compare_end_name, tacho_compare_end, "stopped", "precise", "runs", "max_runs", "max_time",
         "layouts", "stopped")

/* Whether a run that takes this long would end too late for a limit that is not soft. */
static bool is_late(comparing *c, double seconds)
{
    c->late |= !c->soft_limit && seconds_now() - c->started + seconds > c->limit;
    return c->late;
}

static uint32_t warm_ups(const comparing *c)
{
    return COMPARE_SIDES * c->options->warm_up;
}

/* "B (./b -n 3)": so that nobody has to guess which it was. */
static void name_run(const comparing *c, uint32_t side, char *out, size_t size)
{
    bool warm_up = c->warmed_up < warm_ups(c);
    size_t at = (size_t)snprintf(out, size, "%srun %zu: %c (", warm_up ? "warm-up " : "",
                                 1 + (warm_up ? c->warmed_up : c->out->run_count), "AB"[side]);
    for (char *const *a = c->commands[side].argv; *a && at < size - 8; a++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", a == c->commands[side].argv ? "" : " ", *a);
    if (at > size - 8)
        at = size - 8;
    snprintf(out + at, size - at, "%s)", at == size - 8 ? "..." : "");
}

/* ---- one run ---- */

static int check_end(const comparing *c, const tacho_trial *t, const char *what, tacho_error *err)
{
    double timeout = c->options->trials.timeout_seconds;
    if (t->timed_out && !(timeout > 0 && timeout <= c->limit))
        return tacho_error_set(err, TACHO_ERR_LIMIT,
                               "%s did not end within %g s, which is all the time that there was", what,
                               c->limit);
    if (c->options->ignore_failure)
        return 0;
    if (t->timed_out)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s did not end within %g s", what, timeout);
    if (t->signal)
        return tacho_error_set(err, TACHO_ERR_FAILED, "%s was ended by signal %d (%s)", what, t->signal,
                               strsignal(t->signal));
    if (t->exit_status)
        return tacho_error_set(err, TACHO_ERR_FAILED, "%s ended with status %d", what, t->exit_status);
    return 0;
}

/* What a limit that is not soft leaves of it ends a run, as a signal does: it is none. */
static int run_in_time(comparing *c, const tacho_command *command, const tacho_layout *place, tacho_trial *t,
                       tacho_error *err)
{
    double own = c->options->trials.timeout_seconds, left = c->started + c->limit - seconds_now();
    bool limited = !c->soft_limit && isfinite(left) && !(own > 0 && own < left);
    if (limited)
        tacho_trials_set_timeout(c->trials, fmax(left, 1e-3));
    int rc = tacho_trials_run(c->trials, command, place, t, err);
    if (limited && !rc && t->timed_out)
        c->late = t->stopped = true;
    return rc;
}

/* `values`: all NaN where the run is no sample. */
static int run_one(comparing *c, uint32_t side, uint32_t layout, tacho_trial *t, double *values,
                   tacho_error *err)
{
    char what[200];
    tacho_layout place = {.fixed = c->options->fixed_addresses};
    if (c->options->layouts)
        place = tacho_layout_draw(c->options->judge.seed + layout);
    for (size_t m = 0; m < c->out->metric_count; m++)
        values[m] = NAN;
    *t = (tacho_trial){0};
    int rc = run(c, PREPARE, side, err);
    if (rc || c->stopped)
        return rc;
    double before = seconds_now();
    rc = run_in_time(c, &c->commands[side], &place, t, err);
    rc = hooks_after_run(c, side, rc, err);
    c->stopped |= t->stopped && !c->late;
    if (rc || t->stopped)
        return rc;
    double took = seconds_now() - before;
    c->shortest_run[side] = c->shortest_run[side] > 0 ? fmin(c->shortest_run[side], took) : took;
    name_run(c, side, what, sizeof what);
    rc = check_end(c, t, what, err);
    return rc || t->timed_out ? rc : metrics_take(c, t, what, values, err);
}

/* How long it will be about: until as many runs as were wanted, or until the interval, which narrows with the
 * square root of the runs, is as narrow as was wanted; not beyond the limit. */
static double seconds_left(const comparing *c)
{
    const tacho_compare_options *o = c->options;
    double passed = seconds_now() - c->started, blocks = (double)c->out->run_count / COMPARE_BLOCK_RUNS;
    double precision = o->precision > 0 ? o->precision : o->judge.threshold / 4;
    double a_block = blocks > 0 ? passed / blocks : NAN, wanted = NAN;
    if (o->runs)
        wanted = ceil(o->runs / (COMPARE_BLOCK_RUNS / (double)COMPARE_SIDES));
    else if (c->half_width > 0)
        wanted = blocks * pow(fmax(1, c->half_width / precision), 2);
    double left = fmax(0, wanted - blocks) * a_block;
    return isnan(wanted) ? NAN : isfinite(c->limit) ? fmin(left, fmax(0, c->limit - passed)) : left;
}

static void tell(comparing *c, bool warm_up, uint32_t command)
{
    const tacho_compare_options *o = c->options;
    tacho_compare_progress p = {.warm_up = warm_up,
                                .runs = (uint32_t)c->out->run_count,
                                .seconds = seconds_now() - c->started,
                                .ratio = c->ratio,
                                .half_width = c->half_width,
                                .command = command,
                                .mean = c->counts[command] ? c->sums[command] / c->counts[command] : NAN,
                                .unit = c->out->metrics[c->out->metric].unit,
                                .seconds_left = seconds_left(c)};
    if (o->progress && o->progress(&p, o->payload))
        c->stopped = true;
}

/* ---- all of them ---- */

static int keep(comparing *c, tacho_compare_run run, const tacho_trial *t, const double *values,
                tacho_error *err)
{
    tacho_compare_result *r = c->out;
    size_t n = r->metric_count;
    if (tacho_mem_grow(&r->runs, &c->run_capacity, r->run_count + 1, sizeof *r->runs) ||
        tacho_mem_grow(&r->values, &c->value_capacity, (r->run_count + 1) * n, sizeof *r->values) ||
        tacho_mem_grow(&r->samples, &c->sample_capacity, r->run_count + 1, sizeof *r->samples))
        return tacho_no_memory(err);
    run.exit_status = t->exit_status;
    run.signal = t->signal;
    run.timed_out = t->timed_out;
    r->runs[r->run_count] = run;
    memcpy(r->values + r->run_count * n, values, n * sizeof *values);
    r->samples[r->run_count] = (tacho_sample){values[r->metric], run.side, run.block, run.layout};
    r->run_count++;
    if (!isnan(values[r->metric])) {
        c->sums[run.side] += values[r->metric];
        c->counts[run.side]++;
    }
    r->failed += !t->timed_out && (t->signal || t->exit_status);
    r->timed_out += t->timed_out;
    r->multiplexed |= t->multiplexed;
    return 0;
}

static int run_block(comparing *c, tacho_error *err)
{
    double values[TACHO_COMPARE_MAX_METRICS], before = seconds_now();
    uint32_t layout = schedule_layout(c, c->blocks);
    tacho_trial t;
    for (uint32_t i = 0; i < COMPARE_BLOCK_RUNS && !c->stopped; i++) {
        uint32_t side = schedule_side(c, c->blocks, i);
        if (is_late(c, c->shortest_run[side]))
            return 0;
        int rc = run_one(c, side, layout, &t, values, err);
        if (!rc && t.stopped)
            return 0;
        if (!rc && !c->stopped)
            rc = keep(c, (tacho_compare_run){.side = side, .block = c->blocks, .layout = layout}, &t, values,
                      err);
        if (rc)
            return rc;
        if (!c->stopped)
            tell(c, false, side);
    }
    c->shortest_block = fmin(c->shortest_block, seconds_now() - before);
    c->blocks++;
    return 0;
}

/* Of a block that was not completed, what there is does not count. */
static void drop_incomplete(comparing *c)
{
    size_t rest = c->out->run_count % COMPARE_BLOCK_RUNS;
    for (size_t i = c->out->run_count - rest; i < c->out->run_count; i++)
        c->out->runs[i].block = c->out->samples[i].block = TACHO_NO_BLOCK;
}

static int warm_up(comparing *c, tacho_error *err)
{
    double values[TACHO_COMPARE_MAX_METRICS];
    tacho_trial t;
    for (; c->warmed_up < warm_ups(c) && !c->stopped; c->warmed_up++) {
        uint32_t command = c->warmed_up % COMPARE_SIDES;
        if (is_late(c, c->shortest_run[command]))
            return 0;
        int rc = run_one(c, command, 0, &t, values, err);
        if (rc || t.stopped)
            return rc;
        tell(c, true, command);
    }
    return 0;
}

/* No run counts: how long those took that were to warm up is the least that can be told. */
static int too_little_time(comparing *c, tacho_error *err)
{
    bool warms_up = c->warmed_up < warm_ups(c);
    uint32_t next = warms_up ? c->warmed_up % COMPARE_SIDES : schedule_side(c, 0, 0);
    char what[200], took[200] = "";
    size_t at = 0;
    name_run(c, next, what, sizeof what);
    for (uint32_t i = 0; i < COMPARE_SIDES; i++) {
        if (!(c->shortest_run[i] > 0))
            continue;
        at += (size_t)snprintf(took + at, sizeof took - at, "%s%c took %.2g s", at ? ", " : "; ", "AB"[i],
                               c -> shortest_run[i]);
    }
    return tacho_error_set(err, TACHO_ERR_LIMIT,
                           "%s does not end within %g s, which is all the time that there was%s", what,
                           c->limit, took);
}

static int run_all(comparing *c, tacho_error *err)
{
    bool over = false;
    int rc = hooks_before_all(c, err);
    c->started = seconds_now();
    rc = rc ? rc : warm_up(c, err);
    while (!rc && !(rc = schedule_is_over(c, &over, err)) && !over)
        rc = run_block(c, err);
    if (!rc && c->late && !c->out->run_count)
        rc = too_little_time(c, err);
    drop_incomplete(c);
    c->out->seconds = seconds_now() - c->started;
    hooks_after_all(c);
    return rc;
}

/* ---- before and after ---- */

OPTIONS_DEFINE(compare, TACHO_COMPARE_OPTIONS_INIT)

static int check(const tacho_compare_options *o, tacho_error *err)
{
    if (!(o->precision >= 0) || !(o->max_seconds >= 0) || isinf(o->max_seconds) || o->warm_up > 1000 ||
        o->runs > TACHO_COMPARE_MAX_RUNS || o->max_runs > TACHO_COMPARE_MAX_RUNS ||
        o->layouts > TACHO_COMPARE_MAX_LAYOUTS)
        return tacho_error_set(err, TACHO_ERR_USAGE, "an option is out of its range");
    uint32_t needed = judging_units_needed(o->judge.confidence);
    if (o->layouts && o->layouts < needed)
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "%u layout%s too few for a verdict on layouts in general: at least %u",
                               o->layouts, o->layouts == 1 ? " is" : "s are", needed);
    return 0;
}

static int make_trials(comparing *c, tacho_error *err)
{
    tacho_trials_options t = c->options->trials;
    if (c->soft_limit && !(t.timeout_seconds > 0 && t.timeout_seconds <= c->limit))
        t.timeout_seconds = c->limit;
    t.stop = asks_to_stop;
    t.payload = c;
    t.events = c->events && *c->events ? c->events : NULL;
    t.output_bytes = c->has_pattern ? COMPARE_OUTPUT_BYTES : 0;
    c->trials = tacho_trials_new(&t, err);
    if (!c->trials && c->metric_is_event) {
        tacho_error why = *err;
        return tacho_error_set(
            err, why.code,
            "metric '%s' (cpu, user, system, elapsed, cycles, page_faults, switches, or an "
            "event): %s",
            c->options->metric, why.message);
    }
    if (!c->trials)
        return err->code;
    c->out->cpu = tacho_trials_cpu(c->trials);
    c->out->clock = tacho_trials_clock(c->trials);
    snprintf(c->out->counters_missing, sizeof c->out->counters_missing, "%s",
             tacho_trials_counters_missing(c->trials));
    return 0;
}

static const double default_seconds = 60;

static int set_up(comparing *c, tacho_error *err)
{
    const tacho_compare_options *o = c->options;
    c->soft_limit = !o->max_seconds && !o->runs;
    c->limit = o->max_seconds > 0 ? o->max_seconds : o->runs ? INFINITY : default_seconds;
    c->layout_order = tacho_mem_zalloc(o->layouts + 1, sizeof *c->layout_order);
    c->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (!c->layout_order)
        return tacho_no_memory(err);
    if (c->null < 0)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "/dev/null: %s", strerror(errno));
    int rc = hooks_prepare(c, err);
    rc = rc ? rc : metrics_choose(c, err);
    return rc ? rc : make_trials(c, err);
}

static int judge_elapsed(comparing *c, bool layouts, tacho_error *err)
{
    tacho_compare_result *r = c->out;
    tacho_sample *samples = tacho_mem_zalloc(r->run_count, sizeof *samples);
    tacho_judge_options o = c->options->judge;
    if (!samples)
        return tacho_no_memory(err);
    o.higher_is_better = false;
    for (size_t i = 0; i < r->run_count; i++) {
        samples[i] = r->samples[i];
        samples[i].value = r->values[i * r->metric_count + METRIC_ELAPSED];
    }
    int rc = tacho_judge(samples, r->run_count, layouts, &o, &r->elapsed, err);
    tacho_mem_free(samples);
    for (int side = 0; side < 2; side++)
        r->processors[side] = r->metrics[METRIC_CPU].median[side] / r->metrics[METRIC_ELAPSED].median[side];
    return rc;
}

/* Medians of all metrics, and the verdict by the one that decides. */
static int conclude(comparing *c, tacho_error *err)
{
    tacho_compare_result *r = c->out;
    double *of_side = tacho_mem_zalloc(r->run_count + 1, sizeof *of_side);
    int failed = of_side ? 0 : TACHO_ERR_MEMORY;
    for (size_t m = 0; m < r->metric_count && !failed; m++)
        for (uint32_t side = 0; side < 2 && !failed; side++) {
            tacho_distribution d;
            size_t n = 0;
            for (size_t i = 0; i < r->run_count; i++)
                if (r->runs[i].side == side)
                    of_side[n++] = r->values[i * r->metric_count + m];
            failed = tacho_distribution_compute(of_side, n, &d);
            r->metrics[m].median[side] = failed ? NAN : d.median;
        }
    tacho_mem_free(of_side);
    int rc = failed ? tacho_no_memory(err) : 0;
    if (!rc && !r->run_count)
        rc = tacho_error_set(err, TACHO_ERR_INPUT, "nothing was run");
    /* where time was up within the first block, no runs belong together */
    const bool layouts = c->options->layouts && r->run_count >= COMPARE_BLOCK_RUNS;
    rc = rc ? rc : tacho_judge(r->samples, r->run_count, layouts, &c->options->judge, &r->judgement, err);
    return rc ? rc : judge_elapsed(c, layouts, err);
}

static int take_runs(comparing *c, const tacho_compare_options *options, tacho_error *err)
{
    tacho_compare_options *o = &c->own_options;
    c->options = o;
    c->null = -1;
    c->started = seconds_now();
    c->shortest_block = INFINITY;
    c->ratio = c->half_width = NAN;
    *c->out = (tacho_compare_result){0};
    int rc = OPTIONS_TAKE(compare, o, options, err);
    o->trials.size = sizeof o->trials;
    o->judge.size = sizeof o->judge;
    rc = rc ? rc : check(o, err);
    rc = rc ? rc : set_up(c, err);
    return rc ? rc : run_all(c, err);
}

static void end_runs(comparing *c)
{
    tacho_trials_free(c->trials);
    metrics_free(c);
    tacho_mem_free(c->layout_order);
    if (c->null >= 0)
        close(c->null);
}

int tacho_compare(const tacho_command commands[2], const tacho_compare_options *options,
                  tacho_compare_result *out, tacho_error *err)
{
    tacho_error own;
    comparing c = {.commands = commands, .out = out};
    err = err ? err : &own;
    int rc = take_runs(&c, options, err);
    rc = rc ? rc : conclude(&c, err);
    if (rc)
        tacho_compare_free(out);
    end_runs(&c);
    return rc;
}

void tacho_compare_free(tacho_compare_result *r)
{
    TACHO_MEM_FREE(r->runs, r->values, r->samples);
    tacho_judgement_free(&r->judgement);
    tacho_judgement_free(&r->elapsed);
    *r = (tacho_compare_result){0};
}
