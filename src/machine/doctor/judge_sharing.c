/* judge_sharing.c - who else uses this processor: sibling threads, a hypervisor, other processes. */
#include "machine/doctor/doctor_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void judge_smt(doctor *d)
{
    char path[128], siblings[DOCTOR_LINE_BYTES];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", d->host->cpu);
    int error = doctor_read_line(d->root, path, siblings);
    if (error) {
        doctor_unknown_file(d, DOCTOR_SMT, path, error);
        return;
    }
    size_t threads = doctor_list_count(siblings);
    tacho_doctor_finding *f;
    if (threads > 1) {
        f = doctor_say(d, DOCTOR_SMT, TACHO_DOCTOR_ACCEPTABLE, "CPUs %s are one core", siblings);
        doctor_advise(f, "turn sibling threads off, or keep the sibling idle",
                      "echo off | sudo tee /sys/devices/system/cpu/smt/control");
    } else if (d->host->cpuid.hypervisor) {
        f = doctor_say(d, DOCTOR_SMT, TACHO_DOCTOR_UNKNOWN,
                       "none visible; the host may run others on the same core");
        doctor_advise(f, "see 'neighbour' below, which shows it", NULL);
    } else {
        f = doctor_say(d, DOCTOR_SMT, TACHO_DOCTOR_GOOD, "CPU %d has its core for itself", d->host->cpu);
    }
    doctor_figure(f, "threads", (double)threads, "");
}

static const char *hypervisor_name(const char *vendor)
{
    static const struct {
        const char *vendor, *name;
    } known[] = {{"KVMKVMKVM", "KVM"},
                 {"Microsoft Hv", "Hyper-V"},
                 {"VMwareVMware", "VMware"},
                 {"XenVMMXenVMM", "Xen"},
                 {"TCGTCGTCGTCG", "QEMU (emulated)"},
                 {"bhyve bhyve ", "bhyve"},
                 {"VBoxVBoxVBox", "VirtualBox"},
                 {"ACRNACRNACRN", "ACRN"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(vendor, known[i].vendor))
            return known[i].name;
    return *vendor ? vendor : "one without a name";
}

static void judge_hypervisor(doctor *d)
{
    const doctor_cpuid *c = &d->host->cpuid;
    tacho_doctor_finding *f;
    if (!c->hypervisor) {
        doctor_say(d, DOCTOR_HYPERVISOR, TACHO_DOCTOR_GOOD, "none");
        return;
    }
    bool emulated = !strcmp(c->hypervisor_vendor, "TCGTCGTCGTCG");
    f = doctor_say(d, DOCTOR_HYPERVISOR, emulated ? TACHO_DOCTOR_BAD : TACHO_DOCTOR_ACCEPTABLE,
                   "a virtual machine under %s", hypervisor_name(c->hypervisor_vendor));
    f->unfit = emulated;
    doctor_advise(f,
                  emulated
                      ? "an emulated processor has no cycles; run QEMU with KVM (-accel kvm -cpu host)"
                      : "for exact work use a machine of its own, or pinned virtual CPUs with whole cores",
                  NULL);
}

/* 0: not known */
static size_t count_online(const doctor *d)
{
    char online[DOCTOR_LINE_BYTES];
    return doctor_read_line(d->root, "/sys/devices/system/cpu/online", online) ? 0
                                                                               : doctor_list_count(online);
}

/* The kernel counts in hundredths of a second: one of them may be chance. */
static void judge_steal(doctor *d)
{
    const doctor_usage *b = &d->host->before, *a = &d->host->after;
    if (!b->has_times || !a->has_times) {
        doctor_say(d, DOCTOR_STEAL, TACHO_DOCTOR_UNKNOWN, "/proc/stat has no such times for CPU %d",
                   d->host->cpu);
        return;
    }
    double since_start = a->all ? (double)a->steal / (double)a->all : 0;
    uint64_t stolen = a->steal - b->steal, all = a->all - b->all;
    tacho_doctor_finding *f;
    if (d->host->quick || !all) {
        f = doctor_say(d, DOCTOR_STEAL, doctor_good_if(since_start < 0.02),
                       "%.1f %% since the system started", 100 * since_start);
    } else {
        double share = (double)stolen / (double)all;
        tacho_doctor_state state = !stolen                        ? TACHO_DOCTOR_GOOD
                                   : stolen <= 1 || share <= 0.02 ? TACHO_DOCTOR_ACCEPTABLE
                                                                  : TACHO_DOCTOR_BAD;
        f = doctor_say(d, DOCTOR_STEAL, state, "%.1f %% of %.1f s; %.1f %% since the system started",
                       100 * share, d->host->seconds, 100 * since_start);
        f->unfit = stolen > 1 && share > 0.3;
        doctor_figure(f, "now", share, "");
    }
    doctor_figure(f, "since_start", since_start, "");
    doctor_advise(f, "measure at another time, or on an instance whose CPUs are not shared", NULL);
}

static void judge_load(doctor *d)
{
    char line[DOCTOR_LINE_BYTES];
    double load;
    int error = doctor_read_line(d->root, "/proc/loadavg", line);
    if (error || sscanf(line, "%lf", &load) != 1) {
        doctor_unknown_file(d, DOCTOR_LOAD, "/proc/loadavg", error ? error : EINVAL);
        return;
    }
    size_t cpus = count_online(d);
    cpus = cpus ? cpus : d->host->cpu_count;
    /* One CPU is wanted for measuring. */
    tacho_doctor_state state = doctor_grade(load, 0.5 * (double)cpus, (double)cpus);
    tacho_doctor_finding *f = doctor_say(d, DOCTOR_LOAD, state, "%.2f on %zu CPU%s, over the last minute",
                                         load, cpus, cpus == 1 ? "" : "s");
    doctor_figure(f, "load", load, "");
    doctor_figure(f, "cpus", (double)cpus, "");
    doctor_advise(f, "see what runs, and stop it", "top -b -n 1 | head -20");
}

void doctor_judge_sharing(doctor *d)
{
    judge_smt(d);
    judge_hypervisor(d);
    judge_steal(d);
    judge_load(d);
}
