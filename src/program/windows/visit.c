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

/* Stops of seized threads are reported, too, though nobody asks for them. */
static bool is_end(const siginfo_t *info)
{
    return info->si_pid && info->si_code != CLD_STOPPED && info->si_code != CLD_TRAPPED;
}

visit_report visit_await(pid_t thread, pid_t kept, int options, int *status)
{
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)thread, &info, options | WEXITED | WSTOPPED | WNOWAIT | __WALL | __WNOTHREAD))
        if (errno != EINTR)
            return VISIT_IS_GONE;
    if (!info.si_pid)
        return VISIT_SAYS_NOTHING;
    if (is_end(&info) && thread == kept)
        return VISIT_IS_GONE;
    return waitpid(thread, status, __WALL | __WNOTHREAD) == thread && WIFSTOPPED(*status) ? VISIT_STANDS
                                                                                          : VISIT_IS_GONE;
}

static bool await_stop(const visit *v, int *status)
{
    return visit_await(v->thread, v->kept, 0, status) == VISIT_STANDS;
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

/* Whether a system call that gave this back will begin again, or is made to (linux/errno.h: from ERESTARTSYS
 * to ERESTART_RESTARTBLOCK). */
static bool was_waiting(pid_t thread, const struct user_regs_struct *r)
{
    const int64_t result = (int64_t)r->rax;
    return (result <= -512 && result >= -516) ||
           (result == -EINTR && begins_again(r->orig_rax) && !proc_has_signals(thread));
}

visit_where visit_stands_in(pid_t thread)
{
    struct user_regs_struct r;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &r))
        return VISIT_IN_WAIT;
    if ((int64_t)r.orig_rax < 0)
        return VISIT_IN_PROGRAM;
    if (!was_waiting(thread, &r))
        return VISIT_BEHIND_CALL;
    if ((int64_t)r.rax == -EINTR) {
        r.rax = r.orig_rax;
        r.rip -= SYSCALL_BYTES;
        ptrace(PTRACE_SETREGS, thread, NULL, &r);
    }
    return VISIT_IN_WAIT;
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
    } else if (WSTOPSIG(status) == SIGTRAP && visit_stands_in(v->thread) == VISIT_IN_PROGRAM) {
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
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) || !is_end(&info) ||
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
