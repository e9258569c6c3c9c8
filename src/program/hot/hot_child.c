/* hot_child.c - a command that waits before its execution, so that sampling can begin with its first
 * instruction.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "program/hot/hot_internal.h"

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
