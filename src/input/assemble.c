/* assemble.c - runs the GNU assembler, without a shell and without trusting its input.
 *
 * Text, messages and the object file live in memory files, so that nothing is left behind. The assembler
 * may open exactly one file, its output: whatever directive a macro composes, it cannot read another. It has
 * limits on CPU time, memory and what it writes, so that ".rept 1000000000" ends in an error. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input/input.h"
#include "util/file.h"
#include "util/mem.h"

enum {
    CPU_SECONDS = 20,
    WALL_MS = 60000,
    MAX_OUTPUT_BYTES = 64 << 20,
    MAX_MEMORY_MB = 2048,
    MAX_MESSAGE_BYTES = 64 << 10,
    FD_OUTPUT = 3, /* in the child */
    FD_ALIVE = 4,  /* closed by its end: how the parent waits with a timeout */
    FD_LIMIT = 6,  /* one more: the output file, which the assembler opens by name */
};

/* In the directories of PATH, none of them relative. */
static bool find_program(const char *program, char *out, size_t size)
{
    const char *path = getenv("PATH");
    if (!path || !*path)
        path = "/usr/local/bin:/usr/bin:/bin";
    while (*path) {
        size_t n = strcspn(path, ":");
        int length = snprintf(out, size, "%.*s/%s", (int)n, path, program);
        if (*path == '/' && length > 0 && (size_t)length < size && !access(out, X_OK))
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

static void limit(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit r, now;
    if (getrlimit(resource, &now))
        return;
    r.rlim_cur = now.rlim_max < soft ? now.rlim_max : soft;
    r.rlim_max = now.rlim_max < hard ? now.rlim_max : hard;
    setrlimit(resource, &r);
}

typedef struct job {
    char program[4096];
    char *argv[10];
    int text, object, messages, alive; /* file descriptors; `alive` the child's end of the pipe */
} job;

/* Between fork and exec: only async-signal-safe calls. */
static void run_child(const job *j)
{
    static char *const env[] = {(char *)"LC_ALL=C", NULL};
    int from[5] = {j->text, j->messages, j->messages, j->object, j->alive};
    for (int i = 0; i < 5; i++) /* first out of the way of the numbers wanted */
        if ((from[i] = fcntl(from[i], F_DUPFD, 10)) < 0)
            _exit(126);
    for (int i = 0; i < 5; i++)
        if (dup2(from[i], i) < 0)
            _exit(126);
    for (int i = 0; i < 5; i++)
        close(from[i]);
    struct sigaction dfl = {.sa_handler = SIG_DFL};
    int reset[] = {SIGXCPU, SIGXFSZ, SIGPIPE, SIGALRM, SIGTERM};
    for (size_t i = 0; i < sizeof reset / sizeof *reset; i++)
        sigaction(reset[i], &dfl, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_CPU, CPU_SECONDS, CPU_SECONDS + 5);
    limit(RLIMIT_FSIZE, MAX_OUTPUT_BYTES, MAX_OUTPUT_BYTES);
    limit(RLIMIT_AS, (rlim_t)MAX_MEMORY_MB << 20, (rlim_t)MAX_MEMORY_MB << 20);
    limit(RLIMIT_NOFILE, FD_LIMIT, FD_LIMIT);
    execve(j->program, j->argv, env);
    _exit(127);
}

/* Waits for the child's end. @return its wait status; *timed_out when it had to be killed. */
static int wait_child(pid_t pid, int alive, bool *timed_out)
{
    struct pollfd p = {alive, POLLIN, 0};
    int n;
    do
        n = poll(&p, 1, WALL_MS);
    while (n < 0 && errno == EINTR);
    *timed_out = n == 0;
    if (n == 0)
        kill(pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static char *read_fd(int fd, size_t limit_bytes, size_t *size)
{
    struct stat st;
    if (fstat(fd, &st))
        return NULL;
    size_t want = (size_t)st.st_size < limit_bytes ? (size_t)st.st_size : limit_bytes, done = 0;
    char *data = tacho_mem_alloc(want + 1);
    while (data && done < want) {
        ssize_t n = pread(fd, data + done, want - done, (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (data)
        data[done] = '\0';
    *size = done;
    return data;
}

/* The next message of that kind ("Error: ") from `text` on: its text and line. */
static const char *next_message(const char *text, const char *kind, uint64_t *line, size_t *length)
{
    const char *hit = strstr(text, kind);
    if (!hit)
        return NULL;
    *line = 0;
    if (hit - text >= 3 && hit[-1] == ' ' && hit[-2] == ':') {
        const char *digits = hit - 2;
        while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        *line = strtoull(digits, NULL, 10);
    }
    hit += strlen(kind);
    *length = strcspn(hit, "\n");
    return hit;
}

static bool contains(const char *text, size_t length, const char *part)
{
    return memmem(text, length, part, strlen(part)) != NULL;
}

/* Whether the message is one that text in the other syntax typically ends in. */
static bool about_operands(const char *message, size_t length)
{
    static const char *const parts[] = {
        "operand", "no such instruction", "memory reference", "ambiguous", "register", "junk", "expression"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (contains(message, length, parts[i]))
            return true;
    return false;
}

/* What would have been right, where that can be guessed from the text. */
static const char *hint(const input *in, const char *text, size_t size, const char *message, size_t length)
{
    if (!about_operands(message, length))
        return "";
    bool percent = memchr(text, '%', size) != NULL, hex = true;
    size_t digits = 0;
    for (size_t i = 0; i < size && hex; i++) {
        hex = strchr("0123456789abcdefABCDEF \t\r\n", text[i]) != NULL;
        digits += text[i] > ' ';
    }
    if (hex && digits >= 2)
        return " (the text looks like machine code in hex: use --hex)";
    if (in->options->syntax == TACHO_SYNTAX_AUTO && !percent && !memmem(text, size, ".intel_syntax", 13))
        return " (AT&T syntax is assumed; for Intel syntax use --syntax intel or begin with "
               "'.intel_syntax noprefix')";
    if (in->options->syntax == TACHO_SYNTAX_INTEL && percent)
        return " (Intel syntax was asked for, but the text has '%' registers as in AT&T syntax)";
    return "";
}

static int report_failure(const input *in, int status, bool timed_out, const char *messages, const char *text,
                          size_t size)
{
    uint64_t line = 0;
    size_t length = 0;
    const char *m = next_message(messages, "Error: ", &line, &length);
    const char *fatal = next_message(messages, "Fatal error: ", &line, &length);
    if (!m)
        m = fatal;
    else
        next_message(messages, "Error: ", &line, &length);
    if (m && (contains(m, length, "Too many open files") || contains(m, length, "file not found")))
        return input_fail(in, TACHO_ERR_INPUT, line, -1,
                          "refused: an input may not read other files (.include, .incbin)");
    if (m && contains(m, length, INPUT_LABEL))
        return input_fail(in, TACHO_ERR_INPUT, line, -1,
                          "a region marker inside a macro or a repeated block; put it outside");
    bool memory = strstr(messages, "out of memory") || strstr(messages, "memory exhausted");
    if (m && !memory)
        return input_fail(in, TACHO_ERR_INPUT, line, -1, "%.*s%s", (int)(length < 250 ? length : 250), m,
                          hint(in, text, size, m, length));
    if (timed_out || (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)))
        return input_fail(in, TACHO_ERR_LIMIT, 0, -1, "the assembler took more than %d seconds", CPU_SECONDS);
    if (memory)
        return input_fail(in, TACHO_ERR_LIMIT, 0, -1, "the assembler needed more than %d MB of memory",
                          MAX_MEMORY_MB);
    if ((WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ) || strstr(messages, "File too large"))
        return input_fail(in, TACHO_ERR_LIMIT, 0, -1, "the assembled code is larger than %d MB",
                          MAX_OUTPUT_BYTES >> 20);
    if (WIFSIGNALED(status))
        return input_fail(in, TACHO_ERR_SYSTEM, 0, -1, "the assembler died of signal %d", WTERMSIG(status));
    return input_fail(in, TACHO_ERR_SYSTEM, 0, -1, "the assembler failed: %.*s",
                      (int)(strcspn(messages, "\n") < 250 ? strcspn(messages, "\n") : 250), messages);
}

static int pass_warnings(const input *in, const char *messages)
{
    uint64_t line;
    size_t length;
    for (const char *m = messages; (m = next_message(m, "Warning: ", &line, &length)); m += length)
        if (input_warn(in, "line %llu: %.*s", (unsigned long long)line, (int)(length < 200 ? length : 200),
                       m))
            return TACHO_ERR_MEMORY;
    return 0;
}

static int start(const input *in, job *j, bool lines, pid_t *pid, int *alive)
{
    int ends[2];
    char *argv[] = {(char *)"as", (char *)"--64", (char *)"-o", (char *)"/proc/self/fd/3", NULL, NULL,
                    NULL,         NULL,           NULL};
    int n = 4;
    if (lines)
        argv[n++] = (char *)"--gdwarf-4";
    if (in->options->syntax == TACHO_SYNTAX_INTEL) {
        argv[n++] = (char *)"-msyntax=intel";
        argv[n++] = (char *)"-mnaked-reg";
    }
    argv[n++] = (char *)"--";
    memcpy(j->argv, argv, sizeof argv);
    if (pipe2(ends, O_CLOEXEC))
        return input_fail(in, TACHO_ERR_SYSTEM, 0, -1, "cannot start the assembler: %s", strerror(errno));
    j->alive = ends[1];
    *pid = fork();
    if (*pid == 0)
        run_child(j);
    close(ends[1]);
    *alive = ends[0];
    if (*pid > 0)
        return 0;
    close(ends[0]);
    return input_fail(in, TACHO_ERR_SYSTEM, 0, -1, "cannot start the assembler: %s", strerror(errno));
}

static int run(const input *in, job *j, const char *text, size_t size, bool lines, char **object,
               size_t *object_size)
{
    pid_t pid = -1;
    int alive = -1;
    bool timed_out = false;
    int result = start(in, j, lines, &pid, &alive);
    if (result)
        return result;
    int status = wait_child(pid, alive, &timed_out);
    close(alive);
    size_t message_size;
    char *messages = read_fd(j->messages, MAX_MESSAGE_BYTES, &message_size);
    if (!messages)
        return input_no_memory(in);
    if (status || timed_out)
        result = report_failure(in, status, timed_out, messages, text, size);
    else
        result = pass_warnings(in, messages);
    tacho_mem_free(messages);
    if (result)
        return result;
    *object = read_fd(j->object, MAX_OUTPUT_BYTES, object_size);
    return *object ? 0 : input_no_memory(in);
}

int input_assemble(const input *in, const char *text, size_t size, bool lines, char **object,
                   size_t *object_size)
{
    job j;
    if (!find_program("x86_64-linux-gnu-as", j.program, sizeof j.program) &&
        !find_program("as", j.program, sizeof j.program))
        return input_fail(in, TACHO_ERR_SYSTEM, 0, -1,
                          "assembly text needs the GNU assembler 'as' (Debian: apt-get install binutils)");
    j.text = tacho_file_in_memory(text, size);
    j.object = tacho_file_in_memory(NULL, 0);
    j.messages = tacho_file_in_memory(NULL, 0);
    int result;
    if (j.text < 0 || j.object < 0 || j.messages < 0)
        result = input_fail(in, TACHO_ERR_SYSTEM, 0, -1, "cannot make a memory file: %s", strerror(errno));
    else
        result = run(in, &j, text, size, lines, object, object_size);
    int fds[] = {j.text, j.object, j.messages};
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return result;
}
