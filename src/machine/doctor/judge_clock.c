/* judge_clock.c - the time stamp counter and the core's clock. The limits come from measuring on virtual
 * machines with Ice Lake servers: chains of multiplications were within 0.4 % whatever the neighbour did,
 * chains of additions up to 2.3 % slow, an empty pair of fenced reads took 42 to 56 ticks. */
#include "machine/doctor/doctor_internal.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define BASE_CLOCK_MHZ 100.0

static double relative(double a, double b)
{
    return fabs(a / b - 1);
}

/* The kernel's words for it, which know more than CPUID; -1: not to be found out. */
static int has_flag(doctor *d, const char *flag)
{
    char *text;
    int found = -1;
    if (doctor_read_all(d->root, "/proc/cpuinfo", &text))
        return -1;
    const char *flags = doctor_find_line(text, "flags");
    size_t n = strlen(flag), length = flags ? strcspn(flags, "\n") : 0;
    for (size_t i = 0; i + n < length; i++)
        if (flags[i] == ' ' && !strncmp(flags + i + 1, flag, n) && strchr(" \n", flags[i + 1 + n]))
            found = 1;
    if (flags && found < 0)
        found = 0;
    tacho_mem_free(text);
    return found;
}

static bool has_counters(const doctor *d)
{
    return d->findings[DOCTOR_PERF_COUNTERS].state == TACHO_DOCTOR_GOOD;
}

static void judge_tsc(doctor *d)
{
    int constant = has_flag(d, "constant_tsc"), nonstop = has_flag(d, "nonstop_tsc");
    bool invariant = d->host->cpuid.invariant_tsc;
    tacho_doctor_finding *f;
    if (constant < 0 ? invariant : constant && (nonstop || invariant)) {
        f = doctor_say(d, DOCTOR_TSC, TACHO_DOCTOR_GOOD, "constant rate, never stops");
    } else if (constant == 1) {
        f = doctor_say(d, DOCTOR_TSC, TACHO_DOCTOR_ACCEPTABLE, "constant rate, but it stops in deep sleep");
        doctor_advise(f, "keep the processor from deep sleep", "sudo cpupower idle-set -D 10");
    } else {
        f = doctor_say(d, DOCTOR_TSC, TACHO_DOCTOR_BAD, "its rate is not said to be constant");
        f->unfit = !has_counters(d);
        doctor_advise(f,
                      d->host->cpuid.hypervisor
                          ? "have the hypervisor expose it: QEMU -cpu host,migratable=no,+invtsc"
                          : "measure on a processor that has one",
                      NULL);
    }
    doctor_figure(f, "constant", f->state != TACHO_DOCTOR_BAD, "");
}

static void judge_frequency(doctor *d)
{
    double measured = d->host->clocks.tsc_mhz, documented = d->host->cpuid.tsc_mhz;
    tacho_doctor_finding *f;
    if (documented <= 0) {
        f = doctor_say(d, DOCTOR_TSC_FREQUENCY, TACHO_DOCTOR_GOOD, "%.1f MHz measured; CPUID does not say",
                       measured);
    } else {
        bool agree = relative(measured, documented) < 0.005;
        f = doctor_say(d, DOCTOR_TSC_FREQUENCY, doctor_good_if(agree), "%.1f MHz measured, %.1f MHz by CPUID",
                       measured, documented);
        doctor_figure(f, "documented_mhz", documented, "MHz");
    }
    doctor_figure(f, "measured_mhz", measured, "MHz");
}

static void judge_granularity(doctor *d)
{
    double step = d->host->clocks.granularity;
    tacho_doctor_finding *f = doctor_say(d, DOCTOR_TSC_GRANULARITY, doctor_grade(step, 4, 100), "%.3g tick%s",
                                         step, step == 1 ? "" : "s");
    doctor_figure(f, "step_ticks", step, "ticks");
    doctor_advise(f,
                  doctor_format(d,
                                "nothing to change in the machine; a single sample should take %.0f ticks or "
                                "more, for 1 %%",
                                100 * step),
                  NULL);
}

static void judge_cost(doctor *d)
{
    double cost = d->host->clocks.read_cost;
    tacho_doctor_finding *f = doctor_say(d, DOCTOR_TSC_COST, doctor_grade(cost, 150, 500),
                                         "%.0f ticks for lfence; rdtsc; lfence", cost);
    doctor_figure(f, "ticks", cost, "ticks");
    if (f->state != TACHO_DOCTOR_BAD)
        return;
    /* Slower than any processor reads it: someone does it for the processor. */
    f->unfit = !has_counters(d);
    doctor_advise(
        f, "have the hypervisor let guests read the counter (no offset that must be computed, no traps)",
        NULL);
}

static void judge_core_clock(doctor *d)
{
    const doctor_clocks *c = &d->host->clocks;
    if (c->imul <= 0 || c->add <= 0) {
        doctor_advise(doctor_say(d, DOCTOR_CORE_CLOCK, TACHO_DOCTOR_BAD, "longer chains did not take longer"),
                      "try again, or another CPU (--cpu)", NULL);
        return;
    }
    double apart = relative(c->imul, c->add);
    tacho_doctor_finding *f = doctor_say(d, DOCTOR_CORE_CLOCK, doctor_grade(apart, 0.005, 0.03),
                                         "%.0f MHz; %.4f a tick by imul, %.4f by add, %.1f %% apart",
                                         c->imul * c->tsc_mhz, c->imul, c->add, 100 * apart);
    doctor_figure(f, "core_mhz", c->imul * c->tsc_mhz, "MHz");
    doctor_figure(f, "ratio_imul", c->imul, "");
    doctor_figure(f, "ratio_add", c->add, "");
    doctor_advise(f, "see who else runs on this core: load, sibling threads, the hypervisor's other guests",
                  NULL);
}

/* The time stamp counter's frequency in units of the base clock: a whole number where it is made of it. */
static double base_multiples(const doctor_host *h)
{
    double m = (h->cpuid.tsc_mhz > 0 ? h->cpuid.tsc_mhz : h->clocks.tsc_mhz) / BASE_CLOCK_MHZ;
    double whole = nearbyint(m);
    return whole > 0 && relative(m, whole) < 0.003 ? whole : m;
}

/* Relative width of the middle 90 % of the samples, beyond what the counter's steps make of one and the same
 * clock.
 */
static bool is_steady(const doctor_clocks *c, double *spread)
{
    *spread = c->drift.median > 0 ? (c->drift.high - c->drift.low) / c->drift.median : HUGE_VAL;
    return *spread <= 0.005 + 2 * c->drift_step;
}

static void judge_multiplier(doctor *d)
{
    const doctor_clocks *c = &d->host->clocks;
    double multiplier = c->imul * base_multiples(d->host), spread;
    bool whole = fabs(multiplier - nearbyint(multiplier)) < 0.06, steady = is_steady(c, &spread);
    if (c->imul <= 0) {
        doctor_say(d, DOCTOR_MULTIPLIER, TACHO_DOCTOR_UNKNOWN, "the core's clock could not be measured");
        return;
    }
    tacho_doctor_finding *f = doctor_say(d, DOCTOR_MULTIPLIER, doctor_good_if(whole && steady),
                                         "%.2f of %.0f MHz%s", multiplier, BASE_CLOCK_MHZ,
                                         !steady  ? " on average: it changes"
                                         : !whole ? ": not a whole multiple"
                                                  : "");
    doctor_figure(f, "multiplier", multiplier, "");
    doctor_advise(f,
                  strcmp(d->host->cpuid.vendor, "GenuineIntel")
                      ? "nothing to change: clocks of this vendor's cores have finer steps"
                      : "fix the frequency (see governor, turbo)",
                  NULL);
}

static void judge_drift(doctor *d)
{
    const doctor_clocks *c = &d->host->clocks;
    const doctor_quantiles *q = &c->drift;
    double spread;
    bool steady = is_steady(c, &spread);
    if (d->host->quick || c->imul <= 0 || q->low <= 0) {
        doctor_say(d, DOCTOR_DRIFT, TACHO_DOCTOR_UNKNOWN, "%s",
                   d->host->quick ? "not measured (--quick)" : "the core's clock could not be measured");
        return;
    }
    tacho_doctor_finding *f =
        doctor_say(d, DOCTOR_DRIFT, doctor_grade(steady ? 0 : spread, 0, 0.05),
                   "%.1f %%: %.0f, %.0f, %.0f MHz (5, 50, 95 %% of %.1f s)", 100 * spread,
                   q->low * c->tsc_mhz, q->median * c->tsc_mhz, q->high * c->tsc_mhz, c->seconds);
    doctor_figure(f, "spread", spread, "");
    doctor_figure(f, "low_mhz", q->low * c->tsc_mhz, "MHz");
    doctor_figure(f, "median_mhz", q->median * c->tsc_mhz, "MHz");
    doctor_figure(f, "high_mhz", q->high * c->tsc_mhz, "MHz");
    doctor_figure(f, "seconds", c->seconds, "s");
    doctor_advise(f,
                  "fix the frequency (see governor, turbo) and keep the other cores idle, or try another "
                  "CPU (--cpu)",
                  NULL);
}

void doctor_judge_clock(doctor *d)
{
    judge_tsc(d);
    judge_frequency(d);
    judge_granularity(d);
    judge_cost(d);
    judge_core_clock(d);
    judge_multiplier(d);
    judge_drift(d);
}
