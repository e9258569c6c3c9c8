/* depsrun_watch.c - a command under valgrind's lackey. Its trace comes through a named pipe, which a thread
 * of its own reads; what lies where is asked of the process while it lives. */
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/file.h"
#include "base/seconds.h"
#include "binary/extract/callgrind.h"
#include "binary/extract/tracer.h"
#include "study/depsrun/depsrun.h"

enum {
    GRACE_SECONDS = 5, /* of a process that is asked to end */
    CHUNK_BYTES = 1 << 16,
    PIPE_BYTES = 1 << 20,
    POLL_MS = 20,
    DRAIN_SECONDS = 10
};

typedef struct watching {
    depsrun *d;
    trace *trace;
    int pipe;
    pthread_mutex_t lock; /* of `trace` */
    atomic_bool stop;     /* nothing more comes */
    atomic_bool begun;    /* something has come */
    atomic_bool failed;   /* memory ran out */
    atomic_int pid;       /* of valgrind */
    bool replaced;        /* the command has executed another program */
    uint64_t others;      /* processes that it forked */
    tracer names;         /* the files of what is mapped */
    bool out_of_memory;
} watching;

/* ---- the trace ---- */

void depsrun_decode(trace_insn *insn, const uint8_t *bytes, size_t size)
{
    tacho_insn decoded;
    if (tacho_decode(&decoded, bytes, size, NULL))
        return;
    insn->out.length = decoded.length;
    memcpy(insn->out.bytes, bytes, decoded.length);
    extract_end end = extract_end_of(&decoded);
    insn->ends = end != EXTRACT_GOES_ON;
    insn->repeats = !insn->ends && (decoded.rep || decoded.repne);
}

static void learn(trace_insn *insn, void *payload)
{
    watching *w = payload;
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    size_t n = space_read(w->pid, insn->out.loaded_at, bytes, sizeof bytes);
    if (n)
        depsrun_decode(insn, bytes, n);
}

/* Takes what the pipe holds. @return whether there was anything */
static bool take_some(watching *w, char buffer[CHUNK_BYTES])
{
    pthread_mutex_lock(&w->lock);
    ssize_t n = read(w->pipe, buffer, CHUNK_BYTES);
    if (n > 0) {
        w->begun = true;
        trace_feed(w->trace, buffer, (size_t)n);
        w->failed = w->trace->failed;
    }
    pthread_mutex_unlock(&w->lock);
    return n > 0;
}

static void *read_trace(void *payload)
{
    char buffer[CHUNK_BYTES];
    watching *w = payload;
    for (;;) {
        bool last = w->stop;
        struct pollfd p = {w->pipe, POLLIN, 0};
        poll(&p, 1, last ? 0 : POLL_MS);
        if (!take_some(w, buffer) && last)
            return NULL;
    }
}

/* ---- where the code lies ---- */

static const char *object_name(watching *w, const char *path)
{
    depsrun *d = w->d;
    const char *name = NULL;
    for (size_t i = 0; i < d->path_count; i++)
        if (!strcmp(d->paths[i], path))
            return tacho_base_name(d->paths[i]);
    if (tacho_mem_grow(&d->paths, &d->path_capacity, d->path_count + 1, sizeof *d->paths) ||
        !(d->paths[d->path_count] = tacho_mem_strndup(path, strlen(path))))
        w->out_of_memory = true;
    else
        name = tacho_base_name(d->paths[d->path_count++]);
    return name;
}

static void locate_all(watching *w, pid_t pid)
{
    space *s = space_new();
    w->out_of_memory |= !s;
    for (size_t i = 0; i < w->trace->insn_count && !w->out_of_memory && !w->names.unseen; i++) {
        tacho_deps_run_insn *insn = &w->trace->insns[i].out;
        const char *path =
            insn->object ? NULL : space_locate(&w->names, s, pid, insn->loaded_at, &insn->address);
        if (path)
            insn->object = object_name(w, path);
        if (path && callgrind_is_valgrinds(path))
            insn->length = 0; /* no code of the program */
        w->out_of_memory |= w->names.out_of_memory;
    }
    space_drop(s);
}

/* The process is about to end: what it has written is read, then its mappings are. */
static void before_end(watching *w, pid_t pid)
{
    double until = seconds_now() + DRAIN_SECONDS;
    for (;;) {
        int left = 0;
        pthread_mutex_lock(&w->lock);
        if (ioctl(w->pipe, FIONREAD, &left) || !left || seconds_now() > until)
            break;
        pthread_mutex_unlock(&w->lock);
        usleep(1000);
    }
    locate_all(w, pid);
    pthread_mutex_unlock(&w->lock);
}

/* A process ends, or becomes another program. */
static void image_ends(tracer *t, pid_t pid, bool forked, image_end why)
{
    watching *w = t->payload;
    if (why == IMAGE_EXECS && !forked && !w->begun)
        w->pid = pid; /* valgrind starts in several steps */
    else if (why == IMAGE_EXECS && pid == w->pid)
        w->replaced = true;
    else if (why == IMAGE_EXITS && pid == w->pid && !w->replaced)
        before_end(w, pid);
    else if (why == IMAGE_ENDED && pid != w->pid && w->begun)
        w->others++;
}

/* ---- the run ---- */

static int ask(const tacho_extract_progress *p, void *payload)
{
    watching *w = payload;
    const tacho_deps_run_options *o = &w->d->options;
    return w->failed ? 1 : o->progress ? o->progress(p, o->payload) : 0;
}

/* Runs it while another thread reads the trace. */
static int run(watching *w, char **line)
{
    depsrun *d = w->d;
    tacho_extract_run_options options = TACHO_EXTRACT_RUN_OPTIONS_INIT;
    run_watch watch = {&options, seconds_now()};
    tracer t = {.image_ends = image_ends, .payload = w};
    pthread_t reader;
    options.timeout_seconds = d->options.timeout_seconds;
    options.output = d->options.output;
    options.progress = ask;
    options.payload = w;
    int rc = parallel_start_thread(&reader, read_trace, w, d->err);
    if (rc)
        return rc;
    rc = tracer_watch(&t, line, &watch, GRACE_SECONDS, &d->result.run, d->err);
    w->stop = true;
    pthread_join(reader, NULL);
    tracer_free(&t);
    d->result.run.seconds = seconds_now() - watch.started;
    d->result.run.process_count = 1;
    if (!rc && (w->failed || w->out_of_memory))
        rc = tacho_no_memory(d->err);
    return rc ? rc : tracer_failed(&w->names, d->err);
}

static int open_pipe(watching *w, const char *path)
{
    if (mkfifo(path, 0600) || (w->pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)) < 0)
        return tacho_error_set(w->d->err, TACHO_ERR_SYSTEM, "%.200s: cannot be made: %s", path,
                               strerror(errno));
    fcntl(w->pipe, F_SETPIPE_SZ, PIPE_BYTES); /* fewer changes between the two; a smaller one does, too */
    return 0;
}

static int run_through_pipe(watching *w, char *const argv[], const char *directory)
{
    char log_file[RUN_DIRECTORY_SIZE + 40];
    /* valgrind's optimiser, which would drop loads whose values nobody uses, is off. */
    const char *const own[] = {"--tool=lackey",
                               "--trace-mem=yes",
                               "--basic-counts=no",
                               "--vex-iropt-level=0",
                               "--trace-children=no",
                               "--child-silent-after-fork=yes",
                               log_file,
                               NULL};
    snprintf(log_file, sizeof log_file, "--log-file=%s/trace", directory);
    int rc = open_pipe(w, log_file + strlen("--log-file="));
    char **line = rc ? NULL : run_valgrind_line(own, argv);
    if (!rc)
        rc = line ? run(w, line) : tacho_no_memory(w->d->err);
    tacho_mem_free(line);
    if (w->pipe >= 0)
        close(w->pipe);
    return rc;
}

static int tell(const watching *w, char *const argv[])
{
    depsrun *d = w->d;
    const trace *t = w->trace;
    char end[RUN_END_SIZE];
    int rc = 0;
    if (!t->insn_count)
        return tacho_error_set(d->err, TACHO_ERR_INPUT, "valgrind could not run %.200s%s%s%s", argv[0],
                               run_bad_end(&d->result.run, end), *t->message ? ": " : "", t->message);
    if (*t->message)
        rc = depsrun_warn(d, "valgrind says: %s", t->message);
    if (!rc && w->replaced)
        rc = depsrun_warn(d, "the command executed another program in its place, which was not watched");
    if (!rc && w->others)
        rc = depsrun_warn(d, "%llu process%s that the command started %s not watched",
                          (unsigned long long)w->others, w->others == 1 ? "" : "es",
                          w->others == 1 ? "was" : "were");
    if (!rc && t->bad_lines)
        rc = depsrun_warn(d, "%llu line%s of the trace could not be read", (unsigned long long)t->bad_lines,
                          t->bad_lines == 1 ? "" : "s");
    return rc;
}

int depsrun_watch(depsrun *d, char *const argv[], trace *t)
{
    watching w = {.d = d, .trace = t, .pipe = -1};
    char directory[RUN_DIRECTORY_SIZE];
    int rc = run_check_valgrind(argv, d->err);
    rc = rc ? rc : tacho_scratch_make(directory, sizeof directory, d->err);
    if (rc)
        return rc;
    t->learn = learn;
    t->payload = &w;
    w.names.book.err = d->err;
    pthread_mutex_init(&w.lock, NULL);
    pthread_mutex_init(&w.names.lock, NULL);
    rc = run_through_pipe(&w, argv, directory);
    tacho_scratch_remove(directory);
    tracer_free(&w.names);
    pthread_mutex_destroy(&w.lock);
    t->learn = NULL;
    d->result.run.executed_insns = t->now;
    return rc ? rc : tell(&w, argv);
}
