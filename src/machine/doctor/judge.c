/* judge.c - the doctor's judgements, and from them a report: which clock, and fit or not. */
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "machine/doctor/doctor_internal.h"

enum {
    MANY_DISTURB = 3
};

static const struct {
    doctor_judgement *judge;
    const char *id, *title;
    tacho_doctor_group group;
    bool disturbs; /* samples of a measurement */
    const char *why;
} rows[] = {
    {doctor_counters, "perf_counters", "cycle counters", TACHO_DOCTOR_COUNTERS, false,
     "counters give core cycles themselves; without them a clock is calibrated, which takes longer and "
     "cannot tell why a block is slow"},
    {doctor_tsc, "tsc", "time stamp counter", TACHO_DOCTOR_CLOCK, false,
     "only a counter with a constant rate that never stops is a clock"},
    {doctor_granularity, "tsc_granularity", "counter's steps", TACHO_DOCTOR_CLOCK, false,
     "times are known only to one step of the counter, so short samples say little"},
    {doctor_cost, "tsc_cost", "cost of reading it", TACHO_DOCTOR_CLOCK, false,
     "each sample includes the cost of reading; where a hypervisor intervenes, that is thousands of cycles "
     "and varies"},
    {doctor_core_clock, "core_clock", "core clock", TACHO_DOCTOR_CLOCK, false,
     "two chains of known latency measure it; where they disagree, something else uses the core, or it has "
     "other latencies than Intel's and AMD's"},
    {doctor_drift, "drift", "drift of the clock", TACHO_DOCTOR_CLOCK, true,
     "a clock that changes during a measurement makes its samples incomparable, so those are thrown away"},
    {doctor_governor, "governor", "frequency governor", TACHO_DOCTOR_FREQUENCY, false,
     "governors that follow the load start measurements at a low clock"},
    {doctor_turbo, "turbo", "turbo", TACHO_DOCTOR_FREQUENCY, false,
     "a boosted clock depends on temperature, power and the other cores, so it differs from run to run"},
    {doctor_smt, "smt", "sibling threads", TACHO_DOCTOR_SHARING, false,
     "a busy sibling thread slows code by up to 2 times, in bursts"},
    {doctor_hypervisor, "hypervisor", "virtualisation", TACHO_DOCTOR_SHARING, false,
     "clock, siblings and interruptions are then controlled by the host, and not visible here"},
    {doctor_quota, "quota", "CPU quota", TACHO_DOCTOR_SHARING, false,
     "where a quota is used up, everything stands still for tens of milliseconds"},
    {doctor_steal, "steal", "steal time", TACHO_DOCTOR_SHARING, true,
     "time that the hypervisor gave to others while this CPU had work"},
    {doctor_load, "load", "load", TACHO_DOCTOR_SHARING, true,
     "other work competes for cores, caches and the thermal budget"},
    {doctor_isolation, "isolation", "isolated CPU", TACHO_DOCTOR_NOISE, false,
     "the kernel keeps other work and its tick off isolated CPUs"},
    {doctor_interrupts, "interrupts", "interrupts", TACHO_DOCTOR_NOISE, true,
     "each takes microseconds and disturbs caches and predictors"},
    {doctor_neighbour, "neighbour", "neighbour", TACHO_DOCTOR_NOISE, true,
     "NOPs, additions and a pointer chase always take the same time if nobody else uses the core, which "
     "nothing else shows; samples beside which one of them takes 2 % longer are thrown away"},
    {doctor_aslr, "aslr", "address randomisation", TACHO_DOCTOR_MEMORY, false,
     "code, stack and heap lie elsewhere in each run of a program, which can change its time; blocks that "
     "are measured alone have fixed addresses"},
    {doctor_numa, "numa_balancing", "NUMA balancing", TACHO_DOCTOR_MEMORY, false,
     "the kernel unmaps pages now and then to see who uses them, and moves them"},
    {doctor_huge_pages, "huge_pages", "transparent huge pages", TACHO_DOCTOR_MEMORY, false,
     "whether a program's memory is in huge pages may differ from run to run"},
    {doctor_runs_code, "sandbox", "sandbox", TACHO_DOCTOR_SANDBOX, false,
     "measured code may be anything, so it runs in a small program of its own, which can call nothing"},
};
#define COUNT (sizeof rows / sizeof *rows)

/* ---- for the judges ---- */

static const char *format_va(doctor *d, const char *format, va_list args)
{
    const char *text = arena_vformat(&d->memory, format, args);
    d->failed |= text == NULL;
    return text ? text : "";
}

const char *doctor_format(doctor *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = format_va(d, format, args);
    va_end(args);
    return text;
}

void doctor_say(doctor *d, tacho_doctor_finding *f, tacho_doctor_state state, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    f->state = state;
    f->value = format_va(d, format, args);
    va_end(args);
}

void doctor_figure(tacho_doctor_finding *f, const char *name, double value, const char *unit)
{
    if (f->figure_count < TACHO_DOCTOR_MAX_FIGURES)
        f->figures[f->figure_count++] = (tacho_doctor_figure){name, value, unit};
}

void doctor_advise(tacho_doctor_finding *f, const char *advice, const char *command)
{
    if (f->state == TACHO_DOCTOR_GOOD)
        return;
    f->advice = advice;
    f->command = command;
}

void doctor_unknown_file(doctor *d, tacho_doctor_finding *f, const char *path, int error)
{
    doctor_say(d, f, TACHO_DOCTOR_UNKNOWN, "cannot read %s: %s", path, strerror(error));
}

/* ---- the report ---- */

/* The report's memory: the doctor's arena goes with it. */
typedef struct owned_report {
    tacho_doctor_report report; /* first: what callers hold */
    tacho_doctor_finding findings[COUNT];
    arena memory;
} owned_report;

/* Samples that are disturbed are thrown away; too many, and passes disagree. One cause is mostly survived,
 * several at once are often not. @return NULL where they are few */
static const char *foretell_unstable(doctor *d)
{
    int bad = 0;
    for (size_t i = 0; i < COUNT; i++)
        bad += rows[i].disturbs && d->findings[i].state == TACHO_DOCTOR_BAD;
    return bad < MANY_DISTURB ? NULL
                              : doctor_format(d,
                                              "unstable measurements: %d things disturb samples at once "
                                              "(below); measure when less else runs",
                                              bad);
}

/* Unfit ones alone where there are any; else what is bad. */
static void find_reasons(doctor *d, tacho_doctor_report *r)
{
    const char **reasons = arena_alloc(&d->memory, (COUNT + 1) * sizeof *reasons);
    if (!reasons) {
        d->failed = true;
        return;
    }
    bool unfit = false, bad = false;
    for (size_t i = 0; i < COUNT; i++) {
        unfit |= d->findings[i].unfit;
        bad |= d->findings[i].state == TACHO_DOCTOR_BAD;
    }
    r->verdict = unfit ? TACHO_DOCTOR_UNFIT : bad ? TACHO_DOCTOR_FIT_WITH_CARE : TACHO_DOCTOR_FIT;
    const char *unstable = unfit ? NULL : foretell_unstable(d);
    if (unstable)
        reasons[r->reason_count++] = unstable;
    for (size_t i = 0; i < COUNT; i++) {
        const tacho_doctor_finding *f = &d->findings[i];
        if (unfit ? f->unfit : f->state == TACHO_DOCTOR_BAD)
            reasons[r->reason_count++] = doctor_format(d, "%s: %s", f->title, f->value);
    }
    r->reasons = reasons;
}

static void fill(doctor *d, tacho_doctor_report *r)
{
    const doctor_host *h = d->host;
    for (size_t i = 0; i < COUNT; i++) {
        d->findings[i] = (tacho_doctor_finding){.id = rows[i].id,
                                                .title = rows[i].title,
                                                .group = rows[i].group,
                                                .state = TACHO_DOCTOR_UNKNOWN,
                                                .why = rows[i].why};
        rows[i].judge(d, &d->findings[i]);
    }
    find_reasons(d, r);
    /* Calibrating takes two chains that agree, and a counter with a constant rate. */
    r->clock = d->has_counters                   ? TACHO_DOCTOR_CLOCK_PERF
               : d->is_clock && d->is_calibrated ? TACHO_DOCTOR_CLOCK_TSC_CALIBRATED
                                                 : TACHO_DOCTOR_CLOCK_TSC;
    r->cpu = h->cpu;
    r->seconds = h->seconds;
    r->processor = doctor_format(d, "%s",
                                 *h->cpuid.brand ? h->cpuid.brand
                                 : *h->vendor    ? h->vendor
                                                 : "unknown processor");
    r->findings = d->findings;
    r->finding_count = COUNT;
}

int doctor_judge(tacho_doctor_report **out, const char *root, const doctor_host *host, tacho_error *err)
{
    owned_report *o = tacho_mem_zalloc(1, sizeof *o);
    doctor d = {.root = root, .host = host, .findings = o ? o->findings : NULL};
    *out = NULL;
    if (o)
        fill(&d, &o->report);
    if (!o || d.failed) {
        arena_free(&d.memory);
        tacho_mem_free(o);
        return tacho_no_memory(err);
    }
    o->memory = d.memory;
    *out = &o->report;
    return TACHO_OK;
}

void tacho_doctor_free(tacho_doctor_report *report)
{
    owned_report *o = (owned_report *)report;
    if (!o)
        return;
    arena_free(&o->memory);
    tacho_mem_free(o);
}

NAMES_OF(tacho_doctor_state_name, tacho_doctor_state, "?", "good", "acceptable", "bad", "unknown")

NAMES_OF(tacho_doctor_group_name, tacho_doctor_group, "?", "counters", "clock", "frequency", "sharing",
         "noise", "memory", "sandbox")

NAMES_OF(tacho_doctor_clock_name, tacho_doctor_clock, "?", "perf", "tsc-calibrated", "tsc")

NAMES_OF(tacho_doctor_verdict_name, tacho_doctor_verdict, "?", "fit", "fit_with_care", "unfit")
