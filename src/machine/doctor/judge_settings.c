/* judge_settings.c - what files of /proc and /sys say. Settings as in the kernel's Documentation/admin-guide:
 * pm/{cpufreq,intel_pstate,amd-pstate}.rst, sysctl/kernel.rst, mm/transhuge.rst, kernel-parameters.txt. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "machine/doctor/doctor_internal.h"

#define CPUS "/sys/devices/system/cpu"

/* The line of a file of the processor that is examined. */
static int read_own(const doctor *d, const char *name, char line[DOCTOR_LINE_BYTES])
{
    char path[128];
    snprintf(path, sizeof path, CPUS "/cpu%d/%s", d->host->cpu, name);
    return doctor_read_line(d->root, path, line);
}

/* ---- frequency ---- */

/* Where the driver is in the host's hands, guests have no files for it. */
static void say_absent(doctor *d, tacho_doctor_finding *f, const char *what, int error)
{
    doctor_say(d, f, TACHO_DOCTOR_UNKNOWN, "%s: %s", what,
               error != ENOENT             ? strerror(error)
               : d->host->cpuid.hypervisor ? "the hypervisor decides"
                                           : "the kernel has no driver for it here");
}

void doctor_governor(doctor *d, tacho_doctor_finding *f)
{
    char governor[DOCTOR_LINE_BYTES];
    int error = read_own(d, "cpufreq/scaling_governor", governor);
    if (error) {
        say_absent(d, f, "no frequency scaling visible", error);
        return;
    }
    doctor_say(d, f, doctor_good_if(!strcmp(governor, "performance")), "%s", governor);
    doctor_advise(f, "let the cores run at full clock", "sudo cpupower frequency-set -g performance");
}

/* The driver of Intel's processors, the others', and those that have it for each core. */
void doctor_turbo(doctor *d, tacho_doctor_finding *f)
{
    static const struct {
        const char *path, *command;
        bool inverted;
    } places[] = {{CPUS "/intel_pstate/no_turbo", "echo 1 | sudo tee " CPUS "/intel_pstate/no_turbo", true},
                  {CPUS "/cpufreq/boost", "echo 0 | sudo tee " CPUS "/cpufreq/boost", false},
                  {CPUS "/cpu%d/cpufreq/boost", "echo 0 | sudo tee " CPUS "/cpu*/cpufreq/boost", false}};
    long long value = 0;
    int error = ENOENT;
    size_t i;
    for (i = 0; i < sizeof places / sizeof *places && error == ENOENT; i++)
        error = doctor_read_number(d->root, doctor_format(d, places[i].path, d->host->cpu), &value);
    if (error) {
        say_absent(d, f, "no setting visible", error);
        return;
    }
    const bool on = places[i - 1].inverted ? !value : value;
    doctor_say(d, f, doctor_good_if(!on), "%s", on ? "on" : "off");
    doctor_advise(f,
                  "turn it off to compare programs; leave it on to learn how they behave in the field; "
                  "cycles do not depend on it",
                  places[i - 1].command);
}

/* ---- who else uses the processor ---- */

void doctor_smt(doctor *d, tacho_doctor_finding *f)
{
    char siblings[DOCTOR_LINE_BYTES];
    int error = read_own(d, "topology/thread_siblings_list", siblings);
    if (error) {
        doctor_unknown_file(d, f, "topology/thread_siblings_list of the CPU", error);
    } else if (doctor_list_count(siblings) > 1) {
        doctor_say(d, f, TACHO_DOCTOR_ACCEPTABLE, "CPUs %s are one core", siblings);
        doctor_advise(f, "turn sibling threads off, or keep the sibling idle",
                      "echo off | sudo tee " CPUS "/smt/control");
    } else if (d->host->cpuid.hypervisor) {
        doctor_say(d, f, TACHO_DOCTOR_UNKNOWN, "none visible; the host may run others on the same core");
        doctor_advise(f, "see 'neighbour' below, which shows it", NULL);
    } else {
        doctor_say(d, f, TACHO_DOCTOR_GOOD, "CPU %d has its core for itself", d->host->cpu);
    }
}

static const char *hypervisor_name(const char *vendor)
{
    static const char *const known[][2] = {{"KVMKVMKVM", "KVM"},
                                           {"Microsoft Hv", "Hyper-V"},
                                           {"VMwareVMware", "VMware"},
                                           {"XenVMMXenVMM", "Xen"},
                                           {"TCGTCGTCGTCG", "QEMU (emulated)"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(vendor, known[i][0]))
            return known[i][1];
    return *vendor ? vendor : "one without a name";
}

void doctor_hypervisor(doctor *d, tacho_doctor_finding *f)
{
    const cpuid_description *c = &d->host->cpuid;
    if (!c->hypervisor) {
        doctor_say(d, f, TACHO_DOCTOR_GOOD, "none");
        return;
    }
    bool emulated = !strcmp(c->hypervisor_vendor, "TCGTCGTCGTCG");
    doctor_say(d, f, emulated ? TACHO_DOCTOR_BAD : TACHO_DOCTOR_ACCEPTABLE, "a virtual machine under %s",
               hypervisor_name(c->hypervisor_vendor));
    f->unfit = emulated;
    doctor_advise(f,
                  emulated
                      ? "an emulated processor has no cycles; run QEMU with KVM (-accel kvm -cpu host)"
                      : "for exact work use a machine of its own, or pinned virtual CPUs with whole cores",
                  NULL);
}

void doctor_load(doctor *d, tacho_doctor_finding *f)
{
    char line[DOCTOR_LINE_BYTES], online[DOCTOR_LINE_BYTES];
    double load;
    int error = doctor_read_line(d->root, "/proc/loadavg", line);
    if (error || sscanf(line, "%lf", &load) != 1) {
        doctor_unknown_file(d, f, "/proc/loadavg", error ? error : EINVAL);
        return;
    }
    size_t cpus = doctor_read_line(d->root, CPUS "/online", online) ? 0 : doctor_list_count(online);
    cpus = cpus ? cpus : d->host->cpu_count;
    /* One CPU is wanted for measuring. */
    doctor_say(d, f, doctor_grade(load, 0.5 * (double)cpus, (double)cpus),
               "%.2f on %zu CPU%s, over the last minute", load, cpus, cpus == 1 ? "" : "s");
    doctor_figure(f, "load", load, "");
    doctor_figure(f, "cpus", (double)cpus, "");
    doctor_advise(f, "see what runs, and stop it", "top -b -n 1 | head -20");
}

void doctor_isolation(doctor *d, tacho_doctor_finding *f)
{
    char isolated[DOCTOR_LINE_BYTES], tickless[DOCTOR_LINE_BYTES];
    int cpu = d->host->cpu;
    int error = doctor_read_line(d->root, CPUS "/isolated", isolated);
    if (error) {
        doctor_unknown_file(d, f, CPUS "/isolated", error);
        return;
    }
    bool has = doctor_list_has(isolated, cpu);
    bool no_tick = !doctor_read_line(d->root, CPUS "/nohz_full", tickless) && doctor_list_has(tickless, cpu);
    doctor_say(d, f, doctor_good_if(has), "CPU %d is %s, %s", cpu, has ? "isolated" : "not isolated",
               no_tick ? "without the kernel's tick" : "has the kernel's tick");
    doctor_advise(
        f,
        doctor_format(d,
                      "start the kernel with isolcpus=domain,managed_irq,%d nohz_full=%d rcu_nocbs=%d (on "
                      "Debian in /etc/default/grub, then update-grub), and measure on that CPU",
                      cpu, cpu, cpu),
        doctor_format(d, "taskset -c %d COMMAND", cpu));
}

/* ---- memory ---- */

void doctor_aslr(doctor *d, tacho_doctor_finding *f)
{
    static const char path[] = "/proc/sys/kernel/randomize_va_space";
    long long level;
    int error = doctor_read_number(d->root, path, &level);
    if (error) {
        doctor_unknown_file(d, f, path, error);
        return;
    }
    doctor_say(d, f, doctor_good_if(!level), "%s",
               !level       ? "off"
               : level == 1 ? "on, without the heap"
                            : "on");
    doctor_advise(f, "to compare runs of whole programs, start them without it, or average over many runs",
                  "setarch -R COMMAND");
}

void doctor_numa(doctor *d, tacho_doctor_finding *f)
{
    static const char path[] = "/proc/sys/kernel/numa_balancing";
    char nodes[DOCTOR_LINE_BYTES];
    long long on = 0;
    int error = doctor_read_number(d->root, path, &on);
    if (error && error != ENOENT) {
        doctor_unknown_file(d, f, path, error);
        return;
    }
    if (doctor_read_line(d->root, "/sys/devices/system/node/online", nodes))
        strcpy(nodes, "0");
    size_t count = doctor_list_count(nodes);
    doctor_say(d, f, doctor_good_if(!on || count <= 1), "%s, %zu node%s",
               error ? "not in this kernel"
               : on  ? "on"
                     : "off",
               count, count == 1 ? "" : "s");
    doctor_advise(f, "turn it off while measuring", "sudo sysctl kernel.numa_balancing=0");
}

/* "always [madvise] never" */
void doctor_huge_pages(doctor *d, tacho_doctor_finding *f)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    char line[DOCTOR_LINE_BYTES];
    int error = doctor_read_line(d->root, path, line);
    if (error == ENOENT) {
        doctor_say(d, f, TACHO_DOCTOR_GOOD, "not in this kernel");
        return;
    }
    char *word = strchr(line, '['), *end = word ? strchr(word, ']') : NULL;
    if (error || !end) {
        doctor_unknown_file(d, f, path, error ? error : EINVAL);
        return;
    }
    *end = '\0';
    doctor_say(d, f, doctor_good_if(strcmp(word + 1, "always") != 0), "%s", word + 1);
    doctor_advise(f, "to compare runs of whole programs, give huge pages only to those that ask",
                  "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
}
