/* stops.c - samples without perf_event: at moments chosen by chance, each thread that runs is stopped by
 * ptrace, asked where it is, and let go on.
 *
 * A thread of its own traces (ptrace wants all from one thread, which waits for its own tracees only); the
 * caller's thread looks at the clock. Threads that sleep are left alone, so that no system call is
 * interrupted; where a thread was stopped in the kernel the sample is the kernel's. When the tracing thread
 * ends the kernel lets all tracees go. */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/proc.h"
#include "base/process.h"
#include "base/search.h"
#include "base/seconds.h"
#include "program/hot/hot_windows.h"

enum {
    USUAL_HZ = 499,
    GRACE_SECONDS = 2,
    LONG_NAP_NS = 500000, /* between looks for events */
    SHORT_NAP_NS = 50000, /* while an answer is awaited */
    CODE_64 = 0x33,       /* CS of 64-bit code */
    MAPS_SECONDS = 1,     /* then mappings are read again */
    OPTIONS = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC
};

typedef struct stop_task {
    uint64_t tid; /* first, to be searched for */
    uint64_t pid;
    bool asked; /* its next stop is for a sample */
} stop_task;

typedef struct stopper {
    hot_tally *b;
    hot_target *t;
    tacho_error *err;
    hot_child child;
    stop_task *tasks; /* sorted */
    size_t task_count, task_capacity, asked_count;
    uint64_t random;
    double maps_read;
    int rc;
    pthread_mutex_t lock; /* of the next three */
    pthread_cond_t changed;
    bool started, done;
    atomic_bool end;    /* the tracing is to end */
    atomic_bool ending; /* the command is, with all that it has started */
    atomic_int send;    /* a signal for them, that the tracing thread sends; 0: none */
    bool root_ended;
} stopper;

static int ran_out(stopper *s)
{
    return s->rc = tacho_no_memory(s->err);
}

/* ---- tasks ---- */

static stop_task *find_task(const stopper *s, uint64_t tid)
{
    size_t i = tacho_count_below(s->tasks, s->task_count, sizeof *s->tasks, tid);
    return i < s->task_count && s->tasks[i].tid == tid ? &s->tasks[i] : NULL;
}

static stop_task *add_task(stopper *s, uint64_t tid)
{
    stop_task *known = find_task(s, tid);
    uint64_t pid = known ? 0 : target_process_of(tid);
    if (known || !pid)
        return known;
    bool thread = pid != tid;
    if (thread || tally_process(s->b, pid) ? tally_thread(s->b, pid) : tally_fork(s->b, 0, pid)) {
        ran_out(s);
        return NULL;
    }
    tally_process(s->b, pid)->stale = true;
    if (tacho_mem_grow(&s->tasks, &s->task_capacity, s->task_count + 1, sizeof *s->tasks)) {
        ran_out(s);
        return NULL;
    }
    size_t i = tacho_count_below(s->tasks, s->task_count, sizeof *s->tasks, tid);
    memmove(s->tasks + i + 1, s->tasks + i, (s->task_count - i) * sizeof *s->tasks);
    s->task_count++;
    s->tasks[i] = (stop_task){.tid = tid, .pid = pid};
    return &s->tasks[i];
}

static void remove_task(stopper *s, uint64_t tid)
{
    stop_task *k = find_task(s, tid);
    if (!k)
        return;
    s->asked_count -= k->asked;
    tally_exit(s->b, k->pid);
    size_t i = (size_t)(k - s->tasks);
    s->task_count--;
    memmove(k, k + 1, (s->task_count - i) * sizeof *k);
}

/* ---- samples ---- */

static int note_progress(stopper *s, const stop_task *k, const struct user_regs_struct *r)
{
    const uint64_t registers[] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
                                  r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};
    double time = proc_run_seconds((pid_t)k->tid);
    return time > 0 && r->cs == CODE_64 ? pairs_add(s->b, &(pairs_sample){.process = k->pid,
                                                                          .thread = k->tid,
                                                                          .address = r->rip,
                                                                          .time = time,
                                                                          .registers = registers})
                                        : 0;
}

/* @return whether it stands in its own code */
static bool take_sample(stopper *s, const stop_task *k)
{
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, (pid_t)k->tid, NULL, &regs))
        return false;
    if ((int64_t)regs.orig_rax >= 0) { /* in a system call */
        s->b->profile.kernel++;
        return false;
    }
    hot_process *p = tally_process(s->b, k->pid);
    int rc = p && (p->stale || !tally_find(p, regs.rip)) ? tally_read_maps(s->b, k->pid) : 0;
    if (rc || tally_sample(s->b, k->pid, regs.rip, 1) || note_progress(s, k, &regs))
        ran_out(s);
    return !rc;
}

static void ask_all(stopper *s)
{
    double now = seconds_now();
    bool read_again = now - s->maps_read > MAPS_SECONDS;
    for (size_t i = 0; i < s->task_count; i++) {
        stop_task *k = &s->tasks[i];
        hot_process *p = read_again ? tally_process(s->b, k->pid) : NULL;
        if (p)
            p->stale = true;
        if (k->asked || !proc_is_running((pid_t)k->tid) ||
            ptrace(PTRACE_INTERRUPT, (pid_t)k->tid, NULL, NULL))
            continue;
        k->asked = true;
        s->asked_count++;
    }
    if (read_again)
        s->maps_read = now;
}

/* ---- events ---- */

static void go_on(uint64_t tid, int signal)
{
    ptrace(PTRACE_CONT, (pid_t)tid, NULL, (void *)(intptr_t)signal);
}

/* The thread that has called execve now has the number of its process, and all others are gone. */
static void note_exec(stopper *s, uint64_t tid)
{
    unsigned long former = 0;
    ptrace(PTRACE_GETEVENTMSG, (pid_t)tid, NULL, &former);
    if (former && former != tid)
        remove_task(s, former);
    if (tally_exec(s->b, tid))
        ran_out(s);
}

static void note_stop(stopper *s, uint64_t tid, int status);
static void note_end(stopper *s, uint64_t tid, int status, const struct rusage *usage);

/* The others wait meanwhile. */
static walk_answer await_step(void *payload, pid_t tid, int *signal)
{
    stopper *s = payload;
    struct rusage usage;
    int status;
    if (wait4(tid, &status, __WALL | __WNOTHREAD, &usage) != tid)
        return WALK_GONE;
    if (!WIFSTOPPED(status)) {
        note_end(s, (uint64_t)tid, status, &usage);
        return WALK_GONE;
    }
    if (status >> 16) {
        note_stop(s, (uint64_t)tid, status);
        return WALK_GONE;
    }
    if (WSTOPSIG(status) == SIGTRAP)
        return WALK_ON;
    *signal = WSTOPSIG(status);
    return WALK_ENDS;
}

/* A thread stands in its own code: it may be time for a window. @return whether it stands still */
static bool look_into(stopper *s, const stop_task *k, int *signal)
{
    walk_thread t = {.process = (pid_t)k->pid, .thread = (pid_t)k->tid, .await = await_step, .payload = s};
    return hot_windows_stopped(s->b->windows, &t, signal);
}

static void note_stop(stopper *s, uint64_t tid, int status)
{
    int signal = WSTOPSIG(status), event = status >> 16;
    stop_task *k = add_task(s, tid);
    bool asked = k && k->asked;
    if (asked) { /* whatever it has stopped for, the kernel forgets that it was asked to */
        k->asked = false;
        s->asked_count--;
    }
    if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) { /* the whole process was stopped by a signal */
        ptrace(PTRACE_LISTEN, (pid_t)tid, NULL, NULL);
        return;
    }
    signal = event ? 0 : signal;
    if (event == PTRACE_EVENT_STOP && asked) {
        if (take_sample(s, k) && !look_into(s, k, &signal))
            return;
    } else if (event == PTRACE_EVENT_EXEC) {
        note_exec(s, tid);
    }
    go_on(tid, signal);
}

static void note_end(stopper *s, uint64_t tid, int status, const struct rusage *usage)
{
    remove_task(s, tid);
    if (tid != (uint64_t)s->t->pid)
        return;
    s->root_ended = true;
    if (s->t->argv)
        target_ended(s->b, status, usage);
}

/* @return whether anything had happened */
static bool take_events(stopper *s)
{
    struct rusage usage;
    bool any = false;
    int status;
    for (pid_t tid; (tid = wait4(-1, &status, __WALL | __WNOTHREAD | WNOHANG, &usage)) > 0; any = true)
        if (WIFSTOPPED(status))
            note_stop(s, (uint64_t)tid, status);
        else
            note_end(s, (uint64_t)tid, status, &usage);
    return any;
}

/* ---- the tracing thread ---- */

static int start_command(stopper *s)
{
    int rc = child_start(&s->child, s->t->argv, s->t->options->output, s->err);
    if (rc)
        return rc;
    s->t->pid = s->child.pid;
    if (ptrace(PTRACE_SEIZE, s->child.pid, NULL, (void *)(uintptr_t)OPTIONS)) {
        int error = errno;
        child_drop(&s->child);
        snprintf(s->b->missing + strlen(s->b->missing), sizeof s->b->missing - strlen(s->b->missing),
                 "%sptrace: %s", *s->b->missing ? "; " : "", strerror(error));
        return tacho_error_set(s->err, TACHO_ERR_UNSUPPORTED, "%s", s->b->missing);
    }
    if (!add_task(s, (uint64_t)s->child.pid)) { /* it waits to be let go, and would for ever */
        child_drop(&s->child);
        return s->rc ? s->rc
                     : tacho_error_set(s->err, TACHO_ERR_SYSTEM, "cannot read /proc, which tells of threads");
    }
    child_let_go(&s->child);
    return 0;
}

static int start_process(stopper *s)
{
    DIR *d = proc_open_tasks(s->t->pid);
    if (!d)
        return tacho_error_set(s->err, TACHO_ERR_INPUT, "there is no process %d", (int)s->t->pid);
    int error = 0;
    for (pid_t tid; !s->rc && (tid = proc_next_task(d));) {
        if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)(uintptr_t)OPTIONS))
            error = errno;
        else
            add_task(s, (uint64_t)tid);
    }
    closedir(d);
    if (s->rc || s->task_count)
        return s->rc;
    return tacho_error_set(s->err, TACHO_ERR_INPUT, "process %d cannot be traced: %s%s", (int)s->t->pid,
                           strerror(error),
                           error == EPERM ? " (it is another user's, a debugger has it, or "
                                            "kernel.yama.ptrace_scope forbids it)"
                                          : "");
}

/* After its end, too, where the command is to be ended: it may have left processes. */
static bool goes_on(const stopper *s)
{
    return !s->root_ended || (atomic_load(&s->ending) && s->task_count);
}

static void send_signal(stopper *s)
{
    int signal = atomic_exchange(&s->send, 0);
    if (!signal)
        return;
    if (!s->root_ended)
        kill(s->t->pid, signal);
    tally_signal(s->b, signal);
}

static void trace(stopper *s)
{
    double gap = 1 / s->b->profile.hz, next = seconds_now() + gap;
    while (!s->rc && goes_on(s) && !atomic_load(&s->end)) {
        send_signal(s);
        if (take_events(s))
            continue;
        double now = seconds_now();
        if (now >= next) {
            ask_all(s);
            s->random = hash_mix(s->random);
            next = now + gap * (0.5 + (double)(s->random >> 11) * 0x1p-53);
        }
        nanosleep(&(struct timespec){.tv_nsec = s->asked_count ? SHORT_NAP_NS : LONG_NAP_NS}, NULL);
    }
}

static void tell(stopper *s, bool *what)
{
    pthread_mutex_lock(&s->lock);
    *what = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *run_thread(void *payload)
{
    stopper *s = payload;
    s->rc = s->t->argv ? start_command(s) : start_process(s);
    if (!s->rc) {
        tell(s, &s->started);
        trace(s);
    }
    tell(s, &s->done);
    return NULL;
}

/* ---- the caller's thread ---- */

static void wait_for_end(stopper *s)
{
    double asked = 0;
    pthread_mutex_lock(&s->lock);
    while (!s->done) {
        parallel_wait_ms(&s->changed, &s->lock, 50);
        int over = s->done || !s->started ? TARGET_GOES_ON : target_is_over(s->t);
        if (s->done || !s->started || (!asked && !over))
            continue;
        if (!s->t->argv)
            atomic_store(&s->end, true);
        atomic_store(&s->ending, s->t->argv != NULL);
        if (over == TARGET_IS_KILLED || (asked && seconds_now() - asked > GRACE_SECONDS))
            atomic_store(&s->send, s->t->argv ? SIGKILL : 0);
        else if (!asked)
            atomic_store(&s->send, s->t->argv ? SIGTERM : 0);
        asked = asked > 0 ? asked : seconds_now();
    }
    pthread_mutex_unlock(&s->lock);
    s->b->profile.ended = asked == 0;
}

static int finish(stopper *s)
{
    tacho_hot_profile *p = &s->b->profile;
    int error = s->t->argv ? child_failed(&s->child) : 0;
    if (s->rc)
        return s->rc;
    if (error)
        return tacho_error_set(s->err, TACHO_ERR_INPUT, "cannot run %.200s: %s", s->t->argv[0],
                               tacho_process_why_not(s->t->argv[0], error));
    if (p->user_seconds > 0 && p->weight > 0)
        p->seconds_per_weight = p->user_seconds / p->weight;
    return 0;
}

int hot_by_ptrace(hot_tally *b, hot_target *t, tacho_error *err)
{
    stopper s = {.b = b, .t = t, .err = err, .child = {-1, -1, -1}};
    pthread_t thread;
    double asked = t->options->hz > 0 ? t->options->hz : USUAL_HZ;
    b->profile.via = TACHO_HOT_PTRACE;
    b->profile.hz = asked < TACHO_HOT_MAX_PTRACE_HZ ? asked : TACHO_HOT_MAX_PTRACE_HZ;
    b->profile.skid =
        "samples lie where threads were stopped, which is where an interrupt was taken: at, or a "
        "few instructions behind, those that took the time";
    snprintf(b->event, sizeof b->event, "ptrace");
    s.random = (uint64_t)(seconds_now() * 1e9);
    pthread_mutex_init(&s.lock, NULL);
    parallel_condition_init(&s.changed);
    int rc = parallel_start_thread(&thread, run_thread, &s, err);
    if (rc) {
        s.rc = rc;
    } else {
        wait_for_end(&s);
        pthread_join(thread, NULL);
    }
    rc = finish(&s);
    pthread_cond_destroy(&s.changed);
    pthread_mutex_destroy(&s.lock);
    tacho_mem_free(s.tasks);
    return rc;
}
