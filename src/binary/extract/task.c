/* task.c - one thread under observation: from stop to stop.
 *
 * The thread runs from where control came in to the breakpoint at the end of the straight-line code. The
 * instruction there (a jump, a call, a return) is done on the thread's registers here, so that the breakpoint
 * can stay, and other threads may run past it. System calls are reported by the kernel. Where there can be no
 * breakpoint, the thread is stepped. A signal handler is code that control comes to; the block that it
 * interrupted goes on when the handler returns. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "binary/extract/tracer.h"

enum {
    MAX_BRANCHES_AT_ONCE = 1000, /* of code that is nothing else, before others have their turn */
    CS_32_BIT = 0x23,
    PAGE = 4096,
    /* what a system call gives that a signal has interrupted (Linux, include/linux/errno.h) */
    RESTART_SYS = 512,
    RESTART_NO_HAND = 514,
    RESTART_BLOCK = 516,
    MAX_ERRNO = 4095
};

static void resume_by(const task *k, enum __ptrace_request how, int signal)
{
    /* It may have been killed: then wait says so. */
    ptrace(how, k->tid, NULL, (void *)(intptr_t)signal);
}

void task_resume(task *k, int signal)
{
    bool step = k->recording && !k->in_syscall && (!k->plan || k->plan->mode == PLAN_STEP);
    bool at_syscall = step && k->at_end && k->plan && k->plan->record->branch.kind == BRANCH_SYSCALL;
    if (!k->recording)
        resume_by(k, PTRACE_CONT, signal);
    else
        resume_by(k, step && !at_syscall ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, signal);
}

/* 32-bit code is not for us. */
static void let_go(tracer *t, task *k)
{
    t->foreign = true;
    k->recording = false;
    ptrace(PTRACE_DETACH, k->tid, NULL, NULL);
}

/* Does what the branch at the end of the plan does. @return false where only the processor can */
static bool take_branch(task *k, struct user_regs_struct *regs)
{
    const branch_memory memory = space_memory(&k->tid);
    if (!branch_take(&k->plan->record->branch, k->plan->end, regs, &memory))
        return false;
    k->plan->record->count++;
    return true;
}

/* The plan's end is done by the processor itself, without the breakpoint, from now on. */
static void step_end(task *k, struct user_regs_struct *regs)
{
    space_unpatch_plan(k->space, k->tid, k->plan);
    k->plan->mode = PLAN_STEP;
    k->at_end = regs->rip == k->plan->end;
    ptrace(PTRACE_SETREGS, k->tid, NULL, regs);
    task_resume(k, 0);
}

void task_go_on(tracer *t, task *k, struct user_regs_struct *regs)
{
    bool changed = false;
    if (regs->cs == CS_32_BIT) {
        let_go(t, k);
        return;
    }
    for (int i = 0;; i++) {
        k->plan = space_plan(t, k->space, k->tid, regs->rip);
        k->at_end = k->plan && k->plan->end == regs->rip;
        /* While a system call may be begun again, the kernel looks at where the program stands. */
        if (!k->at_end || k->plan->mode != PLAN_TRAP || i == MAX_BRANCHES_AT_ONCE || k->restarts)
            break;
        if (!take_branch(k, regs)) {
            step_end(k, regs);
            return;
        }
        changed = true;
    }
    if (changed)
        ptrace(PTRACE_SETREGS, k->tid, NULL, regs);
    task_resume(k, 0);
}

/* ---- traps ---- */

static void lose(tracer *t, task *k, struct user_regs_struct *regs)
{
    t->lost++;
    task_go_on(t, k, regs);
}

static void at_breakpoint(tracer *t, task *k, struct user_regs_struct *regs)
{
    regs->rip--;
    k->restarts = false;
    if (!k->plan || k->plan->mode != PLAN_TRAP || k->plan->end != regs->rip) {
        /* Not where it was to stop; what stands there is done all the same. */
        ptrace(PTRACE_SETREGS, k->tid, NULL, regs);
        lose(t, k, regs);
        return;
    }
    if (!take_branch(k, regs)) {
        step_end(k, regs);
        return;
    }
    ptrace(PTRACE_SETREGS, k->tid, NULL, regs);
    task_go_on(t, k, regs);
}

static void after_step(tracer *t, task *k, struct user_regs_struct *regs)
{
    plan *p = k->plan;
    k->restarts = false;
    if (!p || k->at_end) {
        if (p)
            p->record->count++;
        task_go_on(t, k, regs);
    } else if (regs->rip < p->start || regs->rip > p->end) {
        lose(t, k, regs);
    } else {
        k->at_end = regs->rip == p->end;
        task_resume(k, 0);
    }
}

bool task_trapped(tracer *t, task *k)
{
    siginfo_t info;
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, k->tid, NULL, &regs))
        return false;
    if (!k->handling && k->plan && k->plan->mode == PLAN_TRAP && regs.rip == k->plan->end + 1) {
        at_breakpoint(t, k, &regs);
        return true;
    }
    if (ptrace(PTRACE_GETSIGINFO, k->tid, NULL, &info))
        return false;
    if (k->handling) { /* at the first instruction of a handler */
        k->handling = false;
        task_go_on(t, k, &regs);
        return true;
    }
    if (info.si_code == SI_KERNEL) {
        if (!space_patched(k->space, regs.rip - 1))
            return false;
        at_breakpoint(t, k, &regs);
        return true;
    }
    if (info.si_code != TRAP_TRACE && info.si_code != TRAP_BRKPT && info.si_code != TRAP_HWBKPT)
        return false;
    after_step(t, k, &regs);
    return true;
}

/* ---- signals ---- */

/* Whether the process has a handler for the signal. */
static bool is_caught(pid_t tid, int signal)
{
    char name[40], line[256];
    unsigned long long caught = 0;
    snprintf(name, sizeof name, "/proc/%d/status", tid);
    FILE *f = fopen(name, "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "SigCgt: %llx", &caught) == 1)
            break;
    if (f)
        fclose(f);
    return caught >> (signal - 1) & 1;
}

static void push_frame(task *k, const struct user_regs_struct *regs)
{
    if (k->frame_count == TASK_FRAMES) {
        memmove(k->frames, k->frames + 1, (TASK_FRAMES - 1) * sizeof *k->frames);
        k->frame_count--;
    }
    k->frames[k->frame_count++] = (task_frame){k->plan, regs->rip, regs->rsp};
}

void task_signal(task *k, int signal)
{
    struct user_regs_struct regs;
    if (!k->recording || !is_caught(k->tid, signal) || ptrace(PTRACE_GETREGS, k->tid, NULL, &regs)) {
        task_resume(k, signal);
        return;
    }
    /* After a system call, the next block has not begun: it may be the call again. */
    if (k->plan && regs.rip == k->plan->end + k->plan->record->branch.length && k->at_end)
        k->plan->record->count++; /* a breakpoint of its own */
    else if (!k->restarts && k->plan && !k->plan->gone)
        push_frame(k, &regs);
    k->restarts = false;
    k->handling = true;
    resume_by(k, PTRACE_SINGLESTEP, signal);
}

/* A handler returns: to the block that it interrupted, or to where it has chosen. */
static void after_handler(tracer *t, task *k, struct user_regs_struct *regs)
{
    for (uint32_t i = k->frame_count; i-- > 0;) {
        const task_frame *f = &k->frames[i];
        if (f->rip != regs->rip || f->rsp != regs->rsp)
            continue;
        k->frame_count = i;
        if (f->plan->gone)
            break;
        k->plan = f->plan;
        k->at_end = k->plan->end == regs->rip;
        task_resume(k, 0);
        return;
    }
    task_go_on(t, k, regs);
}

/* ---- system calls ---- */

/* It is about whole pages. */
static uint64_t end_of_pages(const uint64_t args[6])
{
    return (args[0] + args[1] + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static bool changes_access(const task *k)
{
    return k->syscall == SYS_mprotect || k->syscall == SYS_pkey_mprotect;
}

static bool changes_mappings(const task *k)
{
    return k->syscall == SYS_mmap || k->syscall == SYS_munmap || k->syscall == SYS_mremap ||
           k->syscall == SYS_shmat || k->syscall == SYS_shmdt || changes_access(k);
}

/* Breakpoints go before the program could write there, or find other code there. */
static void before_syscall(task *k)
{
    const uint64_t *a = k->syscall_args;
    bool write = changes_access(k) && (a[2] & PROT_WRITE);
    bool over = k->syscall == SYS_mmap && (a[3] & MAP_FIXED);
    k->cleared = (write || over || k->syscall == SYS_munmap || k->syscall == SYS_mremap) &&
                 space_has_code(k->space, a[0], end_of_pages(a));
    if (k->cleared)
        space_clear(k->space, k->tid, a[0], end_of_pages(a));
}

/* Only now are the mappings others; and meanwhile other threads may have run there, as it was. */
static void after_syscall(task *k, int64_t result)
{
    const uint64_t *a = k->syscall_args;
    bool failed = result < 0 && result >= -MAX_ERRNO;
    if (k->cleared && (failed || changes_access(k)))
        space_clear(k->space, k->tid, a[0], end_of_pages(a));
    else if (k->cleared)
        space_forget(k->space, a[0], end_of_pages(a));
    k->cleared = false;
    if (changes_mappings(k))
        k->space->stale = true;
}

static void enter_syscall(tracer *t, task *k, const struct __ptrace_syscall_info *info)
{
    const plan *p = k->plan;
    uint64_t at = info->instruction_pointer - 2;
    bool again = p && p->start == at + 2 && k->restarts; /* the next block had not begun */
    if (p && p->record->branch.kind == BRANCH_SYSCALL && p->end == at)
        p->record->count++;
    else if (!again && k->recording)
        t->lost++;
    k->restarts = false;
    k->in_syscall = true;
    k->syscall = info->entry.nr;
    for (int i = 0; i < 6; i++)
        k->syscall_args[i] = info->entry.args[i];
    before_syscall(k);
    resume_by(k, PTRACE_SYSCALL, 0);
}

static void leave_syscall(tracer *t, task *k, const struct __ptrace_syscall_info *info)
{
    struct user_regs_struct regs;
    int64_t result = info->exit.rval;
    k->in_syscall = false;
    after_syscall(k, result);
    if (ptrace(PTRACE_GETREGS, k->tid, NULL, &regs)) {
        task_resume(k, 0);
        return;
    }
    k->restarts = k->syscall != SYS_rt_sigreturn &&
                  ((result <= -RESTART_SYS && result >= -RESTART_NO_HAND) || result == -RESTART_BLOCK);
    if (k->syscall == SYS_rt_sigreturn)
        after_handler(t, k, &regs);
    else
        task_go_on(t, k, &regs);
}

void task_syscall_stop(tracer *t, task *k)
{
    struct __ptrace_syscall_info info;
    long got = ptrace(PTRACE_GET_SYSCALL_INFO, k->tid, (void *)sizeof info, &info);
    if (got > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY)
        enter_syscall(t, k, &info);
    else if (got > 0 && info.op == PTRACE_SYSCALL_INFO_EXIT)
        leave_syscall(t, k, &info);
    else
        task_resume(k, 0);
}
