/* report_benchmarks.c - two results of benchmarks compared, as text and as Markdown. */
#include "app/report/report_benchmarks.h"

#include <math.h>
#include <string.h>

#include "app/report/report.h"

enum {
    TEXT_AT = 13 /* behind a label */
};

static void put_labelled(tacho_str *out, bool colour, const char *label, tacho_str *text)
{
    report_label(out, colour, label);
    report_wrapped_text(out, text, TEXT_AT);
}

void report_benchmarks_text(tacho_str *out, const report_benchmarks *b, bool colour)
{
    static const char *const labels[] = {"old", "new"};
    tacho_str text = {0};
    report_sentences notes = {0};
    report_grid g;
    report_benchmarks_answer(&text, b);
    report_paint(out, colour, REPORT_BOLD, text.data ? text.data : "");
    out->failed |= text.failed;
    tacho_str_free(&text);
    tacho_str_puts(out, "\n\n");
    for (int side = 0; side < 2; side++) {
        report_benchmarks_side(&text, b, side);
        put_labelled(out, colour, labels[side], &text);
    }
    report_benchmarks_suite(&text, b);
    put_labelled(out, colour, "suite", &text);
    tacho_str_putc(out, '\n');
    report_benchmarks_table(&g, b, 0, b->result->count);
    report_grid_text(out, &g, colour);
    report_grid_free(&g);
    tacho_str_free(&text);
    report_benchmarks_notes(&notes, b);
    report_sentences_text(out, &notes, colour);
    report_sentences_free(&notes);
}

/* ---- Markdown ---- */

static void put_escaped(tacho_str *out, const char *before, tacho_str *text, const char *after)
{
    tacho_str_puts(out, before);
    report_put_markdown(out, text->data ? text->data : "");
    tacho_str_puts(out, after);
    out->failed |= text->failed;
    tacho_str_free(text);
}

static void put_table(tacho_str *out, const report_benchmarks *b, size_t from, size_t to)
{
    report_grid g;
    if (from == to)
        return;
    report_benchmarks_table(&g, b, from, to);
    report_grid_markdown(out, &g);
    report_grid_free(&g);
}

void report_benchmarks_markdown(tacho_str *out, const report_benchmarks *b)
{
    const tacho_benchmarks_result *r = b->result;
    size_t changed = r->slower + r->faster, folded = r->count - changed;
    tacho_str text = {0};
    report_sentences notes = {0};
    report_benchmarks_answer(&text, b);
    put_escaped(out, "### Benchmarks: ", &text, "\n\n");
    tacho_str_puts(&text, "suite: ");
    report_benchmarks_suite(&text, b);
    put_escaped(out, "**", &text, "**\n");
    put_table(out, b, 0, changed);
    report_benchmarks_notes(&notes, b);
    if (notes.begin)
        tacho_str_putc(out, '\n');
    report_sentences_markdown(out, &notes);
    report_sentences_free(&notes);
    if (folded) {
        tacho_str_printf(out, "\n<details><summary>%zu other%s</summary>\n", folded, tacho_plural(folded));
        put_table(out, b, changed, r->count);
        tacho_str_puts(out, "</details>\n");
    }
    for (int side = 0; side < 2; side++) {
        report_benchmarks_side(&text, b, side);
        put_escaped(out, side ? "; new: " : "\n<sub>old: ", &text, "");
    }
    tacho_str_puts(out, "</sub>\n");
    tacho_str_free(&text);
}
