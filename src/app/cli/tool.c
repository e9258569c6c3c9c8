/* tool.c - runs another program on a text in memory, its output going to a file. */
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/output.h"
#include "base/file.h"
#include "base/process.h"

enum {
    CPU_SECONDS = 60,
    WALL_SECONDS = 600,
    MESSAGE_BYTES = 300
};

/* The first line of what the program has said. */
static void first_line(int fd, char out[MESSAGE_BYTES])
{
    ssize_t n = pread(fd, out, MESSAGE_BYTES - 1, 0);
    out[n > 0 ? n : 0] = '\0';
    char *start = out + strspn(out, " \n");
    memmove(out, start, strlen(start) + 1);
    out[strcspn(out, "\n")] = '\0';
}

static bool explain(const char *program, const tacho_process_end *end, int messages, const char *path)
{
    char said[MESSAGE_BYTES];
    first_line(messages, said);
    if (end->timed_out || end->signal == SIGXCPU || end->signal == SIGKILL)
        return cli_error("cannot write %s: %s took more than %d seconds", path, program,
                         end->timed_out ? WALL_SECONDS : CPU_SECONDS);
    return cli_error("cannot write %s: %s failed%s%s", path, program, *said ? ": " : "", said);
}

static bool run_with(const char *const *argv, const char *program, int input, int output, int messages,
                     const char *path)
{
    tacho_process_end end;
    const tacho_process process = {.path = program,
                                   .argv = argv,
                                   .input = input,
                                   .output = output,
                                   .errors = messages,
                                   .file = -1,
                                   .seconds = WALL_SECONDS,
                                   .cpu_seconds = CPU_SECONDS};
    if (tacho_process_run(&process, &end))
        return cli_error("cannot run %s: %s", argv[0], strerror(errno));
    if (end.exit_status)
        return explain(argv[0], &end, messages, path);
    struct stat st;
    if (!fstat(output, &st) && !st.st_size)
        return cli_error("cannot write %s: %s wrote nothing", path, argv[0]);
    return true;
}

static bool find(const char *program, const char *package, const char *path, char out[PATH_MAX])
{
    if (tacho_process_find(program, out, PATH_MAX))
        return true;
    return cli_error("cannot write %s: the program %s is not installed (on Debian: apt-get install %s)", path,
                     program, package);
}

bool tool_can_run(const char *program, const char *package, const char *path)
{
    char found[PATH_MAX];
    cli_output file;
    if (!find(program, package, path, found) || !cli_output_open(&file, path))
        return false;
    cli_output_drop(&file);
    return true;
}

bool tool_ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && tacho_str_same(path + n - m, ending);
}

bool tool_is_png(const char *path)
{
    return tool_ends_in(path, ".png");
}

/* Puts what the program has drawn in the file, which is gone again where that fails. */
static bool keep_picture(int picture, const char *path)
{
    cli_output file;
    struct stat st;
    TACHO_FREED tacho_str drawn = {0};
    bool ok = !tacho_process_read(picture, SIZE_MAX, &drawn) ||
              cli_error("cannot write %s: %s", path, strerror(errno));
    ok = ok && cli_output_open(&file, path);
    if (ok) {
        bool regular = !fstat(fileno(file.file), &st) && S_ISREG(st.st_mode);
        ok = cli_output_write(&file, &drawn);
        if (!ok && regular)
            unlink(path);
    }
    return ok;
}

/* Its output goes through memory: some programs do not notice that a disk is full. */
static bool run_tool(const char *const *argv, const char *package, const tacho_str *input, const char *path)
{
    if (input->failed)
        return cli_error("%s: out of memory", path);
    char program[PATH_MAX];
    if (!find(argv[0], package, path, program))
        return false;
    const int fds[] = {tacho_file_in_memory(input->data, input->length), tacho_file_in_memory("", 0),
                       tacho_file_in_memory("", 0)};
    bool ok = (fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0) ||
              cli_error("cannot run %s: %s", argv[0], strerror(errno));
    ok = ok && run_with(argv, program, fds[0], fds[1], fds[2], path) && keep_picture(fds[1], path);
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return ok;
}

bool tool_plot(tacho_str *script, const char *path)
{
    static const char *const gnuplot[] = {"gnuplot", "-d", "-", NULL};
    bool ok = run_tool(gnuplot, "gnuplot-nox", script, path);
    tacho_str_free(script);
    return ok;
}

bool tool_graph(tacho_str *script, const char *path)
{
    const char *const dot[] = {"dot", tool_is_png(path) ? "-Tpng" : "-Tsvg", NULL};
    bool ok =
        tool_ends_in(path, ".dot") ? cli_output_text(path, script) : run_tool(dot, "graphviz", script, path);
    tacho_str_free(script);
    return ok;
}
