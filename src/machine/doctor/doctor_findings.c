/* doctor_findings.c - the list of all findings: what each is about and why it matters for measuring. */
#include "base/arena.h"
#include "machine/doctor/doctor_internal.h"

#include <stdarg.h>
#include <string.h>

#include "base/options_take.h"

OPTIONS_DEFINE(doctor, TACHO_DOCTOR_OPTIONS_INIT)

typedef struct item {
    const char *id, *title;
    tacho_doctor_group group;
    const char *why;
} item;

static const item items[DOCTOR_ITEM_COUNT] = {
    [DOCTOR_PERF_COUNTERS] =
        {"perf_counters", "cycle counters", TACHO_DOCTOR_COUNTERS,
         "counters give core cycles themselves; without them a clock is calibrated, which "
         "takes longer and cannot tell why a block is slow"},
    [DOCTOR_RDPMC] =
        {"rdpmc", "rdpmc", TACHO_DOCTOR_COUNTERS,
         "an instruction reads a counter in tens of cycles, a system call takes hundreds or more"},
    [DOCTOR_TSC] = {"tsc", "time stamp counter", TACHO_DOCTOR_CLOCK,
                    "only a counter with a constant rate that never stops is a clock"},
    [DOCTOR_TSC_FREQUENCY] =
        {"tsc_frequency", "counter's frequency", TACHO_DOCTOR_CLOCK,
         "converts ticks to time; if measured and documented values differ, one of the two "
         "clocks is not what it says"},
    [DOCTOR_TSC_GRANULARITY] =
        {"tsc_granularity", "counter's steps", TACHO_DOCTOR_CLOCK,
         "times are known only to one step of the counter, so short samples say little"},
    [DOCTOR_TSC_COST] = {"tsc_cost", "cost of reading it", TACHO_DOCTOR_CLOCK,
                         "each sample includes the cost of reading; where a hypervisor intervenes, that is "
                         "thousands of cycles and varies"},
    [DOCTOR_CORE_CLOCK] =
        {"core_clock", "core clock", TACHO_DOCTOR_CLOCK,
         "two chains of known latency measure it; where they disagree, something else uses the "
         "core, or it has other latencies than Intel's and AMD's"},
    [DOCTOR_MULTIPLIER] = {"multiplier", "clock multiplier", TACHO_DOCTOR_CLOCK,
                           "a core that runs at a whole multiple of a base clock can be calibrated exactly, "
                           "any other only as well as the chain is measured"},
    [DOCTOR_DRIFT] =
        {"drift", "drift of the clock", TACHO_DOCTOR_CLOCK,
         "a clock that changes during a measurement makes its samples incomparable, so those are "
         "thrown away"},
    [DOCTOR_GOVERNOR] = {"governor", "frequency governor", TACHO_DOCTOR_FREQUENCY,
                         "governors that follow the load start measurements at a low clock"},
    [DOCTOR_TURBO] =
        {"turbo", "turbo", TACHO_DOCTOR_FREQUENCY,
         "a boosted clock depends on temperature, power and the other cores, so it differs from run "
         "to run"},
    [DOCTOR_SMT] = {"smt", "sibling threads", TACHO_DOCTOR_SHARING,
                    "a busy sibling thread slows code by up to 2 times, in bursts"},
    [DOCTOR_HYPERVISOR] =
        {"hypervisor", "virtualisation", TACHO_DOCTOR_SHARING,
         "clock, siblings and interruptions are then controlled by the host, and not visible here"},
    [DOCTOR_CONTAINER] = {"container", "container, CPU quota", TACHO_DOCTOR_SHARING,
                          "where a quota is used up, everything stands still for tens of milliseconds"},
    [DOCTOR_STEAL] = {"steal", "steal time", TACHO_DOCTOR_SHARING,
                      "time that the hypervisor gave to others while this CPU had work"},
    [DOCTOR_LOAD] = {"load", "load", TACHO_DOCTOR_SHARING,
                     "other work competes for cores, caches and the thermal budget"},
    [DOCTOR_ISOLATION] = {"isolation", "isolated CPU", TACHO_DOCTOR_NOISE,
                          "the kernel keeps other work and its tick off isolated CPUs"},
    [DOCTOR_INTERRUPTS] = {"interrupts", "interrupts", TACHO_DOCTOR_NOISE,
                           "each takes microseconds and disturbs caches and predictors"},
    [DOCTOR_JITTER] = {"jitter", "measured jitter", TACHO_DOCTOR_NOISE,
                       "samples that take longer than most must be thrown away"},
    [DOCTOR_NEIGHBOUR] =
        {"neighbour", "neighbour", TACHO_DOCTOR_NOISE,
         "NOPs (front end) and a pointer chase (first-level cache) always take the same time if "
         "nobody else uses the core, which nothing else shows"},
    [DOCTOR_ASLR] =
        {"aslr", "address randomisation", TACHO_DOCTOR_MEMORY,
         "code, stack and heap lie elsewhere in each run of a program, which can change its time; blocks "
         "that are measured alone have fixed addresses"},
    [DOCTOR_NUMA_BALANCING] = {"numa_balancing", "NUMA balancing", TACHO_DOCTOR_MEMORY,
                               "the kernel unmaps pages now and then to see who uses them, and moves them"},
    [DOCTOR_HUGE_PAGES] = {"huge_pages", "transparent huge pages", TACHO_DOCTOR_MEMORY,
                           "whether a program's memory is in huge pages may differ from run to run"},
    [DOCTOR_MEMFD] = {"memfd_exec", "program in memory", TACHO_DOCTOR_SANDBOX,
                      "measured code runs in a small program of its own, which is made in memory"},
    [DOCTOR_SECCOMP] = {"seccomp", "system call filter", TACHO_DOCTOR_SANDBOX,
                        "measured code may be anything, so it runs where it can call nothing"},
};

void doctor_findings_start(doctor *d)
{
    for (int i = 0; i < DOCTOR_ITEM_COUNT; i++)
        d->findings[i] = (tacho_doctor_finding){.id = items[i].id,
                                                .title = items[i].title,
                                                .group = items[i].group,
                                                .state = TACHO_DOCTOR_UNKNOWN,
                                                .why = items[i].why};
}

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

tacho_doctor_finding *doctor_say(doctor *d, doctor_item i, tacho_doctor_state state, const char *format, ...)
{
    tacho_doctor_finding *f = &d->findings[i];
    va_list args;
    va_start(args, format);
    f->state = state;
    f->value = format_va(d, format, args);
    va_end(args);
    return f;
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

tacho_doctor_finding *doctor_unknown_file(doctor *d, doctor_item i, const char *path, int error)
{
    return doctor_say(d, i, TACHO_DOCTOR_UNKNOWN, "cannot read %s: %s", path, strerror(error));
}

bool doctor_setting(doctor *d, doctor_item i, const char *path, long long *out)
{
    int error = doctor_read_number(d->root, path, out);
    if (error)
        doctor_unknown_file(d, i, path, error);
    return !error;
}

const char *tacho_doctor_state_name(tacho_doctor_state state)
{
    static const char *const names[] = {"good", "acceptable", "bad", "unknown"};
    return (unsigned)state < TACHO_DOCTOR_STATE_COUNT ? names[state] : "?";
}

const char *tacho_doctor_group_name(tacho_doctor_group group)
{
    static const char *const names[] = {"counters", "clock",  "frequency", "sharing",
                                        "noise",    "memory", "sandbox"};
    return (unsigned)group < TACHO_DOCTOR_GROUP_COUNT ? names[group] : "?";
}

const char *tacho_doctor_clock_name(tacho_doctor_clock clock)
{
    static const char *const names[] = {"perf", "tsc-calibrated", "tsc"};
    return (unsigned)clock < TACHO_DOCTOR_CLOCK_COUNT ? names[clock] : "?";
}

const char *tacho_doctor_verdict_name(tacho_doctor_verdict verdict)
{
    static const char *const names[] = {"fit", "fit_with_care", "unfit"};
    return (unsigned)verdict < TACHO_DOCTOR_VERDICT_COUNT ? names[verdict] : "?";
}
