/* valgrind.c - a run under valgrind's callgrind, which counts each instruction.
 *
 * Callgrind keeps its counts over fork, so they would be counted twice, and loses them at exec. A program
 * that is executed in the same process writes files of the same names. So callgrind is told to write and
 * reset its counts before the functions that fork and execute; valgrind itself is traced for these events,
 * and its files are read and removed as they happen. */
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "binary/extract/callgrind.h"
#include "binary/extract/extract_run.h"
#include "binary/extract/tracer.h"

enum {
    GRACE_SECONDS = 5, /* to write the counts */
    MAX_FILES = 1 << 20,
    MAX_LOG_BYTES = 1 << 24
};

typedef struct counting {
    char directory[RUN_DIRECTORY_SIZE];
    callgrind_counts counts;
    uint64_t without; /* processes that left no counts */
    uint64_t cut;     /* whose counts are not whole */
    uint64_t twice;   /* that began with those of their parent */
    uint64_t broken;  /* in which valgrind itself failed */
    char why[120];    /* what it said */
    char first[160];  /* the first thing that it said at all; "" */
    int rc;
    tacho_error *err;
} counting;

bool run_has_valgrind(void)
{
    char path[RUN_DIRECTORY_SIZE];
    return tacho_process_find("valgrind", path, sizeof path);
}

/* ---- its files ---- */

typedef struct place_finder {
    tracer *tracer;
    space *space;
    pid_t pid;
} place_finder;

static const char *locate(uint64_t address, uint64_t *in_file, void *payload)
{
    const place_finder *f = payload;
    return space_locate(f->tracer, f->space, f->pid, address, in_file);
}

static bool read_file(counting *c, const char *path, bool forked, place_finder *places)
{
    callgrind_file file = {places->space ? locate : NULL, places, false};
    if (access(path, R_OK))
        return false;
    int rc = callgrind_read(&c->counts, path, &file, c->err);
    if (rc == TACHO_ERR_INPUT) { /* cut off: the process was killed while it wrote, or the disk is full */
        c->cut++;
        rc = 0;
    } else if (!rc && file.from_start && forked)
        c->twice++;
    if (!c->rc)
        c->rc = rc;
    unlink(path);
    return true;
}

/* Whether valgrind itself has failed: it asks for a report then. */
static void read_log(counting *c, const char *path)
{
    char *text, *line;
    size_t size;
    if (tacho_file_read(path, MAX_LOG_BYTES, &text, &size))
        return;
    if (strstr(text, "In the bug report")) {
        c->broken++;
        line = strstr(text, "Assertion");
        line = line ? line : strstr(text, "valgrind: ");
        snprintf(c->why, sizeof c->why, "%.*s", line ? (int)strcspn(line, "\n") : 0, line ? line : "");
    }
    if (!*c->first)
        snprintf(c->first, sizeof c->first, "%.*s", (int)strcspn(text, "\n"), text);
    tacho_mem_free(text);
    unlink(path);
}

/* @return how many there were */
static int read_files(counting *c, pid_t pid, bool forked, place_finder *places)
{
    char path[4200];
    int found = 0;
    for (int i = 1; i < MAX_FILES; i++, found++) {
        snprintf(path, sizeof path, "%s/c.%d.%d", c->directory, pid, i);
        if (!read_file(c, path, forked, places))
            break;
    }
    snprintf(path, sizeof path, "%s/c.%d", c->directory, pid);
    found += read_file(c, path, forked, places);
    snprintf(path, sizeof path, "%s/log.%d", c->directory, pid);
    read_log(c, path);
    return found;
}

/* A process ends, or becomes another program. */
static void read_counts(tracer *t, pid_t pid, bool forked, image_end why)
{
    counting *c = t->payload;
    place_finder places = {t, why == IMAGE_EXITS ? space_new() : NULL, pid};
    int found = read_files(c, pid, forked, &places);
    space_drop(places.space);
    if (why == IMAGE_EXITS)
        c->without += !found;
    else if (why == IMAGE_ENDED && found && c->without)
        c->without--; /* its first thread had gone before the others */
}

int run_check_valgrind(char *const argv[], tacho_error *err)
{
    char path[RUN_DIRECTORY_SIZE];
    if (!run_has_valgrind())
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                               "the program valgrind is not installed (on Debian: apt-get install valgrind)");
    int rc = tacho_process_find_command(argv[0], path, sizeof path, err);
    if (rc)
        return rc;
    if (access("/proc/self/maps", R_OK))
        return tacho_error_set(err, TACHO_ERR_SYSTEM,
                               "valgrind needs /proc/self/maps, which cannot be read: %s", strerror(errno));
    return 0;
}

/* ---- the run ---- */

char **run_valgrind_line(const char *const *own, char *const argv[])
{
    static const char *const common[] = {"valgrind", "-q",
                                         "--vgdb=no"}; /* its files stay where it is killed */
    const size_t first = sizeof common / sizeof *common;
    size_t n = 0, count = 0;
    while (own[n])
        n++;
    while (argv[count])
        count++;
    char **line = tacho_mem_zalloc(first + n + count + 1, sizeof *line);
    if (!line)
        return NULL;
    memcpy(line, common, sizeof common);
    memcpy(line + first, own, n * sizeof *line);
    memcpy(line + first + n, argv, count * sizeof *line);
    return line;
}

/* Of a run that nobody has ended. */
static int no_counts(const counting *c, const char *command, const tacho_extract_run *run)
{
    char end[RUN_END_SIZE];
    if (c->cut)
        return tacho_error_set(c->err, TACHO_ERR_SYSTEM,
                               "valgrind could not write its counts of %.200s in %.200s, or was killed",
                               command, c->directory);
    return tacho_error_set(c->err, TACHO_ERR_SYSTEM, "valgrind left no counts of %.200s%s%s%s", command,
                           run_bad_end(run, end), *c->first ? ": " : "", c->first);
}

static int keep(counting *c, const char *command, extract_set *x, tacho_extract_run *out)
{
    int rc = c->rc ? c->rc : callgrind_blocks(&c->counts, x, out, c->err);
    if (!rc && out->ended && !out->executed_insns)
        return no_counts(c, command, out);
    if (!rc && c->cut)
        rc = extract_warn(x, c->err,
                          "the counts of %llu processes are not whole: killed, or they could not be written",
                          (unsigned long long)c->cut);
    if (!rc && c->broken) {
        out->ended = false;
        rc = extract_warn(x, c->err,
                          "valgrind itself failed in %llu process%s (%s); --via ptrace does without",
                          (unsigned long long)c->broken, c->broken == 1 ? "" : "es", c->why);
    }
    if (!rc && c->twice)
        rc = extract_warn(
            x, c->err,
            "%llu process%s forked in ways that callgrind's counts do not follow: what the parent "
            "executed before is counted again (--via ptrace is exact)",
            (unsigned long long)c->twice, c->twice == 1 ? " was" : "es were");
    if (!rc && c->without)
        rc = extract_warn(x, c->err,
                          "%llu process%s left no counts: killed, or ended before callgrind could write them",
                          (unsigned long long)c->without, c->without == 1 ? "" : "es");
    if (!rc && c->counts.unknown)
        rc = extract_warn(x, c->err, "%llu instruction%s left out: which file that lies in is not known",
                          (unsigned long long)c->counts.unknown, c->counts.unknown == 1 ? " is" : "s are");
    return rc;
}

int run_by_valgrind(extract_set *x, char *const argv[], run_watch *w, tacho_extract_run *out,
                    tacho_error *err)
{
    counting c = {.err = err};
    char out_file[4200], log_file[4200];
    const char *const own[] = {"--tool=callgrind",
                               "--dump-instr=yes",
                               "--collect-jumps=yes",
                               "--dump-line=no",
                               "--trace-children=yes",
                               "--skip-plt=no",
                               out_file,
                               log_file,
                               "--dump-before=fork",
                               "--dump-before=_Fork",
                               "--dump-before=vfork",
                               "--dump-before=execve",
                               "--dump-before=fexecve",
                               "--dump-before=execveat",
                               "--dump-before=posix_spawn",
                               "--dump-before=__spawni",
                               NULL};
    int rc = run_check_valgrind(argv, err);
    rc = rc ? rc : tacho_scratch_make(c.directory, sizeof c.directory, err);
    if (rc)
        return rc;
    snprintf(out_file, sizeof out_file, "--callgrind-out-file=%s/c.%%p", c.directory);
    snprintf(log_file, sizeof log_file, "--log-file=%s/log.%%p", c.directory);
    char **line = run_valgrind_line(own, argv);
    tracer t = {.image_ends = read_counts, .payload = &c};
    rc = line ? tracer_watch(&t, line, w, GRACE_SECONDS, out, err) : tacho_no_memory(err);
    if (!rc)
        rc = keep(&c, argv[0], x, out);
    out->thread_count = 0;
    tracer_free(&t);
    callgrind_free(&c.counts);
    tacho_mem_free(line);
    tacho_scratch_remove(c.directory);
    return rc;
}
