/* measure.c - measurers: the sandbox, and the clock that is chosen. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cpus.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/options_take.h"
#include "base/seconds.h"
#include "machine/measure/job.h"
#include "machine/measure/measure_clock.h"

/* ---- many blocks ---- */

/* Blocks whose passes are interleaved: some are under way at a time, and each is passed over in turn until
 * its result is there, while the others' go on. */

/* See doc/MEASURING.md for what these cost and give. */
static const quality_plan qualities[] = {
    [TACHO_QUALITY_QUICK] = {100, 2, 8, 0.5},
    [TACHO_QUALITY_DEFAULT] = {160, 5, 20, 5},
    [TACHO_QUALITY_THOROUGH] = {400, 12, 60, 20},
};

/* At least between two passes over the same block; longer while disturbances last. */
#define PAUSE_SECONDS     0.004
#define MAX_PAUSE_SECONDS 0.064

enum {
    WINDOW = 64 /* blocks under way */
};

/* A block under way. */
typedef struct place {
    job job;
    tacho_measure_job *given; /* NULL: the place is free */
    double started, due;      /* moments */
    double pause;             /* seconds before the next pass */
} place;

typedef struct stream {
    tacho_measurer *measurer;
    const tacho_measure_options *options;
    const quality_plan *quality;
    tacho_measure_next *next;
    tacho_measure_done *done;
    void *payload;
    place *places;
    bool more; /* blocks to come */
    tacho_error *err;
} stream;

/* Where not one pass found enough undisturbed samples, disturbed ones are better than none. */
static int give_up(const stream *s, job *j)
{
    int failed = job_has_number(j) ? 0 : job_pass(s->measurer, j, s->quality, true, s->err);
    if (!failed && !j->done)
        job_conclude(s->measurer, j, s->quality);
    j->done = true;
    return failed;
}

/* Another pass. While all are disturbed the pauses grow. */
static int pass_over(const stream *s, place *p)
{
    job *j = &p->job;
    int failed = job_pass(s->measurer, j, s->quality, false, s->err);
    if (failed || j->done)
        return failed;
    const uint32_t pass = j->pass_count - 1;
    const pass_estimate *e = &j->passes[pass];
    if (p->given->pass_cycles && pass < p->given->pass_capacity)
        p->given->pass_cycles[pass] = e->cycles;
    j->done = j->pass_count >= s->quality->min_passes && job_conclude(s->measurer, j, s->quality);
    if (!j->done && job_is_enough(j, s->quality, seconds_now() - p->started))
        return give_up(s, j);
    p->pause = estimate_undisturbed(&s->measurer->profile, e) ? PAUSE_SECONDS
                                                              : fmin(2 * p->pause, MAX_PAUSE_SECONDS);
    p->due = seconds_now() + p->pause;
    return 0;
}

/* What is wrong with the block itself is a status of it. */
static int begin(const stream *s, place *p)
{
    job *j = &p->job;
    memset(p, 0, offsetof(place, given));
    p->pause = PAUSE_SECONDS;
    p->started = p->due = seconds_now();
    j->out = &p->given->result;
    int failed = job_prepare(s->measurer, j, p->given->code, p->given->code_size, s->options, s->err);
    if (failed == TACHO_ERR_INPUT || failed == TACHO_ERR_LIMIT) {
        j->out->status = TACHO_MEASURED_REJECTED;
        j->out->offset = s->err->offset;
        snprintf(j->out->message, sizeof j->out->message, "%.190s", s->err->message);
        j->done = true;
        return 0;
    }
    return failed || j->done ? failed : job_scout(s->measurer, j, s->err);
}

static void finish(const stream *s, place *p)
{
    tacho_measure_job *given = p->given;
    job_free(&p->job);
    p->given = NULL;
    s->done(s->payload, given);
}

/* Puts a block into a free place; those that are finished at once make room for the next. */
static int fill(stream *s, place *p)
{
    while (!p->given && s->more) {
        s->more = s->next(s->payload, &p->given);
        if (!s->more) {
            p->given = NULL;
            return 0;
        }
        int failed = begin(s, p);
        if (failed)
            return failed;
        if (p->job.done)
            finish(s, p);
    }
    return 0;
}

static bool is_stopped(const stream *s)
{
    return s->options->stop && s->options->stop(s->options->stop_payload);
}

/* Goes round once. *busy: blocks under way; *due: when the first of them is to go on */
static int go_round(stream *s, size_t *busy, double *due)
{
    *busy = 0;
    *due = INFINITY;
    for (size_t i = 0; i < WINDOW; i++) {
        place *p = &s->places[i];
        if (is_stopped(s))
            return tacho_error_set(s->err, TACHO_ERR_CANCELLED, "the measurements were ended");
        measurer_look(s->measurer);
        int failed = fill(s, p);
        if (!failed && p->given && p->due <= seconds_now()) {
            failed = pass_over(s, p);
            if (!failed && p->job.done)
                finish(s, p);
        }
        if (failed)
            return failed;
        if (p->given) {
            *busy += 1;
            *due = fmin(*due, p->due);
        }
    }
    return 0;
}

static int run(stream *s)
{
    size_t busy;
    double due;
    do {
        int failed = go_round(s, &busy, &due);
        if (failed)
            return failed;
        if (busy == WINDOW || (busy && !s->more))
            seconds_pause(due - seconds_now());
    } while (busy || s->more);
    return 0;
}

OPTIONS_DEFINE(measure, TACHO_MEASURE_OPTIONS_INIT)

static int check_options(const tacho_measure_options *o, tacho_error *err)
{
    if (o->pages > RUNNER_MAX_DATA_PAGES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "physical pages: 1 to %d", RUNNER_MAX_DATA_PAGES);
    if (o->max_pages < 1 || o->max_pages > RUNNER_MAX_FAULTS)
        return tacho_error_set(err, TACHO_ERR_USAGE, "virtual pages: 1 to %d", RUNNER_MAX_FAULTS);
    if (!(o->seconds >= 0.01 && o->seconds <= 600))
        return tacho_error_set(err, TACHO_ERR_USAGE, "deadline: 0.01 to 600 seconds");
    if ((unsigned)o->quality > TACHO_QUALITY_THOROUGH)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no such quality");
    return 0;
}

int tacho_measure_stream(tacho_measurer *m, tacho_measure_next *next, tacho_measure_done *done, void *payload,
                         const tacho_measure_options *options, tacho_error *err)
{
    tacho_measure_options o;
    tacho_error own;
    stream s = {.measurer = m,
                .options = &o,
                .next = next,
                .done = done,
                .payload = payload,
                .more = true,
                .err = err ? err : &own};
    s.err->offset = -1;
    int failed = OPTIONS_TAKE(measure, &o, options, s.err);
    if (failed || (failed = check_options(&o, s.err)))
        return failed;
    s.quality = &qualities[o.quality];
    s.places = tacho_mem_zalloc(WINDOW, sizeof *s.places);
    if (!s.places)
        return tacho_no_memory(err);
    failed = run(&s);
    for (size_t i = 0; i < WINDOW; i++)
        if (s.places[i].given)
            job_free(&s.places[i].job);
    tacho_mem_free(s.places);
    return failed;
}

/* ---- an array of blocks ---- */

typedef struct array {
    tacho_measure_job *jobs;
    size_t count, given;
} array;

static bool next_of_array(void *payload, tacho_measure_job **out)
{
    array *a = payload;
    if (a->given == a->count)
        return false;
    *out = &a->jobs[a->given++];
    return true;
}

static void done_of_array(void *payload, tacho_measure_job *given)
{
}

int tacho_measure_many(tacho_measurer *m, tacho_measure_job *jobs, size_t count,
                       const tacho_measure_options *options, tacho_error *err)
{
    array a = {jobs, count, 0};
    return tacho_measure_stream(m, next_of_array, done_of_array, &a, options, err);
}

int tacho_measure(tacho_measurer *m, const uint8_t *code, size_t size, const tacho_measure_options *options,
                  tacho_measurement *out, tacho_error *err)
{
    tacho_measure_job one = {.code = code, .code_size = size};
    int failed = tacho_measure_many(m, &one, 1, options, err);
    *out = one.result;
    return failed;
}

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

NAMES_OF(tacho_measure_status_name, tacho_measure_status, "", "ok", "unstable", "unsupported", "crashed",
         "timeout", "rejected")

NAMES_OF(tacho_clock_name, tacho_clock, "", "auto", "perf", "tsc-calibrated", "tsc")

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
