/* diff_tables.c - the tables and words of a comparison of two files of predictions. */
#include "app/report/report_diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/eval_tables.h"

const report_diff_kind report_diff_kinds[TACHO_DIFF_KIND_COUNT] = {
    {TACHO_DIFF_UNCHANGED, ""},
    {TACHO_DIFF_WORSE, "further from the measurement"},
    {TACHO_DIFF_BETTER, "nearer to the measurement"},
    {TACHO_DIFF_CHANGED, "not measured, or as far from the measurement as before"},
    {TACHO_DIFF_LOST, "no prediction any more"},
    {TACHO_DIFF_GAINED, "no prediction before"},
    {TACHO_DIFF_FAILED, "no prediction, as before"},
    {TACHO_DIFF_REMOVED, "not among the new ones"},
    {TACHO_DIFF_ADDED, "not among the old ones"},
};

bool report_diff_same_arch(const report_diff *d)
{
    return !*d->archs[0] || !*d->archs[1] || !strcmp(d->archs[0], d->archs[1]);
}

void report_diff_archs(tacho_str *out, const report_diff *d)
{
    if (!report_diff_same_arch(d))
        tacho_str_printf(out, "; for different cores: old %.80s, new %.80s", d->archs[TACHO_DIFF_OLD],
                         d->archs[TACHO_DIFF_NEW]);
    else if (*d->archs[0] || *d->archs[1])
        tacho_str_printf(out, ", %.80s", *d->archs[0] ? d->archs[0] : d->archs[1]);
}

double report_diff_error(const tacho_diff_block *b, int side)
{
    return fabs(b->cycles[side] - b->measured) / b->measured;
}

void report_diff_counts(report_grid *g, const tacho_diff_result *r)
{
    char number[TACHO_NUMBER_SIZE], share[TACHO_NUMBER_SIZE];
    report_grid_start(g, 4, 1);
    report_grid_cell(g, "blocks");
    report_grid_cell(g, "count");
    report_grid_cell(g, "%");
    report_grid_cell(g, "");
    for (size_t i = 0; i < TACHO_DIFF_KIND_COUNT; i++) {
        tacho_diff_kind kind = report_diff_kinds[i].kind;
        if (!r->counts[kind] && kind != TACHO_DIFF_UNCHANGED)
            continue;
        report_grid_cell(g, tacho_diff_kind_name(kind));
        report_grid_cell(g, report_count(number, r->counts[kind]));
        report_grid_cell(
            g,
            report_percent(share, r->block_count ? (double)r->counts[kind] / (double)r->block_count : NAN));
        if (kind == TACHO_DIFF_UNCHANGED && r->options.tolerance > 0)
            report_grid_cellf(g, "to within %s %%",
                              tacho_format_number(number, 100 * r->options.tolerance, 4));
        else
            report_grid_cell(g, report_diff_kinds[i].words);
    }
}

/* ---- figures ---- */

static const char *signed_figure(char out[TACHO_NUMBER_SIZE], double value, bool percent)
{
    double shown = percent ? 100 * value : value;
    if (!isfinite(value))
        snprintf(out, TACHO_NUMBER_SIZE, "-");
    else if (fabs(shown) < (percent ? 0.005 : 0.00005)) /* no sign is to be seen before zeros */
        snprintf(out, TACHO_NUMBER_SIZE, percent ? "0.00" : "0.0000");
    else
        snprintf(out, TACHO_NUMBER_SIZE, percent ? "%+.2f" : "%+.4f", shown);
    return out;
}

static void change_cell(report_grid *g, const tacho_estimate *e, bool percent)
{
    char value[TACHO_NUMBER_SIZE], low[TACHO_NUMBER_SIZE], high[TACHO_NUMBER_SIZE];
    signed_figure(value, e->value, percent);
    if (isfinite(e->low) && isfinite(e->high))
        report_grid_cellf(g, "%s [%s, %s]", value, signed_figure(low, e->low, percent),
                          signed_figure(high, e->high, percent));
    else
        report_grid_cell(g, value);
}

static void estimate_row(report_grid *g, const char *name, const tacho_estimate *old,
                         const tacho_estimate *new, const tacho_estimate *change, bool percent)
{
    char text[REPORT_ESTIMATE_SIZE];
    report_grid_cell(g, name);
    report_grid_cell(g, report_estimate(text, old, percent));
    report_grid_cell(g, report_estimate(text, new, percent));
    change_cell(g, change, percent);
}

static void share_row(report_grid *g, const char *name, double old, double new)
{
    tacho_estimate a = {old, NAN, NAN}, b = {new, NAN, NAN}, change = {new - old, NAN, NAN};
    estimate_row(g, name, &a, &b, &change, true);
}

void report_diff_figures(report_grid *g, const tacho_diff_result *r)
{
    const tacho_score *old = &r->common[TACHO_DIFF_OLD], *new = &r->common[TACHO_DIFF_NEW];
    report_grid_start(g, 4, 0);
    report_grid_cell(g, "figure");
    report_grid_cell(g, "old");
    report_grid_cell(g, "new");
    report_grid_cell(g, "new - old");
    estimate_row(g, "MAPE %", &old->mape, &new->mape, &r->difference.mape, true);
    estimate_row(g, "Kendall's tau", &old->kendall_tau, &new->kendall_tau, &r->difference.kendall_tau, false);
    share_row(g, "median %", old->median.value, new->median.value);
    share_row(g, "q3 %", old->q3.value, new->q3.value);
    share_row(g, "bias %", old->bias, new->bias);
    share_row(g, "within 1 %", old->within_1, new->within_1);
    share_row(g, "within 5 %", old->within_5, new->within_5);
    share_row(g, "within 10 %", old->within_10, new->within_10);
}

/* ---- words ---- */

void report_diff_direction(tacho_str *out, const tacho_diff_result *r)
{
    char number[TACHO_NUMBER_SIZE], fewer[TACHO_NUMBER_SIZE];
    if (r->higher || r->lower)
        tacho_str_printf(out, "%s block%s predicted to take more cycles than before, %s fewer.",
                         report_count(number, r->higher), r->higher == 1 ? " is" : "s are",
                         report_count(fewer, r->lower));
}

void report_diff_caption(tacho_str *out, const tacho_diff_result *r)
{
    const tacho_score_options *o = &r->options.score;
    char number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "Over the %s measured block%s that both have a prediction for",
                     report_count(number, r->difference.count), r->difference.count == 1 ? "" : "s");
    if (isfinite(r->difference.mape.low))
        tacho_str_printf(
            out,
            "; in brackets %s %% intervals of %u resamples (seed %llu), which are the same ones for "
            "both",
            tacho_format_number(number, 100 * o->confidence, 3), o->resamples, (unsigned long long)o->seed);
    if (o->tau_step > 0)
        tacho_str_printf(out, "; for tau, cycles are rounded to multiples of %s",
                         tacho_format_number(number, o->tau_step, 6));
    tacho_str_putc(out, '.');
}

bool report_diff_verdict(const tacho_diff_result *r, int *out)
{
    const tacho_estimate *e = &r->difference.mape;
    if (!isfinite(e->low) || !isfinite(e->high))
        return false;
    *out = e->high < 0 ? 1 : e->low > 0 ? -1 : 0;
    return true;
}

void report_diff_verdict_text(tacho_str *out, const tacho_diff_result *r)
{
    const tacho_estimate *e = &r->difference.mape;
    char least[TACHO_NUMBER_SIZE], most[TACHO_NUMBER_SIZE];
    int verdict;
    if (!report_diff_verdict(r, &verdict))
        return;
    if (verdict)
        tacho_str_printf(out,
                         "The new predictions are %s: their mean error is %s by %s to %s percentage points.",
                         verdict > 0 ? "better" : "worse", verdict > 0 ? "lower" : "higher",
                         report_percent(least, verdict > 0 ? -e->high : e->low),
                         report_percent(most, verdict > 0 ? -e->low : e->high));
    else if (!(e->low < 0) && !(e->high > 0))
        tacho_str_puts(out, "The mean error is the same.");
    else
        tacho_str_puts(out,
                       "Neither is shown to be better: the interval of the difference of their mean errors "
                       "includes 0.");
}
