/* diff_markdown.c - a comparison of two files of predictions as a comment on a pull request: the verdict and
 * the tables of figures; blocks are folded away. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/diff_tables.h"
#include "app/report/eval_tables.h"
#include "app/report/report.h"

static void put_grid(tacho_str *out, report_grid *g)
{
    report_grid_markdown(out, g);
    report_grid_free(g);
}

static void put_text(tacho_str *out, tacho_str *text, const char *before, const char *after)
{
    if (text->length) {
        tacho_str_puts(out, before);
        report_put_markdown(out, text->data);
        tacho_str_puts(out, after);
    }
    out->failed |= text->failed;
    tacho_str_free(text);
}

static void put_head(tacho_str *out, const report_diff *d)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str line = {0}, verdict = {0};
    tacho_str_printf(&line, "%s → %s", d->files[TACHO_DIFF_OLD], d->files[TACHO_DIFF_NEW]);
    put_text(out, &line, "### ", "\n\n");
    report_diff_verdict_text(&verdict, d->result);
    put_text(out, &verdict, "**", "**\n\n");
    tacho_str_printf(&line, "%s block%s", report_count(number, d->result->block_count),
                     tacho_plural(d->result->block_count));
    if (d->measured)
        tacho_str_printf(&line, ", %s measured (%s)", report_count(number, d->result->measured), d->measured);
    report_diff_archs(&line, d);
    put_text(out, &line, "", ".\n");
    for (size_t i = 0; i < d->left_out_count; i++) {
        tacho_str_printf(&line, "%s row%s left out: %s", report_count(number, d->left_out[i].count),
                         d->left_out[i].count == 1 ? "" : "s", d->left_out[i].words);
        put_text(out, &line, i ? "- " : "\n- ", "\n");
    }
}

static void cycles_cell(report_grid *g, double value)
{
    char number[TACHO_NUMBER_SIZE];
    report_grid_cell(g, report_number(number, value));
}

static void put_blocks(tacho_str *out, const tacho_diff_result *r, tacho_diff_kind kind)
{
    static const char *const names[] = {"block",       "measured",    "old",          "new",
                                        "old error %", "new error %", "instructions", "why"};
    char number[TACHO_NUMBER_SIZE];
    report_grid g;
    if (!r->largest_count[kind])
        return;
    tacho_str_printf(out, "\n<details><summary>%s: %s", tacho_diff_kind_name(kind),
                     report_count(number, r->counts[kind]));
    if (r->largest_count[kind] < r->counts[kind])
        tacho_str_printf(out, ", of which %zu", r->largest_count[kind]);
    tacho_str_puts(out, "</summary>\n");
    report_grid_start(&g, 8, 2);
    for (size_t i = 0; i < 8; i++)
        report_grid_cell(&g, names[i]);
    for (size_t i = 0; i < r->largest_count[kind]; i++) {
        const tacho_diff_block *b = &r->blocks[r->largest[kind][i]];
        report_hex_cell(&g, b->hex);
        cycles_cell(&g, b->measured);
        for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++)
            cycles_cell(&g, b->cycles[side]);
        for (int side = 0; side < TACHO_DIFF_SIDE_COUNT; side++)
            report_grid_cell(&g, report_percent(number, report_diff_error(b, side)));
        report_asm_cell(&g, b->hex);
        report_grid_cell(&g, *b->message[TACHO_DIFF_NEW] ? b->message[TACHO_DIFF_NEW]
                                                         : b->message[TACHO_DIFF_OLD]);
    }
    put_grid(out, &g);
    tacho_str_puts(out, "</details>\n");
}

void report_diff_markdown(tacho_str *out, const report_diff *d)
{
    const tacho_diff_result *r = d->result;
    report_grid g;
    tacho_str line = {0};
    put_head(out, d);
    report_diff_counts(&g, r);
    put_grid(out, &g);
    report_diff_direction(&line, r);
    put_text(out, &line, "", "\n");
    if (r->difference.count) {
        report_diff_figures(&g, r);
        put_grid(out, &g);
        report_diff_caption(&line, r);
        put_text(out, &line, "", "\n");
    }
    for (size_t i = 0; i < TACHO_DIFF_KIND_COUNT; i++)
        put_blocks(out, r, report_diff_kinds[i].kind);
}
