/* trial.c - runs of a command: on which processor, from which addresses, and what they took.
 *
 * Without performance counters cycles are the processor time times the core's clock, which dependency chains
 * of known latency find on the same processor just before and just after (doc/MEASURING.md). */
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/number.h"
#include "base/options_take.h"
#include "base/process.h"
#include "base/seconds.h"
#include "machine/measure/counters.h"
#include "machine/measure/measure_clock.h"
#include "machine/measure/ticks.h"
#include "machine/trial/trial_layout.h"

struct tacho_trials {
    tacho_trials_options options;
    tacho_clock clock; /* PERF, TSC_CALIBRATED */
    int cpu;           /* TACHO_CPU_ANY: none in particular */
    cpu_set_t cpus;    /* that one */
    bool may_trace;
    int null; /* /dev/null */

    /* To be counted: core cycles first, then the further events. */
    struct perf_event_attr counts[1 + TACHO_TRIAL_MAX_EVENTS];
    int count_fds[1 + TACHO_TRIAL_MAX_EVENTS];
    uint32_t counts_open;
    char event_names[TACHO_TRIAL_MAX_EVENTS][64];
    uint32_t event_count;
    char counters_missing[160];

    double tsc_hz;
    bool has_ruler; /* chains of multiplications and additions agree here */
    unsigned ruler_tries;

    uint8_t *cache; /* as large as the caches and more; NULL: they are left as they are */
    size_t cache_bytes;
    tacho_str output;
};

/* ---- counters ---- */

/* Performance counters of a command, its threads and children: perf_event_open(2), with `inherit`. Each event
 * is counted apart, and scaled where it shared a counter with others. */

static int open_count(struct perf_event_attr a, pid_t pid)
{
    a.disabled = 0;
    a.pinned = 0;
    a.inherit = 1;
    a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &a, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Whether an event can be counted, tried on this process. */
static bool can_count(const tacho_trials *t, uint32_t i, char *why, size_t size)
{
    int fd = open_count(t->counts[i], 0);
    if (fd >= 0)
        close(fd);
    else
        counters_why_not(errno, why, size);
    if (fd >= 0 && !t->may_trace)
        snprintf(why, size, "counters are attached with ptrace, which is not allowed here");
    return fd >= 0 && t->may_trace;
}

static int find_events(tacho_trials *t, const char *events, tacho_error *err)
{
    char why[160];
    for (const char *at = events; *at;) {
        size_t n = strcspn(at, ",");
        uint32_t i = 1 + t->event_count;
        char *name = t->event_names[t->event_count];
        if (t->event_count >= TACHO_TRIAL_MAX_EVENTS || !n || n >= sizeof t->event_names[0])
            return tacho_error_set(err, TACHO_ERR_USAGE,
                                   "at most %u events, each with a name of 1 to %zu letters",
                                   TACHO_TRIAL_MAX_EVENTS, sizeof t->event_names[0] - 1);
        snprintf(name, sizeof t->event_names[0], "%.*s", (int)n, at);
        int rc = counters_encode(&t->counts[i], name, err);
        if (rc)
            return rc;
        if (!can_count(t, i, why, sizeof why))
            return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "event '%s' cannot be counted here: %s", name,
                                   why);
        t->event_count++;
        at += n + (at[n] == ',');
    }
    return 0;
}

static int counts_find(tacho_trials *t, tacho_error *err)
{
    const tacho_trials_options *o = &t->options;
    counters_cycles(&t->counts[0]);
    bool cycles = can_count(t, 0, t->counters_missing, sizeof t->counters_missing);
    if (!cycles && o->clock == TACHO_CLOCK_PERF)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "%s", t->counters_missing);
    t->clock =
        cycles && o->clock != TACHO_CLOCK_TSC_CALIBRATED ? TACHO_CLOCK_PERF : TACHO_CLOCK_TSC_CALIBRATED;
    return o->events ? find_events(t, o->events, err) : 0;
}

static bool is_wanted(const tacho_trials *t, uint32_t i)
{
    return i || t->clock == TACHO_CLOCK_PERF;
}

static int counts_open(tacho_trials *t, pid_t pid)
{
    for (t->counts_open = 0; t->counts_open <= t->event_count; t->counts_open++) {
        uint32_t i = t->counts_open;
        t->count_fds[i] = is_wanted(t, i) ? open_count(t->counts[i], pid) : -1;
        if (is_wanted(t, i) && t->count_fds[i] < 0)
            return errno;
    }
    return 0;
}

/* NaN where it was never on a counter. */
static double read_count(int fd, bool *multiplexed)
{
    struct {
        uint64_t value, enabled, running;
    } r;
    if (fd < 0 || read(fd, &r, sizeof r) != (ssize_t)sizeof r || !r.running)
        return NAN;
    *multiplexed |= r.running < r.enabled;
    return (double)r.value * ((double)r.enabled / (double)r.running);
}

static void counts_read(const tacho_trials *t, tacho_trial *out)
{
    for (uint32_t i = 0; i < t->event_count; i++)
        out->events[i] = t->counts_open > i + 1 ? read_count(t->count_fds[i + 1], &out->multiplexed) : NAN;
    if (t->clock == TACHO_CLOCK_PERF)
        out->cycles = t->counts_open ? read_count(t->count_fds[0], &out->multiplexed) : NAN;
}

static void counts_close(tacho_trials *t)
{
    while (t->counts_open > 0)
        if (t->count_fds[--t->counts_open] >= 0)
            close(t->count_fds[t->counts_open]);
}

/* ---- the core's clock by chains of known latency (machine/measure/ticks.h) ---- */

enum {
    READINGS = 16,
    SHORT_LOOPS = 4,
    LONG_LOOPS = 68,
    LINE_BYTES = 64,
    FIRST_TRIES = 5,
    MOST_TRIES = 100
};

typedef uint64_t timed_chain(uint64_t loops);

/* Core cycles a tick. The difference of a long and a short chain does not contain what reading the clock
 * costs. A disturbance mostly falls into the long chain, which makes the result smaller. So the upper
 * quartile of several results is that of an undisturbed pair, as long as more than a quarter of them are
 * undisturbed. */
static double cycles_a_tick(timed_chain *chain)
{
    double readings[READINGS];
    for (int i = 0; i < READINGS; i++) {
        uint64_t shorter = chain(SHORT_LOOPS), longer = chain(LONG_LOOPS);
        readings[i] = longer > shorter ? (double)(LONG_LOOPS - SHORT_LOOPS) * TICKS_CHAIN_CYCLES /
                                             (double)(longer - shorter)
                                       : 0;
    }
    numbers_sort(readings, READINGS);
    return readings[READINGS * 3 / 4];
}

/* Their mean, NaN where they differ by more than 1 %. */
static double rulers_agree(double before, double after)
{
    return fabs(before - after) <= 0.01 * before ? (before + after) / 2 : NAN;
}

/* Other work beside can make the two differ for a while; where they always do, it is not tried for ever. */
static void try_ruler(tacho_trials *t)
{
    if (t->has_ruler || t->ruler_tries >= MOST_TRIES)
        return;
    t->ruler_tries++;
    t->has_ruler = !isnan(rulers_agree(cycles_a_tick(ticks_of_imuls), cycles_a_tick(ticks_of_adds)));
}

static void prepare_ruler(tacho_trials *t)
{
    t->tsc_hz = clock_tsc_hz();
    for (int i = 0; i < FIRST_TRIES; i++)
        try_ruler(t);
}

/* Core cycles a second on this processor now; NaN: not known. */
static double rulers_core_hz(tacho_trials *t)
{
    try_ruler(t);
    return t->has_ruler && t->cpu >= 0 ? cycles_a_tick(ticks_of_imuls) * t->tsc_hz : NAN;
}

/* ---- caches ---- */

static int evictor_prepare(tacho_trials *t, tacho_error *err)
{
    const size_t usual = (size_t)64 << 20, limit = (size_t)1 << 30;
    data_cache caches[CACHES_MOST];
    const size_t count = caches_read("", t->cpu >= 0 ? t->cpu : 0, caches);
    t->cache_bytes = count ? 2 * caches[count - 1].bytes : usual;
    if (t->cache_bytes > limit)
        t->cache_bytes = limit;
    t->cache = tacho_mem_alloc(t->cache_bytes);
    return t->cache ? 0
                    : tacho_error_set(err, TACHO_ERR_MEMORY, "no memory to clean the caches with: %zu bytes",
                                      t->cache_bytes);
}

/* A place for what pushes other things out of the caches. */
static void evictor_run(tacho_trials *t)
{
    for (size_t at = 0; t->cache && at < t->cache_bytes; at += LINE_BYTES)
        t->cache[at]++;
}

static int choose_cpu(tacho_trials *t, int wanted, tacho_error *err)
{
    CPU_ZERO(&t->cpus);
    t->cpu = wanted;
    if (wanted == TACHO_CPU_ANY)
        return 0;
    int failed = cpus_choose(wanted == TACHO_CPU_CHOOSE ? -1 : wanted, &t->cpu, err);
    if (!failed && t->cpu < CPU_SETSIZE)
        CPU_SET(t->cpu, &t->cpus);
    return failed;
}

/* Whether a child may be traced: containers forbid it at times. */
static bool may_trace(void)
{
    int status = 1;
    pid_t pid = fork();
    if (!pid)
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? 1 : 0);
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return pid > 0 && status == 0;
}

OPTIONS_DEFINE(trials, TACHO_TRIALS_OPTIONS_INIT)

static int set_up(tacho_trials *t, tacho_error *err)
{
    const tacho_trials_options *o = &t->options;
    if (o->timeout_seconds < 0 || isnan(o->timeout_seconds) || o->cpu < TACHO_CPU_CHOOSE ||
        o->clock > TACHO_CLOCK_TSC_CALIBRATED)
        return tacho_error_set(err, TACHO_ERR_USAGE, "an option is out of its range");
    t->may_trace = may_trace();
    t->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (t->null < 0)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "/dev/null: %s", strerror(errno));
    int rc = choose_cpu(t, o->cpu, err);
    rc = rc ? rc : counts_find(t, err);
    prepare_ruler(t);
    return rc || !o->clean_cache ? rc : evictor_prepare(t, err);
}

tacho_trials *tacho_trials_new(const tacho_trials_options *options, tacho_error *err)
{
    tacho_trials *t = tacho_mem_zalloc(1, sizeof *t);
    if (!t) {
        tacho_no_memory(err);
        return NULL;
    }
    t->null = -1;
    if (OPTIONS_TAKE(trials, &t->options, options, err) || set_up(t, err)) {
        tacho_trials_free(t);
        return NULL;
    }
    return t;
}

void tacho_trials_free(tacho_trials *t)
{
    if (!t)
        return;
    if (t->null >= 0)
        close(t->null);
    tacho_mem_free(t->cache);
    tacho_str_free(&t->output);
    tacho_mem_free(t);
}

GIVES(tacho_clock, tacho_trials_clock, tacho_trials, clock)
GIVES(int, tacho_trials_cpu, tacho_trials, cpu)
GIVES(uint32_t, tacho_trials_event_count, tacho_trials, event_count)

const char *tacho_trials_event_name(const tacho_trials *t, uint32_t event)
{
    return event < t->event_count ? t->event_names[event] : "";
}

GIVES(const char *, tacho_trials_counters_missing, tacho_trials, counters_missing)

/* ---- a run ---- */

typedef struct run {
    tacho_trials *t;
    const tacho_command *command;
    const tacho_layout *layout;
    char path[4096];
    const char **environment; /* with the pad; NULL: the command's own */
    int input, output;
    double before_seconds; /* of a processor, until it was loaded */
} run;

static bool is_out_of_range(const tacho_layout *l)
{
    return l->environment_bytes > TACHO_LAYOUT_MAX_PAD || l->stack_bytes > TACHO_LAYOUT_MAX_PAD ||
           l->heap_bytes > TACHO_LAYOUT_MAX_PAD || l->mmap_pages > TACHO_LAYOUT_MAX_PAGES ||
           l->stack_bytes % TACHO_LAYOUT_STEP || l->heap_bytes % TACHO_LAYOUT_STEP;
}

static int pad_environment(run *r, tacho_error *err)
{
    extern char **environ;
    char *none[] = {NULL};
    char *const *given = r->command->environment ? r->command->environment : environ;
    r->environment = layout_environment(r->layout, given ? given : none);
    return r->environment ? 0 : tacho_no_memory(err);
}

static int open_files(run *r, tacho_error *err)
{
    if (r->command->input && (r->input = open(r->command->input, O_RDONLY | O_CLOEXEC)) < 0)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s: %s", r->command->input, strerror(errno));
    if (r->t->options.output_bytes && (r->output = tacho_file_in_memory(NULL, 0)) < 0)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "no file for the output: %s", strerror(errno));
    return 0;
}

static int prepare(run *r, tacho_error *err)
{
    const tacho_command *c = r->command;
    if (!c->argv || !c->argv[0] || is_out_of_range(r->layout))
        return tacho_error_set(err, TACHO_ERR_USAGE, "no command, or a layout out of range");
    int rc = tacho_process_find_command(c->argv[0], r->path, sizeof r->path, err);
    if (rc)
        return rc;
    if (layout_moves(r->layout) && !r->t->may_trace)
        return tacho_error_set(
            err, TACHO_ERR_SYSTEM,
            "stack, heap and mappings can only be moved with ptrace, which is not allowed here");
    if (r->layout->fixed && !tacho_process_can_fix_addresses())
        return tacho_error_set(err, TACHO_ERR_SYSTEM,
                               "programs cannot be run at the same addresses each time, as personality() is "
                               "not allowed here (a container's seccomp profile)");
    rc = open_files(r, err);
    return rc || !r->layout->padded ? rc : pad_environment(r, err);
}

static void release(run *r)
{
    if (r->input >= 0)
        close(r->input);
    if (r->output >= 0)
        close(r->output);
    tacho_mem_free(r->environment);
    counts_close(r->t);
}

/* The program waits before its first instruction. */
static int on_held(pid_t pid, void *payload)
{
    run *r = payload;
    int error = layout_moves(r->layout) ? layout_apply(pid, r->layout) : 0;
    clockid_t used;
    if (!clock_getcpuclockid(pid, &used))
        r->before_seconds = seconds_by(used);
    return error ? error : counts_open(r->t, pid);
}

static bool asks_to_stop(void *payload)
{
    const tacho_trials_options *o = &((run *)payload)->t->options;
    return o->stop && o->stop(o->payload);
}

static void conclude(run *r, const tacho_process_end *end, double core_hz, tacho_trial *out)
{
    const tacho_trials *t = r->t;
    *out = (tacho_trial){.exit_status = end->exit_status,
                         .signal = end->signal,
                         .timed_out = end->timed_out,
                         .stopped = end->stopped,
                         .elapsed_seconds = end->seconds,
                         .user_seconds = seconds_of(end->usage.ru_utime),
                         .system_seconds = seconds_of(end->usage.ru_stime),
                         .core_hz = core_hz,
                         .page_faults = end->usage.ru_minflt + end->usage.ru_majflt,
                         .major_faults = end->usage.ru_majflt,
                         .switches_forced = end->usage.ru_nivcsw,
                         .switches_voluntary = end->usage.ru_nvcsw};
    /* What happened before the program was loaded was the system's work, where that is counted apart. */
    out->cpu_seconds = fmax(0, out->user_seconds + out->system_seconds - r->before_seconds);
    out->system_seconds = fmax(0, out->system_seconds - r->before_seconds);
    out->user_seconds = out->cpu_seconds - out->system_seconds;
    out->cycles = out->cpu_seconds * core_hz;
    counts_read(t, out);
    tacho_str_clear(&r->t->output);
    if (t->options.output_bytes && tacho_process_read(r->output, t->options.output_bytes, &r->t->output))
        tacho_str_clear(&r->t->output);
    out->output = t->output.length ? t->output.data : "";
    out->output_size = t->output.length;
}

static int or_null(const tacho_trials *t, int descriptor)
{
    return descriptor < 0 ? t->null : descriptor;
}

static int start(run *r, tacho_process_end *end, tacho_error *err)
{
    const tacho_trials *t = r->t;
    tacho_process p = {.path = r->path,
                       .argv = (const char *const *)r->command->argv,
                       .env = r->environment ? r->environment : (const char *const *)r->command->environment,
                       .directory = r->command->directory,
                       .input = or_null(t, r->input),
                       .output = or_null(t, r->output < 0 ? t->options.output : r->output),
                       .errors = or_null(t, t->options.errors),
                       .file = -1,
                       .seconds = t->options.timeout_seconds > 0 ? t->options.timeout_seconds : INFINITY,
                       .cpus = t->cpu >= 0 ? &t->cpus : NULL,
                       .same_addresses = r->layout->fixed,
                       .held = t->may_trace ? on_held : NULL,
                       .stop = asks_to_stop,
                       .payload = r};
    if (!tacho_process_run(&p, end))
        return 0;
    return tacho_error_set(
        err, errno == ENOENT || errno == EACCES || errno == ENOEXEC ? TACHO_ERR_INPUT : TACHO_ERR_SYSTEM,
        "cannot run %.200s: %s", r->command->argv[0], tacho_process_why_not(r->command->argv[0], errno));
}

void tacho_trials_set_timeout(tacho_trials *t, double seconds)
{
    t->options.timeout_seconds = seconds;
}

int tacho_trials_run(tacho_trials *t, const tacho_command *command, const tacho_layout *layout,
                     tacho_trial *out, tacho_error *err)
{
    static const tacho_layout as_it_is = {0};
    run r = {.t = t, .command = command, .layout = layout ? layout : &as_it_is, .input = -1, .output = -1};
    tacho_process_end end;
    cpu_set_t before;
    int rc = prepare(&r, err);
    if (!rc) {
        /* The chains run where the command does, which this thread then leaves alone. */
        bool moved = t->cpu >= 0 && !sched_getaffinity(0, sizeof before, &before) &&
                     !sched_setaffinity(0, sizeof t->cpus, &t->cpus);
        evictor_run(t); /* by the processor whose caches they are */
        double first = rulers_core_hz(t);
        rc = start(&r, &end, err);
        double core_hz = rulers_agree(first, rulers_core_hz(t));
        if (moved)
            sched_setaffinity(0, sizeof before, &before);
        if (!rc)
            conclude(&r, &end, core_hz, out);
    }
    release(&r);
    return rc;
}
