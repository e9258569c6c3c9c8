/* diff_json.c - comparisons of two files of predictions as JSON and CSV. */
#include "app/report/report_diff.h"
#include "app/report/eval_tables.h"
#include "app/report/report.h"

/* ---- a block, in the lists and in CSV ---- */

#define RECORD tacho_diff_block
GETTER(kind, report_text_value(tacho_diff_kind_name(r->kind)))
GETTER(instructions, report_list(report_block_asm_json(r->hex)))
GETTER(old_error, report_real(report_diff_error(r, TACHO_DIFF_OLD)))
GETTER(new_error, report_real(report_diff_error(r, TACHO_DIFF_NEW)))
static const report_field block[] = {
    {MEMBER(hex, NULL)},
    {MADE(LIST, "asm", instructions, "the block")},
    {MEMBER(measured, NULL, .unit = "cycles")},
    {NAMED("old", cycles[TACHO_DIFF_OLD], NULL, .unit = "cycles")},
    {NAMED("new", cycles[TACHO_DIFF_NEW], "measured and predicted", .unit = "cycles")},
    {MADE(REAL, "old_error", old_error, NULL)},
    {MADE(REAL, "new_error", new_error, "of the old and the new prediction")},
    {NAMED("old_message", message[TACHO_DIFF_OLD], NULL, .none = REPORT_ZERO)},
    {NAMED("new_message", message[TACHO_DIFF_NEW], "why it failed", .none = REPORT_ZERO)},
    {MADE_CELL(TEXT, "kind", kind)},
};
#undef RECORD
const char report_diff_columns[] = "hex,kind,old,new,measured,old_error,new_error,old_message,new_message";

/* ---- all of them ---- */

#define RECORD tacho_score_difference
static const report_field difference[] = {
    {NAMED("mape", mape.value, NULL)},
    {INTERVAL("mape_interval", mape.low, NULL)},
    {NAMED("kendall_tau", kendall_tau.value, NULL)},
    {INTERVAL("kendall_tau_interval", kendall_tau.low, "of the paired bootstrap")},
};
#undef RECORD

#define RECORD tacho_diff_result
static json_t *largest_json(const tacho_diff_result *r)
{
    json_t *object = json_object();
    for (int kind = 0; kind < TACHO_DIFF_KIND_COUNT; kind++) {
        if (kind == TACHO_DIFF_UNCHANGED || kind == TACHO_DIFF_FAILED)
            continue;
        json_t *list = json_array();
        for (size_t i = 0; i < r->largest_count[kind]; i++)
            json_array_append_new(list,
                                  report_record_json(ROWS(block), &r->blocks[r->largest[kind][i]], NULL));
        json_object_set_new(object, tacho_diff_kind_name((tacho_diff_kind)kind), list);
    }
    return object;
}

static const char *verdict_of(const tacho_diff_result *r)
{
    int v;
    return !report_diff_verdict(r, &v) ? NULL : v > 0 ? "better" : v < 0 ? "worse" : "no_difference";
}

OBJECT_OF(counts, TACHO_DIFF_KIND_COUNT, tacho_diff_kind_name((tacho_diff_kind)i),
          json_integer((json_int_t)r->counts[i]))
GETTER(verdict, report_text_value(verdict_of(r)))
GETTER(largest, report_object(largest_json(r)))
static const report_field options[] = {
    {PART_IN(options.score, &report_score_options_table)},
    {NAMED("tolerance", options.tolerance,
           "predictions that differ by at most this share of the larger one are unchanged")},
};
static const report_field result_head[] = {
    {NAMED("blocks", block_count, NULL)},
    {NAMED("measured_blocks", measured, NULL)},
    {NAMED("unused_measurements", unused,
           "blocks in either file; those with a measurement; measurements of no block")},
};
static const report_field result[] = {
    {RECORD_BY("options", ROWS(options), "as of an evaluation, and")},
    {MADE(OBJECT, "counts", counts,
          "blocks by what became of them: `unchanged`, `better` (nearer to the measurement), `worse`, "
          "`changed` (not measured, or as far from the measurement as before), `lost` (no prediction any "
          "more), `gained`, `failed` (no prediction, as before), `removed` (not in the new file), `added`")},
    MEMBERS2(higher, lower,
             "of `better`, `worse` and `changed`: predicted to take more, fewer cycles than before"),
    {RECORD_IN("old_figures", all[TACHO_DIFF_OLD], &report_score_table, NULL)},
    {RECORD_IN("new_figures", all[TACHO_DIFF_NEW], &report_score_table,
               "over the measured blocks that are in the file: `count` to `within_10` as of a predictor")},
    {NAMED("common_blocks", difference.count, NULL)},
    {RECORD_IN("old_common_figures", common[TACHO_DIFF_OLD], &report_score_table, NULL)},
    {RECORD_IN("new_common_figures", common[TACHO_DIFF_NEW], &report_score_table,
               "the same over the measured blocks that both have a prediction for")},
    {RECORD_IN("difference", difference, ROWS(difference), "new less old over these")},
    {MADE_OR_NULL(TEXT, "verdict", verdict,
                  "`better` or `worse`: the interval of the difference of the MAPEs is below, above 0; "
                  "`no_difference`: it includes 0; null: there is none")},
    {MADE(OBJECT, "largest", largest,
          "by what became of them (but for `unchanged` and `failed`), a list of the blocks with the largest "
          "changes first",
          .table = ROWS(block))},
};
#undef RECORD

#define RECORD report_diff
GETTER(arch, report_word(report_diff_same_arch(r) ? r->archs[TACHO_DIFF_OLD] : NULL))
static const report_field comparison[] = {
    {SCHEMA("tacho-eval-diff-1")},
    {NAMED("old", files[TACHO_DIFF_OLD], NULL)},
    {NAMED("new", files[TACHO_DIFF_NEW], NULL)},
    {MEMBER(measured, "the files", .none = REPORT_NO_TEXT)},
    {MADE_OR_NULL(TEXT, "arch", arch, "the core that both are for")},
    {NAMED("old_arch", archs[TACHO_DIFF_OLD], NULL, .none = REPORT_ZERO)},
    {NAMED("new_arch", archs[TACHO_DIFF_NEW], "the core of each, which its column `arch` names",
           .none = REPORT_ZERO)},
    {PART_AT(result, ROWS(result_head))},
    {RECORDS("left_out", left_out, left_out_count, &report_left_out_table,
             "rows of the measurements that are in no figure")},
    {PART_AT(result, ROWS(result))},
};
#undef RECORD
TABLE(report_diff_table, comparison, "tacho-eval-diff-1");

void report_diff_csv(tacho_str *out, const report_diff *d)
{
    const tacho_diff_result *r = d->result;
    report_record_csv(out, report_diff_columns, ROWS(block), r->blocks, r->block_count, sizeof *r->blocks,
                      NULL);
}
