/* tracer.c - a command under ptrace, with all threads and processes that it starts: what wait tells of them
 * goes to task.c, which goes on with each. */
#include "binary/extract/tracer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/process.h"

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

enum {
    SYSCALL_STOP = SIGTRAP | 0x80,
    OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
              PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL
};

/* ---- the tasks ---- */

static size_t task_place(const tracer *t, pid_t tid)
{
    size_t at;
    COUNT_BEFORE(at, t->task_count, t->tasks[at]->tid < tid);
    return at;
}

static task *find_task(const tracer *t, pid_t tid)
{
    size_t i = task_place(t, tid);
    return i < t->task_count && t->tasks[i]->tid == tid ? t->tasks[i] : NULL;
}

/* A task that is not known yet has the space of nobody. NULL: memory ran out */
static task *add_task(tracer *t, pid_t tid)
{
    task *k = tacho_mem_zalloc(1, sizeof *k);
    pthread_mutex_lock(&t->lock);
    if (!k || tacho_mem_grow(&t->tasks, &t->task_capacity, t->task_count + 1, sizeof *t->tasks)) {
        tacho_mem_free(k);
        k = NULL;
        t->out_of_memory = true;
    } else {
        size_t i = task_place(t, tid);
        memmove(t->tasks + i + 1, t->tasks + i, (t->task_count - i) * sizeof *t->tasks);
        t->tasks[i] = k;
        t->task_count++;
        k->tid = tid;
    }
    pthread_mutex_unlock(&t->lock);
    return k;
}

static void remove_task(tracer *t, pid_t tid)
{
    size_t i = task_place(t, tid);
    if (i == t->task_count || t->tasks[i]->tid != tid)
        return;
    pthread_mutex_lock(&t->lock);
    space_drop(t->tasks[i]->space);
    tacho_mem_free(t->tasks[i]);
    t->task_count--;
    memmove(t->tasks + i, t->tasks + i + 1, (t->task_count - i) * sizeof *t->tasks);
    pthread_mutex_unlock(&t->lock);
}

void tracer_end(tracer *t, int signal)
{
    pthread_mutex_lock(&t->lock);
    t->end = signal == SIGKILL;
    for (size_t i = 0; i < t->task_count; i++)
        if (!t->tasks[i]->thread || t->end) /* some that seem to be threads are processes that share memory */
            kill(t->tasks[i]->tid, signal);
    if (!t->task_count && t->root > 0 && !t->root_ended)
        kill(t->root, signal); /* before its first instruction */
    pthread_mutex_unlock(&t->lock);
}

/* ---- events ---- */

/* Goes on with a task whose first stop was seen and whose origin is known. */
static void begin_task(tracer *t, task *k)
{
    struct user_regs_struct regs;
    if (t->image_ends)
        task_resume(k, 0);
    else if (!ptrace(PTRACE_GETREGS, k->tid, NULL, &regs))
        task_go_on(t, k, &regs);
}

static bool shares_memory(const task *parent)
{
    uint64_t flags = parent->syscall_args[0];
    if (parent->syscall == SYS_vfork)
        return true;
    if (parent->syscall == SYS_clone3) { /* the flags are the first word of a structure */
        pid_t tid = parent->tid;
        const branch_memory memory = space_memory(&tid);
        if (!memory.read(parent->syscall_args[0], &flags, memory.payload))
            return false;
    }
    return (parent->syscall == SYS_clone || parent->syscall == SYS_clone3) && (flags & CLONE_VM);
}

static void new_task(tracer *t, task *parent, bool thread)
{
    unsigned long message = 0;
    ptrace(PTRACE_GETEVENTMSG, parent->tid, NULL, &message);
    task *k = find_task(t, (pid_t)message);
    if (!k)
        k = add_task(t, (pid_t)message);
    if (!k)
        return;
    bool shared = t->image_ends ? thread : shares_memory(parent);
    pthread_mutex_lock(&t->lock);
    k->thread = thread && shared;
    pthread_mutex_unlock(&t->lock);
    k->forked = !k->thread;
    if (shared) {
        k->space = parent->space;
        k->space->users++;
    } else if (!(k->space = space_copy(parent->space))) {
        t->out_of_memory = true;
        return;
    }
    k->recording = parent->recording;
    *(k->thread ? &t->thread_count : &t->process_count) += 1;
    if (k->started)
        begin_task(t, k);
}

/* Another program: the thread that remains has the number of the process. */
static void after_exec(tracer *t, task *k)
{
    unsigned long former = 0;
    ptrace(PTRACE_GETEVENTMSG, k->tid, NULL, &former);
    if ((pid_t)former != k->tid)
        remove_task(t, (pid_t)former);
    if (t->image_ends)
        t->image_ends(t, k->tid, k->forked, IMAGE_EXECS);
    space *fresh = space_new();
    if (!fresh)
        t->out_of_memory = true;
    space_drop(k->space);
    pthread_mutex_lock(&t->lock);
    *k = (task){.tid = k->tid,
                .space = fresh,
                .started = true,
                .recording = fresh && !t->image_ends,
                .in_syscall = true,
                .syscall = SYS_execve};
    pthread_mutex_unlock(&t->lock);
}

static void event(tracer *t, task *k, int status)
{
    int signal = WSTOPSIG(status);
    switch (status >> 16) {
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
        if (k->space)
            new_task(t, k, status >> 16 == PTRACE_EVENT_CLONE);
        break;
    case PTRACE_EVENT_EXEC:
        after_exec(t, k);
        break;
    case PTRACE_EVENT_EXIT:
        if (t->image_ends && !k->thread)
            t->image_ends(t, k->tid, k->forked, IMAGE_EXITS);
        break;
    case PTRACE_EVENT_STOP:
        if (signal != SIGTRAP) { /* stopped, until SIGCONT */
            ptrace(PTRACE_LISTEN, k->tid, NULL, NULL);
            return;
        }
        if (!k->started) {
            k->started = true;
            if (k->space)
                begin_task(t, k);
            return;
        }
        break;
    }
    task_resume(k, 0);
}

static void stopped(tracer *t, task *k, int status)
{
    int signal = WSTOPSIG(status);
    t->stops++;
    if (status >> 16)
        event(t, k, status);
    else if (signal == SYSCALL_STOP)
        task_syscall_stop(t, k);
    else if (signal != SIGTRAP || !k->recording || !task_trapped(t, k))
        task_signal(k, signal);
}

static void task_ended(tracer *t, pid_t tid)
{
    const task *k = find_task(t, tid);
    if (k && t->image_ends && !k->thread)
        t->image_ends(t, tid, k->forked, IMAGE_ENDED);
    remove_task(t, tid);
}

/* What stops after the end was called for. At the stop of its exit a signal alone does not wake it. */
static void kill_stopped(pid_t tid)
{
    kill(tid, SIGKILL);
    ptrace(PTRACE_CONT, tid, NULL, NULL);
}

void tracer_run(tracer *t)
{
    int status;
    for (;;) {
        pid_t tid = waitpid(-1, &status, __WALL | __WNOTHREAD);
        if (tid < 0 && errno == EINTR)
            continue;
        if (tid < 0)
            break;
        if (!WIFSTOPPED(status)) {
            if (tid == t->root) {
                t->root_status = status;
                t->root_ended = true;
            }
            task_ended(t, tid);
            continue;
        }
        task *k = find_task(t, tid);
        if (!k)
            k = add_task(t, tid);
        if (k && !t->end && !t->out_of_memory && !t->unseen)
            stopped(t, k, status);
        else
            kill_stopped(tid);
    }
}

int tracer_failed(const tracer *t, tacho_error *err)
{
    if (t->out_of_memory)
        return tacho_no_memory(err);
    return t->unseen
               ? tacho_error_set(err, TACHO_ERR_SYSTEM,
                                 "cannot see what lies where in the command's memory, /proc/PID/maps: %s",
                                 strerror(t->unseen))
               : 0;
}

/* ---- the start ---- */

/* Between fork and exec: waits to be traced. */
static void run_command(char *const argv[], const int ready[2], int failure, int output)
{
    char byte;
    close(ready[1]);
    while (read(ready[0], &byte, 1) < 0 && errno == EINTR)
        ;
    if (output < 0 || dup2(output, STDOUT_FILENO) >= 0)
        execvp(argv[0], argv);
    int error = errno;
    if (write(failure, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

/* Follows the command to its first instruction. @return 0, or the errno of exec */
static int wait_for_exec(tracer *t, int failure)
{
    int status, error = 0;
    while (waitpid(t->root, &status, __WALL) == t->root && WIFSTOPPED(status)) {
        if (status >> 16 == PTRACE_EVENT_EXEC) {
            task *k = add_task(t, t->root);
            if (!k)
                return ENOMEM;
            t->process_count = 1;
            after_exec(t, k);
            task_resume(k, 0);
            return 0;
        }
        ptrace(PTRACE_CONT, t->root, NULL, (void *)(intptr_t)(status >> 16 ? 0 : WSTOPSIG(status)));
    }
    return read(failure, &error, sizeof error) == sizeof error ? error : ECHILD;
}

int tracer_start(tracer *t, char *const argv[])
{
    int ready[2], failure[2], error = 0;
    if (pipe2(ready, O_CLOEXEC))
        return tacho_error_set(t->err, TACHO_ERR_SYSTEM, "cannot run %.200s: %s", argv[0], strerror(errno));
    if (pipe2(failure, O_CLOEXEC)) {
        error = errno;
        close(ready[0]);
        close(ready[1]);
        return tacho_error_set(t->err, TACHO_ERR_SYSTEM, "cannot run %.200s: %s", argv[0], strerror(error));
    }
    t->root = fork();
    if (!t->root)
        run_command(argv, ready, failure[1], t->output);
    close(ready[0]);
    close(failure[1]);
    intptr_t options = OPTIONS | (t->image_ends ? PTRACE_O_TRACEEXIT : 0);
    bool traced = t->root > 0 && !ptrace(PTRACE_SEIZE, t->root, NULL, (void *)options);
    if (!traced) {
        error = errno;
        if (t->root > 0) {
            kill(t->root, SIGKILL);
            waitpid(t->root, NULL, 0);
        }
    }
    close(ready[1]);
    if (traced)
        error = wait_for_exec(t, failure[0]);
    close(failure[0]);
    if (!error)
        return 0;
    return tacho_error_set(t->err, traced ? TACHO_ERR_INPUT : TACHO_ERR_SYSTEM, "cannot %s %.200s: %s",
                           traced ? "run" : "trace", argv[0], tacho_process_why_not(argv[0], error));
}

void tracer_free(tracer *t)
{
    while (t->task_count)
        remove_task(t, t->tasks[0]->tid);
    tacho_mem_free(t->tasks);
    book_free(&t->book);
    pthread_mutex_destroy(&t->lock);
}
