/* eval_tables.c - the tables of an evaluation. Errors are in percent of the measured cycles; what there is
 * not is "-". */
#include "app/report/study/report_study.h"

#include "base/mem.h"
#include "base/search.h"

const char *report_count(char out[TACHO_NUMBER_SIZE], size_t count)
{
    char digits[TACHO_NUMBER_SIZE], *to = out;
    int n = snprintf(digits, sizeof digits, "%zu", count);
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

static const char *figure(char out[TACHO_NUMBER_SIZE], double value, bool percent)
{
    if (!isfinite(value))
        snprintf(out, TACHO_NUMBER_SIZE, "-");
    else if (fabs(value) >= 1e9)
        snprintf(out, TACHO_NUMBER_SIZE, "%.3g", percent ? 100 * value : value);
    else
        snprintf(out, TACHO_NUMBER_SIZE, percent ? "%.2f" : "%.4f", percent ? 100 * value : value);
    return out;
}

const char *report_percent(char out[TACHO_NUMBER_SIZE], double fraction)
{
    return figure(out, fraction, true);
}

const char *report_estimate(char out[REPORT_ESTIMATE_SIZE], const tacho_estimate *e, bool percent)
{
    char value[TACHO_NUMBER_SIZE], low[TACHO_NUMBER_SIZE], high[TACHO_NUMBER_SIZE];
    figure(value, e->value, percent);
    if (isfinite(e->low) && isfinite(e->high))
        snprintf(out, REPORT_ESTIMATE_SIZE, "%s [%s, %s]", value, figure(low, e->low, percent),
                 figure(high, e->high, percent));
    else
        snprintf(out, REPORT_ESTIMATE_SIZE, "%s", value);
    return out;
}

/* ---- figures of a set of blocks ---- */

static void percent_cell(report_grid *g, double fraction)
{
    char text[TACHO_NUMBER_SIZE];
    report_grid_cell(g, report_percent(text, fraction));
}

static void count_cell(report_grid *g, size_t count)
{
    char text[TACHO_NUMBER_SIZE];
    report_grid_cell(g, report_count(text, count));
}

static void score_head(report_grid *g, const char *first)
{
    static const char *const names[] = {"blocks", "failed", "MAPE %",       "median %",
                                        "q1 %",   "q3 %",   "Kendall's tau"};
    report_grid_start(g, 1 + sizeof names / sizeof *names, 0);
    report_grid_cell(g, first);
    report_grid_cells(g, names, sizeof names / sizeof *names);
}

static void score_row(report_grid *g, const char *name, const tacho_score *s)
{
    char text[REPORT_ESTIMATE_SIZE];
    report_grid_cell(g, name);
    count_cell(g, s->count);
    count_cell(g, s->failures);
    report_grid_cell(g, report_estimate(text, &s->mape, true));
    percent_cell(g, s->median.value);
    percent_cell(g, s->q1.value);
    percent_cell(g, s->q3.value);
    report_grid_cell(g, report_estimate(text, &s->kendall_tau, false));
}

void report_eval_summary(report_grid *g, const tacho_eval_result *r)
{
    score_head(g, "predictor");
    for (size_t p = 0; p < r->predictor_count; p++)
        score_row(g, r->predictors[p].name, &r->predictors[p].overall);
}

void report_eval_closeness(report_grid *g, const tacho_eval_result *r)
{
    static const char *const names[] = {"predictor", "within 1 %", "within 5 %", "within 10 %",
                                        "bias %",    "worst %",    "seconds"};
    char number[TACHO_NUMBER_SIZE];
    bool timed = false;
    for (size_t p = 0; p < r->predictor_count; p++)
        timed |= !isnan(r->predictors[p].seconds);
    report_grid_start(g, timed ? 7 : 6, 0);
    report_grid_cells(g, names, timed ? 7 : 6);
    for (size_t p = 0; p < r->predictor_count; p++) {
        const tacho_score *s = &r->predictors[p].overall;
        report_grid_cell(g, r->predictors[p].name);
        percent_cell(g, s->within_1);
        percent_cell(g, s->within_5);
        percent_cell(g, s->within_10);
        percent_cell(g, s->bias);
        percent_cell(g, s->worst);
        if (timed)
            report_grid_cell(g, isnan(r->predictors[p].seconds)
                                    ? "-"
                                    : tacho_format_number(number, r->predictors[p].seconds, 2));
    }
}

/* MAPE and tau in one cell; these have the same width in all rows. */
static void pair_cell(report_grid *g, const tacho_score *s)
{
    char mape[TACHO_NUMBER_SIZE], tau[TACHO_NUMBER_SIZE];
    figure(tau, s->kendall_tau.value, false);
    report_grid_cellf(g, "%s / %s", report_percent(mape, s->mape.value), tau);
}

void report_eval_groups(report_grid *g, const tacho_eval_result *r, size_t grouping)
{
    const tacho_eval_grouping *by = &r->groupings[grouping];
    bool one = r->predictor_count == 1;
    if (one) {
        score_head(g, by->name);
    } else {
        report_grid_start(g, r->predictor_count + 2, 0);
        report_grid_cell(g, by->name);
        report_grid_cell(g, "blocks");
        for (size_t p = 0; p < r->predictor_count; p++)
            report_grid_cell(g, r->predictors[p].name);
    }
    for (size_t k = 0; k < by->group_count; k++) {
        if (one) {
            score_row(g, by->groups[k].name, &r->predictors[0].by_group[grouping][k]);
            continue;
        }
        report_grid_cell(g, by->groups[k].name);
        count_cell(g, by->groups[k].member_count);
        for (size_t p = 0; p < r->predictor_count; p++)
            pair_cell(g, &r->predictors[p].by_group[grouping][k]);
    }
}

/* ---- words ---- */

/* Few blocks have none. */
static bool has_intervals(const tacho_eval_result *r)
{
    for (size_t p = 0; p < r->predictor_count; p++)
        if (isfinite(r->predictors[p].overall.mape.low))
            return true;
    return false;
}

const char *report_eval_reference(const report_eval *e)
{
    return e->reference_predicted ? "reference" : "measured";
}

const char *report_eval_origin(const report_eval *e)
{
    return e->reference_predicted ? "predicted, not measured" : "measured";
}

void report_eval_caption(tacho_str *out, const report_eval *e)
{
    const tacho_score_options *o = &e->result->options;
    char number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "Errors in %% of the %s cycles, over the blocks that have a prediction",
                     report_eval_reference(e));
    if (has_intervals(e->result))
        tacho_str_printf(out, "; in brackets %s %% intervals of %u resamples (seed %llu)",
                         tacho_format_number(number, 100 * o->confidence, 3), o->resamples,
                         (unsigned long long)o->seed);
    if (o->tau_step > 0)
        tacho_str_printf(out, "; for tau, cycles are rounded to multiples of %s",
                         tacho_format_number(number, o->tau_step, 6));
    for (size_t p = 0; p < e->result->predictor_count; p++) {
        const tacho_eval_predictor *of = &e->result->predictors[p];
        if (of->lower_bounds)
            tacho_str_printf(out, "; of %s's predictions %s %s, as it lacks figures of instructions",
                             of->name, report_count(number, of->lower_bounds),
                             of->lower_bounds == 1 ? "is a lower bound" : "are lower bounds");
    }
}

void report_eval_group_caption(tacho_str *out, const tacho_eval_result *r, size_t grouping)
{
    tacho_str_printf(out, "By %s", r->groupings[grouping].name);
    if (r->predictor_count > 1)
        tacho_str_puts(out, ": MAPE % / Kendall's tau");
}

void report_left_out(tacho_str *out, const eval_reason *reasons, size_t count)
{
    char number[TACHO_NUMBER_SIZE];
    for (size_t i = 0; i < count; i++) {
        tacho_str_printf(out, "%s row%s left out: ", report_count(number, reasons[i].count),
                         tacho_plural(reasons[i].count));
        report_put_plain(out, reasons[i].words);
        tacho_str_putc(out, '\n');
    }
}

/* ---- why predictors failed ---- */

ORDER_AS(by_text, char *const, strcmp(*a, *b));

ORDER_AS(by_count, report_eval_message, ORDER(b->count, a->count) ?: strcmp(a->text, b->text));

/* Equal texts next to each other become one. */
static size_t count_equal(report_eval_message *out, const char *const *texts, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        if (!different || strcmp(out[different - 1].text, texts[i]))
            out[different++] = (report_eval_message){texts[i], 0};
        out[different - 1].count++;
    }
    return different;
}

int report_eval_find_messages(report_eval_messages *out, const tacho_eval_result *r, size_t predictor)
{
    const tacho_eval_prediction *all = r->predictors[predictor].predictions;
    size_t failures = r->predictors[predictor].overall.failures, n = 0;
    *out = (report_eval_messages){0};
    if (!failures)
        return 0;
    const char **texts = tacho_mem_zalloc(failures, sizeof *texts);
    out->list = tacho_mem_zalloc(failures, sizeof *out->list);
    if (!texts || !out->list) {
        tacho_mem_free(texts);
        tacho_mem_free(out->list);
        out->list = NULL;
        return -1;
    }
    for (size_t b = 0; b < r->block_count && n < failures; b++)
        if (isnan(all[b].cycles))
            texts[n++] = all[b].message;
    tacho_sort(texts, n, sizeof *texts, by_text);
    out->different = count_equal(out->list, texts, n);
    tacho_sort(out->list, out->different, sizeof *out->list, by_count);
    out->count = out->different < REPORT_EVAL_MESSAGES ? out->different : REPORT_EVAL_MESSAGES;
    for (size_t i = out->count; i < out->different; i++)
        out->unlisted += out->list[i].count;
    tacho_mem_free(texts);
    return 0;
}
