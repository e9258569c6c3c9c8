/* judge_measured.c - what was tried out and measured: counters, clocks, what gets in the way, the sandbox.
 * Limits of the chains come from virtual machines with Ice Lake servers: chains of multiplications were
 * within 0.4 % whatever the neighbour did, chains of additions up to 2.3 % slow. An empty pair of fenced
 * reads took 42 to 56 ticks there, and 52 on Zen 5. A sample of 20 us or less meets a disturbance seldom, and
 * is given up then; what counts is how many remain. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "machine/doctor/doctor_internal.h"
#include "machine/measure/counters.h"

/* ---- counters: Documentation/admin-guide/sysctl/kernel.rst and perf_event_open(2) ---- */

/* What to do depends on why the kernel refused. */
static void advise_missing(const doctor *d, tacho_doctor_finding *f, int error)
{
    if (error == EACCES || error == EPERM)
        doctor_advise(f,
                      "allow user-space counting to all users; in a container, also allow it there (docker "
                      "run --cap-add PERFMON, and a seccomp profile that has perf_event_open)",
                      "sudo sysctl kernel.perf_event_paranoid=2");
    else if (d->host->cpuid.hypervisor)
        doctor_advise(f,
                      "have the hypervisor expose counters: QEMU -cpu host,pmu=on; libvirt <pmu "
                      "state='on'/>; in clouds, mostly instances that are a whole machine or socket",
                      NULL);
    else
        doctor_advise(f,
                      "load the kernel's driver of this processor's counters; its start messages say why not",
                      "sudo dmesg | grep -i -e perf -e pmu");
}

void doctor_counters(doctor *d, tacho_doctor_finding *f)
{
    const int error = d->host->counters_error;
    char why[200];
    d->has_counters = !error && d->host->counters_by_rdpmc;
    if (error) {
        counters_why_not(error, why, sizeof why);
        doctor_say(d, f, TACHO_DOCTOR_BAD, "%s", why);
        advise_missing(d, f, error);
    } else if (!d->has_counters) {
        doctor_say(d, f, TACHO_DOCTOR_BAD, "they count, but RDPMC may not read them");
        doctor_advise(f, "allow it", "echo 1 | sudo tee /sys/bus/event_source/devices/cpu*/rdpmc");
    } else {
        doctor_say(d, f, TACHO_DOCTOR_GOOD, "cycles in user space, read by RDPMC");
    }
}

/* ---- clocks ---- */

/* The kernel's words for it, which know more than CPUID; -1: not to be found out. */
static int has_flag(const doctor *d, const char *flag)
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

void doctor_tsc(doctor *d, tacho_doctor_finding *f)
{
    int constant = has_flag(d, "constant_tsc"), nonstop = has_flag(d, "nonstop_tsc");
    bool invariant = d->host->cpuid.invariant_tsc;
    d->is_clock = constant < 0 ? invariant : constant;
    if (d->is_clock && (constant < 0 || nonstop || invariant)) {
        doctor_say(d, f, TACHO_DOCTOR_GOOD, "constant rate, never stops");
    } else if (d->is_clock) {
        doctor_say(d, f, TACHO_DOCTOR_ACCEPTABLE, "constant rate, but it stops in deep sleep");
        doctor_advise(f, "keep the processor from deep sleep", "sudo cpupower idle-set -D 10");
    } else {
        doctor_say(d, f, TACHO_DOCTOR_BAD, "its rate is not said to be constant");
        f->unfit = !d->has_counters;
        doctor_advise(f,
                      d->host->cpuid.hypervisor
                          ? "have the hypervisor expose it: QEMU -cpu host,migratable=no,+invtsc"
                          : "measure on a processor that has one",
                      NULL);
    }
}

static bool say_unmeasured(doctor *d, tacho_doctor_finding *f, bool measured)
{
    if (!measured)
        doctor_say(d, f, TACHO_DOCTOR_UNKNOWN, "the clocks could not be measured");
    return !measured;
}

/* Nothing is known of it without the sandbox, in which the rulers are timed. */
static bool say_no_rulers(doctor *d, tacho_doctor_finding *f)
{
    return say_unmeasured(d, f, d->host->clocks.imul > 0 && d->host->clocks.add > 0);
}

void doctor_granularity(doctor *d, tacho_doctor_finding *f)
{
    double step = d->host->clocks.granularity;
    if (say_unmeasured(d, f, step > 0))
        return;
    doctor_say(d, f, doctor_grade(step, 4, 100), "%.3g tick%s", step, step == 1 ? "" : "s");
    doctor_figure(f, "step_ticks", step, "ticks");
    doctor_advise(
        f,
        doctor_format(
            d, "nothing to change in the machine; a single sample should take %.0f ticks or more, for 1 %%",
            100 * step),
        NULL);
}

void doctor_cost(doctor *d, tacho_doctor_finding *f)
{
    double cost = d->host->clocks.read_cost;
    if (say_unmeasured(d, f, cost > 0))
        return;
    doctor_say(d, f, doctor_grade(cost, 150, 500), "%.0f ticks for lfence; rdtsc; lfence", cost);
    doctor_figure(f, "ticks", cost, "ticks");
    if (f->state != TACHO_DOCTOR_BAD)
        return;
    /* Slower than any processor reads it: someone does it for the processor. */
    f->unfit = !d->has_counters;
    doctor_advise(
        f, "have the hypervisor let guests read the counter (no offset that must be computed, no traps)",
        NULL);
}

void doctor_core_clock(doctor *d, tacho_doctor_finding *f)
{
    const doctor_clocks *c = &d->host->clocks;
    if (say_no_rulers(d, f))
        return;
    double apart = fabs(c->imul / c->add - 1);
    doctor_say(d, f, doctor_grade(apart, 0.005, 0.03),
               "%.0f MHz; %.4f a tick by imul, %.4f by add, %.1f %% apart", c->imul * c->tsc_mhz, c->imul,
               c->add, 100 * apart);
    d->is_calibrated = f->state != TACHO_DOCTOR_BAD;
    doctor_figure(f, "core_mhz", c->imul * c->tsc_mhz, "MHz");
    doctor_figure(f, "ratio_imul", c->imul, "");
    doctor_figure(f, "ratio_add", c->add, "");
    doctor_advise(f, "see who else runs on this core: load, sibling threads, the hypervisor's other guests",
                  NULL);
}

/* Steady is what has a relative width of 0.5 %, beyond what the counter's steps make of one and the same
 * clock. */
void doctor_drift(doctor *d, tacho_doctor_finding *f)
{
    const doctor_clocks *c = &d->host->clocks;
    const doctor_quantiles *q = &c->drift;
    if (say_no_rulers(d, f))
        return;
    const double spread = q->median > 0 ? (q->high - q->low) / q->median : 1;
    const double steady = 0.005 + 2 * c->drift_step;
    doctor_say(d, f, doctor_grade(spread, steady, fmax(steady, 0.05)),
               "%.1f %%: %.0f, %.0f, %.0f MHz (5, 50, 95 %% of the samples)", 100 * spread,
               q->low * c->tsc_mhz, q->median * c->tsc_mhz, q->high * c->tsc_mhz);
    doctor_figure(f, "spread", spread, "");
    doctor_figure(f, "low_mhz", q->low * c->tsc_mhz, "MHz");
    doctor_figure(f, "median_mhz", q->median * c->tsc_mhz, "MHz");
    doctor_figure(f, "high_mhz", q->high * c->tsc_mhz, "MHz");
    doctor_advise(
        f,
        "fix the frequency (see governor, turbo) and keep the other cores idle, or try another CPU (--cpu)",
        NULL);
}

/* ---- what gets in the way ---- */

/* The kernel counts in hundredths of a second: one of them may be chance. */
void doctor_steal(doctor *d, tacho_doctor_finding *f)
{
    const doctor_usage *b = &d->host->before, *a = &d->host->after;
    if (!b->has_times || !a->has_times) {
        doctor_say(d, f, TACHO_DOCTOR_UNKNOWN, "/proc/stat has no such times for CPU %d", d->host->cpu);
        return;
    }
    double since_start = a->all ? (double)a->steal / (double)a->all : 0;
    uint64_t stolen = a->steal - b->steal, all = a->all - b->all;
    double share = all ? (double)stolen / (double)all : 0;
    tacho_doctor_state state = !stolen                        ? TACHO_DOCTOR_GOOD
                               : stolen <= 1 || share <= 0.02 ? TACHO_DOCTOR_ACCEPTABLE
                                                              : TACHO_DOCTOR_BAD;
    doctor_say(d, f, state, "%.1f %% of %.1f s; %.1f %% since the system started", 100 * share,
               d->host->seconds, 100 * since_start);
    f->unfit = stolen > 1 && share > 0.3;
    doctor_figure(f, "now", share, "");
    doctor_figure(f, "since_start", since_start, "");
    doctor_advise(f, "measure at another time, or on an instance whose CPUs are not shared", NULL);
}

void doctor_interrupts(doctor *d, tacho_doctor_finding *f)
{
    const doctor_host *h = d->host;
    if (!h->before.has_interrupts || !h->after.has_interrupts || h->seconds <= 0) {
        doctor_say(d, f, TACHO_DOCTOR_UNKNOWN, "/proc/interrupts has no column for CPU %d", h->cpu);
        return;
    }
    double rate = (double)(h->after.interrupts - h->before.interrupts) / h->seconds;
    doctor_say(d, f, doctor_grade(rate, 300, 3000), "%.0f a second on CPU %d", rate, h->cpu);
    doctor_figure(f, "per_second", rate, "1/s");
    doctor_advise(f, "see which they are, and move them to another CPU (/proc/irq/N/smp_affinity_list)",
                  "watch -d -n 1 cat /proc/interrupts");
}

void doctor_neighbour(doctor *d, tacho_doctor_finding *f)
{
    const double clean = d->host->clocks.clean;
    if (say_no_rulers(d, f))
        return;
    doctor_say(d, f, doctor_grade(1 - clean, 0.1, 0.6), "%.0f %% of the samples undisturbed", 100 * clean);
    f->unfit = clean < 0.1;
    doctor_figure(f, "clean", clean, "");
    doctor_advise(f,
                  "isolate the CPU, stop other work and keep the sibling thread idle (see there); where it "
                  "is another guest's, measure at another time or on an instance that has whole cores",
                  NULL);
}

void doctor_runs_code(doctor *d, tacho_doctor_finding *f)
{
    long long noexec = 0;
    if (!d->host->sandbox) {
        doctor_say(d, f, TACHO_DOCTOR_GOOD, "code runs in it");
        return;
    }
    doctor_say(d, f, TACHO_DOCTOR_BAD, "%s", d->host->sandbox);
    f->unfit = true;
    if (!doctor_read_number(d->root, "/proc/sys/vm/memfd_noexec", &noexec) && noexec > 1)
        doctor_advise(f, "allow programs in memory", "sudo sysctl vm.memfd_noexec=0");
    else
        doctor_advise(f,
                      "find out what refuses it: the container's seccomp profile, a security module, or a "
                      "kernel without CONFIG_SECCOMP_FILTER",
                      NULL);
}
