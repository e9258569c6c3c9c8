/* measure.c - measurers: the sandbox, and the clock that is chosen. */
#include <math.h>
#include <stdio.h>

#include "base/cpus.h"
#include "base/mem.h"
#include "base/options_take.h"
#include "base/seconds.h"
#include "machine/measure/job.h"
#include "machine/measure/measure_clock.h"
#include "tacho/measure.h"

#define LOOK_SECONDS 0.03 /* between two looks at the clocks: one takes less than a millisecond */

/* ---- the machine ---- */

/* A quarter is for the runner: its stack, the registers that it loads, memory's image. */
static uint32_t count_own_pages(int cpu)
{
    enum {
        LEAST = 6
    };
    data_cache caches[CACHES_MOST];
    const size_t n = caches_read("", cpu, caches);
    const uint64_t fit = n && caches[0].level == 1 ? caches[0].bytes / RUNNER_PAGE * 3 / 4 : 0;
    return fit < LEAST ? LEAST : fit < RUNNER_MAX_DATA_PAGES ? (uint32_t)fit : RUNNER_MAX_DATA_PAGES;
}

static void find_features(tacho_measurer *m)
{
    m->is_intel = __builtin_cpu_is("intel");
    m->has_sse41 = __builtin_cpu_supports("sse4.1");
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
                                        "they compare with each other while the core's clock stays the same"
        : c->multiplier ? "the core runs at a whole multiple of 100 MHz: cycles are exact, as with a counter"
                        : "the core's clock changes in small steps: cycles are good to about half a percent";
    snprintf(c->promise, sizeof c->promise, "%s%s", clock,
             m->is_intel ? "" : "; on this maker's cores unrolled code comes from the µop cache");
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

OPTIONS_DEFINE(measurer, TACHO_MEASURER_OPTIONS_INIT)

tacho_measurer *tacho_measurer_new(const tacho_measurer_options *options, tacho_error *err)
{
    tacho_measurer_options o;
    if (OPTIONS_TAKE(measurer, &o, options, err))
        return NULL;
    tacho_measurer *m = tacho_mem_zalloc(1, sizeof *m);
    if (!m) {
        tacho_no_memory(err);
        return NULL;
    }
    m->host = (child_host)CHILD_HOST_INIT;
    find_features(m);
    int cpu, failed = cpus_choose(o.cpu, &cpu, err);
    if (!failed) {
        m->own_pages = count_own_pages(cpu);
        failed = child_host_open(&m->host, cpu, err);
    }
    if (!failed)
        failed = clock_examine(&m->host, &m->profile, err);
    m->looked = seconds_now();
    if (!failed)
        failed = choose_clock(m, &o, err) ?: job_learn_start(m, err);
    if (failed) {
        tacho_measurer_free(m);
        return NULL;
    }
    fill_clock(m);
    return m;
}

void measurer_look(tacho_measurer *m)
{
    tacho_error ignored;
    if (seconds_now() - m->looked < LOOK_SECONDS)
        return;
    (void)clock_look(&m->host, &m->profile, &ignored);
    if (isnan(m->profile.start))
        (void)job_learn_start(m, &ignored);
    m->looked = seconds_now();
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

/* The words for statuses, clocks and notes, as scripts and people see them. */

const char *tacho_measure_status_name(tacho_measure_status status)
{
    static const char *const names[] = {"ok", "unstable", "unsupported", "crashed", "timeout", "rejected"};
    return (size_t)status < sizeof names / sizeof *names ? names[status] : "";
}

const char *tacho_clock_name(tacho_clock clock)
{
    static const char *const names[] = {"auto", "perf", "tsc-calibrated", "tsc"};
    return (size_t)clock < sizeof names / sizeof *names ? names[clock] : "";
}

static const struct {
    const char *name, *text;
} notes[TACHO_MEASURE_NOTE_COUNT] = {
    {"line-crossing", "an access crosses a cache line"},
    {"page-crossing", "an access crosses a page"},
    {"aliasing", "a load reads what an earlier store wrote to another address, because their pages are one "
                 "physical page; other initial values show whether it matters"},
    {"forwarding-fails", "a load needs more bytes than an earlier store wrote: store forwarding fails"},
    {"state-dependent", "which loads read what was stored before depends on the initial values"},
    {"many-pages", "more pages than the first-level data cache, or its TLB, has room for: loads may miss"},
    {"x87-unbalanced", "the x87 stack over- or underflows, which no program does"},
    {"input-dependent", "division, square root or repetition: the time depends on the values"},
    {"long-code", "the copies do not fit into the instruction cache"},
    {"counter-in-vector", "the block uses all general registers: the loop's counter is in a vector register"},
    {"branch-replaced",
     "the loop's branch was replaced by DEC and JNZ, because its iterations cannot be counted"},
    {"branch-kept-inside", "a branch that leaves the block goes to the next instruction"},
    {"not-traced",
     "some addresses are not known (vector-indexed or repeated accesses): notes on memory may lack"},
    {"intercepted", "an instruction that virtual machines intercept"},
    {"noisy", "most samples were disturbed"},
    {"cache-misses", "the first-level data cache missed"},
    {"kept-in-cache", "a walk through memory, which ran only as far as the first-level data cache and its "
                      "TLB hold what it touches"},
};

static int number_of(uint32_t note)
{
    for (int i = 0; i < TACHO_MEASURE_NOTE_COUNT; i++)
        if (note == 1u << i)
            return i;
    return -1;
}

const char *tacho_measure_note_name(uint32_t note)
{
    int n = number_of(note);
    return n < 0 ? "" : notes[n].name;
}

const char *tacho_measure_note_text(uint32_t note)
{
    int n = number_of(note);
    return n < 0 ? "" : notes[n].text;
}
