/* eval_json.c - evaluations as JSON and CSV; doc/JSON.md says what each field is. What there is not is null
 * or an empty field. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/eval_tables.h"
#include "app/report/report.h"
#include "base/csv.h"
#include "base/mem.h"

enum {
    DECIMALS = 6
};

/* ---- JSON ---- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *report_interval_json(const tacho_estimate *e)
{
    return isfinite(e->low) && isfinite(e->high) ? json_pack("[f,f]", e->low, e->high) : json_null();
}

json_t *report_score_json(const tacho_score *s)
{
    json_t *j = json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "count", (json_int_t)s->count, "failures",
                          (json_int_t)s->failures, "mape", number(s->mape.value), "median",
                          number(s->median.value), "q1", number(s->q1.value), "q3", number(s->q3.value),
                          "kendall_tau", number(s->kendall_tau.value));
    json_t *more = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "mape_interval", report_interval_json(&s->mape),
        "median_interval", report_interval_json(&s->median), "q1_interval", report_interval_json(&s->q1),
        "q3_interval", report_interval_json(&s->q3), "kendall_tau_interval",
        report_interval_json(&s->kendall_tau), "worst", number(s->worst), "bias", number(s->bias), "within_1",
        number(s->within_1), "within_5", number(s->within_5), "within_10", number(s->within_10));
    json_object_update(j, more);
    json_decref(more);
    return j;
}

/* The figures of a set of blocks with its name in the field `name_of`. */
static json_t *score(const char *name_of, const char *name, const tacho_score *s)
{
    json_t *j = json_pack("{s:o}", name_of, report_json_string(name)), *figures = report_score_json(s);
    json_object_update(j, figures);
    json_decref(figures);
    return j;
}

static json_t *by_groups(const tacho_eval_result *r, const tacho_eval_predictor *p)
{
    json_t *all = json_object();
    for (size_t k = 0; k < r->grouping_count; k++) {
        json_t *list = json_array();
        for (size_t i = 0; i < r->groupings[k].group_count; i++)
            json_array_append_new(list, score("group", r->groupings[k].groups[i].name, &p->by_group[k][i]));
        json_t *name = report_json_string(r->groupings[k].name);
        json_object_set_new(all, json_string_value(name), list);
        json_decref(name);
    }
    return all;
}

static json_t *worst_blocks(const tacho_eval_result *r, const tacho_eval_predictor *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->worst_count; i++) {
        const tacho_eval_block *b = &r->blocks[p->worst[i]];
        double cycles = p->predictions[p->worst[i]].cycles;
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "hex", report_json_string(b->hex), "asm",
                            report_block_asm_json(b->hex), "measured", number(b->measured), "predicted",
                            number(cycles), "error", number(fabs(cycles - b->measured) / b->measured), "note",
                            report_json_string(*b->note ? b->note : NULL)));
    }
    return list;
}

static json_t *messages(const tacho_eval_result *r, size_t predictor, json_int_t *unlisted)
{
    report_eval_messages m;
    if (report_eval_find_messages(&m, r, predictor))
        return NULL;
    json_t *list = json_array();
    for (size_t i = 0; i < m.count; i++)
        json_array_append_new(list, json_pack("{s:o, s:I}", "message", report_json_string(m.list[i].text),
                                              "count", (json_int_t)m.list[i].count));
    *unlisted = (json_int_t)m.unlisted;
    tacho_mem_free(m.list);
    return list;
}

static json_t *predictor(const tacho_eval_result *r, size_t index)
{
    const tacho_eval_predictor *p = &r->predictors[index];
    json_int_t unlisted = 0;
    json_t *failures = messages(r, index, &unlisted);
    json_t *j = score("name", p->name, &p->overall);
    json_object_set_new(j, "lower_bounds", json_integer((json_int_t)p->lower_bounds));
    json_object_set_new(j, "version", *p->version ? report_json_string(p->version) : json_null());
    json_object_set_new(j, "seconds", number(p->seconds));
    json_object_set_new(j, "failure_messages", failures);
    json_object_set_new(j, "failures_with_other_messages", json_integer(unlisted));
    json_object_set_new(j, "groupings", by_groups(r, p));
    json_object_set_new(j, "worst_blocks", worst_blocks(r, p));
    return j;
}

static json_t *groupings(const tacho_eval_result *r)
{
    json_t *list = json_array();
    for (size_t k = 0; k < r->grouping_count; k++) {
        json_t *groups = json_array();
        for (size_t i = 0; i < r->groupings[k].group_count; i++)
            json_array_append_new(
                groups, json_pack("{s:o, s:I}", "group", report_json_string(r->groupings[k].groups[i].name),
                                  "blocks", (json_int_t)r->groupings[k].groups[i].member_count));
        json_array_append_new(list, json_pack("{s:o, s:o}", "name", report_json_string(r->groupings[k].name),
                                              "groups", groups));
    }
    return list;
}

json_t *report_score_options_json(const tacho_score_options *o)
{
    char seed[TACHO_NUMBER_SIZE];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)o->seed);
    return json_pack("{s:i, s:f, s:o, s:f}", "resamples", (int)o->resamples, "confidence", o->confidence,
                     "seed", o->seed <= INT64_MAX ? json_integer((json_int_t)o->seed) : json_string(seed),
                     "tau_step", o->tau_step);
}

json_t *report_left_out_json(const report_eval_reason *reasons, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:o, s:I}", "reason", report_json_string(reasons[i].words),
                                              "count", (json_int_t)reasons[i].count));
    return list;
}

json_t *report_eval_json(const report_eval *e)
{
    const tacho_eval_result *r = e->result;
    json_t *predictors = json_array();
    for (size_t p = 0; p < r->predictor_count; p++)
        json_array_append_new(predictors, predictor(r, p));
    return json_pack(
        "{s:s, s:o, s:s, s:o, s:I, s:o, s:o, s:o, s:o}", "schema", "tacho-eval-1", "measured",
        report_json_string(e->measured), "reference", e->reference_predicted ? "predicted" : "measured",
        "arch", report_json_string(e->arch), "blocks", (json_int_t)r->block_count, "left_out",
        report_left_out_json(e->left_out, e->left_out_count), "options",
        report_score_options_json(&r->options), "groupings", groupings(r), "predictors", predictors);
}

/* ---- CSV ---- */

static void put_number(tacho_str *out, double value)
{
    char text[TACHO_NUMBER_SIZE];
    tacho_str_putc(out, ',');
    tacho_str_puts(out, tacho_format_number(text, value, DECIMALS));
}

static void put_interval(tacho_str *out, const tacho_estimate *e)
{
    put_number(out, e->low);
    put_number(out, e->high);
}

static void put_text(tacho_str *out, const char *text)
{
    tacho_csv_put(out, text, strlen(text));
}

static void csv_row(tacho_str *out, const char *grouping, const char *group, const tacho_eval_predictor *p,
                    const tacho_score *s)
{
    bool all = s == &p->overall;
    put_text(out, grouping);
    tacho_str_putc(out, ',');
    put_text(out, group);
    tacho_str_putc(out, ',');
    put_text(out, p->name);
    tacho_str_printf(out, ",%zu,%zu", s->count, s->failures);
    put_number(out, s->mape.value);
    put_interval(out, &s->mape);
    put_number(out, s->median.value);
    put_number(out, s->q1.value);
    put_number(out, s->q3.value);
    put_number(out, s->kendall_tau.value);
    put_interval(out, &s->kendall_tau);
    put_number(out, s->bias);
    put_number(out, s->worst);
    put_number(out, s->within_1);
    put_number(out, s->within_5);
    put_number(out, s->within_10);
    put_interval(out, &s->median);
    put_interval(out, &s->q1);
    put_interval(out, &s->q3);
    put_number(out, all ? p->seconds : NAN);
    if (all)
        tacho_str_printf(out, ",%zu", p->lower_bounds);
    else
        tacho_str_putc(out, ',');
    tacho_str_putc(out, '\n');
}

void report_eval_csv(tacho_str *out, const report_eval *e)
{
    const tacho_eval_result *r = e->result;
    tacho_str_puts(out,
                   "grouping,group,predictor,count,failures,mape,mape_low,mape_high,median,q1,q3,kendall_tau,"
                   "tau_low,tau_high,bias,worst,within_1,within_5,within_10,median_low,median_high,q1_low,"
                   "q1_high,q3_low,q3_high,seconds,lower_bounds\n");
    for (size_t p = 0; p < r->predictor_count; p++)
        csv_row(out, "all", "", &r->predictors[p], &r->predictors[p].overall);
    for (size_t k = 0; k < r->grouping_count; k++)
        for (size_t i = 0; i < r->groupings[k].group_count; i++)
            for (size_t p = 0; p < r->predictor_count; p++)
                csv_row(out, r->groupings[k].name, r->groupings[k].groups[i].name, &r->predictors[p],
                        &r->predictors[p].by_group[k][i]);
}
