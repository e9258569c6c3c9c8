/* visit.c - a window of a thread that nobody traces: it is seized (PTRACE_SEIZE), stopped where it executes,
 * stepped, and let go, after which nothing is left of it.
 *
 * The program is not to notice. So threads that wait are left alone; one that was in the kernel when it was
 * stopped goes on at once; a signal ends the window, and is delivered as it would have been. Some system
 * calls return EINTR when their thread is stopped, where they would else begin again (signal(7)): they are
 * begun again here.
 *
 * The stepping thread moves to the processor of the stepped one: each waits for the other, and processors
 * that wake each other up take longer than one that changes between them. */
#include <errno.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "base/proc.h"
#include "program/windows/windows.h"

enum {
    SYSCALL_BYTES = 2
};

/* What it reports, taken unless it is the end of the process that v->process is: whoever started that waits
 * for it. @return whether it stands */
static bool await_stop(const visit *v, int *status)
{
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)v->thread, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL | __WNOTHREAD))
        if (errno != EINTR)
            return false;
    if (info.si_code != CLD_STOPPED && info.si_code != CLD_TRAPPED && v->thread == v->kept)
        return false;
    return waitpid(v->thread, status, __WALL | __WNOTHREAD) == v->thread && WIFSTOPPED(*status);
}

static walk_answer await_step(void *payload, pid_t thread, int *signal)
{
    int status;
    if (!await_stop(payload, &status))
        return WALK_GONE;
    if (status >> 16) /* the whole process is stopped, and remains so */
        return WALK_ENDS;
    if (WSTOPSIG(status) == SIGTRAP)
        return WALK_ON;
    *signal = WSTOPSIG(status);
    return WALK_ENDS;
}

static bool begins_again(uint64_t call)
{
    static const uint16_t calls[] = {SYS_epoll_wait,      SYS_epoll_pwait,  SYS_semop,   SYS_semtimedop,
                                     SYS_rt_sigtimedwait, SYS_io_getevents, SYS_recvmsg, SYS_recvfrom,
                                     SYS_accept,          SYS_accept4};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i] == call)
            return true;
    return false;
}

/* @return whether it stands in the program's own code */
static bool leave_kernel(const visit *v)
{
    struct user_regs_struct r;
    if (ptrace(PTRACE_GETREGS, v->thread, NULL, &r))
        return false;
    if ((int64_t)r.orig_rax < 0)
        return true;
    if ((int64_t)r.rax == -EINTR && begins_again(r.orig_rax) && !proc_has_signals(v->thread)) {
        r.rax = r.orig_rax;
        r.rip -= SYSCALL_BYTES;
        ptrace(PTRACE_SETREGS, v->thread, NULL, &r);
    }
    return false;
}

static void move_to(pid_t thread)
{
    cpu_set_t cpus;
    int cpu = proc_cpu(thread);
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
}

static visit_end step_it(windows *w, const visit *v)
{
    const walk_thread t = {.process = v->process,
                           .thread = v->thread,
                           .most = v->most,
                           .await = await_step,
                           .payload = (void *)v,
                           .seconds = v->seconds};
    visit_end end = VISIT_ELSEWHERE;
    int status, signal = 0;
    if (ptrace(PTRACE_INTERRUPT, v->thread, NULL, NULL) || !await_stop(v, &status))
        return VISIT_ELSEWHERE;
    if (!(status >> 16)) {
        signal = WSTOPSIG(status);
    } else if (WSTOPSIG(status) == SIGTRAP && leave_kernel(v)) {
        if (!windows_walk(w, &t, &signal))
            return VISIT_DONE;
        end = VISIT_DONE;
    }
    ptrace(PTRACE_DETACH, v->thread, NULL, (void *)(intptr_t)signal);
    return end;
}

void windows_bury(pid_t kept)
{
    siginfo_t info;
    for (;;) {
        info = (siginfo_t){0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) || !info.si_pid ||
            info.si_pid == kept || waitpid(info.si_pid, NULL, WNOHANG | __WALL | __WNOTHREAD) < 0)
            return;
    }
}

visit_end windows_visit(windows *w, const visit *v)
{
    cpu_set_t before;
    if (!proc_is_running(v->thread))
        return VISIT_ELSEWHERE;
    if (ptrace(PTRACE_SEIZE, v->thread, NULL, NULL))
        return errno == ESRCH ? VISIT_ELSEWHERE : VISIT_REFUSED;
    bool known = !sched_getaffinity(0, sizeof before, &before);
    if (known)
        move_to(v->thread);
    visit_end end = step_it(w, v);
    if (known)
        sched_setaffinity(0, sizeof before, &before);
    return end;
}
