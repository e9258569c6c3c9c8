/* output.c - results on standard output, or in files: opened before the work, and one process's at a time;
 * also through another program that draws them. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/output.h"
#include "app/cli/running.h"
#include "app/report/report.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/seconds.h"

enum {
    ATTEMPTS = 100 /* at opening a file that others remove at that moment */
};

static bool cannot_write(const char *path, const char *why)
{
    return cli_error("cannot write %s: %s", path, why);
}

static void note_unlocked(const char *path, const char *why)
{
    static bool said;
    if (!said)
        cli_note("%s cannot be locked (%s): no other tacho must write it now", path, why);
    said = true;
}

/* Whether the path still leads to it: another process may have removed the file before it was locked. */
static bool is_in_place(int fd, const char *path)
{
    struct stat opened, named;
    return fstat(fd, &opened) ||
           (!stat(path, &named) && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino);
}

static int open_or_make(const char *path, int access, bool *made)
{
    int fd = open(path, access | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *made = fd >= 0;
    return fd < 0 && errno == EEXIST ? open(path, access | O_CREAT | O_CLOEXEC, 0666) : fd;
}

static bool is_regular(int fd)
{
    struct stat s;
    return !fstat(fd, &s) && S_ISREG(s.st_mode);
}

/* Opens a file for writing, and makes it if there is none (*made). Its content stays. It is locked, unless
 * it is a device or a pipe. `access`: O_WRONLY or O_RDWR. @return a descriptor; -1 with a message */
static int cli_output_descriptor(const char *path, int access, bool *made)
{
    char why[TACHO_LOCK_WHY_SIZE];
    for (int attempt = 1;; attempt++) {
        int fd = open_or_make(path, access, made);
        if (fd < 0)
            cannot_write(path, strerror(errno));
        if (fd < 0 || !is_regular(fd))
            return fd;
        tacho_lock lock = tacho_lock_take(fd, why);
        if (lock == TACHO_LOCK_NONE)
            note_unlocked(path, why);
        if (lock != TACHO_LOCK_THEIRS && (attempt == ATTEMPTS || is_in_place(fd, path)))
            return fd;
        close(fd);
        if (lock == TACHO_LOCK_THEIRS) {
            cannot_write(path, why);
            return -1;
        }
    }
}

/* Empties what is open, if it is a file. @return false with errno set */
static bool cli_output_empty(int fd)
{
    return !is_regular(fd) || !ftruncate(fd, 0);
}

bool cli_output_open(cli_output *o, const char *path)
{
    *o = (cli_output){.file = stdout};
    if (!path || !strcmp(path, "-"))
        return true;
    *o = (cli_output){.path = path};
    int fd = cli_output_descriptor(path, O_WRONLY, &o->made);
    o->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (o->file || fd < 0)
        return o->file != NULL;
    cannot_write(path, strerror(errno));
    close(fd);
    return false;
}

bool cli_output_begin(cli_output *o)
{
    return !o->path || cli_output_empty(fileno(o->file)) || cannot_write(o->path, strerror(errno));
}

bool cli_output_meanwhile(cli_output *o, const char *text)
{
    if (!o->path || !is_regular(fileno(o->file)))
        return true;
    rewind(o->file);
    if (!cli_output_begin(o))
        return false;
    o->made = false; /* it stays */
    return (fputs(text, o->file) >= 0 && !fflush(o->file)) || cannot_write(o->path, strerror(errno));
}

bool cli_output_end(cli_output *o)
{
    if (!o->path)
        return true;
    bool bad = ferror(o->file);
    int why = errno;
    if (fclose(o->file))
        bad = true;
    else
        errno = why;
    o->file = NULL;
    return !bad || cannot_write(o->path, strerror(errno));
}

/* Removed while it is still locked: later it may be another one's. */
void cli_output_drop(cli_output *o)
{
    if (!o->path || !o->file)
        return;
    if (o->made)
        unlink(o->path);
    fclose(o->file);
    o->file = NULL;
}

bool cli_output_write(cli_output *o, tacho_str *text)
{
    bool good = !text->failed ? cli_output_begin(o)
                : o->path     ? cannot_write(o->path, "out of memory")
                              : cli_error("out of memory");
    if (good && text->length && o->path)
        rewind(o->file);
    if (good && text->length)
        fwrite(text->data, 1, text->length, o->file);
    good = good && cli_output_end(o);
    cli_output_drop(o);
    tacho_str_free(text);
    return good;
}

bool cli_output_text(const char *path, tacho_str *text)
{
    cli_output o;
    if (cli_output_open(&o, path))
        return cli_output_write(&o, text);
    tacho_str_free(text);
    return false;
}

bool cli_put_text(tacho_str *text)
{
    return cli_output_write(&(cli_output){.file = stdout}, text);
}

bool cli_put_json(json_t *json)
{
    tacho_str text = {0};
    report_put_json(&text, json, REPORT_JSON_DIGITS);
    return cli_put_text(&text);
}

bool cli_put_results(json_t *list)
{
    return cli_put_json(json_incref(json_array_size(list) == 1 ? json_array_get(list, 0) : list));
}

/* ---- where the rows of a batch go ---- */

static void say(const char *message)
{
    cli_error("%s", message);
}

const rows_caller results_caller = {say, cli_signals_asked, cli_signals_descriptor};

static bool unwritten(const results *r)
{
    return cli_error("cannot write to %s: %s", r->name, strerror(errno));
}

bool results_open(results *r, const char *output, const rows *input, bool keep)
{
    *r = (results){.name = "standard output", .fd = STDOUT_FILENO};
    if (!output)
        return true;
    r->fd = -1;
    r->name = r->file = tacho_mem_strndup(output, strlen(output));
    if (!r->file)
        return cli_error("out of memory");
    if (input && rows_is_file(input, r->file))
        return cli_error("%s is read: the results need another file", r->name);
    r->fd = cli_output_descriptor(r->file, O_RDWR, &r->made);
    return r->fd >= 0 && (keep || results_begin(r));
}

bool results_begin(results *r)
{
    return !r->file || cli_output_empty(r->fd) || unwritten(r);
}

bool results_empty(const results *r)
{
    struct stat s;
    return !r->file || (!fstat(r->fd, &s) && s.st_size == 0);
}

bool results_write(results *r, const tacho_str *lines)
{
    if (lines->failed)
        return cli_error("out of memory");
    if (!lines->length)
        return true;
    for (size_t done = 0; done < lines->length;) {
        ssize_t n = write(r->fd, lines->data + done, lines->length - done);
        if (n < 0 && errno != EINTR)
            return unwritten(r);
        done += n < 0 ? 0 : (size_t)n;
    }
    return true;
}

bool results_go_on(results *r, uint64_t bytes)
{
    char last = '\n'; /* a header may be there without its end */
    bool ok = !bytes || pread(r->fd, &last, 1, (off_t)bytes - 1) == 1;
    ok = ok && !ftruncate(r->fd, (off_t)bytes) && lseek(r->fd, (off_t)bytes, SEEK_SET) >= 0;
    return (ok && (last == '\n' || write(r->fd, "\n", 1) == 1)) || unwritten(r);
}

int results_say_stopped(const results *r, uint64_t input_rows)
{
    if (input_rows)
        cli_note("%s: %s has the results of %llu row%s", cli_signals_words(), r->name,
                 (unsigned long long)input_rows, tacho_plural(input_rows));
    else
        cli_error("%s: there are no results", cli_signals_words());
    return input_rows ? CLI_PARTIAL : CLI_INPUT;
}

void results_drop(results *r)
{
    if (r->file && r->fd >= 0 && r->made)
        unlink(r->file);
    results_close(r);
}

void results_undo(results *r)
{
    if (r->file && r->fd >= 0)
        cli_output_empty(r->fd);
    results_drop(r);
}

void results_close(results *r)
{
    if (r->file && r->fd >= 0)
        close(r->fd);
    tacho_mem_free(r->file);
    r->file = NULL;
}

/* ---- progress ---- */

#define STANDS_SECONDS 0.2
#define LOG_SECONDS    60

static bool off, shown, logs;
static double since, log_seconds;

void cli_progress_off(void)
{
    off = true;
}

void cli_progress_into_log(void)
{
    const char *given = getenv("TACHO_PROGRESS");
    char *end = NULL;
    log_seconds = given ? strtod(given, &end) : LOG_SECONDS;
    if (given && (end == given || *end || !(log_seconds >= 0)))
        log_seconds = LOG_SECONDS;
    logs = !isatty(STDERR_FILENO);
    since = seconds_now();
}

/* Whether lines are shown that are written over. */
static bool cli_progress_is_on(void)
{
    return !off && isatty(STDERR_FILENO);
}

static void show(const char *format, va_list args)
{
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, args);
    shown = true;
    since = seconds_now();
}

static void log_line(const char *format, va_list args)
{
    fputs("tacho: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    since = seconds_now();
}

void cli_progress(const char *format, ...)
{
    va_list args;
    if (logs && !off && seconds_now() - since >= log_seconds) {
        va_start(args, format);
        log_line(format, args);
        va_end(args);
    }
    if ((shown && seconds_now() - since < STANDS_SECONDS) || !cli_progress_is_on())
        return;
    va_start(args, format);
    show(format, args);
    va_end(args);
}

void cli_progress_last(const char *format, ...)
{
    va_list args;
    if (!cli_progress_is_on())
        return;
    va_start(args, format);
    show(format, args);
    va_end(args);
    fputc('\n', stderr);
    shown = false;
}

void cli_progress_clear(void)
{
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}

/* ---- runs another program on a text in memory, its output going to a file ---- */

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
    return tacho_process_find(program, out, PATH_MAX) ||
           cli_error("cannot write %s: the program %s is not installed (on Debian: apt-get install %s)", path,
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
