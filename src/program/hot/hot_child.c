/* hot_child.c - a command that waits before its execution, so that sampling can begin with its first
 * instruction.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/process.h"
#include "base/seconds.h"
#include "program/hot/hot_internal.h"
#include "program/windows/windows.h"

static const double most_wait = 0.5; /* seconds: for the dynamic linker */

/* In the new process: waits until the other end of `go` is closed, then becomes the command. Only what is
 * safe after a fork of a program with threads. */
static void become(char *const argv[], int go, int said, int output, pid_t parent)
{
    char nothing;
    ssize_t n;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    if (output >= 0 && dup2(output, STDOUT_FILENO) < 0)
        _exit(127);
    while ((n = read(go, &nothing, 1)) < 0 && errno == EINTR)
        ;
    if (n == 0)
        execvp(argv[0], argv);
    int error = n == 0 ? errno : ECANCELED;
    n = write(said, &error, sizeof error);
    _exit(n == sizeof error ? 127 : 126);
}

int child_start(hot_child *c, char *const argv[], int output, tacho_error *err)
{
    int go[2], said[2];
    *c = (hot_child){.pid = -1, .go = -1, .said = -1};
    if (pipe2(go, O_CLOEXEC))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(said, O_CLOEXEC)) {
        close(go[0]);
        close(go[1]);
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    }
    pid_t parent = getpid();
    c->pid = fork();
    if (c->pid == 0) {
        close(go[1]);
        close(said[0]);
        become(argv, go[0], said[1], output, parent);
    }
    int error = errno;
    close(go[0]);
    close(said[1]);
    c->go = go[1];
    c->said = said[0];
    if (c->pid > 0)
        return 0;
    close(c->go);
    close(c->said);
    return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot make a process: %s", strerror(error));
}

void child_let_go(hot_child *c)
{
    close(c->go);
    c->go = -1;
}

int child_failed(hot_child *c)
{
    int error = 0;
    ssize_t n;
    if (c->said < 0)
        return 0;
    while ((n = read(c->said, &error, sizeof error)) < 0 && errno == EINTR)
        ;
    close(c->said);
    c->said = -1;
    return n == sizeof error ? error : 0;
}

int child_go(hot_child *c, const char *name, tacho_error *err)
{
    child_let_go(c);
    int error = child_failed(c);
    if (!error)
        return 0;
    waitpid(c->pid, NULL, 0);
    return tacho_error_set(err, TACHO_ERR_INPUT, "cannot run %.200s: %s", name,
                           tacho_process_why_not(name, error));
}

/* ---- as far as its first instruction ---- */

bool child_hold(const hot_child *c, const char *name)
{
    char path[4096];
    struct stat s;
    tacho_error ignored;
    if (tacho_process_find_command(name, path, sizeof path, &ignored) || stat(path, &s) ||
        s.st_mode & (S_ISUID | S_ISGID) || getxattr(path, "security.capability", NULL, 0) > 0)
        return false;
    return !ptrace(PTRACE_SEIZE, c->pid, NULL, (void *)(uintptr_t)PTRACE_O_TRACEEXEC);
}

/* Until it says that, has ended, or is stopped as it takes too long. */
static bool await(pid_t pid, int what)
{
    const double end = seconds_now() + most_wait, gap = 20e-6;
    bool asked = false;
    int status;
    for (;;) {
        switch (visit_await(pid, pid, WNOHANG, &status)) {
        case VISIT_IS_GONE:
            return false;
        case VISIT_SAYS_NOTHING:
            if (!asked && seconds_now() > end)
                asked = !ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
            seconds_pause(gap);
            continue;
        case VISIT_STANDS:
            break;
        }
        if (status >> 8 == what)
            return true;
        if (asked && status >> 16 == PTRACE_EVENT_STOP)
            return false;
        ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)(status >> 16 ? 0 : WSTOPSIG(status)));
    }
}

/* Of the auxiliary vector. 0: not found */
static uint64_t entry_of(pid_t pid)
{
    char path[40];
    uint64_t pair[2];
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
    FILE *f = fopen(path, "re");
    bool found = false;
    while (f && !found && fread(pair, sizeof pair, 1, f) == 1)
        found = pair[0] == AT_ENTRY;
    if (f)
        fclose(f);
    return found ? pair[1] : 0;
}

bool child_to_entry(const hot_child *c)
{
    const long breakpoint = 0xcc;
    struct user_regs_struct r;
    if (!await(c->pid, SIGTRAP | PTRACE_EVENT_EXEC << 8))
        return false;
    void *entry = (void *)(uintptr_t)entry_of(c->pid);
    errno = 0;
    const long word = ptrace(PTRACE_PEEKTEXT, c->pid, entry, NULL);
    if (errno || ptrace(PTRACE_POKETEXT, c->pid, entry, (void *)((word & ~0xffL) | breakpoint)))
        return false;
    bool came = false, goes = true;
    while (goes) { /* again, where it was stopped between its breakpoint and its signal */
        goes = !ptrace(PTRACE_CONT, c->pid, NULL, NULL);
        came = goes && await(c->pid, SIGTRAP);
        goes = goes && !ptrace(PTRACE_GETREGS, c->pid, NULL, &r) && !came && r.rip == (uintptr_t)entry + 1;
    }
    ptrace(PTRACE_POKETEXT, c->pid, entry, (void *)word);
    came = came && r.rip == (uintptr_t)entry + 1;
    r.rip = (uintptr_t)entry;
    return came && !ptrace(PTRACE_SETREGS, c->pid, NULL, &r);
}

void child_release(const hot_child *c)
{
    ptrace(PTRACE_DETACH, c->pid, NULL, NULL);
}

void child_drop(hot_child *c)
{
    if (c->pid > 0) {
        kill(c->pid, SIGKILL);
        waitpid(c->pid, NULL, __WALL);
    }
    if (c->go >= 0)
        close(c->go);
    if (c->said >= 0)
        close(c->said);
    *c = (hot_child){.pid = -1, .go = -1, .said = -1};
}
