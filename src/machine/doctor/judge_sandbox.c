/* judge_sandbox.c - what running unknown code safely needs of the kernel. Settings as in its
 * Documentation/admin-guide/sysctl/vm.rst and Documentation/userspace-api/seccomp_filter.rst. */
#include "machine/doctor/doctor_internal.h"

#include <string.h>

static void judge_memfd(doctor *d)
{
    const doctor_sandbox *s = &d->host->sandbox;
    long long noexec = -1;
    tacho_doctor_finding *f;
    doctor_read_number(d->root, "/proc/sys/vm/memfd_noexec", &noexec);
    int error = s->memfd_error ? s->memfd_error : s->exec_error;
    if (!error) {
        f = doctor_say(d, DOCTOR_MEMFD, TACHO_DOCTOR_GOOD, "can be made and run");
    } else {
        f = doctor_say(d, DOCTOR_MEMFD, TACHO_DOCTOR_BAD, "%s: %s",
                       s->memfd_error ? "memfd_create is refused" : "execveat of it is refused",
                       strerror(error));
        f->unfit = true;
        doctor_advise(f,
                      noexec > 1
                          ? "allow programs in memory"
                          : "find out what refuses it: the container's seccomp profile, or a security module",
                      noexec > 1 ? "sudo sysctl vm.memfd_noexec=0" : NULL);
    }
    if (noexec >= 0)
        doctor_figure(f, "memfd_noexec", (double)noexec, "");
}

static void judge_seccomp(doctor *d)
{
    int error = d->host->sandbox.seccomp_error;
    if (!error) {
        doctor_say(d, DOCTOR_SECCOMP, TACHO_DOCTOR_GOOD, "can be installed");
        return;
    }
    tacho_doctor_finding *f =
        doctor_say(d, DOCTOR_SECCOMP, TACHO_DOCTOR_BAD, "cannot be installed: %s", strerror(error));
    f->unfit = true;
    doctor_advise(
        f, "use a kernel with CONFIG_SECCOMP_FILTER, and a container that allows prctl(PR_SET_SECCOMP)",
        NULL);
}

void doctor_judge_sandbox(doctor *d)
{
    judge_memfd(d);
    judge_seccomp(d);
}
