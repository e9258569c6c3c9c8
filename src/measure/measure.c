/* measure.c - measurers: the clock that is chosen, and blocks whose passes are interleaved. */
#include <cpuid.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "measure/clock.h"
#include "measure/job.h"
#include "util/mem.h"

/* See doc/MEASURING.md for what these cost and give. */
static const quality_plan qualities[] = {
    [TACHO_QUALITY_QUICK] = {100, 2, 8, 0.5},
    [TACHO_QUALITY_DEFAULT] = {160, 5, 20, 5},
    [TACHO_QUALITY_THOROUGH] = {400, 12, 60, 20},
};

/* At least between two passes over the same block; longer while disturbances last. */
#define ROUND_SECONDS     0.004
#define MAX_ROUND_SECONDS 0.064

/* ---- the machine ---- */

static int choose_cpu(int wanted, tacho_error *err)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        CPU_ZERO(&set);
    if (wanted >= 0) {
        if (wanted >= CPU_SETSIZE || !CPU_ISSET(wanted, &set))
            return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "this process may not run on processor %d",
                                   wanted);
        return wanted;
    }
    for (int i = CPU_SETSIZE - 1; i >= 0; i--)
        if (CPU_ISSET(i, &set))
            return i;
    return 0;
}

static void find_features(tacho_measurer *m)
{
    char vendor[13];
    clock_vendor(vendor);
    m->is_intel = !strcmp(vendor, "GenuineIntel");
    m->has_avx = __builtin_cpu_supports("avx");
    m->has_avx512 = __builtin_cpu_supports("avx512f");
    m->has_wide_masks = __builtin_cpu_supports("avx512bw");
}

static void promise(tacho_measurer *m)
{
    tacho_measure_clock *c = &m->clock;
    const char *clock =
        c->clock == TACHO_CLOCK_PERF  ? "core cycles are counted"
        : c->clock == TACHO_CLOCK_TSC ? "the numbers are ticks of the time stamp counter, not core cycles: "
                                        "they compare with each other while the core's "
                                        "clock stays the same"
        : c->multiplier ? "the core runs at a whole multiple of 100 MHz: cycles are exact, as with a counter"
                        : "the core's clock changes in small steps: cycles are good to about half a percent";
    snprintf(c->promise, sizeof c->promise, "%s%s", clock,
             m->is_intel
                 ? ""
                 : "; on this maker's cores unrolled code comes from the µop cache, and loads from "
                   "several pages may be slowed down by their being one physical page (--pages 8: fewer)");
}

/* The best clock that works, or the one that is wanted. */
static int choose_clock(tacho_measurer *m, const tacho_measurer_options *o, tacho_error *err)
{
    tacho_measure_clock *c = &m->clock;
    const bool counters = !counters_missing(c->counters, sizeof c->counters);
    if (counters)
        *c->counters = '\0';
    c->clock = o->clock != TACHO_CLOCK_AUTO ? o->clock
               : counters                   ? TACHO_CLOCK_PERF
               : m->profile.chains_agree    ? TACHO_CLOCK_TSC_CALIBRATED
                                            : TACHO_CLOCK_TSC;
    if (c->clock == TACHO_CLOCK_PERF && !counters)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "clock perf: %s", c->counters);
    if (c->clock == TACHO_CLOCK_TSC_CALIBRATED && !m->profile.chains_agree)
        return tacho_error_set(
            err, TACHO_ERR_UNSUPPORTED,
            "clock tsc-calibrated: chains of multiplications and of additions do not agree here");
    if (o->events && c->clock != TACHO_CLOCK_PERF)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "events need performance counters: %s",
                               counters ? "--clock perf" : c->counters);
    if (c->clock == TACHO_CLOCK_PERF)
        return counters_find(&m->counters, o->events, err);
    return 0;
}

static void fill_clock(tacho_measurer *m)
{
    tacho_measure_clock *c = &m->clock;
    c->cpu = m->host.cpu;
    c->tsc_hz = m->profile.tsc_hz;
    c->granularity = m->profile.granularity;
    c->core_clock = m->profile.core_clock;
    c->multiplier = m->profile.multiplier;
    c->base_hz = 1e8;
    c->imul_latency = m->profile.imul_latency;
    promise(m);
}

tacho_measurer *tacho_measurer_new(const tacho_measurer_options *options, tacho_error *err)
{
    static const tacho_measurer_options defaults = TACHO_MEASURER_OPTIONS_INIT;
    const tacho_measurer_options *o = options ? options : &defaults;
    tacho_measurer *m = tacho_mem_zalloc(1, sizeof *m);
    if (!m) {
        tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
        return NULL;
    }
    m->host = (child_host)CHILD_HOST_INIT;
    find_features(m);
    int cpu = choose_cpu(o->cpu, err);
    int failed = cpu < 0 ? cpu : child_host_open(&m->host, cpu, err);
    if (!failed)
        failed = clock_examine(&m->host, &m->profile, err);
    if (!failed)
        failed = choose_clock(m, o, err);
    if (failed) {
        tacho_measurer_free(m);
        return NULL;
    }
    fill_clock(m);
    return m;
}

void tacho_measurer_free(tacho_measurer *m)
{
    if (!m)
        return;
    child_host_close(&m->host);
    tacho_mem_free(m);
}

const tacho_measure_clock *tacho_measurer_clock(const tacho_measurer *m)
{
    return &m->clock;
}

/* ---- blocks ---- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void wait_until(double moment)
{
    double left = moment - seconds_now();
    if (left > 0)
        nanosleep(&(struct timespec){(time_t)left, (long)(fmod(left, 1) * 1e9)}, NULL);
}

static bool is_given_up(const job *j, const quality_plan *q, double seconds)
{
    return j->pass_count >= JOB_MAX_PASSES - 1 || j->usable >= q->max_passes ||
           (j->pass_count >= q->max_passes && seconds >= q->seconds);
}

/* Where not one pass found enough undisturbed samples, disturbed ones are better than none. */
static int give_up(tacho_measurer *m, job *j, const tacho_measure_options *options, const quality_plan *q,
                   tacho_error *err)
{
    bool found = false;
    for (uint32_t i = 0; i < j->pass_count; i++)
        found |= j->passes[i].cycles > 0;
    int failed = found ? 0 : job_pass(m, j, options, q, true, err);
    if (!failed && !j->done)
        job_conclude(m, j, q);
    j->done = true;
    return failed;
}

/* A pass over each block that needs one. *left: blocks that are not finished */
static int run_round(tacho_measurer *m, job *jobs, tacho_measure_job *given, size_t count,
                     const tacho_measure_options *options, double seconds, size_t *left, size_t *disturbed,
                     tacho_error *err)
{
    const quality_plan *q = &qualities[options->quality];
    *left = *disturbed = 0;
    for (size_t i = 0; i < count; i++) {
        job *j = &jobs[i];
        if (j->done)
            continue;
        uint32_t pass = j->pass_count;
        int failed = job_pass(m, j, options, q, false, err);
        if (failed)
            return failed;
        if (j->done)
            continue;
        if (given[i].pass_cycles && pass < given[i].pass_capacity)
            given[i].pass_cycles[pass] = j->passes[pass].cycles;
        j->done = j->pass_count >= q->min_passes && job_conclude(m, j, q);
        if (!j->done && is_given_up(j, q, seconds) && (failed = give_up(m, j, options, q, err)))
            return failed;
        *left += !j->done;
        *disturbed += !estimate_undisturbed(&m->profile, &j->passes[pass]);
    }
    return 0;
}

/* What is wrong with the block itself is a status of it. */
static int prepare(tacho_measurer *m, job *j, const tacho_measure_job *given,
                   const tacho_measure_options *options, tacho_error *err)
{
    int failed = job_prepare(m, j, given->code, given->code_size, options, err);
    if (failed == TACHO_ERR_INPUT || failed == TACHO_ERR_LIMIT) {
        j->out->status = TACHO_MEASURED_REJECTED;
        j->out->offset = err->offset;
        snprintf(j->out->message, sizeof j->out->message, "%.190s", err->message);
        j->done = true;
        return 0;
    }
    return failed || j->done ? failed : job_scout(m, j, options, err);
}

static int measure_all(tacho_measurer *m, job *jobs, tacho_measure_job *given, size_t count,
                       const tacho_measure_options *options, tacho_error *err)
{
    size_t left = count, disturbed;
    double round = ROUND_SECONDS;
    const double first = seconds_now();
    for (size_t i = 0; i < count; i++) {
        jobs[i].out = &given[i].result;
        int failed = prepare(m, &jobs[i], &given[i], options, err);
        if (failed)
            return failed;
    }
    while (left) {
        double start = seconds_now();
        int failed = run_round(m, jobs, given, count, options, start - first, &left, &disturbed, err);
        if (failed)
            return failed;
        round = disturbed < left ? ROUND_SECONDS : fmin(2 * round, MAX_ROUND_SECONDS);
        if (left)
            wait_until(start + round);
    }
    return 0;
}

static int check_options(const tacho_measure_options *o, tacho_error *err)
{
    if (o->pages < 1 || o->pages > RUNNER_MAX_DATA_PAGES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "physical pages: 1 to %d", RUNNER_MAX_DATA_PAGES);
    if (o->max_pages < 1 || o->max_pages > RUNNER_MAX_FAULTS)
        return tacho_error_set(err, TACHO_ERR_USAGE, "virtual pages: 1 to %d", RUNNER_MAX_FAULTS);
    if (!(o->seconds >= 0.01 && o->seconds <= 600))
        return tacho_error_set(err, TACHO_ERR_USAGE, "deadline: 0.01 to 600 seconds");
    if ((unsigned)o->quality > TACHO_QUALITY_THOROUGH)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no such quality");
    return 0;
}

int tacho_measure_many(tacho_measurer *m, tacho_measure_job *jobs, size_t count,
                       const tacho_measure_options *options, tacho_error *err)
{
    static const tacho_measure_options defaults = TACHO_MEASURE_OPTIONS_INIT;
    tacho_error own;
    err = err ? err : &own;
    err->offset = -1;
    options = options ? options : &defaults;
    int failed = check_options(options, err);
    if (failed || !count)
        return failed;
    job *list = tacho_mem_zalloc(count, sizeof *list);
    if (!list)
        return tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
    failed = measure_all(m, list, jobs, count, options, err);
    for (size_t i = 0; i < count; i++)
        job_free(&list[i]);
    tacho_mem_free(list);
    return failed;
}

int tacho_measure(tacho_measurer *m, const uint8_t *code, size_t size, const tacho_measure_options *options,
                  tacho_measurement *out, tacho_error *err)
{
    tacho_measure_job one = {.code = code, .code_size = size};
    int failed = tacho_measure_many(m, &one, 1, options, err);
    *out = one.result;
    return failed;
}
