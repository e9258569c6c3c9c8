/* diff_text.c - a comparison of two files of predictions for people: what changed, whether for the better,
 * and where most. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/report_diff.h"
#include "app/report/eval_tables.h"
#include "app/report/report.h"

/* A paragraph; nothing where there is no text. Frees it. */
static void put_text(tacho_str *out, tacho_str *text)
{
    if (text->length) {
        report_wrapped(out, text->data, 0);
        tacho_str_putc(out, '\n');
    }
    out->failed |= text->failed;
    tacho_str_free(text);
}

static void put_grid(tacho_str *out, report_grid *g, bool colour)
{
    report_grid_text(out, g, colour);
    report_grid_free(g);
    tacho_str_putc(out, '\n');
}

static void put_head(tacho_str *out, const report_diff *d, bool colour)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str line = {0};
    tacho_str_printf(&line, "%s -> %s", d->files[TACHO_DIFF_OLD], d->files[TACHO_DIFF_NEW]);
    report_paint(out, colour, REPORT_BOLD, line.data ? line.data : "");
    tacho_str_printf(out, ": %s block%s", report_count(number, d->result->block_count),
                     tacho_plural(d->result->block_count));
    if (d->measured) {
        tacho_str_printf(out, ", %s measured (", report_count(number, d->result->measured));
        report_put_plain(out, d->measured);
        tacho_str_putc(out, ')');
    }
    report_diff_archs(out, d);
    tacho_str_putc(out, '\n');
    report_left_out(out, d->left_out, d->left_out_count);
    tacho_str_putc(out, '\n');
    out->failed |= line.failed;
    tacho_str_free(&line);
}

static void put_counts(tacho_str *out, const tacho_diff_result *r, bool colour)
{
    report_grid g;
    tacho_str line = {0};
    report_diff_counts(&g, r);
    put_grid(out, &g, colour);
    report_diff_direction(&line, r);
    put_text(out, &line);
}

static void put_figures(tacho_str *out, const tacho_diff_result *r, bool colour)
{
    report_grid g;
    tacho_str line = {0};
    report_diff_caption(&line, r);
    put_text(out, &line);
    report_diff_figures(&g, r);
    put_grid(out, &g, colour);
    report_diff_verdict_text(&line, r);
    put_text(out, &line);
}

static void put_message(tacho_str *out, const char *message)
{
    if (!*message)
        return;
    tacho_str_puts(out, "    why: ");
    report_wrapped(out, message, 9);
}

static void put_block(tacho_str *out, const tacho_diff_block *b)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str hex = {0};
    tacho_str_printf(out, "%12s", report_number(number, b->measured));
    for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++)
        tacho_str_printf(out, " %12s", report_number(number, b->cycles[side]));
    for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++)
        tacho_str_printf(out, "  %9s", report_percent(number, report_diff_error(b, side)));
    report_block_hex(&hex, b->hex);
    tacho_str_puts(out, "  ");
    report_put_plain(out, hex.data ? hex.data : "");
    tacho_str_putc(out, '\n');
    out->failed |= hex.failed;
    tacho_str_free(&hex);
    for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++)
        put_message(out, b->message[side]);
    report_asm_text(out, b->hex);
}

static void put_largest(tacho_str *out, const tacho_diff_result *r, tacho_diff_kind kind, bool colour)
{
    char number[TACHO_NUMBER_SIZE], title[120];
    if (!r->largest_count[kind])
        return;
    int n = snprintf(title, sizeof title, "%s: %s", tacho_diff_kind_name(kind),
                     report_count(number, r->counts[kind]));
    if (r->largest_count[kind] < r->counts[kind])
        snprintf(title + n, sizeof title - (size_t)n, ", of which %zu", r->largest_count[kind]);
    report_paint(out, colour, REPORT_BOLD, title);
    tacho_str_putc(out, '\n');
    report_paint(out, colour, REPORT_DIM,
                 "    measured          old          new  old err %  new err %  block");
    tacho_str_putc(out, '\n');
    for (size_t i = 0; i < r->largest_count[kind]; i++)
        put_block(out, &r->blocks[r->largest[kind][i]]);
    tacho_str_putc(out, '\n');
}

void report_diff_text(tacho_str *out, const report_diff *d, bool colour)
{
    const tacho_diff_result *r = d->result;
    put_head(out, d, colour);
    put_counts(out, r, colour);
    if (r->difference.count)
        put_figures(out, r, colour);
    for (size_t i = 0; i < TACHO_DIFF_KIND_COUNT; i++)
        put_largest(out, r, report_diff_kinds[i].kind, colour);
    if (out->length > 1 && out->data[out->length - 2] == '\n')
        out->data[--out->length] = '\0';
}
