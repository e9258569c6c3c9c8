/* kernels_rows.c - a study of kernels for programs: JSON, and CSV with a row a variant. What there is not is
 * null, or an empty field. */
#include <math.h>
#include <string.h>

#include "app/report/study/eval_tables.h"
#include "app/report/report.h"
#include "app/report/study/report_kernels.h"
#include "base/csv.h"

static const tacho_kernels_result *root(const report_at *at)
{
    const report_kernels *k = report_root(at);
    return k->result;
}

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
            tacho_str second = {0};
            tacho_str_printf(&second, "%s coverage", name);
            tacho_csv_put(out, name, strlen(name));
            tacho_str_putc(out, ',');
            tacho_csv_put(out, second.data ? second.data : "", second.length);
            out->failed |= second.failed;
            tacho_str_free(&second);
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
ONLY(is_measured, r->clock != TACHO_CLOCK_AUTO)
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
    {WORD("clock", clock, tacho_clock_name, "that measured", .known = is_measured)},
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
