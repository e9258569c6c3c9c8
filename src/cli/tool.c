/* tool.c - runs another program on a text in memory, its output going to a file. */
#include "cli/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "util/file.h"

enum {
    CPU_SECONDS = 60,
    MESSAGE_BYTES = 300
};

/* Between fork and exec. */
static void run_child(const char *const *argv, int input, int output, int messages)
{
    struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS + 5};
    setrlimit(RLIMIT_CPU, &cpu);
    if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(messages, 2) < 0)
        _exit(126);
    union {
        const char *const *given;
        char *const *wanted; /* what execvp takes although it changes nothing */
    } arguments = {argv};
    execvp(argv[0], arguments.wanted);
    _exit(errno == ENOENT ? 127 : 126);
}

/* The first line of what the program has said. */
static void first_line(int fd, char out[MESSAGE_BYTES])
{
    ssize_t n = pread(fd, out, MESSAGE_BYTES - 1, 0);
    out[n > 0 ? n : 0] = '\0';
    char *start = out + strspn(out, " \n");
    memmove(out, start, strlen(start) + 1);
    out[strcspn(out, "\n")] = '\0';
}

static bool explain(const char *program, const char *package, int status, int messages, const char *path)
{
    char said[MESSAGE_BYTES];
    first_line(messages, said);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        cli_error("cannot write %s: the program %s is not installed (on Debian: apt-get install %s)", path,
                  program, package);
    else if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        cli_error("cannot write %s: %s took more than %d seconds", path, program, CPU_SECONDS);
    else
        cli_error("cannot write %s: %s failed%s%s", path, program, *said ? ": " : "", said);
    return false;
}

static bool run_with(const char *const *argv, const char *package, int input, int output, int messages,
                     const char *path)
{
    int status = 0;
    pid_t pid = fork();
    if (pid < 0) {
        cli_error("cannot run %s: %s", argv[0], strerror(errno));
        return false;
    }
    if (!pid)
        run_child(argv, input, output, messages);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return explain(argv[0], package, status, messages, path);
    struct stat st; /* devices have no size */
    if (!fstat(output, &st) && S_ISREG(st.st_mode) && !st.st_size) {
        cli_error("cannot write %s: %s wrote nothing", path, argv[0]);
        return false;
    }
    return true;
}

bool tool_run(const char *const *argv, const char *package, const tacho_str *input, const char *path)
{
    if (input->failed) {
        cli_error("%s: out of memory", path);
        return false;
    }
    int output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output < 0) {
        cli_error("cannot write %s: %s", path, strerror(errno));
        return false;
    }
    int in = tacho_file_in_memory(input->data, input->length), messages = tacho_file_in_memory("", 0);
    bool ok = in >= 0 && messages >= 0;
    if (!ok)
        cli_error("cannot run %s: %s", argv[0], strerror(errno));
    ok = ok && run_with(argv, package, in, output, messages, path);
    struct stat st;
    bool file = !fstat(output, &st) && S_ISREG(st.st_mode);
    if (close(output) && ok) {
        cli_error("cannot write %s: %s", path, strerror(errno));
        ok = false;
    }
    if (!ok && file)
        unlink(path);
    if (in >= 0)
        close(in);
    if (messages >= 0)
        close(messages);
    return ok;
}
