/* measure_child.c - starts the runner in a sandbox, waits for it, and ends it when its time is up.
 *
 * The child has no descriptors but its three memory files, limits on what it may use, a process group of its
 * own, no signals blocked, no way to gain rights, and goes away with its parent. Its system calls are limited
 * by a seccomp filter that the runner installs once its memory is set up: exit, return from a signal handler,
 * mapping one page of the block's memory, and writing to the report. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/seconds.h"
#include "machine/measure/job.h"
#include "x86/decode/ops.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* since Linux 6.3 */
#endif

extern const char runner_image[];
extern const unsigned long runner_image_size;

enum {
    PLAN_BYTES = RUNNER_CODE_OFFSET + RUNNER_PLACES * RUNNER_CODE_BYTES,
    REPORT_BYTES = (sizeof(runner_report) + RUNNER_PAGE - 1) / RUNNER_PAGE * RUNNER_PAGE,
    DATA_BYTES = RUNNER_PLACES * RUNNER_MAX_DATA_PAGES * RUNNER_PAGE,
    HEADER_ENTRY = 24, /* offset of e_entry in an ELF file */
};

/* ---- the filter ---- */

/* Compared are halves of 64 bits. Jumps are over so many instructions: where it holds, and where not. */
#define LOAD(at)                       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define IF(comparison, value, yes, no) BPF_JUMP(BPF_JMP | BPF_##comparison | BPF_K, value, yes, no)
#define ALLOW                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define NEED(at, value)                LOAD(at), IF(JEQ, value, 1, 0), KILL
#define LOW(n)                         (offsetof(struct seccomp_data, args) + (n) * sizeof(uint64_t))
#define HIGH(n)                        (LOW(n) + sizeof(uint32_t))
#define NEED_ARGUMENT(n, value)        NEED(HIGH(n), 0), NEED(LOW(n), value)
#define NEED_ARGUMENT_BELOW(n, value)  NEED(HIGH(n), 0), LOAD(LOW(n)), IF(JGE, value, 0, 1), KILL
#define LENGTH(...)                    (sizeof((struct sock_filter[]){__VA_ARGS__}) / sizeof(struct sock_filter))
/* What is to be checked of this call; the next one is looked at with its number still loaded. */
#define CALL(number, ...) IF(JEQ, number, 0, LENGTH(__VA_ARGS__)), __VA_ARGS__

static const struct sock_filter filter[] = {
    NEED(offsetof(struct seccomp_data, arch), AUDIT_ARCH_X86_64),
    LOAD(offsetof(struct seccomp_data, nr)),
    CALL(SYS_pwrite64, NEED_ARGUMENT(0, RUNNER_REPORT_FD), NEED_ARGUMENT_BELOW(3, REPORT_BYTES), ALLOW),
    /* One page, below or above the runner's own memory. */
    CALL(SYS_mmap, NEED_ARGUMENT(1, RUNNER_PAGE), NEED_ARGUMENT(2, PROT_READ | PROT_WRITE),
         NEED_ARGUMENT(3, MAP_SHARED | MAP_FIXED), NEED_ARGUMENT(4, RUNNER_DATA_FD),
         NEED_ARGUMENT_BELOW(5, DATA_BYTES), LOAD(HIGH(0)), IF(JEQ, RUNNER_BASE >> 32, 0, 3), LOAD(LOW(0)),
         IF(JGE, (uint32_t)RUNNER_END, 1, 0), KILL, ALLOW),
    CALL(SYS_exit_group, ALLOW),
    CALL(SYS_rt_sigreturn, ALLOW),
    KILL,
};
_Static_assert((uint32_t)RUNNER_BASE == 0 && RUNNER_BASE >> 32 == RUNNER_END >> 32, "as the filter has it");
_Static_assert(sizeof filter <= sizeof((runner_plan *)0)->filter, "the plan has room for the filter");

/* ---- files ---- */

/* Above the descriptors that the child has its files at. */
static int move_up(int fd)
{
    if (fd < 0 || fd >= RUNNER_FDS_END)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, RUNNER_FDS_END);
    if (moved < 0 && errno == EINVAL) /* so the manual page has it where the limit is that low */
        errno = EMFILE;
    int saved = errno;
    close(fd);
    errno = saved;
    return moved;
}

static int open_memory(const char *name, size_t size, unsigned flags, tacho_error *err)
{
    int fd = memfd_create(name, MFD_CLOEXEC | flags);
    if (fd < 0 && errno == EINVAL) /* a kernel that does not know the flag needs none */
        fd = memfd_create(name, MFD_CLOEXEC);
    fd = move_up(fd);
    if (fd < 0 || (size && ftruncate(fd, (off_t)size))) {
        tacho_error_set(err, TACHO_ERR_SYSTEM, "no memory file for the sandbox (memfd_create): %s%s",
                        strerror(errno), errno == EMFILE ? " (ulimit -n)" : "");
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

static int write_image(int fd, tacho_error *err)
{
    if (!tacho_file_write(fd, runner_image, runner_image_size))
        return 0;
    return tacho_error_set(err, TACHO_ERR_SYSTEM, "the sandbox's program cannot be written: %s",
                           strerror(errno));
}

static void *map_shared(int fd, size_t size, int rights, tacho_error *err)
{
    void *at = mmap(NULL, size, rights, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED)
        return at;
    tacho_error_set(err, TACHO_ERR_SYSTEM, "no memory for the sandbox: %s", strerror(errno));
    return NULL;
}

int child_host_open(child_host *h, int cpu, tacho_error *err)
{
    *h = (child_host)CHILD_HOST_INIT;
    h->cpu = cpu;
    h->plan_fd = open_memory("tacho-plan", PLAN_BYTES, MFD_EXEC, err);
    h->data_fd = h->plan_fd < 0 ? -1 : open_memory("tacho-data", DATA_BYTES, 0, err);
    h->report_fd = h->data_fd < 0 ? -1 : open_memory("tacho-report", REPORT_BYTES, 0, err);
    h->image_fd = h->report_fd < 0 ? -1 : open_memory("tacho-runner", 0, MFD_EXEC, err);
    if (h->image_fd < 0)
        return TACHO_ERR_SYSTEM;
    h->plan = map_shared(h->plan_fd, PLAN_BYTES, PROT_READ | PROT_WRITE, err);
    h->report = h->plan ? map_shared(h->report_fd, REPORT_BYTES, PROT_READ, err) : NULL;
    if (!h->report)
        return TACHO_ERR_SYSTEM;
    h->code = (uint8_t *)h->plan + RUNNER_CODE_OFFSET;
    return write_image(h->image_fd, err);
}

void child_host_close(child_host *h)
{
    if (h->plan)
        munmap(h->plan, PLAN_BYTES);
    if (h->report)
        munmap((void *)(uintptr_t)h->report, REPORT_BYTES);
    const int fds[] = {h->plan_fd, h->data_fd, h->report_fd, h->image_fd};
    for (unsigned i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    *h = (child_host)CHILD_HOST_INIT;
}

uint64_t child_return_address(void)
{
    uint64_t entry;
    memcpy(&entry, runner_image + HEADER_ENTRY, sizeof entry);
    return entry + RUNNER_RETURN;
}

/* ---- the child ---- */

/* Why the child's program was not started. */
typedef struct start_failure {
    const char *volatile call; /* NULL: it was */
    volatile int error;
} start_failure;

/* No more than that, nor than is allowed now. */
static int limit(int what, rlim_t most)
{
    struct rlimit r;
    if (getrlimit(what, &r))
        return -1;
    r.rlim_max = r.rlim_max < most ? r.rlim_max : most;
    r.rlim_cur = r.rlim_max;
    return setrlimit(what, &r);
}

static int set_limits(unsigned seconds)
{
    enum {
        ADDRESS_SPACE = 1 << 30
    };
    return limit(RLIMIT_CORE, 0) || limit(RLIMIT_CPU, seconds + 1) || limit(RLIMIT_AS, ADDRESS_SPACE) ||
           limit(RLIMIT_FSIZE, REPORT_BYTES) || limit(RLIMIT_NPROC, 0);
}

static int set_processor(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set);
}

static int unblock_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL);
}

static int place_files(const child_host *h)
{
    return dup2(h->plan_fd, RUNNER_PLAN_FD) < 0 || dup2(h->data_fd, RUNNER_DATA_FD) < 0 ||
           dup2(h->report_fd, RUNNER_REPORT_FD) < 0;
}

static int close_others(void)
{
    for (int fd = 0; fd < RUNNER_PLAN_FD; fd++)
        close(fd);
    /* The program's own descriptor is closed by execveat itself. */
    return (int)syscall(SYS_close_range, RUNNER_FDS_END, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */);
}

/* After vfork: nothing but system calls. @return only when one failed: which */
static const char *become_runner(const child_host *h, unsigned seconds)
{
    static char *const no_words[] = {NULL};
    if (setpgid(0, 0))
        return "setpgid";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL))
        return "prctl";
    if (set_processor(h->cpu))
        return "sched_setaffinity";
    if (unblock_signals())
        return "sigprocmask";
    if (set_limits(seconds))
        return "setrlimit";
    if (place_files(h))
        return "dup2";
    if (close_others())
        return "close_range";
    syscall(SYS_execveat, h->image_fd, "", no_words, no_words, AT_EMPTY_PATH);
    return "execveat";
}

static __attribute__((noinline)) pid_t start(const child_host *h, unsigned seconds, start_failure *failure)
{
    pid_t pid = vfork();
    if (pid == 0) {
        failure->call = become_runner(h, seconds);
        failure->error = errno;
        _exit(127);
    }
    return pid;
}

/* @return whether it ended in time */
static bool wait_for_end(int pidfd, double seconds)
{
    const double end = seconds_now() + seconds;
    for (;;) {
        const double left = end - seconds_now();
        struct pollfd p = {pidfd, POLLIN, 0};
        int n = poll(&p, 1, left > 0 ? (int)(left * 1e3) + 1 : 0);
        if (n > 0)
            return true;
        if ((n == 0 || errno != EINTR) && left <= 0)
            return false;
    }
}

uint8_t *child_next_place(child_host *h)
{
    h->place = (h->place + 1) % RUNNER_PLACES;
    return h->code + (size_t)h->place * RUNNER_CODE_BYTES;
}

/* Nothing that the runner counts exceeds what it was asked for. */
bool child_report_is_possible(const runner_plan *plan, const runner_report *r)
{
    return r->stage <= RUNNER_STAGE_DONE && r->failure <= RUNNER_FAILED_FETCH &&
           (r->failure != RUNNER_FAILED_SYSTEM || r->stage == RUNNER_STAGE_NONE) &&
           r->fault_count <= RUNNER_MAX_FAULTS && r->fault_count <= plan->max_faults &&
           r->short_faults <= r->fault_count && r->step_count <= RUNNER_MAX_STEPS &&
           r->samples_taken <= RUNNER_MAX_SAMPLES && r->samples_taken <= plan->sample_count &&
           r->samples_taken <= r->attempts_made && r->attempts_made <= plan->attempts &&
           (r->stage == RUNNER_STAGE_DONE || !r->samples_taken);
}

/* Its counts, without which nothing else in it is looked at. */
static int clear_report(const child_host *h, tacho_error *err)
{
    static const uint8_t zero[offsetof(runner_report, faults)];
    if (pwrite(h->report_fd, zero, sizeof zero, 0) != sizeof zero)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "no memory for the sandbox: %s", strerror(errno));
    return 0;
}

/* Waits, and ends it at its deadline. */
static int await(const child_host *h, pid_t pid, double seconds, child_end *end, int *signal,
                 tacho_error *err)
{
    int status;
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), error = errno;
    bool in_time = pidfd >= 0 && wait_for_end(pidfd, seconds);
    if (!in_time)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pidfd < 0)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot wait for the sandbox (pidfd_open): %s",
                               strerror(error));
    close(pidfd);
    *end = !in_time                                       ? CHILD_TIMEOUT
           : WIFSIGNALED(status)                          ? CHILD_KILLED
           : child_report_is_possible(h->plan, h->report) ? CHILD_EXITED
                                                          : CHILD_NONSENSE;
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return 0;
}

int child_run(child_host *h, double seconds, child_end *end, int *signal, tacho_error *err)
{
    start_failure failure = {NULL, 0};
    memcpy(h->plan->filter, filter, sizeof filter);
    h->plan->filter_length = sizeof filter / sizeof *filter;
    h->plan->place = h->place;
    int failed = clear_report(h, err);
    if (failed)
        return failed;
    pid_t pid = start(h, (unsigned)seconds + 1, &failure);
    if (pid < 0)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "no process for the block: %s", strerror(errno));
    failed = await(h, pid, seconds, end, signal, err);
    if (!failed && failure.call)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "the sandbox cannot be set up (%s): %s", failure.call,
                               strerror(failure.error));
    return failed;
}

/* ---- what became of it, in words ---- */

void job_stop(job *j, tacho_measure_status status, int64_t offset, const char *format, ...)
{
    va_list args;
    j->out->cycles = j->out->uncertainty = j->out->low = j->out->high = NAN;
    j->out->status = status;
    j->out->offset = offset;
    j->done = true;
    va_start(args, format);
    vsnprintf(j->out->message, sizeof j->out->message, format, args);
    va_end(args);
}

/* Offset in the block of an address in one of its copies; -1 when it is in none. */
static int64_t offset_of(const job *j, uint64_t rip)
{
    const codegen_block *c = &j->code;
    const uint64_t size = c->offsets[c->count - c->drop_last];
    const uint64_t copies[] = {c->copies[0], c->copies[1], c->own_branch ? 1 : CODEGEN_TRACED_COPIES};
    const uint64_t starts[] = {c->start[0], c->start[1], c->trace_start};
    for (int i = 0; i < 3; i++)
        if (rip >= starts[i] && rip < starts[i] + size * copies[i])
            return (int64_t)((rip - starts[i]) % size);
    return -1;
}

static const tacho_insn *insn_at(const job *j, int64_t offset)
{
    for (size_t i = 0; i < j->block.count; i++)
        if (j->block.offsets[i] == offset)
            return &j->block.insns[i];
    return NULL;
}

static const char *signal_words(const runner_report *c, bool undefined)
{
    enum {
        FROM_KERNEL = 0x80
    };
    switch (c->detail) {
    case SIGILL:
        return undefined ? "is undefined by intent (SIGILL)" : "is not known to this processor (SIGILL)";
    case SIGFPE:
        return "divides by zero, or the quotient is too large (SIGFPE); --init chooses other values";
    case SIGSEGV:
        return c->code == FROM_KERNEL ? "accesses an address that is not canonical, or one that has to be "
                                        "aligned and is not (SIGSEGV)"
                                      : "accesses an address that cannot be mapped (SIGSEGV)";
    case SIGBUS:
        return "accesses memory that does not exist (SIGBUS)";
    case SIGTRAP:
        return "is a breakpoint (SIGTRAP)";
    default:
        return "was stopped by a signal";
    }
}

static void crashed_by_signal(job *j, const runner_report *c)
{
    char text[96] = "the block", where[64] = "";
    int64_t offset = offset_of(j, c->rip);
    const tacho_insn *insn = offset >= 0 ? insn_at(j, offset) : NULL;
    if (insn)
        tacho_listing_write(j->block.listing, insn, (uint64_t)offset, text, sizeof text);
    const bool undefined = insn && insn_is(insn, INSN_UNDEFINED);
    const bool is_ours = c->address >= RUNNER_BASE && c->address < RUNNER_END;
    if (c->detail == SIGSEGV && c->address)
        snprintf(where, sizeof where, ": 0x%llx%s", (unsigned long long)c->address,
                 is_ours ? ", where the sandbox lies" : "");
    job_stop(j,
             c->detail == SIGILL && insn && !undefined ? TACHO_MEASURED_UNSUPPORTED : TACHO_MEASURED_CRASHED,
             offset, "'%s' %s%s", text, signal_words(c, undefined), where);
}

static const char *call_name(uint64_t which)
{
    static const char *const names[] = {"a deeper stack",  "mmap",     "munmap", "sigaction", "arch_prctl",
                                        "perf_event_open", "mprotect", "close",  "seccomp"};
    return which < sizeof names / sizeof *names ? names[which] : "";
}

int job_explain_end(job *j, const runner_report *c, child_end end, int signal, tacho_error *err)
{
    const uint32_t max_pages = j->options->max_pages;
    if (end == CHILD_TIMEOUT)
        job_stop(j, TACHO_MEASURED_TIMEOUT, -1,
                 "did not end in time: an endless loop, or --timeout is too short");
    else if (end == CHILD_KILLED)
        job_stop(j, signal == SIGXCPU || signal == SIGKILL ? TACHO_MEASURED_TIMEOUT : TACHO_MEASURED_CRASHED,
                 -1,
                 signal == SIGSYS    ? "made a system call, and was killed (SIGSYS)"
                 : signal == SIGKILL ? "was killed twice from outside (SIGKILL), as where memory is short"
                                     : "was killed by signal %d, which the sandbox could not handle",
                 signal);
    else if (end == CHILD_NONSENSE)
        job_stop(j, TACHO_MEASURED_CRASHED, -1, "spoilt the sandbox: its report cannot be true");
    else if (c->failure == RUNNER_FAILED_SYSTEM)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "the sandbox cannot be set up: %s: %s",
                               call_name(c->address), strerror((int)c->detail));
    else if (c->failure == RUNNER_FAILED_SIGNAL)
        crashed_by_signal(j, c);
    else if (c->failure == RUNNER_FAILED_FAULTS)
        job_stop(j, TACHO_MEASURED_CRASHED, -1, "touches more than %u pages%s", max_pages,
                 max_pages < RUNNER_MAX_FAULTS ? "; --max-pages allows more" : "");
    else if (c->failure == RUNNER_FAILED_FETCH)
        job_stop(j, TACHO_MEASURED_CRASHED, -1, "went to 0x%llx, where there is no code",
                 (unsigned long long)c->address);
    else
        job_stop(j, TACHO_MEASURED_CRASHED, -1, "ended by itself");
    return 0;
}
