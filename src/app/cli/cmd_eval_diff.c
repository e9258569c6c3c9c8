/* cmd_eval_diff.c - tacho eval --diff: two files of predictions compared. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cmd_eval.h"
#include "app/cli/output.h"
#include "app/report/report.h"
#include "app/report/report_diff.h"
#include "tacho/eval_diff.h"

static bool failed(const tacho_error *err)
{
    return cli_error("%s", err->message);
}

/* ---- input ---- */

/* A file of several models is no side of a comparison. */
static bool one_model(const tacho_table *t, int column)
{
    for (size_t row = 1; column >= 0 && row < t->row_count; row++)
        if (strcmp(tacho_table_cell(t, row, column), tacho_table_cell(t, 0, column)))
            return cli_error(
                "%s: line %zu: predictions of %s, and of %s before: --diff compares files of one model each",
                t->name, t->lines[row], tacho_table_cell(t, row, column), tacho_table_cell(t, 0, column));
    return true;
}

enum {
    ARCH_SIZE = 80
};

static bool take_rows(tacho_diff *d, int side, const tacho_table *t, const tacho_arch *of,
                      char found[ARCH_SIZE])
{
    int hex, cycles, error = tacho_table_column(t, "error"), arch = tacho_table_column(t, "arch");
    const char *wanted;
    size_t taken = 0;
    if (!eval_need_column(t, "hex", &hex) || !eval_need_column(t, "cycles", &cycles) ||
        !one_model(t, tacho_table_column(t, "model")) || !eval_choose_arch(of, t, arch, &wanted))
        return false;
    snprintf(found, ARCH_SIZE, "%s", wanted ? wanted : "");
    for (size_t row = 0; row < t->row_count; row++) {
        double value = NAN;
        tacho_error err;
        if (wanted && strcmp(tacho_table_cell(t, row, arch), wanted))
            continue;
        if (eval_number(t, row, cycles, &value) < 0)
            return false;
        taken++;
        if (tacho_diff_predict(d, (tacho_diff_side)side, tacho_table_cell(t, row, hex), value,
                               tacho_table_cell(t, row, error), &err))
            return failed(&err);
    }
    return taken || cli_error("%s: no row is for %s", t->name, wanted ? wanted : "anything");
}

static bool read_side(tacho_diff *d, int side, const char *path, const tacho_arch *arch,
                      char found[ARCH_SIZE])
{
    tacho_table t;
    tacho_error err;
    if (tacho_table_read(&t, path, "hex,cycles", &err))
        return failed(&err);
    bool good = take_rows(d, side, &t, arch, found);
    tacho_table_free(&t);
    return good;
}

/* The rows that count are those that count for any evaluation. */
static bool read_measured(tacho_diff *d, const eval_input *in, eval_left_out *left_out)
{
    tacho_eval *e = tacho_eval_new();
    tacho_error err;
    eval_input only = *in;
    only.by = 0;
    if (!e)
        return cli_error("out of memory");
    bool predicted, good = eval_read_measured(&only, e, left_out, &predicted);
    if (good && predicted)
        cli_note("%s: these are predictions, which stand in for measurements", in->measured);
    const tacho_eval_result *r = tacho_eval_view(e);
    for (size_t i = 0; good && i < r->block_count; i++)
        if (tacho_diff_measure(d, r->blocks[i].hex, r->blocks[i].measured, &err))
            good = failed(&err);
    if (good && tacho_diff_view(d)->unused == r->block_count)
        good = cli_error("%s: none of its blocks is among the predicted ones", in->measured);
    tacho_eval_free(e);
    return good;
}

/* ---- output ---- */

static const char *name_of(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

static bool print_report(const eval_request *r, const report_diff *report)
{
    tacho_str out = {0};
    if (r->format == EVAL_JSON)
        report_put_json(&out, report_diff_json(report), EVAL_JSON_DIGITS);
    else if (r->format == EVAL_CSV)
        report_diff_csv(&out, report);
    else
        report_diff_text(&out, report, cli_use_colour(r->colour));
    return cli_put_text(&out);
}

/* The new predictions as the only predictor of an evaluation. Without measurements its failures still count.
 */
static int check_limits(const eval_request *request, const tacho_diff_result *r)
{
    tacho_eval_predictor new = {.name = "new", .overall = r->all[TACHO_DIFF_NEW], .seconds = NAN};
    tacho_eval_result result = {.predictors = &new, .predictor_count = 1, .options = r->options.score};
    for (size_t i = 0; !r->measured && i < r->block_count; i++) {
        const tacho_diff_block *b = &r->blocks[i];
        if (b->present[TACHO_DIFF_NEW])
            ++*(isnan(b->cycles[TACHO_DIFF_NEW]) ? &new.overall.failures : &new.overall.count);
    }
    return eval_check_limits(request, &result);
}

static int compare(const eval_request *r, tacho_diff *d, eval_left_out *left_out)
{
    tacho_error err;
    char archs[TACHO_DIFF_SIDE_COUNT][ARCH_SIZE];
    tacho_diff_options o = TACHO_DIFF_OPTIONS_INIT;
    o.score = r->score;
    o.tolerance = r->tolerance;
    o.largest = r->worst;
    o.threads = r->jobs;
    for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++)
        if (!read_side(d, side, r->positional[side], r->in.arch, archs[side]))
            return CLI_INPUT;
    if (r->in.measured && !read_measured(d, &r->in, left_out))
        return CLI_INPUT;
    if (tacho_diff_score(d, &o, &err))
        return cli_input_error("%s", err.message);
    report_diff report = {
        .result = tacho_diff_view(d),
        .files = {name_of(r->positional[TACHO_DIFF_OLD]), name_of(r->positional[TACHO_DIFF_NEW])},
        .measured = r->in.measured ? name_of(r->in.measured) : NULL,
        .archs = {archs[TACHO_DIFF_OLD], archs[TACHO_DIFF_NEW]},
        .left_out = left_out->reasons,
        .left_out_count = left_out->count};
    if (!report_diff_same_arch(&report))
        cli_note("%s is for %s, %s for %s: what differs may be the cores", report.files[TACHO_DIFF_OLD],
                 archs[TACHO_DIFF_OLD], report.files[TACHO_DIFF_NEW], archs[TACHO_DIFF_NEW]);
    return print_report(r, &report) ? check_limits(r, report.result) : CLI_INPUT;
}

int eval_diff(const eval_request *r)
{
    eval_left_out left_out = {0};
    tacho_diff *d = tacho_diff_new();
    if (!d)
        return cli_input_error("out of memory");
    int status = compare(r, d, &left_out);
    tacho_diff_free(d);
    eval_left_out_free(&left_out);
    return status;
}
