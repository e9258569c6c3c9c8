/* child.c - starts the runner in a sandbox, waits for it, and ends it when its time is up.
 *
 * The child has no descriptors but the two memory files, limits on what it may use, a process group of its
 * own, no way to gain rights, and goes away with its parent. Its system calls are limited by a seccomp filter
 * that libseccomp makes here and the runner installs once its memory is set up: exit, return from a signal
 * handler, and mapping one page of the block's memory. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/child.h"
#include "util/seconds.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* since Linux 6.3 */
#endif

extern const char runner_image[];
extern const unsigned long runner_image_size;

enum {
    CONTROL_BYTES = RUNNER_CODE_OFFSET + RUNNER_PLACES * RUNNER_CODE_BYTES,
    DATA_BYTES = RUNNER_PLACES * RUNNER_MAX_DATA_PAGES * RUNNER_PAGE,
    BPF_INSTRUCTION_BYTES = 8,
    FIRST_FREE_FD = 10, /* descriptors of the child are moved below it */
};

/* ---- the filter ---- */

static int add_rules(scmp_filter_ctx filter)
{
    int failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(exit_group), 0);
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(rt_sigreturn), 0);
    failed |= seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 5, SCMP_A1(SCMP_CMP_EQ, RUNNER_PAGE, 0),
        SCMP_A2(SCMP_CMP_EQ, PROT_READ | PROT_WRITE, 0), SCMP_A3(SCMP_CMP_EQ, MAP_SHARED | MAP_FIXED, 0),
        SCMP_A4(SCMP_CMP_EQ, RUNNER_DATA_FD, 0), SCMP_A5(SCMP_CMP_LT, DATA_BYTES, 0));
    return failed;
}

/* libseccomp writes to a descriptor. */
static int export_filter(scmp_filter_ctx filter, child_host *h)
{
    int fd = memfd_create("tacho-filter", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    int failed = seccomp_export_bpf(filter, fd);
    off_t size = failed ? -1 : lseek(fd, 0, SEEK_END);
    if (size > 0 && (size_t)size <= sizeof h->filter && pread(fd, h->filter, (size_t)size, 0) == size)
        h->filter_length = (uint32_t)size / BPF_INSTRUCTION_BYTES;
    close(fd);
    return h->filter_length ? 0 : -1;
}

static int make_filter(child_host *h, tacho_error *err)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int failed = !filter || add_rules(filter) || export_filter(filter, h);
    if (filter)
        seccomp_release(filter);
    return failed ? tacho_error_set(err, TACHO_ERR_SYSTEM, "the sandbox's system call filter cannot be made")
                  : 0;
}

/* ---- files ---- */

static int open_memory(const char *name, size_t size, unsigned flags, tacho_error *err)
{
    int fd = memfd_create(name, MFD_CLOEXEC | flags);
    if (fd < 0 && errno == EINVAL) /* a kernel that does not know the flag needs none */
        fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0 && fd < FIRST_FREE_FD) {
        int moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
        close(fd);
        fd = moved;
    }
    if (fd < 0 || (size && ftruncate(fd, (off_t)size))) {
        tacho_error_set(err, TACHO_ERR_SYSTEM, "no memory file for the sandbox (memfd_create): %s",
                        strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

static int write_image(int fd, tacho_error *err)
{
    for (size_t done = 0; done < runner_image_size;) {
        ssize_t n = write(fd, runner_image + done, runner_image_size - done);
        if (n < 0 && errno != EINTR)
            return tacho_error_set(err, TACHO_ERR_SYSTEM, "the sandbox's program cannot be written: %s",
                                   strerror(errno));
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int child_host_open(child_host *h, int cpu, tacho_error *err)
{
    *h = (child_host)CHILD_HOST_INIT;
    h->cpu = cpu;
    h->control_fd = open_memory("tacho-control", CONTROL_BYTES, MFD_EXEC, err);
    h->data_fd = h->control_fd < 0 ? -1 : open_memory("tacho-data", DATA_BYTES, 0, err);
    h->image_fd = h->data_fd < 0 ? -1 : open_memory("tacho-runner", 0, MFD_EXEC, err);
    if (h->image_fd < 0)
        return TACHO_ERR_SYSTEM;
    void *shared = mmap(NULL, CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, h->control_fd, 0);
    if (shared == MAP_FAILED)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "no memory for the sandbox: %s", strerror(errno));
    h->control = shared;
    h->code = (uint8_t *)shared + RUNNER_CODE_OFFSET;
    int failed = write_image(h->image_fd, err);
    return failed ? failed : make_filter(h, err);
}

void child_host_close(child_host *h)
{
    if (h->control)
        munmap(h->control, CONTROL_BYTES);
    const int fds[] = {h->control_fd, h->data_fd, h->image_fd};
    for (unsigned i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    *h = (child_host)CHILD_HOST_INIT;
}

/* ---- the child ---- */

static void limit(int what, rlim_t most)
{
    struct rlimit r = {most, most};
    setrlimit(what, &r);
}

/* After vfork: nothing but system calls. @return only when one failed, with its errno */
static int become_runner(const child_host *h, unsigned seconds)
{
    enum {
        ADDRESS_SPACE = 1 << 30
    };
    static char *const no_words[] = {NULL};
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(h->cpu, &set);
    if (setpgid(0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL))
        return errno;
    if (sched_setaffinity(0, sizeof set, &set))
        return errno;
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds + 1);
    limit(RLIMIT_AS, ADDRESS_SPACE);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NPROC, 0);
    if (dup2(h->control_fd, RUNNER_CONTROL_FD) < 0 || dup2(h->data_fd, RUNNER_DATA_FD) < 0)
        return errno;
    /* The program's own descriptor is closed by execveat itself. */
    if (syscall(SYS_close_range, RUNNER_DATA_FD + 1, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */))
        return errno;
    for (int fd = 0; fd < RUNNER_CONTROL_FD; fd++)
        close(fd);
    syscall(SYS_execveat, h->image_fd, "", no_words, no_words, AT_EMPTY_PATH);
    return errno;
}

static __attribute__((noinline)) pid_t start(const child_host *h, unsigned seconds, volatile int *failed)
{
    pid_t pid = vfork();
    if (pid == 0) {
        *failed = become_runner(h, seconds);
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

int child_run(child_host *h, double seconds, child_end *end, int *signal, tacho_error *err)
{
    volatile int failed = 0;
    int status;
    memcpy(h->control->filter, h->filter, sizeof h->filter);
    h->control->filter_length = h->filter_length;
    h->control->place = h->place;
    pid_t pid = start(h, (unsigned)seconds + 1, &failed);
    if (pid < 0)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "no process for the block: %s", strerror(errno));
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    bool in_time = pidfd >= 0 && wait_for_end(pidfd, seconds);
    if (!in_time)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pidfd < 0)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot wait for the sandbox (pidfd_open): %s",
                               strerror(errno));
    close(pidfd);
    if (failed)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "the sandbox's program cannot be run (execveat): %s",
                               strerror(failed));
    *end = !in_time ? CHILD_TIMEOUT : WIFSIGNALED(status) ? CHILD_KILLED : CHILD_EXITED;
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return 0;
}
