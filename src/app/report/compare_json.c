/* compare_json.c - a comparison as JSON (doc/JSON.md says what each field is), and its runs as CSV. */
#include <math.h>
#include <string.h>

#include "app/report/report.h"
#include "app/report/report_compare.h"
#include "base/csv.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *command_json(char *const *words)
{
    if (!words)
        return json_null();
    json_t *list = json_array();
    for (; *words; words++)
        json_array_append_new(list, report_json_string(*words));
    return list;
}

static json_t *side_json(const report_compare *c, uint32_t side)
{
    const tacho_judged_side *s = &c->judgement->sides[side];
    const tacho_distribution *d = &s->values;
    json_t *j = json_pack(
        "{s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "command", command_json(c->commands[side]), "count",
        (json_int_t)d->count, "missing", (json_int_t)s->missing, "min", number(d->min), "q1", number(d->q1),
        "median", number(d->median), "q3", number(d->q3), "max", number(d->max), "mad", number(d->mad));
    if (!j)
        return NULL;
    json_object_set_new(j, "dip", number(s->dip));
    json_object_set_new(j, "dip_p", number(s->dip_p));
    json_object_set_new(j, "several_modes", json_boolean(s->several_modes));
    json_object_set_new(j, "group_low", number(s->group_low));
    json_object_set_new(j, "group_high", number(s->group_high));
    json_object_set_new(j, "group_high_share", number(s->group_high_share));
    json_object_set_new(j, "layout_share", number(s->layout_share));
    return j;
}

static json_t *outliers_json(const report_compare *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->judgement->outlier_count; i++) {
        const tacho_outlier *o = &c->judgement->outliers[i];
        const tacho_sample *s = &c->samples[o->sample];
        json_array_append_new(list,
                              json_pack("{s:I, s:s, s:o, s:b}", "run", (json_int_t)o->sample + 1, "side",
                                        s->side ? "B" : "A", "value", number(s->value), "far", (int)o->far));
    }
    return list;
}

static json_t *layouts_json(const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    if (!j->layout_count)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < j->layout_count; i++) {
        const tacho_layout_ratio *r = &j->layouts[i];
        json_t *o = json_pack("{s:I, s:I, s:o}", "layout", (json_int_t)r->layout, "blocks",
                              (json_int_t)r->blocks, "ratio", number(r->ratio));
        if (c->options) {
            tacho_layout l = tacho_layout_draw(c->options->judge.seed + r->layout);
            json_object_set_new(o, "environment_bytes", json_integer(l.environment_bytes));
            json_object_set_new(o, "stack_bytes", json_integer(l.stack_bytes));
            json_object_set_new(o, "heap_bytes", json_integer(l.heap_bytes));
            json_object_set_new(o, "mmap_pages", json_integer(l.mmap_pages));
        }
        json_array_append_new(list, o);
    }
    return json_pack("{s:o, s:o, s:b}", "ratios", list, "p_value", number(j->layouts_p), "verdict_depends",
                     (int)j->depends_on_layout);
}

static json_t *metrics_json(const tacho_compare_result *r)
{
    json_t *list = json_array();
    for (size_t m = 0; m < r->metric_count; m++) {
        const tacho_metric *e = &r->metrics[m];
        json_array_append_new(list, json_pack("{s:o, s:s, s:o, s:o, s:o}", "name",
                                              report_json_string(e->name), "unit", e->unit, "median_a",
                                              number(e->median[0]), "median_b", number(e->median[1]),
                                              "ratio_of_medians", number(e->median[1] / e->median[0])));
    }
    return list;
}

static json_t *runs_json(const report_compare *c)
{
    json_t *list = json_array();
    bool layouts = c->judgement->layout_count > 0;
    for (size_t i = 0; i < c->sample_count; i++) {
        const tacho_sample *s = &c->samples[i];
        json_array_append_new(
            list,
            json_pack("{s:I, s:s, s:o, s:o, s:o}", "run", (json_int_t)i + 1, "side", s->side ? "B" : "A",
                      "block", s->block == TACHO_NO_BLOCK ? json_null() : json_integer(s->block), "layout",
                      layouts ? json_integer(s->layout) : json_null(), "value", number(s->value)));
    }
    return list;
}

static json_t *notes_json(const report_compare *c)
{
    json_t *list = json_array();
    tacho_str note = {0};
    for (size_t i = 0; report_compare_note(&note, c, i); i++) {
        json_array_append_new(list, report_json_string(note.data));
        tacho_str_clear(&note);
    }
    tacho_str_free(&note);
    return list;
}

static json_t *answer_json(const report_compare *c)
{
    tacho_str answer = {0}, ratio_of = {0};
    report_compare_answer(&answer, c);
    tacho_str_printf(&ratio_of, "%s of B / %s of A", c->metric, c->metric);
    json_t *j = answer.failed || ratio_of.failed ? NULL
                                                 : json_pack("{s:s, s:o, s:o}", "schema", "tacho-compare-1",
                                                             "answer", report_json_string(answer.data),
                                                             "ratio_of", report_json_string(ratio_of.data));
    tacho_str_free(&answer);
    tacho_str_free(&ratio_of);
    return j;
}

static void put_verdict(json_t *out, const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    bool none = j->verdict == TACHO_VERDICT_NONE;
    json_object_set_new(out, "verdict", none ? json_null() : json_string(tacho_verdict_name(j->verdict)));
    json_object_set_new(out, "interesting", none ? json_null() : json_boolean(j->interesting));
    json_object_set_new(out, "ratio", number(j->ratio));
    json_object_set_new(out, "ratio_low", number(j->ratio_low));
    json_object_set_new(out, "ratio_high", number(j->ratio_high));
    json_object_set_new(out, "confidence", number(j->confidence));
    json_object_set_new(out, "threshold", number(c->judge->threshold));
    json_object_set_new(out, "test", json_string(report_compare_is_signed(j) ? "signed_rank" : "rank_sum"));
    json_object_set_new(out, "p_value", number(j->p_value));
    json_object_set_new(out, "by_separation", none ? json_null() : json_boolean(j->by_separation));
    json_object_set_new(out, "nearest", number(j->nearest));
    json_object_set_new(out, "standard_error", number(j->standard_error));
    json_object_set_new(out, "detectable", number(j->detectable));
    json_object_set_new(out, "step", number(j->step));
    json_object_set_new(out, "metric", report_json_string(c->metric));
    json_object_set_new(out, "unit", report_json_string(c->unit));
    json_object_set_new(out, "higher_is_better", json_boolean(c->judge->higher_is_better));
    json_object_set_new(out, "blocks", json_integer(j->blocks));
    json_object_set_new(out, "units", json_integer(j->units));
    json_object_set_new(out, "units_needed", json_integer(j->units_needed));
    json_object_set_new(out, "units_needed_apart", json_integer(j->units_needed_apart));
    json_object_set_new(out, "units_are",
                        json_string(j->layout_count ? "layouts"
                                    : j->paired     ? "blocks"
                                                    : "samples"));
    json_object_set_new(out, "left_out", json_integer((json_int_t)j->left_out));
}

static void put_result(json_t *out, const report_compare *c)
{
    const tacho_compare_result *r = c->result;
    json_object_set_new(out, "metrics", metrics_json(r));
    json_object_set_new(out, "end", json_string(tacho_compare_end_name(r->end)));
    json_object_set_new(out, "seconds", number(r->seconds));
    json_object_set_new(out, "warm_up", json_integer(c->options->warm_up));
    json_object_set_new(out, "cpu", r->cpu >= 0 ? json_integer(r->cpu) : json_null());
    json_object_set_new(out, "clock", json_string(tacho_clock_name(r->clock)));
    json_object_set_new(out, "counters_missing",
                        *r->counters_missing ? report_json_string(r->counters_missing) : json_null());
    json_object_set_new(out, "failed", json_integer((json_int_t)r->failed));
    json_object_set_new(out, "timed_out", json_integer((json_int_t)r->timed_out));
}

json_t *report_compare_json(const report_compare *c)
{
    const tacho_judgement *j = c->judgement;
    json_t *out = answer_json(c);
    if (!out)
        return NULL;
    put_verdict(out, c);
    json_object_set_new(out, "file", report_json_string(c->file));
    json_object_set_new(out, "a", side_json(c, 0));
    json_object_set_new(out, "b", side_json(c, 1));
    json_object_set_new(out, "drift",
                        json_pack("{s:b, s:o, s:o, s:o}", "drifts", (int)j->drifts, "rho",
                                  number(j->drift_rho), "p_value", number(j->drift_p), "change",
                                  number(j->drift_change)));
    json_object_set_new(out, "outliers", outliers_json(c));
    json_object_set_new(out, "layouts", layouts_json(c));
    if (c->result)
        put_result(out, c);
    json_object_set_new(out, "notes", notes_json(c));
    json_object_set_new(out, "runs", runs_json(c));
    return out;
}

/* ---- CSV ---- */

static void put_csv_row(tacho_str *out, const report_compare *c, size_t i)
{
    const tacho_compare_result *r = c->result;
    const tacho_compare_run *run = &r->runs[i];
    char text[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "%zu,%c,", i + 1, "AB"[run->side]);
    if (run->block != TACHO_NO_BLOCK)
        tacho_str_printf(out, "%u", run->block);
    tacho_str_putc(out, ',');
    if (c->options->layouts)
        tacho_str_printf(out, "%u", run->layout);
    tacho_str_putc(out, ',');
    if (!run->signal && !run->timed_out)
        tacho_str_printf(out, "%d", run->exit_status);
    for (size_t m = 0; m < r->metric_count; m++)
        tacho_str_printf(out, ",%s", tacho_format_number(text, r->values[i * r->metric_count + m], 9));
    tacho_str_putc(out, '\n');
}

void report_compare_csv(tacho_str *out, const report_compare *c)
{
    const tacho_compare_result *r = c->result;
    tacho_str_puts(out, "run,side,block,layout,exit_status");
    for (size_t m = 0; m < r->metric_count; m++) {
        tacho_str_putc(out, ',');
        tacho_csv_put(out, r->metrics[m].name, strlen(r->metrics[m].name));
    }
    tacho_str_putc(out, '\n');
    for (size_t i = 0; i < r->run_count; i++)
        put_csv_row(out, c, i);
}
