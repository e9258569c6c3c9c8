/* judge_noise.c - what gets in the way while the core works: isolation from it, interrupts, and what was
 * measured. A sample of 20 us or less meets a disturbance seldom, and is thrown away then; what counts is how
 * many remain. Kernel parameters as in Documentation/admin-guide/kernel-parameters.txt. */
#include "machine/doctor/doctor_internal.h"

static void judge_isolation(doctor *d)
{
    char isolated[DOCTOR_LINE_BYTES], tickless[DOCTOR_LINE_BYTES];
    int cpu = d->host->cpu;
    int error = doctor_read_line(d->root, "/sys/devices/system/cpu/isolated", isolated);
    if (error) {
        doctor_unknown_file(d, DOCTOR_ISOLATION, "/sys/devices/system/cpu/isolated", error);
        return;
    }
    bool has = doctor_list_has(isolated, cpu);
    bool no_tick = !doctor_read_line(d->root, "/sys/devices/system/cpu/nohz_full", tickless) &&
                   doctor_list_has(tickless, cpu);
    tacho_doctor_finding *f = doctor_say(d, DOCTOR_ISOLATION, doctor_good_if(has), "CPU %d is %s, %s", cpu,
                                         has ? "isolated" : "not isolated",
                                         no_tick ? "without the kernel's tick" : "has the kernel's tick");
    doctor_figure(f, "isolated", has, "");
    doctor_figure(f, "nohz_full", no_tick, "");
    doctor_advise(
        f,
        doctor_format(d,
                      "start the kernel with isolcpus=domain,managed_irq,%d nohz_full=%d rcu_nocbs=%d "
                      "(on Debian in /etc/default/grub, then update-grub), and measure on that CPU",
                      cpu, cpu, cpu),
        doctor_format(d, "taskset -c %d COMMAND", cpu));
}

static void judge_interrupts(doctor *d)
{
    const doctor_host *h = d->host;
    if (!h->before.has_interrupts || !h->after.has_interrupts || h->seconds <= 0) {
        doctor_say(d, DOCTOR_INTERRUPTS, TACHO_DOCTOR_UNKNOWN, "/proc/interrupts has no column for CPU %d",
                   h->cpu);
        return;
    }
    double rate = (double)(h->after.interrupts - h->before.interrupts) / h->seconds;
    tacho_doctor_finding *f = doctor_say(d, DOCTOR_INTERRUPTS, doctor_grade(rate, 300, 3000),
                                         "%.0f a second on CPU %d", rate, h->cpu);
    doctor_figure(f, "per_second", rate, "1/s");
    doctor_advise(f, "see which they are, and move them to another CPU (/proc/irq/N/smp_affinity_list)",
                  "watch -d -n 1 cat /proc/interrupts");
}

static bool say_quick(doctor *d, doctor_item i)
{
    if (d->host->quick)
        doctor_say(d, i, TACHO_DOCTOR_UNKNOWN, "not measured (--quick)");
    return d->host->quick;
}

static void judge_jitter(doctor *d)
{
    const doctor_jitter *j = &d->host->jitter;
    if (say_quick(d, DOCTOR_JITTER))
        return;
    tacho_doctor_finding *f =
        doctor_say(d, DOCTOR_JITTER, doctor_grade(j->disturbed, 0.01, 0.2),
                   "%.3g %% of samples disturbed; %.0f gaps a second, up to %.*f us", 100 * j->disturbed,
                   j->gaps_per_second, j->longest_us < 10 ? 1 : 0, j->longest_us);
    f->unfit = j->disturbed > 0.9;
    doctor_figure(f, "samples", (double)j->samples, "");
    doctor_figure(f, "sample_ticks", j->mode_ticks, "ticks");
    doctor_figure(f, "disturbed", j->disturbed, "");
    doctor_figure(f, "lost_time", j->lost, "");
    doctor_figure(f, "gaps_per_second", j->gaps_per_second, "1/s");
    doctor_figure(f, "longest_us", j->longest_us, "us");
    doctor_advise(f, "isolate the CPU, stop other work, fix the frequency (see there)", NULL);
}

static void judge_neighbour(doctor *d)
{
    const doctor_clocks *c = &d->host->clocks;
    if (say_quick(d, DOCTOR_NEIGHBOUR))
        return;
    double clean = c->clean_nops < c->clean_chase ? c->clean_nops : c->clean_chase;
    tacho_doctor_finding *f = doctor_say(d, DOCTOR_NEIGHBOUR, doctor_grade(-clean, -0.9, -0.4),
                                         "%.0f %% of NOPs and %.0f %% of pointer chases undisturbed",
                                         100 * c->clean_nops, 100 * c->clean_chase);
    doctor_figure(f, "clean_nops", c->clean_nops, "");
    doctor_figure(f, "clean_chase", c->clean_chase, "");
    doctor_figure(f, "nops_low", c->nops.low, "cycles");
    doctor_figure(f, "nops_median", c->nops.median, "cycles");
    doctor_figure(f, "nops_high", c->nops.high, "cycles");
    doctor_figure(f, "chase_low", c->chase.low, "cycles");
    doctor_figure(f, "chase_median", c->chase.median, "cycles");
    doctor_figure(f, "chase_high", c->chase.high, "cycles");
    doctor_advise(
        f,
        "keep the sibling thread idle (see there); where it is another guest's, measure at another time "
        "or on an instance that has whole cores",
        NULL);
}

void doctor_judge_noise(doctor *d)
{
    judge_isolation(d);
    judge_interrupts(d);
    judge_jitter(d);
    judge_neighbour(d);
}
