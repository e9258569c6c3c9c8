/* judge_counters.c - performance counters: whether they are there, who may use them, how they are read. The
 * meaning of the settings: Documentation/admin-guide/sysctl/kernel.rst and perf_event_open(2). */
#include "machine/doctor/doctor_internal.h"

#include <errno.h>
#include <string.h>

/* What to do depends on why the kernel refused. */
static void advise_missing(doctor *d, tacho_doctor_finding *f, int error)
{
    if (error == EACCES || error == EPERM)
        doctor_advise(
            f,
            "allow user-space counting to all users; in a container, also allow it there (docker run "
            "--cap-add PERFMON, and a seccomp profile that has perf_event_open)",
            "sudo sysctl kernel.perf_event_paranoid=2");
    else if (d->host->cpuid.hypervisor)
        doctor_advise(
            f,
            "have the hypervisor expose counters: QEMU -cpu host,pmu=on; libvirt <pmu state='on'/>; in "
            "clouds, mostly instances that are a whole machine or socket",
            NULL);
    else
        doctor_advise(f,
                      "load the kernel's driver of this processor's counters; its start messages say why not",
                      "sudo dmesg | grep -i -e perf -e pmu");
}

static const char *reason(int error)
{
    switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "there are no hardware counters here";
    case EACCES:
    case EPERM:
        return "not allowed";
    case ENOSYS:
        return "this kernel has no perf_event_open";
    default:
        return strerror(error);
    }
}

static void judge_events(doctor *d)
{
    const doctor_perf *p = &d->host->perf;
    int error = p->cycles_error ? p->cycles_error : p->instructions_error;
    tacho_doctor_finding *f;
    if (error) {
        f = doctor_say(d, DOCTOR_PERF_COUNTERS, TACHO_DOCTOR_BAD, "%s%s",
                       p->cycles_error ? "" : "none for instructions: ", reason(error));
        advise_missing(d, f, error);
    } else if (!p->counts) {
        f = doctor_say(d, DOCTOR_PERF_COUNTERS, TACHO_DOCTOR_BAD,
                       "they can be opened, but count less than is executed");
        doctor_advise(f, "end other programs that use counters; under a hypervisor, have it expose real ones",
                      NULL);
    } else {
        doctor_say(d, DOCTOR_PERF_COUNTERS, TACHO_DOCTOR_GOOD, "cycles and instructions in user space");
    }
}

static void judge_rdpmc(doctor *d)
{
    /* "cpu_core": processors with two kinds of core */
    static const char *const paths[] = {"/sys/bus/event_source/devices/cpu/rdpmc",
                                        "/sys/bus/event_source/devices/cpu_core/rdpmc"};
    long long value;
    int error = doctor_read_number(d->root, paths[0], &value);
    if (error == ENOENT)
        error = doctor_read_number(d->root, paths[1], &value);
    if (error == ENOENT) {
        doctor_say(d, DOCTOR_RDPMC, TACHO_DOCTOR_UNKNOWN, "the kernel knows no core counters here");
        return;
    }
    if (error) {
        doctor_unknown_file(d, DOCTOR_RDPMC, paths[0], error);
        return;
    }
    bool works = value && (d->host->perf.rdpmc || d->host->perf.cycles_error);
    tacho_doctor_finding *f = doctor_say(d, DOCTOR_RDPMC, doctor_good_if(works), "%s",
                                         works   ? "allowed"
                                         : value ? "allowed, but the kernel gives no counter for it"
                                                 : "not allowed: counters are read by system calls");
    doctor_figure(f, "setting", (double)value, "");
    if (!value)
        doctor_advise(f, "allow it", "echo 1 | sudo tee /sys/bus/event_source/devices/cpu*/rdpmc");
}

void doctor_judge_counters(doctor *d)
{
    judge_events(d);
    judge_rdpmc(d);
}
