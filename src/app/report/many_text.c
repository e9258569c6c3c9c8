/* many_text.c - a comparison of many commands as text: the answer first, then a table of all. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/grid.h"
#include "app/report/report.h"
#include "app/report/report_compare.h"
#include "app/report/report_many.h"

enum {
    TEXT_AT = 13, /* behind a label */
    COLUMNS = 8
};

static void put_number(report_grid *g, double value)
{
    int digits = fabs(value) >= 1000 ? 1 : fabs(value) >= 100 ? 2 : fabs(value) >= 10 ? 3 : 4;
    if (isnan(value))
        report_grid_cell(g, "-");
    else if (fabs(value) < 1e12)
        report_grid_cellf(g, "%.*f", digits, value);
    else
        report_grid_cellf(g, "%.5g", value);
}

static void put_interval(report_grid *g, double low, double high)
{
    int digits = fabs(high) >= 1000 ? 1 : fabs(high) >= 100 ? 2 : fabs(high) >= 10 ? 3 : 4;
    if (isnan(low))
        report_grid_cell(g, "-");
    else
        report_grid_cellf(g, "%.*f to %.*f", digits, low, digits, high);
}

static void put_row(report_grid *g, const report_many *m, size_t c, double scale)
{
    const tacho_many_row *row = &m->judgement->rows[c];
    tacho_str verdict = {0};
    report_grid_cell(g, m->commands[c].name);
    put_number(g, row->median.value / scale);
    put_interval(g, row->median.low / scale, row->median.high / scale);
    put_number(g, row->ratio);
    put_interval(g, row->ratio_low, row->ratio_high);
    if (isnan(row->p_corrected))
        report_grid_cell(g, "-");
    else
        report_grid_cellf(g, "%.2g", row->p_corrected);
    if (isnan(row->median.value))
        report_grid_cell(g, "-");
    else if (row->rank_low == row->rank_high)
        report_grid_cellf(g, "%u", row->rank_low);
    else
        report_grid_cellf(g, "%u-%u", row->rank_low, row->rank_high);
    report_many_verdict(&verdict, m, c);
    report_grid_cell(g, verdict.data ? verdict.data : "");
    g->failed |= verdict.failed;
    tacho_str_free(&verdict);
}

static void fill(report_grid *g, const report_many *m)
{
    char unit[80];
    double scale = report_many_scale(m, unit, sizeof unit), percent = 100 * m->judgement->confidence;
    report_grid_start(g, COLUMNS, 1);
    report_grid_cell(g, "command");
    report_grid_cellf(g, "%s%s%s", m->metric, *unit ? ", " : "", unit);
    report_grid_cellf(g, "%g %% interval", percent);
    report_grid_cell(g, "ratio");
    report_grid_cellf(g, "%g %% interval", percent);
    report_grid_cell(g, "p");
    report_grid_cell(g, "rank");
    report_grid_cell(g, "");
    for (size_t c = 0; c < m->judgement->count; c++)
        put_row(g, m, c, scale);
}

/* The commands as they were written, where their names do not say it. */
static void put_commands(tacho_str *out, const report_many *m, bool colour)
{
    const char *last = NULL;
    for (size_t c = 0; c < m->judgement->count; c++) {
        const char *written = m->commands[c].written;
        if (!written || (last && !strcmp(last, written)) || !strcmp(written, m->commands[c].name))
            continue;
        last = written;
        report_label(out, colour, "command");
        report_wrapped(out, written, TEXT_AT);
    }
}

static void put_runs(tacho_str *out, const report_many *m, bool colour)
{
    const tacho_many_judgement *j = m->judgement;
    tacho_str line = {0};
    report_label(out, colour, "runs");
    if (j->paired)
        tacho_str_printf(&line, "%u block%s, each with a run of each command, in random order", j->blocks,
                         tacho_plural(j->blocks));
    else
        tacho_str_puts(&line, "independent samples");
    if (m->result) {
        const tacho_compare_result *r = &m->result->runs;
        if (m->options->layouts)
            tacho_str_printf(&line, ", in %u layouts", m->options->layouts);
        if (m->options->warm_up)
            tacho_str_printf(&line, ", after %u of each to warm up", m->options->warm_up);
        if (r->cpu >= 0)
            tacho_str_printf(&line, "; CPU %d", r->cpu);
        tacho_str_printf(&line, "; %.1f s; %s", r->seconds, report_compare_end_words(r->end));
    }
    report_wrapped_text(out, &line, TEXT_AT);
    report_label(out, colour, "ratio");
    tacho_str_printf(
        &line,
        "median of %s by that of %s; the intervals of all ratios hold at once, p is corrected for %zu "
        "comparison%s, and ranks for all pairs",
        m->metric, m->commands[0].name, j->count - 1, tacho_plural(j->count - 1));
    report_wrapped_text(out, &line, TEXT_AT);
}

static void put_notes(tacho_str *out, const report_many *m, bool colour)
{
    report_sentences notes = {0};
    report_many_notes(&notes, m);
    report_sentences_text(out, &notes, colour);
    report_sentences_free(&notes);
}

void report_many_text(tacho_str *out, const report_many *m, bool colour)
{
    tacho_str answer = {0};
    report_grid g;
    report_many_answer(&answer, m);
    report_paint(out, colour, REPORT_BOLD, answer.data ? answer.data : "");
    out->failed |= answer.failed;
    tacho_str_free(&answer);
    tacho_str_puts(out, "\n\n");
    put_commands(out, m, colour);
    put_runs(out, m, colour);
    tacho_str_putc(out, '\n');
    fill(&g, m);
    report_grid_text(out, &g, colour);
    out->failed |= g.failed;
    report_grid_free(&g);
    put_notes(out, m, colour);
}

void report_many_markdown(tacho_str *out, const report_many *m)
{
    tacho_str text = {0};
    report_sentences notes = {0};
    report_grid g;
    report_many_answer(&text, m);
    tacho_str_puts(out, "**");
    report_put_markdown(out, text.data ? text.data : "");
    tacho_str_puts(out, "**\n");
    fill(&g, m);
    report_grid_markdown(out, &g);
    out->failed |= g.failed || text.failed;
    report_grid_free(&g);
    tacho_str_clear(&text);
    report_many_notes(&notes, m);
    report_sentences_markdown(out, &notes);
    report_sentences_free(&notes);
    tacho_str_free(&text);
}
