/* bias.c - a sweep from start to verdict: factor after factor, and what they share. */
#include "program/bias/bias_internal.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/options_take.h"
#include "base/file.h"
#include "base/seconds.h"

enum {
    USUAL_STEP = 16,
    USUAL_SPAN = 4096
};

void *bias_alloc(bias *b, size_t bytes)
{
    void *p = arena_alloc(&b->memory, bytes ? bytes : 1);
    if (!p)
        tacho_no_memory(b->err);
    return p;
}

static const char *text_of(bias *b, const char *format, va_list args)
{
    const char *out = arena_vformat(&b->memory, format, args);
    if (!out)
        tacho_no_memory(b->err);
    return out;
}

const char *bias_text(bias *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *out = text_of(b, format, args);
    va_end(args);
    return out;
}

char **bias_with_program(bias *b, const char *program)
{
    size_t argc = 0;
    while (b->command.argv[argc])
        argc++;
    char **argv = bias_alloc(b, (argc + 1) * sizeof *argv);
    if (!argv)
        return NULL;
    memcpy(argv, b->command.argv, argc * sizeof *argv);
    argv[0] = (char *)(uintptr_t)program;
    return argv;
}

static int add_note(bias *b, const char *const **notes, uint32_t *count, const char *text)
{
    const char **list = bias_alloc(b, (*count + 1) * sizeof *list);
    if (!list || !text)
        return TACHO_ERR_MEMORY;
    if (*count)
        memcpy(list, *notes, *count * sizeof *list);
    list[(*count)++] = text;
    *notes = list;
    return 0;
}

int bias_note(bias *b, tacho_bias_factor *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = text_of(b, format, args);
    va_end(args);
    return f ? add_note(b, &f->notes, &f->note_count, text)
             : add_note(b, &b->result.notes, &b->result.note_count, text);
}

uint32_t bias_random(bias *b, uint32_t below)
{
    return hash_draw(&b->random, below);
}

/* ---- a directory of our own ---- */

const char *bias_directory(bias *b)
{
    bool have = *b->temporary || !tacho_scratch_make(b->temporary, sizeof b->temporary, b->err);
    return have ? b->temporary : NULL;
}

/* ---- options ---- */

OPTIONS_DEFINE(bias, TACHO_BIAS_OPTIONS_INIT)

static int check_options(const tacho_bias_options *o, const tacho_command *command, tacho_error *err)
{
    if (!command->argv || !command->argv[0])
        return tacho_error_set(err, TACHO_ERR_USAGE, "no command");
    if (o->factors >> TACHO_BIAS_KIND_COUNT)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no such factor");
    if (o->step_bytes % TACHO_LAYOUT_STEP || o->span_bytes > TACHO_LAYOUT_MAX_PAD - USUAL_SPAN ||
        o->span_bytes / (o->step_bytes ? o->step_bytes : USUAL_STEP) > TACHO_BIAS_MAX_PLACES)
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "a step that is no multiple of %d, or a span above %d bytes",
                               TACHO_LAYOUT_STEP, TACHO_LAYOUT_MAX_PAD - USUAL_SPAN);
    if (o->passes == 1 || o->passes > TACHO_BIAS_MAX_PASSES)
        return tacho_error_set(err, TACHO_ERR_USAGE, "2 to %d passes", TACHO_BIAS_MAX_PASSES);
    if (!(o->max_seconds > 0) || !(o->timeout_seconds >= 0) || !(o->threshold >= 0) ||
        !(o->confidence > 0.5) || !(o->confidence < 1))
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "times, the threshold or the confidence are out of range");
    if (o->object_count > TACHO_BIAS_MAX_OBJECTS || (o->link && !o->object_count) ||
        (!o->link && o->object_count))
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "a link command needs 1 to %d object files, and they need it",
                               TACHO_BIAS_MAX_OBJECTS);
    return 0;
}

/* ---- runs ---- */

static bool is_metric(const char *name)
{
    return TEXT_IS_ONE_OF(name, "cycles", "cpu", "elapsed");
}

static int add_trials(bias *b, const char *events)
{
    tacho_trials_options o = TACHO_TRIALS_OPTIONS_INIT;
    o.cpu = b->options.cpu;
    o.events = events && *events ? events : NULL;
    o.timeout_seconds = b->options.timeout_seconds > 0 ? b->options.timeout_seconds : b->options.max_seconds;
    o.output = b->options.output;
    o.errors = b->options.errors;
    o.stop = b->options.stop;
    o.payload = b->options.payload;
    b->trials[b->trials_count] = tacho_trials_new(&o, b->err);
    if (!b->trials[b->trials_count])
        return b->err->code;
    b->trials_count++;
    return 0;
}

/* Events take turns: in each run as many as the processor has counters for, and the one that is the metric.
 */
static int make_trials(bias *b)
{
    const char *at = b->options.events ? b->options.events : "", *metric = b->result.metric;
    bool event = !is_metric(metric);
    uint32_t known = STANDARD_COUNTERS;
    int rc = 0;
    do {
        tacho_str events = {0};
        for (int i = 0; i < EVENTS_A_RUN && *at && known < TACHO_BIAS_MAX_COUNTERS; i++) {
            size_t n = strcspn(at, ",");
            tacho_str_printf(&events, "%s%.*s", i ? "," : "", (int)n, at);
            at += n + (at[n] == ',');
            known++;
        }
        if (event)
            tacho_str_printf(&events, "%s%s", events.length ? "," : "", metric);
        rc = events.failed ? tacho_no_memory(b->err) : add_trials(b, events.data);
        tacho_str_free(&events);
    } while (*at && !rc && known < TACHO_BIAS_MAX_COUNTERS);
    b->metric_event = event && !rc ? (int)tacho_trials_event_count(b->trials[0]) - 1 : -1;
    return rc || !*at
               ? rc
               : tacho_error_set(b->err, TACHO_ERR_USAGE, "more than %d events", TACHO_TRIAL_MAX_EVENTS);
}

static int name_counters(bias *b)
{
    static const char *const standard[STANDARD_COUNTERS] = {
        "cycles", "cpu", "elapsed", "page-faults", "forced-switches", "major-faults", "voluntary-switches"};
    uint32_t n = 0;
    for (; n < STANDARD_COUNTERS; n++)
        b->counter_names[n] = standard[n];
    for (uint32_t t = 0; t < b->trials_count; t++) {
        uint32_t events = tacho_trials_event_count(b->trials[t]) - (b->metric_event >= 0);
        for (uint32_t i = 0; i < events && n < TACHO_BIAS_MAX_COUNTERS; i++)
            if (!(b->counter_names[n++] = bias_text(b, "%s", tacho_trials_event_name(b->trials[t], i))))
                return TACHO_ERR_MEMORY;
    }
    b->result.counter_names = b->counter_names;
    b->result.counter_count = n;
    return 0;
}

int bias_use_metric(bias *b, const char *metric)
{
    b->result.metric = bias_text(b, "%s", metric);
    b->result.metric_unit = !strcmp(metric, "cycles") ? "cycles" : is_metric(metric) ? "s" : "";
    return b->result.metric ? 0 : TACHO_ERR_MEMORY;
}

static int prepare_runs(bias *b)
{
    int rc = bias_use_metric(b, b->options.metric ? b->options.metric : "cycles");
    rc = rc ? rc : make_trials(b);
    rc = rc ? rc : name_counters(b);
    if (rc)
        return rc;
    b->result.cpu = tacho_trials_cpu(b->trials[0]);
    b->result.clock = tacho_trials_clock(b->trials[0]) == TACHO_CLOCK_PERF ? "perf" : "tsc-calibrated";
    const char *why = tacho_trials_counters_missing(b->trials[0]);
    return *why ? bias_note(b, NULL, "no performance counters to correlate with: %s", why) : 0;
}

/* ---- factors ---- */

static bool is_wanted(const bias *b, tacho_bias_kind kind)
{
    bool links = kind == TACHO_BIAS_LINK_ORDER || kind == TACHO_BIAS_CODE;
    return b->options.factors ? b->options.factors >> kind & 1 : !links || b->options.link;
}

static const char ended_before[] = "the sweep ended before it";

static int make_factors(bias *b, bias_series *series)
{
    int rc = 0;
    for (int k = 0; k < TACHO_BIAS_KIND_COUNT && !rc; k++) {
        if (!is_wanted(b, (tacho_bias_kind)k))
            continue;
        tacho_bias_factor *f = &b->factors[b->result.factor_count];
        bias_series *s = &series[b->result.factor_count++];
        f->kind = s->kind = (tacho_bias_kind)k;
        f->name = tacho_bias_kind_name(f->kind);
        bias_no_verdict(f);
        f->median = f->noise = NAN;
        f->advice.ratio = f->advice.low = f->advice.high = NAN;
        s->step_bytes = b->options.step_bytes ? b->options.step_bytes : USUAL_STEP;
        s->out = f;
        rc = b->stopped ? 0 : series_make(b, s);
        if (b->stopped) /* not all of its places are there */
            s->count = 0;
        if (!rc && !s->count && !f->missing)
            f->missing = b->stopped ? ended_before : "there is nothing to change";
        f->point_count = s->count; /* that are planned */
    }
    b->result.factors = b->factors;
    return rc;
}

/* Runs that a factor would have if there was time for all. */
static double runs_of(const bias *b, const bias_series *s)
{
    return s->count ? (double)(b->options.passes ? b->options.passes : USUAL_PASSES) * s->count + CONFIRM_RUNS
                    : 0;
}

double bias_time_for(const bias *b, const bias_series *next, uint32_t count)
{
    double left = fmax(0, b->until - seconds_now()), low = 0, high = left;
    for (int i = 0; i < 40; i++) {
        double most = (low + high) / 2, taken = 0;
        for (uint32_t k = 0; k < count; k++)
            taken += fmin(most, runs_of(b, &next[k]) * b->run_seconds);
        if (taken < left)
            low = most;
        else
            high = most;
    }
    return low;
}

static int do_factor(bias *b, bias_series *s)
{
    if (!s->count)
        return 0;
    int rc = sweep_series(b, s);
    rc = rc ? rc : curve_smooth(b, s);
    rc = rc ? rc : curve_correlate(b, s);
    rc = rc || isnan(s->out->median) ? rc : confirm_series(b, s);
    if (isnan(s->out->median))
        s->out->missing =
            b->stopped ? ended_before
            : s->out->partial
                ? "time did not allow for it (--max-time)"
                : "no run gave a value: the core's clock is not steady (--metric cpu does without)";
    rc = rc || !s->out->biased ? rc : curve_spikes(b, s);
    bool explain = !rc && s->out->biased && b->options.why && !b->stopped;
    rc = explain ? why_find(b, s) : rc;
    if (!rc && explain && b->stopped && !s->out->why.sentence)
        rc = bias_note(b, s->out, "the sweep was ended before a cause was found");
    return rc || !explain || b->stopped ? rc : advise(b, s);
}

static int do_factors(bias *b, bias_series *series)
{
    int rc = 0;
    uint32_t count = b->result.factor_count;
    for (uint32_t i = 0; i < count && !rc; i++) {
        if (b->stopped && series[i].count) {
            b->factors[i].missing = ended_before;
            b->factors[i].point_count = 0;
            continue;
        }
        series[i].until = seconds_now() + bias_time_for(b, &series[i], count - i);
        rc = do_factor(b, &series[i]);
        b->result.partial |= b->factors[i].partial;
    }
    return rc;
}

/* What such a short program takes is mostly its start. */
static int note_short(bias *b)
{
    const double brief = 0.005;
    return !b->stopped && b->run_seconds < brief
               ? bias_note(b, NULL,
                           "a run takes %.1f ms, much of which is the program's start; "
                           "effects would show better in "
                           "one that works longer",
                           b->run_seconds * 1000)
               : 0;
}

static int sweep_all(bias *b)
{
    bias_series *series = bias_alloc(b, TACHO_BIAS_KIND_COUNT * sizeof *series);
    int rc = series ? prepare_runs(b) : TACHO_ERR_MEMORY;
    rc = rc || !b->options.link ? rc : link_base(b);
    rc = rc ? rc : make_factors(b, series);
    rc = rc ? rc : sweep_warm_up(b);
    rc = rc ? rc : note_short(b);
    rc = rc ? rc : do_factors(b, series);
    b->result.partial |= b->stopped;
    b->result.seconds = seconds_now() - b->started;
    return rc;
}

int tacho_bias_sweep(tacho_bias **out, const tacho_command *command, const tacho_bias_options *options,
                     tacho_error *err)
{
    tacho_bias_options o;
    extern char **environ;
    tacho_error unwanted;
    char *none[] = {NULL};
    err = err ? err : &unwanted;
    *err = (tacho_error){0};
    int rc = OPTIONS_TAKE(bias, &o, options, err);
    if (rc || (rc = check_options(&o, command, err)))
        return rc;
    bias *b = tacho_mem_zalloc(1, sizeof *b);
    if (!b)
        return tacho_no_memory(err);
    b->options = o;
    b->options.span_bytes = o.span_bytes ? o.span_bytes : USUAL_SPAN;
    b->command = *command;
    b->name = command->argv[0];
    b->span_given = o.span_bytes > 0;
    b->environment = (char **)(uintptr_t)(command->environment ? command->environment : environ);
    b->environment = b->environment ? b->environment : none;
    b->base = (tacho_layout){.fixed = true, .padded = true};
    b->random = hash_mix(o.seed);
    b->err = err;
    b->started = seconds_now();
    b->until = b->started + o.max_seconds;
    rc = sweep_all(b);
    for (uint32_t i = 0; i < b->trials_count; i++)
        tacho_trials_free(b->trials[i]);
    if (*b->temporary)
        tacho_scratch_remove(b->temporary);
    b->err = NULL;
    if (rc)
        tacho_bias_free(&b->result);
    else
        *out = &b->result;
    return rc;
}

void tacho_bias_free(tacho_bias *result)
{
    bias *b = (bias *)result;
    if (!b)
        return;
    arena_free(&b->memory);
    tacho_mem_free(b);
}

/* ---- names ---- */

static const struct {
    const char *name, *words;
} kinds[TACHO_BIAS_KIND_COUNT] = {
    [TACHO_BIAS_ENVIRONMENT] = {"environment", "size of the environment"},
    [TACHO_BIAS_STACK] = {"stack", "where the stack begins"},
    [TACHO_BIAS_HEAP] = {"heap", "where the heap begins"},
    [TACHO_BIAS_MAPPINGS] = {"mappings", "where mappings begin"},
    [TACHO_BIAS_ARGUMENT] = {"argument", "length of the program's path"},
    [TACHO_BIAS_DIRECTORY] = {"directory", "length of the current directory's name"},
    [TACHO_BIAS_ALLOCATOR] = {"allocator", "allocator of memory"},
    [TACHO_BIAS_BUFFERS] = {"buffers", "distance between large allocations"},
    [TACHO_BIAS_LINK_ORDER] = {"link-order", "order of the object files"},
    [TACHO_BIAS_CODE] = {"code", "place of the code"},
};

static const char *const phases[TACHO_BIAS_PHASE_COUNT] = {
    [TACHO_BIAS_LINKING] = "linking",       [TACHO_BIAS_SWEEPING] = "sweep",
    [TACHO_BIAS_CONFIRMING] = "confirming", [TACHO_BIAS_EXPLAINING] = "cause",
    [TACHO_BIAS_ADVISING] = "advice",
};

static const char *const causes[] = {
    [TACHO_BIAS_NO_CAUSE] = "",
    [TACHO_BIAS_UNKNOWN] = "unknown",
    [TACHO_BIAS_ALIASING] = "4k_aliasing",
    [TACHO_BIAS_LINE_CROSSING] = "line_crossing",
    [TACHO_BIAS_PAGE_CROSSING] = "page_crossing",
    [TACHO_BIAS_CODE_ALIGNMENT] = "code_alignment",
    [TACHO_BIAS_INSTRUCTIONS] = "other_code",
    [TACHO_BIAS_PAGE_FAULTS] = "page_faults",
    [TACHO_BIAS_MAJOR_FAULTS] = "major_page_faults",
    [TACHO_BIAS_WAITING] = "waiting",
    [TACHO_BIAS_SET_CONFLICTS] = "set_conflicts",
    [TACHO_BIAS_TLB] = "tlb",
};

const char *tacho_bias_kind_name(tacho_bias_kind kind)
{
    return (unsigned)kind < TACHO_BIAS_KIND_COUNT ? kinds[kind].name : "";
}

const char *tacho_bias_kind_words(tacho_bias_kind kind)
{
    return (unsigned)kind < TACHO_BIAS_KIND_COUNT ? kinds[kind].words : "";
}

const char *tacho_bias_phase_name(tacho_bias_phase phase)
{
    return (unsigned)phase < TACHO_BIAS_PHASE_COUNT ? phases[phase] : "";
}

const char *tacho_bias_effect_name(const tacho_bias_factor *factor)
{
    return "slowest_to_fastest";
}

const char *tacho_bias_cause_name(tacho_bias_cause cause)
{
    return (unsigned)cause < sizeof causes / sizeof *causes ? causes[cause] : "";
}
