/* eval_json.c - evaluations as JSON and CSV. What there is not is null or an empty field. */
#include "app/report/study/report_study.h"
#include "app/report/report.h"
#include "base/mem.h"

#define RECORD tacho_score
static const report_field scores[] = {
    MEMBERS2(count, failures, "blocks with, without a prediction"),
    {NAMED("mape", mape.value, "mean error")},
    {NAMED("median", median.value, NULL)},
    {NAMED("q1", q1.value, NULL)},
    {NAMED("q3", q3.value, "quartiles of the error")},
    {NAMED("kendall_tau", kendall_tau.value,
           "Kendall's tau-b; null where all measurements or all predictions are equal")},
    {INTERVAL("mape_interval", mape.low, NULL)},
    {INTERVAL("median_interval", median.low, NULL)},
    {INTERVAL("q1_interval", q1.low, NULL)},
    {INTERVAL("q3_interval", q3.low, NULL)},
    {INTERVAL("kendall_tau_interval", kendall_tau.low, "of these, with the confidence of the options")},
    MEMBERS2(worst, bias, "largest error; mean of (predicted - measured) / measured"),
    MEMBERS3(within_1, within_5, within_10, "shares of the blocks with an error of at most 1, 5, 10 %"),
    {CELL("mape_low", mape.low)},
    {CELL("mape_high", mape.high)},
    {CELL("median_low", median.low)},
    {CELL("median_high", median.high)},
    {CELL("q1_low", q1.low)},
    {CELL("q1_high", q1.high)},
    {CELL("q3_low", q3.low)},
    {CELL("q3_high", q3.high)},
    {CELL("tau_low", kendall_tau.low)},
    {CELL("tau_high", kendall_tau.high)},
};
#undef RECORD
TABLE(report_score_table, scores, "score");

/* ---- a predictor: what it is a part of is the result ---- */

#define RECORD report_eval_message
static const report_field messages[] = {
    {NAMED("message", text, NULL)},
    {MEMBER(count, "why, and how often")},
};
#undef RECORD

typedef struct worst_block {
    const tacho_eval_block *block;
    double predicted;
} worst_block;

#define RECORD worst_block
GETTER(worst_asm, report_list(report_block_asm_json(r->block->hex)))
GETTER(worst_error, report_real(fabs(r->predicted - r->block->measured) / r->block->measured))
static const report_field worst_blocks[] = {
    {OF("hex", block, hex, NULL)},
    {MADE(LIST, "asm", worst_asm, "the block; its instructions, `(bad)` where bytes are none")},
    {OF("measured", block, measured, NULL, .unit = "cycles")},
    {MEMBER(predicted, NULL, .unit = "cycles")},
    {MADE(REAL, "error", worst_error, "of the prediction")},
    {OF("note", block, note, "what may explain it", .none = REPORT_ZERO)},
};
#undef RECORD

#define RECORD tacho_eval_predictor
static json_t *worst_json(const report_at *at)
{
    const tacho_eval_predictor *p = at->record;
    const tacho_eval_result *r = at->up->record;
    json_t *list = json_array();
    for (size_t i = 0; i < p->worst_count; i++) {
        worst_block b = {&r->blocks[p->worst[i]], p->predictions[p->worst[i]].cycles};
        json_array_append_new(list, report_record_json(ROWS(worst_blocks), &b, at));
    }
    return list;
}

static json_t *by_groups(const report_at *at)
{
    const tacho_eval_predictor *p = at->record;
    const tacho_eval_result *r = at->up->record;
    json_t *all = json_object();
    for (size_t k = 0; k < r->grouping_count; k++) {
        json_t *list = json_array(), *name = report_json_string(r->groupings[k].name);
        for (size_t i = 0; i < r->groupings[k].group_count; i++) {
            json_t *o = json_pack("{s:o}", "group", report_json_string(r->groupings[k].groups[i].name));
            report_record_put(o, &report_score_table, &p->by_group[k][i], at);
            json_array_append_new(list, o);
        }
        json_object_set_new(all, json_string_value(name), list);
        json_decref(name);
    }
    return all;
}

/* NULL when memory runs out */
static json_t *failures(const report_at *at, size_t *unlisted)
{
    report_eval_messages m;
    if (report_eval_find_messages(&m, at->up->record, at->index))
        return NULL;
    *unlisted = m.unlisted;
    json_t *list = report_records_json(ROWS(messages), m.list, m.count, sizeof *m.list, at);
    tacho_mem_free(m.list);
    return list;
}

static report_value unlisted(const report_at *at)
{
    size_t count = 0;
    json_decref(failures(at, &count));
    return report_whole(count);
}

GETTER(failure_messages, report_list(failures(at, &(size_t){0})))
GETTER(groups_of, report_object(by_groups(at)))
GETTER(worst_of, report_list(worst_json(at)))
static const report_field predictors[] = {
    {MEMBER(name, "of the predictor")},
    {PART_IN(overall, &report_score_table)},
    {MEMBER(lower_bounds, "of the predictions that count, those that are lower bounds, as their model says "
                          "(its CSV's column `lower_bound`): it lacks figures of some instructions. "
                          "`--without-lower-bounds` makes failures of them")},
    {MEMBER(version, "of the model that was run (\"LLVM version 19.1.7, -mcpu=skylake\")",
            .none = REPORT_ZERO)},
    {MEMBER(seconds, "that predicting took")},
    {MADE(LIST, "failure_messages", failure_messages, "of failures, the most frequent first, at most 50",
          .table = ROWS(messages))},
    {MADE(WHOLE, "failures_with_other_messages", unlisted, "failures with messages that are not listed")},
    {MADE(OBJECT, "groupings", groups_of,
          "by name of a grouping, a list with for each group `group` (its name) and the same figures, "
          "`count` to `within_10`")},
    {MADE(LIST, "worst_blocks", worst_of, "those with the largest errors", .table = ROWS(worst_blocks))},
};
#undef RECORD
TABLE(report_predictor_table, predictors, "predictor");

/* ---- the evaluation ---- */

#define RECORD tacho_score_options
static report_value seed(const report_at *at)
{
    uint64_t n = ((const tacho_score_options *)at->record)->seed;
    snprintf(at->room, REPORT_ROOM, "%llu", (unsigned long long)n);
    return n <= INT64_MAX ? report_whole(n) : report_text_value(at->room);
}
static const report_field options[] = {
    {MEMBER(resamples, "of the blocks, for intervals; 0: none")},
    {MEMBER(confidence, "of the intervals")},
    {MADE(ANY, "seed", seed, "of the resampling; a text where it is above 2^63 - 1")},
    {MEMBER(tau_step, "for Kendall's tau, cycles are rounded to multiples of it; 0: not")},
};
#undef RECORD
TABLE(report_score_options_table, options, "score-options");

#define RECORD eval_reason
static const report_field reasons[] = {
    {NAMED("reason", words, NULL)},
    {MEMBER(count, "why, and how many")},
};
#undef RECORD
TABLE(report_left_out_table, reasons, NULL);

#define RECORD tacho_eval_group
static const report_field groups[] = {
    {NAMED("group", name, NULL)},
    {NAMED("blocks", member_count, "its name, and how many it has")},
};
#undef RECORD

#define RECORD tacho_eval_grouping
static const report_field groupings[] = {
    {MEMBER(name, "what they are divided by")},
    {RECORDS("groups", groups, group_count, ROWS(groups), "a block may be in several")},
};
#undef RECORD

#define RECORD tacho_eval_result
static const report_field result_head[] = {
    {NAMED("blocks", block_count, "blocks with a measurement")},
};
static const report_field result[] = {
    {RECORD_IN("options", options, &report_score_options_table, "that it was scored with, below")},
    {RECORDS("groupings", groupings, grouping_count, ROWS(groupings), "divisions of the blocks")},
    {RECORDS("predictors", predictors, predictor_count, &report_predictor_table, "below")},
};
#undef RECORD

#define RECORD report_eval
GETTER(reference, report_text_value(r->reference_predicted ? "predicted" : "measured"))
static const report_field evaluation[] = {
    {SCHEMA("tacho-eval-1")},
    {MEMBER(measured, "the file with the measurements")},
    {MADE(TEXT, "reference", reference,
          "what that file holds: `measured`, or `predicted` (it was written by `tacho predict`)")},
    {MEMBER(arch, "microarchitecture", .none = REPORT_NO_TEXT)},
    {PART_AT(result, ROWS(result_head))},
    {RECORDS("left_out", left_out, left_out_count, &report_left_out_table,
             "rows of the measurements that are in no figure")},
    {PART_AT(result, ROWS(result))},
};
#undef RECORD
TABLE(report_eval_table, evaluation, "tacho-eval-1");

/* ---- CSV ---- */

typedef struct csv_row {
    const char *grouping, *group;
    const tacho_eval_predictor *predictor;
    const tacho_score *score;
} csv_row;

#define RECORD csv_row
GETTER(seconds, report_real(r->score == &r->predictor->overall ? r->predictor->seconds : NAN))
GETTER(lower_bounds,
       r->score == &r->predictor->overall ? report_whole(r->predictor->lower_bounds) : report_null())
static const report_field row[] = {
    {CELL("grouping", grouping)},
    {CELL("group", group)},
    {.csv = true, OF("predictor", predictor, name, NULL)},
    {MADE_CELL(REAL, "seconds", seconds)},
    {MADE_CELL(WHOLE, "lower_bounds", lower_bounds)},
    {PART_AT(score, &report_score_table)},
};
#undef RECORD

const char report_eval_columns[] =
    "grouping,group,predictor,count,failures,mape,mape_low,mape_high,median,q1,q3,kendall_tau,tau_low,tau_"
    "high,bias,worst,within_1,within_5,within_10,median_low,median_high,q1_low,q1_high,q3_low,q3_high,"
    "seconds,lower_bounds";

static void put_row(tacho_str *out, const char *grouping, const char *group, const tacho_eval_predictor *p,
                    const tacho_score *s)
{
    report_record_row(out, report_eval_columns, ROWS(row), &(csv_row){grouping, group, p, s}, NULL);
}

void report_eval_csv(tacho_str *out, const report_eval *e)
{
    const tacho_eval_result *r = e->result;
    report_record_head(out, report_eval_columns, ROWS(row), NULL);
    for (size_t p = 0; p < r->predictor_count; p++)
        put_row(out, "all", "", &r->predictors[p], &r->predictors[p].overall);
    for (size_t k = 0; k < r->grouping_count; k++)
        for (size_t i = 0; i < r->groupings[k].group_count; i++)
            for (size_t p = 0; p < r->predictor_count; p++)
                put_row(out, r->groupings[k].name, r->groupings[k].groups[i].name, &r->predictors[p],
                        &r->predictors[p].by_group[k][i]);
}
