/* depsrun.c - the dependencies of a run: the command is watched, and what was seen becomes the result. */
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/options_take.h"
#include "base/parallel.h"
#include "base/seconds.h"
#include "binary/extract/callgrind.h"
#include "binary/extract/tracer.h"
#include "study/depsrun/depsrun.h"

/* ---- a command under valgrind's lackey ---- */

/* Its trace comes through a named pipe, which a thread of its own reads; what lies where is asked of the
 * process while it lives. */

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

/* Runs the command and fills the trace. */
static int watch_command(depsrun *d, char *const argv[], trace *t)
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

/* ---- the order of the result ---- */

/* Instructions and dependencies in the order of the result, and the instructions cut into blocks: where
 * something ends one, where control comes in by other ways than from above, and where an instruction is not
 * next to the one before. */

ORDER_BY(by_place, trace_insn, out.loaded_at);

/* Before sorting, each instruction's number in the trace is kept in `block`. @return the numbers after it, by
 * those in the trace; NULL: memory ran out */
static uint32_t *sort_insns(trace *t)
{
    uint32_t *numbers = tacho_mem_zalloc(t->insn_count + 1, sizeof *numbers);
    if (!numbers)
        return NULL;
    for (size_t i = 0; i < t->insn_count; i++)
        t->insns[i].out.block = (uint32_t)i;
    tacho_sort(t->insns, t->insn_count, sizeof *t->insns, by_place);
    for (size_t i = 0; i < t->insn_count; i++) {
        numbers[t->insns[i].out.block] = (uint32_t)i;
        t->insns[i].out.block = TACHO_DEPS_RUN_NO_BLOCK;
    }
    return numbers;
}

/* ---- blocks ---- */

static bool begins_block(const trace_insn *insns, size_t i)
{
    const tacho_deps_run_insn *before = &insns[i - 1].out, *insn = &insns[i].out;
    return before->block == TACHO_DEPS_RUN_NO_BLOCK || insns[i - 1].ends || insns[i].entered ||
           before->loaded_at + before->length != insn->loaded_at;
}

static int cut_blocks(depsrun *d, trace *t)
{
    tacho_deps_run *r = &d->result;
    for (size_t i = 0; i < t->insn_count; i++) {
        tacho_deps_run_insn *insn = &t->insns[i].out;
        if (!insn->length)
            continue;
        if (!i || begins_block(t->insns, i)) {
            if (tacho_mem_grow(&d->blocks, &d->block_capacity, r->block_count + 1, sizeof *d->blocks))
                return tacho_no_memory(d->err);
            d->blocks[r->block_count++] =
                (tacho_deps_run_block){.first_insn = (uint32_t)i, .count = insn->count};
            r->run.executed_blocks += insn->count;
            r->hottest = insn->count > r->hottest ? insn->count : r->hottest;
        }
        insn->block = (uint32_t)r->block_count - 1;
        d->blocks[insn->block].insn_count++;
    }
    r->blocks = d->blocks;
    return 0;
}

static void mark_hot(depsrun *d)
{
    tacho_deps_run *r = &d->result;
    for (size_t i = 0; i < r->block_count; i++) {
        d->blocks[i].hot = (double)d->blocks[i].count >= d->options.hot * (double)r->hottest;
        r->hot_count += d->blocks[i].hot;
    }
}

/* ---- dependencies ---- */

ORDER_AS(by_count, tacho_deps_run_dependency,
         ORDER(b->count, a->count) ?: ORDER(a->target, b->target) ?: ORDER(a->source, b->source));

static int take_dependencies(depsrun *d, const trace *t, const uint32_t *numbers)
{
    d->dependencies = tacho_mem_zalloc(t->pair_count + 1, sizeof *d->dependencies);
    if (!d->dependencies)
        return tacho_no_memory(d->err);
    for (size_t i = 0; i < t->pair_count; i++) {
        d->dependencies[i] = t->pairs[i].out;
        d->dependencies[i].source = numbers[t->pairs[i].out.source];
        d->dependencies[i].target = numbers[t->pairs[i].out.target];
    }
    tacho_sort(d->dependencies, t->pair_count, sizeof *d->dependencies, by_count);
    d->result.dependencies = d->dependencies;
    d->result.dependency_count = t->pair_count;
    return 0;
}

int depsrun_collect(depsrun *d, trace *t)
{
    TACHO_MEM_FREED uint32_t *numbers = sort_insns(t);
    d->insns = tacho_mem_zalloc(t->insn_count + 1, sizeof *d->insns);
    int rc = numbers && d->insns ? take_dependencies(d, t, numbers) : tacho_no_memory(d->err);
    rc = rc ? rc : cut_blocks(d, t);
    if (rc)
        return rc;
    mark_hot(d);
    for (size_t i = 0; i < t->insn_count; i++)
        d->insns[i] = t->insns[i].out;
    d->result.insns = d->insns;
    d->result.insn_count = t->insn_count;
    return 0;
}

int depsrun_warn(depsrun *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = warnings_add(&d->warnings, 0, format, args);
    va_end(args);
    d->result.warnings = d->warnings.list;
    d->result.warning_count = d->warnings.count;
    return rc ? tacho_no_memory(d->err) : 0;
}

OPTIONS_DEFINE(deps_run, TACHO_DEPS_RUN_OPTIONS_INIT)

static int check(const tacho_deps_run_options *o, char *const argv[], tacho_error *err)
{
    if (!argv || !argv[0])
        return tacho_error_set(err, TACHO_ERR_USAGE, "no command");
    if (!(o->hot >= 0 && o->hot <= 1) || !o->lifetime_count ||
        o->lifetime_count > TACHO_DEPS_RUN_MAX_LIFETIMES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "hot: 0 to 1; 1 to %d lifetimes",
                               TACHO_DEPS_RUN_MAX_LIFETIMES);
    return 0;
}

static int observe(depsrun *d, char *const argv[])
{
    TACHO_MEM_FREED trace *t = tacho_mem_zalloc(1, sizeof *t);
    if (!t)
        return tacho_no_memory(d->err);
    t->lifetimes = d->options.lifetimes;
    t->lifetime_count = d->options.lifetime_count;
    int rc = watch_command(d, argv, t);
    shadow_free(&t->shadow); /* it may be large */
    t->shadow = (shadow){0};
    if (!rc)
        rc = depsrun_collect(d, t);
    trace_free(t);
    return rc;
}

int tacho_deps_run_command(tacho_deps_run **out, char *const argv[], const tacho_deps_run_options *options,
                           tacho_error *err)
{
    tacho_deps_run_options o;
    *out = NULL;
    int rc = OPTIONS_TAKE(deps_run, &o, options, err);
    if (rc || (rc = check(&o, argv, err)))
        return rc;
    depsrun *d = tacho_mem_zalloc(1, sizeof *d);
    if (!d)
        return tacho_no_memory(err);
    d->options = o;
    d->options.deps.size = sizeof o.deps;
    d->err = err;
    d->options.deps.no_registers = d->options.deps.no_flags = true;
    d->options.deps.no_memory = false;
    d->result.run = (tacho_extract_run){.via = TACHO_EXTRACT_VIA_VALGRIND, .exit_status = -1};
    rc = observe(d, argv);
    rc = rc ? rc : depsrun_symbols(d);
    rc = rc ? rc : depsrun_judge(d);
    if (rc)
        tacho_deps_run_free(&d->result);
    else
        *out = &d->result;
    return rc;
}

void tacho_deps_run_free(tacho_deps_run *result)
{
    depsrun *d = (depsrun *)result;
    if (!d)
        return;
    for (size_t i = 0; i < d->path_count; i++)
        tacho_mem_free(d->paths[i]);
    warnings_free(&d->warnings);
    TACHO_MEM_FREE(d->paths, d->insns, d->blocks, d->dependencies, d->functions, d->claims);
    arena_free(&d->texts);
    tacho_mem_free(d);
}

NAMES_OF(tacho_deps_run_verdict_name, tacho_deps_run_verdict, "", "found", "missed", "across", "cold",
         "no_code", "unjudged")

const char *tacho_deps_run_reason_name(tacho_deps_run_reason reason)
{
    static const char *const names[] = {
        "",     "not_analysed", "budget", "not_reached", "not_modelled",  "address_unknown", "far",
        "rare", "beyond",       "call",   "branch",      "other_pointer", "same_pointer"};
    _Static_assert(sizeof names / sizeof *names == TACHO_DEPS_RUN_REASON_COUNT, "each has a name");
    return (unsigned)reason < sizeof names / sizeof *names ? names[reason] : "";
}

const char *tacho_deps_run_part_name(tacho_deps_run_part part)
{
    static const char *const names[] = {"block", "function", "between"};
    return (unsigned)part < sizeof names / sizeof *names ? names[part] : "";
}
