/* judge_frequency.c - what changes the core's clock: the governor and turbo. Settings as in the
 * kernel's Documentation/admin-guide/pm/{cpufreq,intel_pstate,amd-pstate}.rst. */
#include "machine/doctor/doctor_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Where the driver is in the host's hands, guests have no files for it. */
static void judge_absent(doctor *d, doctor_item i, const char *what, int error)
{
    doctor_say(d, i, TACHO_DOCTOR_UNKNOWN, "%s: %s", what,
               error != ENOENT             ? strerror(error)
               : d->host->cpuid.hypervisor ? "the hypervisor decides"
                                           : "the kernel has no driver for it here");
}

static void judge_governor(doctor *d)
{
    char path[128], governor[DOCTOR_LINE_BYTES];
    long long low, high;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", d->host->cpu);
    int error = doctor_read_line(d->root, path, governor);
    if (error) {
        judge_absent(d, DOCTOR_GOVERNOR, "no frequency scaling visible", error);
        return;
    }
    tacho_doctor_state state = doctor_good_if(!strcmp(governor, "performance"));
    tacho_doctor_finding *f;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_min_freq", d->host->cpu);
    error = doctor_read_number(d->root, path, &low);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_max_freq", d->host->cpu);
    if (!error && !doctor_read_number(d->root, path, &high)) {
        f = doctor_say(d, DOCTOR_GOVERNOR, state, "%s, %lld to %lld MHz", governor, low / 1000, high / 1000);
        doctor_figure(f, "lowest_mhz", (double)low / 1000, "MHz");
        doctor_figure(f, "highest_mhz", (double)high / 1000, "MHz");
    } else {
        f = doctor_say(d, DOCTOR_GOVERNOR, state, "%s", governor);
    }
    doctor_advise(f, "let the cores run at full clock", "sudo cpupower frequency-set -g performance");
}

static void say_turbo(doctor *d, bool on, const char *command)
{
    tacho_doctor_finding *f = doctor_say(d, DOCTOR_TURBO, doctor_good_if(!on), "%s", on ? "on" : "off");
    doctor_figure(f, "on", on, "");
    doctor_advise(
        f,
        "turn it off to compare programs; leave it on to learn how they behave in the field; cycles "
        "do not depend on it",
        command);
}

static void judge_turbo(doctor *d)
{
    static const char intel[] = "/sys/devices/system/cpu/intel_pstate/no_turbo";
    static const char others[] = "/sys/devices/system/cpu/cpufreq/boost";
    char own[96];
    long long value;
    snprintf(own, sizeof own, "/sys/devices/system/cpu/cpu%d/cpufreq/boost", d->host->cpu);
    int error = doctor_read_number(d->root, intel, &value);
    if (!error) {
        say_turbo(d, !value, "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo");
        return;
    }
    if (error == ENOENT)
        error = doctor_read_number(d->root, others, &value);
    if (!error) {
        say_turbo(d, value, "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
        return;
    }
    if (error == ENOENT)
        error = doctor_read_number(d->root, own, &value);
    if (!error)
        say_turbo(d, value, "echo 0 | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/boost");
    else
        judge_absent(d, DOCTOR_TURBO, "no setting visible", error);
}

void doctor_judge_frequency(doctor *d)
{
    judge_governor(d);
    judge_turbo(d);
}
