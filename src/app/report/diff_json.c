/* diff_json.c - comparisons of two files of predictions as JSON and CSV; doc/JSON.md says what each field is.
 */
#include <math.h>
#include <string.h>

#include "app/report/diff_tables.h"
#include "app/report/eval_tables.h"
#include "app/report/report.h"
#include "base/csv.h"

enum {
    DECIMALS = 6
};

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *message(const char *text)
{
    return report_json_string(*text ? text : NULL);
}

static json_t *block(const tacho_diff_block *b)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "hex", report_json_string(b->hex),
                     "asm", report_block_asm_json(b->hex), "measured", number(b->measured), "old",
                     number(b->cycles[TACHO_DIFF_OLD]), "new", number(b->cycles[TACHO_DIFF_NEW]), "old_error",
                     number(report_diff_error(b, TACHO_DIFF_OLD)), "new_error",
                     number(report_diff_error(b, TACHO_DIFF_NEW)), "old_message",
                     message(b->message[TACHO_DIFF_OLD]), "new_message", message(b->message[TACHO_DIFF_NEW]));
}

static json_t *counts(const tacho_diff_result *r)
{
    json_t *object = json_object();
    for (int kind = 0; kind < TACHO_DIFF_KIND_COUNT; kind++)
        json_object_set_new(object, tacho_diff_kind_name((tacho_diff_kind)kind),
                            json_integer((json_int_t)r->counts[kind]));
    return object;
}

static json_t *largest(const tacho_diff_result *r)
{
    json_t *object = json_object();
    for (int kind = 0; kind < TACHO_DIFF_KIND_COUNT; kind++) {
        if (kind == TACHO_DIFF_UNCHANGED || kind == TACHO_DIFF_FAILED)
            continue;
        json_t *list = json_array();
        for (size_t i = 0; i < r->largest_count[kind]; i++)
            json_array_append_new(list, block(&r->blocks[r->largest[kind][i]]));
        json_object_set_new(object, tacho_diff_kind_name((tacho_diff_kind)kind), list);
    }
    return object;
}

static json_t *difference(const tacho_score_difference *d)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "mape", number(d->mape.value), "mape_interval",
                     report_interval_json(&d->mape), "kendall_tau", number(d->kendall_tau.value),
                     "kendall_tau_interval", report_interval_json(&d->kendall_tau));
}

static const char *verdict(const tacho_diff_result *r)
{
    int v;
    return !report_diff_verdict(r, &v) ? NULL : v > 0 ? "better" : v < 0 ? "worse" : "no_difference";
}

static json_t *side_arch(const report_diff *d, int side)
{
    return *d->archs[side] ? report_json_string(d->archs[side]) : json_null();
}

json_t *report_diff_json(const report_diff *d)
{
    const tacho_diff_result *r = d->result;
    json_t *options = report_score_options_json(&r->options.score);
    json_object_set_new(options, "tolerance", json_real(r->options.tolerance));
    json_t *j = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:I, s:I}", "schema",
        "tacho-eval-diff-1", "old", report_json_string(d->files[TACHO_DIFF_OLD]), "new",
        report_json_string(d->files[TACHO_DIFF_NEW]), "measured", report_json_string(d->measured), "arch",
        report_diff_same_arch(d) ? side_arch(d, TACHO_DIFF_OLD) : json_null(), "old_arch",
        side_arch(d, TACHO_DIFF_OLD), "new_arch", side_arch(d, TACHO_DIFF_NEW), "blocks",
        (json_int_t)r->block_count, "measured_blocks", (json_int_t)r->measured, "unused_measurements",
        (json_int_t)r->unused, "left_out", report_left_out_json(d->left_out, d->left_out_count), "options",
        options, "counts", counts(r), "higher", (json_int_t)r->higher, "lower", (json_int_t)r->lower);
    json_t *more = json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:s?, s:o}", "old_figures",
                             report_score_json(&r->all[TACHO_DIFF_OLD]), "new_figures",
                             report_score_json(&r->all[TACHO_DIFF_NEW]), "common_blocks",
                             (json_int_t)r->difference.count, "old_common_figures",
                             report_score_json(&r->common[TACHO_DIFF_OLD]), "new_common_figures",
                             report_score_json(&r->common[TACHO_DIFF_NEW]), "difference",
                             difference(&r->difference), "verdict", verdict(r), "largest", largest(r));
    json_object_update(j, more);
    json_decref(more);
    return j;
}

/* ---- CSV ---- */

static void put_number(tacho_str *out, double value)
{
    char text[TACHO_NUMBER_SIZE];
    tacho_str_putc(out, ',');
    tacho_str_puts(out, tacho_format_number(text, value, DECIMALS));
}

void report_diff_csv(tacho_str *out, const report_diff *d)
{
    tacho_str_puts(out, "hex,kind,old,new,measured,old_error,new_error,old_message,new_message\n");
    for (size_t i = 0; i < d->result->block_count; i++) {
        const tacho_diff_block *b = &d->result->blocks[i];
        tacho_csv_put(out, b->hex, strlen(b->hex));
        tacho_str_printf(out, ",%s", tacho_diff_kind_name(b->kind));
        put_number(out, b->cycles[TACHO_DIFF_OLD]);
        put_number(out, b->cycles[TACHO_DIFF_NEW]);
        put_number(out, b->measured);
        put_number(out, report_diff_error(b, TACHO_DIFF_OLD));
        put_number(out, report_diff_error(b, TACHO_DIFF_NEW));
        for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++) {
            tacho_str_putc(out, ',');
            tacho_csv_put(out, b->message[side], strlen(b->message[side]));
        }
        tacho_str_putc(out, '\n');
    }
}
