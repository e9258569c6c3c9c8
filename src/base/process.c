/* process.c - running another program.
 *
 * Input and outputs are files in memory, so that no pipe fills up and nothing is left behind; RLIMIT_FSIZE
 * limits what is written there, too. While a program runs nothing else wakes up, so that it can be timed. */
#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/seconds.h"

enum {
    FD_FILE = 3, /* in the child */
    FD_REPORT = 4,
    FD_COUNT = 5,
    LOOK_MS = 50, /* where the system does not tell of the end */
    MAX_WAIT_MS = 1000000
};

static bool is_program(const char *path)
{
    struct stat st;
    if (stat(path, &st) || (S_ISREG(st.st_mode) && access(path, X_OK)))
        return false;
    if (S_ISREG(st.st_mode))
        return true;
    errno = S_ISDIR(st.st_mode) ? EISDIR : EACCES;
    return false;
}

const char *tacho_process_why_not(const char *program, int error)
{
    return error == ENOENT && !strchr(program, '/') ? "no such command" : strerror(error);
}

bool tacho_process_find(const char *program, char *out, size_t size)
{
    const char *path = getenv("PATH");
    errno = ENOENT;
    if (strchr(program, '/')) {
        int length = snprintf(out, size, "%s", program);
        if ((size_t)length < size)
            return is_program(out);
        errno = ENAMETOOLONG;
        return false;
    }
    int why = ENOENT;
    if (!path || !*path)
        path = "/usr/local/bin:/usr/bin:/bin";
    while (*path) {
        size_t n = strcspn(path, ":");
        int length = snprintf(out, size, "%.*s/%s", (int)n, path, program);
        if (*path == '/' && length > 0 && (size_t)length < size && is_program(out))
            return true;
        if (errno == EACCES) /* as execvp: what may not be executed hides nothing */
            why = EACCES;
        path += n + (path[n] == ':');
    }
    errno = why;
    return false;
}

int tacho_process_find_command(const char *program, char *out, size_t size, tacho_error *err)
{
    return tacho_process_find(program, out, size)
               ? 0
               : tacho_error_set(err, TACHO_ERR_INPUT, "cannot run %.200s: %s", program,
                                 tacho_process_why_not(program, errno));
}

/* ---- the child, between fork and exec: only async-signal-safe calls ---- */

static void limit(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit r, now;
    if (!soft || getrlimit(resource, &now))
        return;
    r.rlim_cur = now.rlim_max < soft ? now.rlim_max : soft;
    r.rlim_max = now.rlim_max < hard ? now.rlim_max : hard;
    setrlimit(resource, &r);
}

static void set_limits(const tacho_process *p)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    limit(RLIMIT_CPU, p->cpu_seconds, p->cpu_seconds + 5);
    limit(RLIMIT_FSIZE, p->file_bytes, p->file_bytes);
    limit(RLIMIT_AS, p->memory_bytes, p->memory_bytes);
    limit(RLIMIT_NOFILE, p->open_files, p->open_files);
}

/* Signals as a program expects them, whatever the caller's thread has blocked or ignores. */
static void set_signals(void)
{
    struct sigaction as_usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int s = 1; s < 32; s++)
        sigaction(s, &as_usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool set_descriptors(const tacho_process *p, int report)
{
    int from[FD_COUNT] = {p->input, p->output, p->errors, p->file, report};
    for (int i = 0; i < FD_COUNT; i++) /* those in the way of others are put aside */
        if (from[i] >= 0 && from[i] < FD_COUNT && (from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, FD_COUNT)) < 0) {
            errno = errno == EINVAL ? EMFILE : errno; /* no descriptor can be as high */
            return false;
        }
    for (int i = 0; i < FD_COUNT; i++)
        if (from[i] < 0)
            close(i);
        else if (dup2(from[i], i) < 0)
            return false;
    fcntl(FD_REPORT, F_SETFD, FD_CLOEXEC);
    /* Where the system lacks the call: all that tacho opens closes by itself. */
    syscall(SYS_close_range, FD_COUNT, ~0u, 0);
    return true;
}

static const unsigned long as_it_is = 0xffffffff;

static bool fix_addresses(void)
{
    int now = personality(as_it_is);
    return now >= 0 && personality((unsigned)now | ADDR_NO_RANDOMIZE) >= 0;
}

/* Tried on this thread, for which, as for what it starts, all is as before then. */
bool tacho_process_can_fix_addresses(void)
{
    int before = personality(as_it_is);
    bool can = fix_addresses();
    if (can)
        personality((unsigned)before);
    return can;
}

/* Where it runs, where things lie in its memory, and whether it waits at its start. */
static bool set_place(const tacho_process *p)
{
    if (p->cpus && sched_setaffinity(0, sizeof *p->cpus, p->cpus))
        return false;
    if (p->same_addresses && !fix_addresses())
        return false;
    return !p->held || !ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static void run_child(const tacho_process *p, int report, pid_t parent)
{
    extern char **environ;
    union {
        const char *const *given;
        char *const *wanted; /* what execve takes although it changes nothing */
    } argv = {p->argv}, env = {p->env};
    if (set_descriptors(p, report)) {
        report = FD_REPORT;
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(126);
        set_signals();
        if (set_place(p) && (!p->directory || !chdir(p->directory))) {
            set_limits(p);
            execve(p->path, argv.wanted, p->env ? env.wanted : environ);
        }
    }
    int error = errno;
    ssize_t n = write(report, &error, sizeof error);
    _exit(n == sizeof error ? 127 : 126);
}

/* ---- the parent ---- */

/* Whether the child has ended; it stays to be waited for. Where the caller ignores SIGCHLD it is gone. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT))
        return errno == ECHILD;
    return info.si_pid == pid;
}

/* A descriptor that can be read from when the process has ended; -1 where there is no such thing. */
static int watch_process(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Waits for the end of the process, of the time, or of the caller's patience. */
static void wait_until_ended(pid_t pid, const tacho_process *p, tacho_process_end *end)
{
    double until = seconds_now() + p->seconds;
    struct pollfd watch = {watch_process(pid), POLLIN, 0};
    while (!has_ended(pid) && !end->timed_out && !end->stopped) {
        double left = until - seconds_now(), most = watch.fd < 0 ? LOOK_MS : MAX_WAIT_MS;
        if (p->look > 0)
            most = fmin(most, p->look * 1000);
        int ready = left > 0 ? poll(&watch, 1, (int)fmin(left * 1000 + 1, most)) : 0;
        if (left <= 0)
            end->timed_out = true;
        else if (ready < 0 || (!ready && p->look > 0))
            end->stopped = p->stop && p->stop(p->payload);
    }
    if (watch.fd >= 0)
        close(watch.fd);
}

static void finish(pid_t pid, const tacho_process *p, tacho_process_end *end)
{
    int status = 0;
    double started = seconds_now();
    *end = (tacho_process_end){.exit_status = -1};
    wait_until_ended(pid, p, end);
    end->seconds = seconds_now() - started;
    kill(-pid, SIGKILL); /* before it is reaped: the number is still its own */
    kill(pid, SIGKILL);
    while (wait4(pid, &status, 0, &end->usage) < 0)
        if (errno != EINTR)
            return;
    if (WIFSIGNALED(status))
        end->signal = WTERMSIG(status);
    else if (!end->timed_out && !end->stopped)
        end->exit_status = WEXITSTATUS(status);
}

/* Lets the caller look at the program that waits before its first instruction, if exec has not failed.
 * @return what the caller said */
static int hold(pid_t pid, const tacho_process *p)
{
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOWAIT))
        if (errno != EINTR)
            return errno;
    if (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
        return 0;
    waitpid(pid, NULL, WUNTRACED);
    int error = p->held(pid, p->payload);
    if (error)
        kill(pid, SIGKILL);
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
    return error;
}

/* The error with which exec failed, 0 when it did not. */
static int exec_error(int report)
{
    int error = 0;
    ssize_t n = TEMP_FAILURE_RETRY(read(report, &error, sizeof error));
    return n == sizeof error ? error : 0;
}

int tacho_process_run(const tacho_process *p, tacho_process_end *end)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC))
        return -1;
    pid_t parent = getpid(), pid = fork();
    if (!pid)
        run_child(p, report[1], parent);
    int error = pid < 0 ? errno : 0, held = 0;
    close(report[1]);
    if (pid > 0) {
        held = p->held ? hold(pid, p) : 0;
        error = exec_error(report[0]);
        finish(pid, p, end);
    }
    close(report[0]);
    errno = error ? error : held;
    return errno ? -1 : 0;
}

/* ---- texts ---- */

int tacho_process_read(int fd, size_t limit, tacho_str *out)
{
    char buffer[16384];
    off_t at = 0;
    while ((size_t)at < limit) {
        size_t want = limit - (size_t)at < sizeof buffer ? limit - (size_t)at : sizeof buffer;
        ssize_t n = pread(fd, buffer, want, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        tacho_str_append(out, buffer, (size_t)n);
        at += n;
    }
    tacho_str_append(out, "", 0);
    errno = ENOMEM;
    return out->failed ? -1 : 0;
}

int tacho_process_run_text(const tacho_process *process, const char *input, size_t input_size, tacho_str *out,
                           tacho_str *errors, tacho_process_end *end)
{
    tacho_process p = *process;
    p.input = tacho_file_in_memory(input, input_size);
    p.output = tacho_file_in_memory(NULL, 0);
    p.errors = tacho_file_in_memory(NULL, 0);
    int result = p.input < 0 || p.output < 0 || p.errors < 0 ? -1 : tacho_process_run(&p, end);
    if (!result)
        result = tacho_process_read(p.output, p.file_bytes, out)
                     ?: tacho_process_read(p.errors, p.file_bytes, errors);
    int saved = errno;
    const int fds[] = {p.input, p.output, p.errors};
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    errno = saved;
    return result;
}
