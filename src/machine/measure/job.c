/* job.c - one block: scouted, timed in passes, concluded. */
#include <signal.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/number.h"
#include "machine/measure/job.h"

enum {
    RUN_INSTRUCTIONS = 1000,     /* of the short run, when unrolled; the long run has twice as many */
    RUN_CODE_BYTES = 10 << 10,   /* at most, of the long run: it has to stay in the instruction cache */
    CACHE_CODE_BYTES = 24 << 10, /* of the long run: above, it surely does not */
    LOOP_CYCLES = 4000,          /* of the short run, when looped */
    SCOUT_INSTRUCTIONS = 200,
    SCOUT_SAMPLES = 5,
    MIN_ITERATIONS = 20,
    FEWEST_ITERATIONS = 4,
    MAX_ITERATIONS = 200000,
    MIN_TURNS = 8,  /* of copies that are repeated, in the short run */
    MOST_PLANS = 8, /* of a block */
    MOST_TIMES = 4, /* as many samples are taken of runs that are short for their pages */
    WARM_UPS = 4,
    ATTEMPTS = 40 /* for each sample that is wanted */
};
#define MAX_RUN_SECONDS 30e-6 /* of the short run: longer ones are disturbed too often */

/* ---- running ---- */

static uint64_t counter_value(const job *j, uint64_t iterations)
{
    if (!j->own.counted)
        return iterations;
    uint64_t value = j->own.base - (uint64_t)j->own.step * iterations;
    return j->own.bits == 32 ? (uint32_t)value : value;
}

/* Iterations of the block's own loop that are single-stepped: all of their steps have room in the report
 * where the block is not too long for that. */
static uint32_t traced_iterations(const job *j)
{
    enum {
        LEAST = 4
    };
    const size_t fit = (RUNNER_MAX_STEPS - 1) / j->block.count;
    return fit >= CODEGEN_TRACED_COPIES ? CODEGEN_TRACED_COPIES : fit > LEAST ? (uint32_t)fit : LEAST;
}

int job_make_plan(tacho_measurer *m, job *j, bool traced, tacho_error *err)
{
    runner_plan *plan = m->host.plan;
    memset(plan, 0, sizeof *plan);
    measure_initial_state(plan, j->options);
    plan->max_faults = j->options->max_pages;
    plan->data_pages = j->physical;
    plan->event_count = m->counters.count;
    memcpy(plan->events, m->counters.attributes, sizeof plan->events);
    plan->warm_ups = WARM_UPS;
    plan->trace_iterations = counter_value(j, traced_iterations(j));
    for (int i = 0; i < 2; i++)
        plan->runs[i].iterations = counter_value(j, j->turns[i]);
    plan->counter_bits = j->own.counted && j->own.bits == 32 ? UINT32_MAX : UINT64_MAX;
    if (j->code.in_loop)
        plan->more = j->own.counted ? 0 - (uint64_t)j->own.step : 1;
    int failed = codegen_make(&j->code, plan, child_next_place(&m->host), err);
    if (!traced)
        plan->trace_entry = 0;
    return failed;
}

int job_run_plan(tacho_measurer *m, job *j, tacho_error *err)
{
    child_end end;
    int signal;
    int failed = child_run(&m->host, j->options->seconds, &end, &signal, err);
    if (!failed && end == CHILD_KILLED && signal == SIGKILL) /* not by what it did */
        failed = child_run(&m->host, j->options->seconds, &end, &signal, err);
    if (failed)
        return failed;
    const runner_report *c = m->host.report;
    if (end != CHILD_EXITED || c->stage != RUNNER_STAGE_DONE || c->failure != RUNNER_OK)
        return job_explain_end(j, c, end, signal, err);
    return 0;
}

/* ---- scouting ---- */

/* The middle of a few samples' differences: only an order of magnitude is wanted. */
static double rough_ticks(const runner_report *c, double iterations)
{
    double ticks[SCOUT_SAMPLES] = {0};
    const uint32_t n = c->samples_taken < SCOUT_SAMPLES ? c->samples_taken : SCOUT_SAMPLES;
    for (uint32_t i = 0; i < n; i++)
        ticks[i] = (double)c->samples[i].run[1] - c->samples[i].run[0];
    numbers_sort(ticks, n);
    return ticks[n / 2] / iterations;
}

/* Runs this many copies: as straight code for the short run and twice as many for the long one, or repeated
 * by a loop. */
static void set_repetitions(job *j, uint64_t copies, uint64_t turns)
{
    const bool in_loop = j->code.in_loop;
    for (int i = 0; i < 2; i++) {
        const uint64_t times = i ? 2 : 1;
        j->turns[i] = in_loop ? turns * times : 1;
        j->code.copies[i] = (uint32_t)(in_loop ? copies : copies * times);
        j->iterations[i] = j->turns[i] * j->code.copies[i];
    }
}

/* Copies in a row, of the short run: what the instruction cache holds. */
static uint64_t copies_for(job *j)
{
    const uint64_t bytes = j->block.offsets[j->block.count], code = j->code.in_loop ? bytes : 2 * bytes;
    uint64_t r = (RUN_INSTRUCTIONS + j->block.count - 1) / j->block.count;
    if (r * code > RUN_CODE_BYTES)
        r = RUN_CODE_BYTES / code > 2 ? RUN_CODE_BYTES / code : 2;
    if (r * code > CACHE_CODE_BYTES)
        r = 1;
    if (r * code > CACHE_CODE_BYTES)
        j->block.notes |= TACHO_MEASURE_LONG_CODE;
    return r;
}

/* Iterations that a run may have beside its own. */
static double further(const job *j)
{
    return j->code.in_loop ? (double)RUNNER_MOST_MORE * j->code.copies[0] : 0;
}

/* From what the runs have touched: the pages of any run, and those of each iteration of a walk through
 * memory. */
static void learn_pages(job *j, const runner_report *c)
{
    const double longest = (double)j->iterations[1] + further(j);
    j->pages_each = (double)(c->fault_count - c->short_faults) / (longest - (double)j->iterations[0]);
    j->pages_before = fmax(c->fault_count - j->pages_each * longest, 0);
}

/* Iterations of the longest run, at most, for its pages to have room. Where too few would be left (a block
 * that goes on to another page each time) they are for the TLB. */
static double most_for_pages(job *j)
{
    const double few = SCOUT_INSTRUCTIONS / (double)j->block.count;
    const double most = j->pages_each > 0 ? (j->room - j->pages_before) / j->pages_each : INFINITY;
    j->fits = most >= 2 * fmin(fmax(few, 2), MIN_ITERATIONS);
    return j->fits ? most : fmax((JOB_TLB_PAGES - j->pages_before) / j->pages_each, 2 * FEWEST_ITERATIONS);
}

/* Runs of about as many cycles as are wanted, the short one of `most` iterations at most, the longest one of
 * `longest`. */
static void plan_runs(const tacho_measurer *m, job *j, double most, double longest)
{
    const double wanted = fmin(LOOP_CYCLES / (j->ticks * m->profile.core_clock), MAX_ITERATIONS);
    const double more = j->code.in_loop ? RUNNER_MOST_MORE : 0, least = j->code.in_loop ? MIN_TURNS : 1;
    double turns = fmax(wanted, MIN_ITERATIONS), copies = 1;
    if (!is_looped(j)) {
        copies = fmin(fmin((double)copies_for(j), most), longest / (2 * least + more));
        copies = fmax(trunc(copies), 1);
        turns = j->code.in_loop ? fmax(wanted / copies, least) : 1;
    } else if (j->own.counted)
        turns = fmin(turns, (double)(j->own.most / 4));
    turns = fmin(turns, fmin(most / copies, (longest / copies - more) / 2));
    set_repetitions(j, (uint64_t)copies, (uint64_t)fmax(turns, 1));
}

/* How often the block is repeated. */
static void plan_iterations(const tacho_measurer *m, job *j)
{
    const double time = fmax(MAX_RUN_SECONDS * m->profile.tsc_hz / j->ticks, 1), pages = most_for_pages(j);
    plan_runs(m, j, time, INFINITY);
    j->short_for_pages = pages < (double)j->iterations[1] + further(j);
    if (j->short_for_pages)
        plan_runs(m, j, time, pages);
}

/* Whether other initial values change which loads meet which stores. */
static int compare_states(tacho_measurer *m, job *j, tacho_error *err)
{
    const tacho_measure_options *options = j->options;
    tacho_measure_options other = *options;
    tacho_measurement unchanged = *j->out;
    uint64_t pattern, gpr[16];
    const own_loop own = j->own;
    other.init = options->init == TACHO_INIT_SAME ? TACHO_INIT_DISTINCT : TACHO_INIT_SAME;
    measure_initial_registers(gpr, &other);
    if (own.counted) /* until a register that has another value now */
        j->own = measure_own_loop(&j->block, gpr);
    j->options = &other;
    int failed = job_make_plan(m, j, true, err);
    j->own = own;
    m->host.plan->sample_count = 0;
    m->host.plan->warm_ups = 0;
    if (!failed)
        failed = job_run_plan(m, j, err);
    j->options = options;
    if (failed)
        return failed;
    if (!j->done) {
        measure_access_notes(&j->code, m->host.plan, m->host.report, &pattern);
        if (pattern != j->pattern)
            j->block.notes |= TACHO_MEASURE_STATE_DEPENDENT;
    }
    j->done = false; /* that it stops from another state says nothing about this one */
    *j->out = unchanged;
    return 0;
}

static int scout_once(tacho_measurer *m, job *j, tacho_error *err)
{
    if (is_looped(j))
        set_repetitions(j, 1, JOB_SCOUT_ITERATIONS);
    else
        set_repetitions(j, (SCOUT_INSTRUCTIONS + j->block.count - 1) / j->block.count, 1);
    int failed = job_make_plan(m, j, true, err);
    m->host.plan->sample_count = m->host.plan->attempts = SCOUT_SAMPLES;
    return failed ? failed : job_run_plan(m, j, err);
}

/* The own loop's counter does what was thought: it was stepped through, to its end. (A repeated string
 * instruction is a step each time.) */
static bool own_loop_holds(const job *j, const runner_report *c)
{
    const uint32_t turns = traced_iterations(j);
    return !j->own.counted ||
           (c->visits + 1 >= turns && c->visits <= turns + 1 && c->step_count < RUNNER_MAX_STEPS);
}

int job_scout(tacho_measurer *m, job *j, tacho_error *err)
{
    int failed = scout_once(m, j, err);
    if (failed)
        return failed;
    if (j->own.counted &&
        (j->done ? j->out->status == TACHO_MEASURED_TIMEOUT : !own_loop_holds(j, m->host.report))) {
        j->done = false;
        *j->out->message = '\0';
        j->out->status = TACHO_MEASURED_OK;
        job_add_counter(j);
        failed = scout_once(m, j, err);
    }
    if (failed || j->done)
        return failed;
    const runner_report *c = m->host.report;
    /* Coarse clocks may show nothing; no core does more than ten instructions a cycle. */
    j->ticks = fmax(rough_ticks(c, (double)(j->iterations[1] - j->iterations[0])),
                    (double)j->block.count / 10 / m->profile.core_clock);
    learn_pages(j, c);
    j->block.notes |= measure_access_notes(&j->code, m->host.plan, c, &j->pattern);
    if (j->accesses)
        failed = compare_states(m, j, err);
    plan_iterations(m, j);
    return failed;
}

/* ---- passes ---- */

static void add_events(const tacho_measurer *m, job *j, const runner_report *c, uint32_t samples)
{
    double iterations = (double)(j->iterations[1] - j->iterations[0]) * samples;
    for (uint32_t i = 1; i < m->counters.count && iterations > 0; i++)
        j->event_sums[i] += ((double)c->event_long[i] - (double)c->event_short[i]) / iterations;
}

/* More samples of runs that are short for their pages. */
static uint32_t samples_of(const tacho_measurer *m, const job *j, uint32_t usual)
{
    const double cycles = (double)j->iterations[0] * j->ticks * m->profile.core_clock;
    const double times = j->short_for_pages ? fmin(fmax(LOOP_CYCLES / cycles, 1), MOST_TIMES) : 1;
    return (uint32_t)fmin(usual * times, RUNNER_MAX_SAMPLES);
}

/* One pass, not yet counted. */
static int take_pass(tacho_measurer *m, job *j, const quality_plan *quality, const clock_profile *profile,
                     tacho_error *err)
{
    int failed = job_make_plan(m, j, false, err);
    if (failed)
        return failed;
    runner_plan *plan = m->host.plan;
    const runner_report *c = m->host.report;
    plan->sample_count = samples_of(m, j, quality->samples);
    plan->attempts = quality->samples * ATTEMPTS;
    estimate_limits(profile, plan->limits, &plan->slack);
    failed = job_run_plan(m, j, err);
    if (failed || j->done)
        return failed;
    j->out->pages = c->fault_count;
    estimate_pass(profile, c->samples, c->samples_taken, estimate_unit_of(m->clock.clock), j->code.in_loop,
                  (double)(j->iterations[1] - j->iterations[0]), j->code.copies[0], m->scratch,
                  &j->passes[j->pass_count]);
    return 0;
}

/* Whether the pass shows that its plan was wrong: it touched more pages than there is room for, or its
 * iterations took less than half of what was thought, so that its runs were short. Then the plan is another
 * one. */
static bool plan_again(const tacho_measurer *m, job *j)
{
    const uint64_t was = j->iterations[0];
    pass_estimate *p = &j->passes[j->pass_count];
    const bool converted = estimate_unit_of(m->clock.clock) == ESTIMATE_CALIBRATED;
    const double ticks = converted ? p->cycles / m->profile.core_clock : p->cycles;
    const bool too_many = (j->fits || !j->plans) && m->host.report->fault_count > j->room;
    const bool too_short = ticks > 0 && ticks < j->ticks / 2;
    if (!too_many && !too_short)
        return false;
    if (j->plans++ == MOST_PLANS) { /* no honest block takes another time with each plan */
        p->cycles = too_short ? NAN : p->cycles;
        return false;
    }
    if (too_short) /* or by chance, where runs are very short */
        j->ticks = fmax(ticks, j->ticks / 16);
    learn_pages(j, m->host.report);
    plan_iterations(m, j);
    return j->iterations[0] != was;
}

/* What earlier passes said was of other runs. */
static void forget_passes(job *j)
{
    j->pass_count = 0;
    memset(j->event_sums, 0, sizeof j->event_sums);
}

int job_pass(tacho_measurer *m, job *j, const quality_plan *quality, bool disturbed, tacho_error *err)
{
    const runner_report *c = m->host.report;
    clock_profile profile = m->profile;
    if (disturbed)
        memset(profile.canary, 0, sizeof profile.canary);
    int failed = take_pass(m, j, quality, &profile, err);
    while (!failed && !j->done && plan_again(m, j)) {
        forget_passes(j);
        failed = take_pass(m, j, quality, &profile, err);
    }
    if (failed || j->done)
        return failed;
    j->out->samples += c->attempts_made;
    j->out->accepted += j->passes[j->pass_count].accepted;
    add_events(m, j, c, c->samples_taken);
    j->pass_count++;
    return 0;
}

int job_learn_start(tacho_measurer *m, tacho_error *err)
{
    enum {
        TRIES = 4 /* the last one takes samples as they come */
    };
    static const uint8_t nop[] = {0x90};
    static const quality_plan quality = {.samples = 100};
    tacho_measure_options o = TACHO_MEASURE_OPTIONS_INIT;
    tacho_measurement ignored;
    job *j = tacho_mem_zalloc(1, sizeof *j);
    if (!j)
        return tacho_no_memory(err);
    j->out = &ignored;
    o.mode = TACHO_MODE_UNROLL;
    j->fits = true;
    int failed = job_prepare(m, j, nop, sizeof nop, &o, err);
    j->code.in_loop = false;
    set_repetitions(j, 1, 1);
    m->profile.start = NAN;
    for (int i = 0; i < TRIES && !failed && !j->done && isnan(m->profile.start); i++) {
        failed = job_pass(m, j, &quality, i + 1 == TRIES, err);
        m->profile.start = j->passes[i].run;
    }
    job_free(j);
    tacho_mem_free(j);
    return failed;
}

static double mean_clock(const job *j)
{
    double sum = 0;
    unsigned n = 0;
    for (uint32_t i = 0; i < j->pass_count; i++)
        if (!isnan(j->passes[i].core_clock)) {
            sum += j->passes[i].core_clock;
            n++;
        }
    return n ? sum / n : NAN;
}

/* Of the mean of passes that agree. */
static double standard_error(const job *j, const passes_estimate *e)
{
    double squares = 0;
    unsigned n = 0;
    for (uint32_t i = 0; i < j->pass_count; i++)
        if (j->passes[i].cycles >= e->low && j->passes[i].cycles <= e->high) {
            squares += j->passes[i].error * j->passes[i].error;
            n++;
        }
    return n ? sqrt(squares) / n : NAN;
}

/* Whether most of the passes that agree are steady. */
static bool is_steady(const tacho_measurer *m, const job *j, const passes_estimate *e)
{
    int unsteady = 0;
    for (uint32_t i = 0; i < j->pass_count; i++)
        if (j->passes[i].cycles >= e->low && j->passes[i].cycles <= e->high)
            unsteady += estimate_is_steady(&m->profile, &j->passes[i]) ? -1 : 1;
    return unsteady <= 0;
}

static void conclude_events(const tacho_measurer *m, job *j)
{
    tacho_measurement *out = j->out;
    out->event_count = 0;
    for (uint32_t i = 1; i < m->counters.count; i++) {
        tacho_measured_event *e = &out->events[out->event_count++];
        memcpy(e->name, m->counters.names[i], sizeof e->name);
        e->per_iteration = j->event_sums[i] / j->pass_count;
    }
    if (m->counters.cache_misses && out->events[0].per_iteration * (double)j->iterations[0] >= 1)
        j->block.notes |= TACHO_MEASURE_CACHE_MISSES;
}

bool job_conclude(const tacho_measurer *m, job *j, const quality_plan *quality)
{
    double sorted[JOB_MAX_PASSES];
    passes_estimate e;
    tacho_measurement *out = j->out;
    estimate_passes(&m->profile, j->passes, j->pass_count, sorted, &e);
    out->passes = j->pass_count;
    j->usable = e.usable;
    out->repetitions[0] = j->iterations[0];
    out->repetitions[1] = j->iterations[1];
    out->cycles = e.cycles;
    out->low = e.low;
    out->high = e.high;
    out->core_clock = mean_clock(j);
    out->uncertainty = e.cycles > 0 ? fmax((e.high - e.low) / 2, standard_error(j, &e)) / e.cycles : NAN;
    const bool steady = is_steady(m, j, &e), possible = estimate_is_possible(e.cycles, j->block.count);
    out->status = e.stable && steady && possible ? TACHO_MEASURED_OK : TACHO_MEASURED_UNSTABLE;
    conclude_events(m, j);
    const bool many_pages = out->pages > j->room || !j->fits;
    if (many_pages)
        j->block.notes |= TACHO_MEASURE_MANY_PAGES;
    else if (j->short_for_pages)
        j->block.notes |= TACHO_MEASURE_KEPT_IN_CACHE;
    if (out->accepted * 4 < out->samples)
        j->block.notes |= TACHO_MEASURE_NOISY;
    out->notes = j->block.notes;
    *out->message = '\0';
    const char *theirs = isnan(e.cycles) ? "" : ", and the figure is theirs";
    if (!e.usable && many_pages)
        snprintf(out->message, sizeof out->message,
                 "all passes were disturbed%s: by the machine (try again when it is quieter), or by the "
                 "block itself, which touches %u pages",
                 theirs, out->pages);
    else if (!e.usable)
        snprintf(out->message, sizeof out->message,
                 "all passes were disturbed%s: try again when the machine is quieter", theirs);
    else if (!e.stable)
        snprintf(out->message, sizeof out->message,
                 "%u of %u undisturbed passes agree; they range from %.2f to %.2f cycles", e.agreeing,
                 e.usable, e.low, e.high);
    else if (!possible)
        snprintf(out->message, sizeof out->message,
                 "%zu instructions cannot take %.2f cycles: all passes were disturbed alike; try again when "
                 "the machine is quieter",
                 j->block.count, e.cycles);
    else if (!steady)
        snprintf(out->message, sizeof out->message,
                 "its first iterations take longer than the following ones, which %.2f cycles is for",
                 e.cycles);
    /* Where some pass says otherwise, more have to agree. */
    return e.stable && possible && e.usable >= quality->min_passes * (e.agreeing < e.usable ? 2 : 1);
}

bool job_is_enough(const job *j, const quality_plan *quality, double seconds)
{
    return j->pass_count >= JOB_MAX_PASSES - 1 || j->usable >= quality->max_passes ||
           (j->pass_count >= quality->max_passes && seconds >= quality->seconds);
}

bool job_has_number(const job *j)
{
    for (uint32_t i = 0; i < j->pass_count; i++)
        if (j->passes[i].cycles > 0)
            return true;
    return false;
}
