/* report_kernels.c - a study of kernels: what was built and measured, and the paper's table (CesASMe, Table
 * 2), with and without what is bound by dependencies through memory (Table 4); JSON, and CSV with a row a
 * variant. What there is not is null, or an empty field. */
#include "app/report/report.h"
#include "app/report/study/report_study.h"
#include "base/csv.h"

enum {
    SHOWN_FAILURES = 8
};

static bool is_measured(const tacho_kernel_variant *v)
{
    return v->status == TACHO_KERNEL_OK || v->status == TACHO_KERNEL_UNSTABLE;
}

/* Whether what was measured is the core that was predicted. */
static bool report_kernels_same_core(const report_kernels *k)
{
    return k->native && k->result->arch && tacho_arch_same_core(k->native, k->result->arch);
}

/* Variants with a measured number. @param pruned without those that are bound by memory */
static size_t report_kernels_measured(const tacho_kernels_result *r, bool pruned)
{
    size_t n = 0;
    for (size_t i = 0; i < r->variant_count; i++)
        n += is_measured(&r->variants[i]) && !(pruned && r->variants[i].memory_bound);
    return n;
}

static bool is_failure(tacho_kernel_status status)
{
    return status == TACHO_KERNEL_NOT_COMPILED || status == TACHO_KERNEL_CRASHED ||
           status == TACHO_KERNEL_TIMEOUT || status == TACHO_KERNEL_FAILED;
}

size_t report_kernels_failed(const tacho_kernels_result *r)
{
    size_t n = 0;
    for (int s = 0; s < TACHO_KERNEL_STATUS_COUNT; s++)
        n += is_failure((tacho_kernel_status)s) ? r->status_count[s] : 0;
    return n;
}

/* Seconds or minutes, short: "0.42 s". */
static const char *short_time(char out[TACHO_NUMBER_SIZE], double seconds)
{
    if (!isfinite(seconds))
        snprintf(out, TACHO_NUMBER_SIZE, "-");
    else if (seconds < 120)
        snprintf(out, TACHO_NUMBER_SIZE, seconds < 10 ? "%.2f s" : "%.0f s", seconds);
    else
        snprintf(out, TACHO_NUMBER_SIZE, "%.0f min", seconds / 60);
    return out;
}

/* The table of the paper: a row a predictor. `g` is not started yet. */
static void make_table(report_grid *g, const tacho_kernels_result *r, bool pruned)
{
    static const char *const names[] = {"predictor", "datapoints", "failures", "MAPE %", "median %",
                                        "q1 %",      "q3 %",       "tau",      "bias %", "time"};
    report_grid_start(g, sizeof names / sizeof *names, 0);
    report_grid_cells(g, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < r->predictor_count; i++) {
        const tacho_kernels_predictor *p = &r->predictors[i];
        const tacho_score *s = pruned ? &p->pruned : &p->all;
        char text[REPORT_ESTIMATE_SIZE], number[TACHO_NUMBER_SIZE];
        size_t all = s->count + s->failures;
        report_grid_cell(g, p->name);
        report_grid_cell(g, report_count(number, s->count));
        report_grid_cellf(g, "%zu (%.1f %%)", s->failures, all ? 100 * (double)s->failures / (double)all : 0);
        report_grid_cell(g, report_estimate(text, &s->mape, true));
        report_grid_cell(g, report_percent(number, s->median.value));
        report_grid_cell(g, report_percent(number, s->q1.value));
        report_grid_cell(g, report_percent(number, s->q3.value));
        report_grid_cell(g, report_estimate(text, &s->kendall_tau, false));
        report_grid_cell(g, report_percent(number, s->bias));
        report_grid_cell(g, short_time(number, p->seconds));
    }
}

/* ---- text ---- */

static void put_counts(tacho_str *out, const report_kernels *k)
{
    const tacho_kernels_result *r = k->result;
    char n[TACHO_NUMBER_SIZE];
    static const struct {
        tacho_kernel_status status;
        const char *one, *several, *words;
    } parts[] = {{TACHO_KERNEL_MERGED, "has", "have", " the code of an earlier one"},
                 {TACHO_KERNEL_CACHE_MISSES, "misses", "miss", " the first-level data cache too often"},
                 {TACHO_KERNEL_NOT_COMPILED, "was", "were", " not compiled"},
                 {TACHO_KERNEL_CRASHED, "crashed", "crashed", ""},
                 {TACHO_KERNEL_TIMEOUT, "did not end", "did not end", ""},
                 {TACHO_KERNEL_FAILED, "went wrong", "went wrong", ""},
                 {TACHO_KERNEL_PENDING, "was", "were", " not built"},
                 {TACHO_KERNEL_COUNTED, "was", "were", " counted and not measured"},
                 {TACHO_KERNEL_UNSTABLE, "was", "were", " measured, with passes that disagree"},
                 {TACHO_KERNEL_OK, "was", "were", " measured"}};
    tacho_str line = {0};
    tacho_str_printf(&line, "%s kernel%s in ", report_count(n, r->kernel_count),
                     tacho_plural(r->kernel_count));
    tacho_str_printf(&line, "%s variant%s, of which ", report_count(n, r->variant_count),
                     tacho_plural(r->variant_count));
    bool first = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t count = r->status_count[parts[i].status];
        if (!count)
            continue;
        tacho_str_printf(&line, "%s%s %s%s", first ? "" : ", ", report_count(n, count),
                         count == 1 ? parts[i].one : parts[i].several, parts[i].words);
        first = false;
    }
    tacho_str_puts(&line, ".\n");
    report_wrapped_text(out, &line, 0);
}

static void put_cores(tacho_str *out, const report_kernels *k)
{
    const tacho_kernels_result *r = k->result;
    tacho_str line = {0};
    if (r->arch)
        tacho_str_printf(&line, "Predicted for %s, %s", r->arch->name, r->arch->long_name);
    if (r->clock != TACHO_CLOCK_AUTO)
        tacho_str_printf(&line, "%s%s (clock %s)", r->arch ? "; measured on " : "Measured on ", r->processor,
                         tacho_clock_name(r->clock));
    if (r->arch && r->clock != TACHO_CLOCK_AUTO && !report_kernels_same_core(k))
        tacho_str_puts(&line, ", which is ANOTHER CORE: the errors include the difference between the cores; "
                              "only tau, which compares orders, is meaningful");
    if (line.length) {
        tacho_str_puts(&line, ".\n");
        report_wrapped_text(out, &line, 0);
    }
}

static void put_notes(tacho_str *out, const tacho_kernels_result *r)
{
    char n[TACHO_NUMBER_SIZE];
    for (size_t i = 0; i < r->note_count; i++) {
        tacho_str_puts(out, "note: ");
        report_put_plain(out, r->notes[i].text);
        if (r->notes[i].variants)
            tacho_str_printf(out, "; %s variant%s not there", report_count(n, r->notes[i].variants),
                             r->notes[i].variants == 1 ? " is" : "s are");
        tacho_str_putc(out, '\n');
    }
}

static void put_failures(tacho_str *out, const tacho_kernels_result *r)
{
    size_t shown = 0, all = report_kernels_failed(r);
    for (size_t i = 0; i < r->variant_count && shown < SHOWN_FAILURES; i++) {
        const tacho_kernel_variant *v = &r->variants[i];
        if (!is_failure(v->status))
            continue;
        report_paintf(out, false, "", "%s: %s: %s", v->id, tacho_kernel_status_name(v->status), v->message);
        tacho_str_putc(out, '\n');
        shown++;
    }
    if (all > shown)
        tacho_str_printf(out, "... and %zu more: --format csv has them all\n", all - shown);
}

static void put_table(tacho_str *out, const report_kernels *k, bool pruned, bool colour)
{
    char n[TACHO_NUMBER_SIZE];
    report_grid g;
    const size_t count = report_kernels_measured(k->result, pruned);
    report_count(n, count);
    tacho_str_putc(out, '\n');
    if (pruned)
        report_paintf(out, colour, REPORT_BOLD,
                      "Without those bound by dependencies through memory (%.0f %% of tacho's prediction): "
                      "%s variant%s",
                      100 * k->memory_bound, n, tacho_plural(count));
    else
        report_paintf(out, colour, REPORT_BOLD, "All that were measured: %s variant%s", n,
                      tacho_plural(count));
    tacho_str_putc(out, '\n');
    make_table(&g, k->result, pruned);
    report_grid_put(out, &g, colour);
}

static bool has_memory_bound(const tacho_kernels_result *r)
{
    for (size_t i = 0; i < r->variant_count; i++)
        if (!isnan(r->variants[i].memory_share))
            return true;
    return false;
}

static void put_times(tacho_str *out, const tacho_kernels_result *r)
{
    char build[TACHO_NUMBER_SIZE], measure[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "\nBuilding and counting took %s, measuring %s (this run).\n",
                     short_time(build, r->build_seconds), short_time(measure, r->measure_seconds));
}

void report_kernels_text(tacho_str *out, const report_kernels *k, bool colour)
{
    const tacho_kernels_result *r = k->result;
    put_counts(out, k);
    put_cores(out, k);
    report_put_plain(out, "");
    for (const char *at = r->compilers; at && *at;) {
        size_t n = strcspn(at, "\n");
        tacho_str_printf(out, "%.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
    put_notes(out, r);
    put_failures(out, r);
    if (r->predictor_count && report_kernels_measured(r, false)) {
        put_table(out, k, false, colour);
        if (has_memory_bound(r))
            put_table(out, k, true, colour);
    }
    put_times(out, r);
}

/* ---- a study of kernels for programs: JSON, and CSV with a row a variant. What there is not is null, or an
 * empty field ---- */

#define root(at) (((const report_kernels *)report_root(at))->result)

/* Whether predictors were asked about it. */
static bool is_predicted(const tacho_kernel_variant *v)
{
    return v->status == TACHO_KERNEL_COUNTED || v->status == TACHO_KERNEL_OK ||
           v->status == TACHO_KERNEL_UNSTABLE;
}

/* ---- the parts ---- */

#define RECORD tacho_kernels_predictor
static const report_field predictors[] = {
    MEMBERS2(name, version, "the model", .none = REPORT_NO_TEXT),
    {MEMBER(seconds, "that predicting all blocks took")},
    {RECORD_IN("all", all, &report_score_table, NULL)},
    {RECORD_IN("without_memory_bound", pruned, &report_score_table,
               "as a predictor's figures in `tacho eval` (errors are fractions)")},
};
#undef RECORD

#define RECORD tacho_kernel
static const report_field kernels[] = {
    MEMBERS3(name, summary, category, "as its file says"),
    {MEMBER(path, "null: tacho's own", .none = REPORT_NO_TEXT)},
    {MEMBER(polybench, "written against polybench.h")},
};
#undef RECORD

#define RECORD tacho_kernels_note
static const report_field notes[] = {
    {MEMBER(text, "what could not be generated")},
    {MEMBER(variants, "how many are not there for it")},
};
#undef RECORD

/* ---- a variant ---- */

#define RECORD tacho_kernel_prediction
ONLY(has_cycles, !isnan(r->cycles))
static const report_field predictions[] = {
    {MEMBER(cycles, "of one run of the region")},
    {MEMBER(lower_bound, "as in tacho-predict-1, of any of its blocks", .known = has_cycles)},
    {MEMBER(coverage, "share of the executed instructions in blocks with a prediction")},
    {NAMED("error", message, "why it failed", .none = REPORT_ZERO)},
};
#undef RECORD

/* No coverage where the predictor was not asked. */
static tacho_kernel_prediction prediction_of(const tacho_kernels_result *r, size_t predictor,
                                             const tacho_kernel_variant *v)
{
    tacho_kernel_prediction x = r->predictors[predictor].predictions[v - r->variants];
    if (!is_predicted(v))
        x.coverage = NAN;
    return x;
}

#define RECORD tacho_kernel_variant
static json_t *predictions_json(const report_at *at)
{
    const tacho_kernels_result *r = root(at);
    json_t *o = json_object();
    for (size_t p = 0; p < r->predictor_count; p++) {
        tacho_kernel_prediction x = prediction_of(r, p, at->record);
        json_object_set_new(o, r->predictors[p].name, report_record_json(ROWS(predictions), &x, at));
    }
    return o;
}

static void put_predictions(tacho_str *out, const report_at *at, bool head)
{
    const tacho_kernels_result *r = root(at);
    char cycles[TACHO_NUMBER_SIZE], coverage[TACHO_NUMBER_SIZE];
    for (size_t p = 0; p < r->predictor_count; p++) {
        const char *name = r->predictors[p].name;
        tacho_str_putc(out, ',');
        if (head) {
            TACHO_FREED tacho_str second = {0};
            tacho_str_printf(&second, "%s coverage", name);
            tacho_csv_put(out, name, strlen(name));
            tacho_str_putc(out, ',');
            tacho_csv_put(out, second.data ? second.data : "", second.length);
            out->failed |= second.failed;
            continue;
        }
        tacho_kernel_prediction x = prediction_of(r, p, at->record);
        tacho_str_printf(out, "%s,%s", tacho_format_number(cycles, x.cycles, 2),
                         tacho_format_number(coverage, x.coverage, 4));
    }
}

ONLY(is_counted, r->instructions)
ONLY(has_share, !isnan(r->memory_share))
ONLY(has_time, !isnan(r->cycles))
ONLY(is_merged, r->same_as >= 0)
GETTER(kernel_name, report_text_value(root(at)->kernels[r->kernel].name))
GETTER(category, report_text_value(root(at)->kernels[r->kernel].category))
GETTER(same_as, report_text_value(root(at)->variants[r->same_as].id))
GETTER(clock_cell, report_text_value(tacho_clock_name(root(at)->clock)))
GETTER(predictions_of, report_object(predictions_json(at)))
static const report_field variant[] = {
    {MEMBER(id, "its name")},
    {MADE(TEXT, "kernel", kernel_name, NULL)},
    MEMBERS5(compiler, level, vectors, transform, flags, "what it is made of, and how"),
    {WORD("status", status, tacho_kernel_status_name, "how far it came")},
    {NAMED("error", message, "what is wrong", .none = REPORT_ZERO)},
    {MADE(TEXT, "same_as", same_as, "the earlier variant with the same code", .known = is_merged)},
    {MEMBER(instructions, NULL, .known = is_counted)},
    {MEMBER(accesses, NULL, .known = is_counted)},
    {MEMBER(misses, NULL, .known = is_counted)},
    {MEMBER(bytes, NULL, .known = is_counted)},
    {NAMED("blocks", block_count,
           "of one run of the region: instructions, accesses to memory, misses of the first-level data "
           "cache, bytes of its arrays, basic blocks; null: not counted",
           .known = is_counted)},
    {MEMBER(checksum, "of its results")},
    {MEMBER(cycles, NULL, .cell = 2)},
    {MEMBER(uncertainty, "measured, of one run of the region", .cell = 5)},
    {MEMBER(mispredictions, "of one run, by an idealised predictor of branches; null: not stepped through",
            .cell = 1)},
    {MEMBER(memory_share, NULL, .cell = 4)},
    {MEMBER(memory_bound,
            "of tacho's prediction, what goes away without dependencies through memory; whether it is above "
            "the limit",
            .cell = REPORT_1_0, .known = has_share)},
    {MADE(OBJECT, "predictions", predictions_of, "by predictor", .table = ROWS(predictions))},
    {MADE_CELL(TEXT, "category", category)},
    {MADE_CELL(TEXT, "clock", clock_cell), .known = has_time},
    {COLUMNS("predictions*", put_predictions)},
};
#undef RECORD
TABLE(report_variant_table, variant, "variant");

/* ---- the study ---- */

#define RECORD tacho_kernels_result
ONLY(has_clock, r->clock != TACHO_CLOCK_AUTO)
ONLY(has_arch, r->arch)
ONLY(has_both, r->arch && r->clock != TACHO_CLOCK_AUTO)
GETTER(same_core, report_bool(report_kernels_same_core(report_root(at))))
OBJECT_OF(statuses, TACHO_KERNEL_STATUS_COUNT, tacho_kernel_status_name((tacho_kernel_status)i),
          json_integer((json_int_t)r->status_count[i]))
static const report_field head[] = {
    {OF("arch", arch, name, "that was predicted", .known = has_arch)},
    {MEMBER(processor, "that was measured, as it names itself")},
    {MADE(BOOL, "same_core", same_core,
          "whether the measured core is the predicted one; null where one of the two was not done",
          .known = has_both)},
    {WORD("clock", clock, tacho_clock_name, "that measured", .known = has_clock)},
    {MEMBER(compilers, "one a line")},
};
static const report_field study[] = {
    {MADE(OBJECT, "statuses", statuses, "number of variants by status")},
    {RECORDS("notes", notes, note_count, ROWS(notes), "each said once")},
    MEMBERS2(build_seconds, measure_seconds, "of this run"),
    {RECORDS("predictors", predictors, predictor_count, ROWS(predictors), "and how they did")},
    {RECORDS("kernels", kernels, kernel_count, ROWS(kernels), "those that were studied")},
    {RECORDS("variants", variants, variant_count, &report_variant_table, "below")},
};
#undef RECORD

#define RECORD report_kernels
GETTER(one, report_whole(1))
static const report_field all[] = {
    {MADE(WHOLE, "schema", one, "1")},
    {PART_AT(result, ROWS(head))},
    {MEMBER(max_miss, NULL)},
    {NAMED("memory_bound_share", memory_bound, "limits that it was made with")},
    {PART_AT(result, ROWS(study))},
};
#undef RECORD
TABLE(report_kernels_fields, all, "tacho-kernels");

const char report_kernels_columns[] =
    "id,kernel,category,compiler,level,vectors,transform,flags,status,cycles,uncertainty,clock,instructions,"
    "accesses,misses,bytes,blocks,predictions*,mispredictions,memory_share,memory_bound,same_as,error";

void report_kernels_csv(tacho_str *out, const report_kernels *k)
{
    const tacho_kernels_result *r = k->result;
    report_record_csv(out, report_kernels_columns, &report_variant_table, r->variants, r->variant_count,
                      sizeof *r->variants, &(report_at){.record = k});
}
