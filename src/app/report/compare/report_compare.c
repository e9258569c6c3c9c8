/* report_compare.c - a comparison as text: the answer first, then what it rests on. */
#include "app/report/compare/report_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/grid.h"
#include "app/report/report.h"

enum {
    TEXT_AT = 13 /* behind a label */
};

static void put_command(tacho_str *out, const report_compare *c, uint32_t side, bool colour)
{
    report_label(out, colour, side ? "B" : "A");
    if (c->names[side]) {
        report_put_plain(out, c->names[side]);
        tacho_str_puts(out, ": ");
    }
    for (char *const *word = c->commands[side]; *word; word++) {
        if (word != c->commands[side])
            tacho_str_putc(out, ' ');
        for (const char *letter = *word; *letter; letter++) /* scripts may have several lines */
            tacho_str_putc(out, (unsigned char)*letter < 0x20 || *letter == 0x7f ? ' ' : *letter);
    }
    tacho_str_putc(out, '\n');
}

static void put_ratio(tacho_str *out, const report_compare *c, bool colour)
{
    const tacho_judgement *j = c->judgement;
    tacho_str line = {0};
    report_label(out, colour, "ratio");
    if (isnan(j->ratio))
        tacho_str_printf(&line, "none: %s", j->paired ? "no block has both sides" : "a side has no samples");
    else
        tacho_str_printf(&line, "%s of B / %s of A: %.4f", c->metric, c->metric, j->ratio);
    if (!isnan(j->ratio_low))
        tacho_str_printf(&line, ", %g %% interval %.4f to %.4f; %s test p = %.2g", 100 * j->confidence,
                         j->ratio_low, j->ratio_high,
                         report_compare_is_signed(j) ? "signed-rank" : "rank-sum", j->p_value);
    report_wrapped_text(out, &line, TEXT_AT);
}

static void put_elapsed(tacho_str *out, const report_compare *c, bool colour)
{
    tacho_str line = {0};
    report_compare_elapsed(&line, c);
    if (line.length) {
        report_label(out, colour, "elapsed");
        report_wrapped_text(out, &line, TEXT_AT);
    }
}

/* Why there were no more runs. */
static const char *report_compare_end_words(tacho_compare_end end)
{
    static const char *const words[] = {"precise enough",
                                        "as precise as asked for",
                                        "the maximum number was reached",
                                        "the time limit was reached",
                                        "more layouts are needed",
                                        "interrupted"};
    return words[end];
}

static void put_runs(tacho_str *out, const report_compare *c, bool colour)
{
    const tacho_judgement *j = c->judgement;
    tacho_str line = {0};
    report_label(out, colour, "runs");
    if (j->paired)
        tacho_str_printf(&line, "%u block%s of A B B A or B A A B", j->blocks, j->blocks == 1 ? "" : "s");
    else
        tacho_str_puts(&line, "independent samples");
    if (j->layout_count)
        tacho_str_printf(&line, " in %zu layouts", j->layout_count);
    if (c->result) {
        if (c->options->warm_up)
            tacho_str_printf(&line, ", after %u of each to warm up", c->options->warm_up);
        if (c->result->cpu >= 0)
            tacho_str_printf(&line, "; CPU %d", c->result->cpu);
        tacho_str_printf(&line, "; %.1f s; %s", c->result->seconds, report_compare_end_words(c->result->end));
    }
    report_wrapped_text(out, &line, TEXT_AT);
}

static void put_layouts(tacho_str *out, const report_compare *c, bool colour)
{
    const tacho_judgement *j = c->judgement;
    double low = INFINITY, high = 0;
    tacho_str line = {0};
    if (!j->layout_count)
        return;
    for (size_t i = 0; i < j->layout_count; i++) {
        low = fmin(low, j->layouts[i].ratio);
        high = fmax(high, j->layouts[i].ratio);
    }
    report_label(out, colour, "layouts");
    tacho_str_printf(&line, "%zu; ratios from %.4f to %.4f", j->layout_count, low, high);
    for (int side = 0; side < 2; side++)
        if (!isnan(j->sides[side].layout_share))
            tacho_str_printf(&line, "; of %c's variance, %.0f %% comes from the layout", "AB"[side],
                             100 * j -> sides[side].layout_share);
    report_wrapped_text(out, &line, TEXT_AT);
}

static void put_number(tacho_str *out, double value)
{
    char text[40] = "-";
    if (!isnan(value)) {
        int digits = fabs(value) >= 1000 ? 1 : fabs(value) >= 100 ? 2 : fabs(value) >= 10 ? 3 : 4;
        if (fabs(value) < 1e12)
            snprintf(text, sizeof text, "%.*f", digits, value);
        else
            snprintf(text, sizeof text, "%.5g", value);
    }
    tacho_str_printf(out, " %10s", text);
}

static void put_table(tacho_str *out, const report_compare *c, bool colour)
{
    char unit[80], head[200];
    double scale = report_compare_scale(c, unit, sizeof unit);
    snprintf(head, sizeof head, "%10s %10s %10s %10s %10s %10s %10s", "runs", "min", "q1", "median", "q3",
             "max", "MAD");
    tacho_str_printf(out, "\n%s%s%s:\n%-2s", c->metric, *unit ? ", " : "", unit, "");
    report_paint(out, colour, REPORT_DIM, head);
    tacho_str_putc(out, '\n');
    for (uint32_t side = 0; side < 2; side++) {
        const tacho_distribution *d = &c->judgement->sides[side].values;
        const double columns[] = {d->min, d->q1, d->median, d->q3, d->max, d->mad};
        tacho_str_printf(out, "%c %10zu", "AB"[side], d -> count);
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            put_number(out, columns[i] / scale);
        tacho_str_putc(out, '\n');
    }
}

static void put_notes(tacho_str *out, const report_compare *c, bool colour)
{
    report_sentences notes = {0};
    report_compare_notes(&notes, c);
    report_sentences_text(out, &notes, colour);
    report_sentences_free(&notes);
}

void report_compare_text(tacho_str *out, const report_compare *c, bool colour)
{
    tacho_str answer = {0};
    report_compare_answer(&answer, c);
    report_paint(out, colour, REPORT_BOLD, answer.data ? answer.data : "");
    out->failed |= answer.failed;
    tacho_str_free(&answer);
    tacho_str_puts(out, "\n\n");
    for (uint32_t side = 0; side < 2; side++)
        if (c->commands[side])
            put_command(out, c, side, colour);
    put_ratio(out, c, colour);
    put_elapsed(out, c, colour);
    put_runs(out, c, colour);
    put_layouts(out, c, colour);
    put_table(out, c, colour);
    put_notes(out, c, colour);
}
