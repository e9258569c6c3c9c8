/* bench_formats.c - the formats of results, by what their JSON looks like; from the documentation of the
 * tools: hyperfine's --export-json, Google Benchmark's user guide ("Output Formats"), criterion's book ("csv
 * output", and the files that it keeps itself), pytest-benchmark's --benchmark-json.
 *
 * What a file lacks is an error only where without it nothing can be read: newer versions add fields. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "study/import/bench_internal.h"

static const char *text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static double number_of(const json_t *o, const char *key)
{
    const json_t *value = json_object_get(o, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const json_t *first_of(const json_t *o, const char *list)
{
    return json_array_get(json_object_get(o, list), 0);
}

/* Values in a list, each multiplied with `scale`. @return -1: no memory */
static int take_list(bench_list *l, bench_entry *e, const json_t *list, double scale)
{
    size_t i;
    json_t *value;
    json_array_foreach(list, i, value)
    {
        double seconds = json_is_number(value) ? json_number_value(value) * scale : NAN;
        if (bench_add(l, e, seconds))
            return -1;
    }
    return 0;
}

/* The results in a list, up to the first one that cannot be taken. */
static int take_each(bench_list *l, const json_t *list,
                     int (*take)(bench_list *l, const json_t *result, tacho_error *err), tacho_error *err)
{
    size_t i;
    int rc = 0;
    json_t *o;
    json_array_foreach(list, i, o)
    {
        rc = rc ? rc : take(l, o, err);
    }
    return rc;
}

/* ---- hyperfine ---- */

static bool is_hyperfine(const json_t *root)
{
    return text_of(first_of(root, "results"), "command");
}

static int hyperfine_result(bench_list *l, const json_t *o, tacho_error *err)
{
    const char *command = text_of(o, "command");
    const json_t *times = json_object_get(o, "times"), *codes = json_object_get(o, "exit_codes");
    size_t failed = 0;
    if (!command)
        return tacho_error_set(err, TACHO_ERR_INPUT, "a result of hyperfine without a command");
    for (size_t i = 0; i < json_array_size(codes); i++)
        failed += json_integer_value(json_array_get(codes, i)) != 0;
    bench_entry *e = bench_entry_of(l, command, true);
    if (!e || take_list(l, e, times, 1) ||
        (!json_array_size(times) && bench_trouble(l, e, "no times of single runs")) ||
        (failed && bench_trouble(l, e, "%zu runs failed, and count", failed)))
        return TACHO_ERR_MEMORY;
    return 0;
}

static int take_hyperfine(bench_list *l, const json_t *root, const char *name, tacho_error *err)
{
    (void)name;
    return take_each(l, json_object_get(root, "results"), hyperfine_result, err);
}

/* ---- Google Benchmark ---- */

static bool is_google(const json_t *root)
{
    const json_t *list = json_object_get(root, "benchmarks");
    return json_is_object(json_object_get(root, "context")) && json_is_array(list) &&
           (!json_array_size(list) || text_of(first_of(root, "benchmarks"), "name"));
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), n = strlen(end);
    return length >= n && !strcmp(text + length - n, end);
}

static bool is_aggregate(const json_t *o, const char *name)
{
    static const char *const ends[] = {"_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"};
    const char *type = text_of(o, "run_type");
    if (type) /* since 1.5 */
        return strcmp(type, "iteration") != 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(name, ends[i]))
            return true;
    return false;
}

static double unit_seconds(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].name))
            return units[i].seconds;
    return unit ? NAN : 1e-9;
}

static const char *google_time(const bench_list *l, const char *name)
{
    bool real = strstr(name, "/real_time") || strstr(name, "/manual_time");
    return l->time == TACHO_BENCHMARK_CPU    ? "cpu_time"
           : l->time == TACHO_BENCHMARK_AUTO ? real ? "real_time" : "cpu_time"
                                             : "real_time";
}

static int google_result(bench_list *l, const json_t *o, tacho_error *err)
{
    const char *run = text_of(o, "run_name"), *name = run ? run : text_of(o, "name");
    if (!name)
        return tacho_error_set(err, TACHO_ERR_INPUT, "a benchmark without a name");
    bool failed =
        json_is_true(json_object_get(o, "error_occurred")) || json_is_true(json_object_get(o, "skipped"));
    if (!failed && is_aggregate(o, name)) {
        bool own = l->count && !strcmp(l->entries[l->count - 1].name, name);
        if (own || !run)
            return 0;
        bench_entry *e = bench_entry_of(l, name, false); /* without samples, where none came before */
        return e ? 0 : TACHO_ERR_MEMORY;
    }
    bench_entry *e = bench_entry_of(l, name, false);
    if (!e)
        return TACHO_ERR_MEMORY;
    if (failed) {
        const char *why = text_of(o, "error_message");
        why = why ? why : text_of(o, "skip_message");
        return bench_trouble(l, e, "failed: %s", why ? why : "no reason is given") ? TACHO_ERR_MEMORY : 0;
    }
    double seconds = number_of(o, google_time(l, name)) * unit_seconds(text_of(o, "time_unit"));
    return bench_add(l, e, seconds) ? TACHO_ERR_MEMORY : 0;
}

static int take_google(bench_list *l, const json_t *root, const char *name, tacho_error *err)
{
    (void)name;
    return take_each(l, json_object_get(root, "benchmarks"), google_result, err);
}

/* ---- criterion: a file for each benchmark, whose name is in another ---- */

static bool is_criterion(const json_t *root)
{
    const json_t *iterations = json_object_get(root, "iters"), *times = json_object_get(root, "times");
    return json_array_size(iterations) && json_array_size(iterations) == json_array_size(times);
}

const char *bench_criterion_name(const json_t *root)
{
    return text_of(root, "full_id");
}

static int take_criterion(bench_list *l, const json_t *root, const char *name, tacho_error *err)
{
    const json_t *iterations = json_object_get(root, "iters"), *times = json_object_get(root, "times");
    bench_entry *e = bench_entry_of(l, name, true);
    (void)err;
    if (!e)
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < json_array_size(times); i++) {
        double nanoseconds = json_number_value(json_array_get(times, i));
        if (bench_add(l, e, nanoseconds * 1e-9 / json_number_value(json_array_get(iterations, i))))
            return TACHO_ERR_MEMORY;
    }
    return 0;
}

/* ---- pytest-benchmark ---- */

static bool is_pytest(const json_t *root)
{
    const json_t *list = json_object_get(root, "benchmarks");
    return json_is_object(json_object_get(root, "machine_info")) && json_is_array(list) &&
           (!json_array_size(list) || json_object_get(first_of(root, "benchmarks"), "stats"));
}

static int pytest_result(bench_list *l, const json_t *o, tacho_error *err)
{
    const char *full = text_of(o, "fullname"), *name = full ? full : text_of(o, "name");
    const json_t *data = json_object_get(json_object_get(o, "stats"), "data");
    if (!name)
        return tacho_error_set(err, TACHO_ERR_INPUT, "a benchmark without a name");
    bench_entry *e = bench_entry_of(l, name, true);
    if (!e || take_list(l, e, data, 1) ||
        (!json_array_size(data) &&
         bench_trouble(l, e, "no times of single rounds, which --benchmark-save-data keeps")))
        return TACHO_ERR_MEMORY;
    return 0;
}

static int take_pytest(bench_list *l, const json_t *root, const char *name, tacho_error *err)
{
    (void)name;
    return take_each(l, json_object_get(root, "benchmarks"), pytest_result, err);
}

/* ---- our own ---- */

static const char schema[] = "tacho-baseline-1";

static bool is_saved(const json_t *root)
{
    const char *found = text_of(root, "schema");
    return found && !strcmp(found, schema);
}

static int take_saved(bench_list *l, const json_t *root, const char *ignored, tacho_error *err)
{
    size_t i, r;
    json_t *o, *run;
    uint32_t runs = 1;
    (void)ignored;
    json_array_foreach(json_object_get(root, "benchmarks"), i, o)
    {
        const char *name = text_of(o, "name"), *trouble = text_of(o, "trouble");
        const json_t *list = json_object_get(o, "runs");
        if (!name || !json_is_array(list))
            return tacho_error_set(err, TACHO_ERR_INPUT, "benchmark %zu has no name, or no runs", i + 1);
        bench_entry *e = bench_entry_of(l, name, true); /* also where there are no samples */
        if (!e || (trouble && bench_trouble(l, e, "%s", trouble)))
            return TACHO_ERR_MEMORY;
        json_array_foreach(list, r, run)
        {
            e = bench_entry_of(l, name, true);
            if (!e || take_list(l, e, run, 1))
                return TACHO_ERR_MEMORY;
            e->file += (uint32_t)r;
            runs = r >= runs ? (uint32_t)r + 1 : runs;
        }
    }
    l->file += runs - 1;
    return 0;
}

static json_t *runs_json(const tacho_benchmark *b)
{
    json_t *list = json_array();
    for (size_t i = 0; i < b->count; i++) {
        if (!i || b->runs[i] != b->runs[i - 1])
            json_array_append_new(list, json_array());
        json_array_append_new(json_array_get(list, json_array_size(list) - 1), json_real(b->seconds[i]));
    }
    return list;
}

json_t *bench_saved_json(const tacho_benchmarks *b)
{
    json_t *list = json_array();
    for (size_t i = 0; i < b->count; i++) {
        const tacho_benchmark *x = &b->list[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(x->name));
        if (x->trouble)
            json_object_set_new(o, "trouble", json_string(x->trouble));
        json_object_set_new(o, "runs", runs_json(x));
        json_array_append_new(list, o);
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "schema", schema, "tool", b->tool, "unit", "s", "benchmarks",
                     list);
}

/* ---- all of them ---- */

const bench_format bench_criterion = {"criterion", is_criterion, take_criterion};

const bench_format *bench_format_of(const json_t *root)
{
    static const bench_format formats[] = {{"tacho", is_saved, take_saved},
                                           {"hyperfine", is_hyperfine, take_hyperfine},
                                           {"pytest-benchmark", is_pytest, take_pytest},
                                           {"google-benchmark", is_google, take_google}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].is(root))
            return &formats[i];
    return is_criterion(root) ? &bench_criterion : NULL;
}
