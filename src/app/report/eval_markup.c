/* eval_markup.c - evaluations as Markdown, for pull requests and wikis. */
#include <math.h>
#include <string.h>

#include "app/report/eval_tables.h"
#include "app/report/report.h"
#include "base/mem.h"

static void put_grid(tacho_str *out, report_grid *g)
{
    report_grid_markdown(out, g);
    report_grid_free(g);
}

static void heading(tacho_str *out, const char *before, const char *name)
{
    tacho_str_puts(out, "### ");
    report_put_markdown(out, before);
    report_put_markdown(out, name);
    tacho_str_putc(out, '\n');
}

static void worst(tacho_str *out, const report_eval *e, const tacho_eval_predictor *p)
{
    const tacho_eval_result *r = e->result;
    const char *const names[] = {"block",   report_eval_reference(e), "predicted",
                                 "error %", "instructions",           "note"};
    char number[TACHO_NUMBER_SIZE];
    report_grid g;
    report_grid_start(&g, 6, 2);
    for (size_t i = 0; i < 6; i++)
        report_grid_cell(&g, names[i]);
    for (size_t i = 0; i < p->worst_count; i++) {
        const tacho_eval_block *b = &r->blocks[p->worst[i]];
        double cycles = p->predictions[p->worst[i]].cycles;
        report_hex_cell(&g, b->hex);
        report_grid_cell(&g, report_number(number, b->measured));
        report_grid_cell(&g, report_number(number, cycles));
        report_grid_cell(&g, report_percent(number, fabs(cycles - b->measured) / b->measured));
        report_asm_cell(&g, b->hex);
        report_grid_cell(&g, b->note);
    }
    heading(out, "Largest errors of ", p->name);
    put_grid(out, &g);
}

static void failures(tacho_str *out, const tacho_eval_result *r, size_t predictor)
{
    report_eval_messages m;
    char number[TACHO_NUMBER_SIZE];
    if (report_eval_find_messages(&m, r, predictor)) {
        out->failed = true;
        return;
    }
    if (m.count) {
        report_grid g;
        report_grid_start(&g, 2, 0);
        report_grid_cell(&g, "message");
        report_grid_cell(&g, "blocks");
        for (size_t i = 0; i < m.count; i++) {
            report_grid_cell(&g, *m.list[i].text ? m.list[i].text : "no message");
            report_grid_cell(&g, report_count(number, m.list[i].count));
        }
        if (m.unlisted) {
            report_grid_cellf(&g, "%zu other messages", m.different - m.count);
            report_grid_cell(&g, report_count(number, m.unlisted));
        }
        heading(out, "Failures of ", r->predictors[predictor].name);
        put_grid(out, &g);
    }
    tacho_mem_free(m.list);
}

static void markdown_head(tacho_str *out, const report_eval *e)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str line = {0};
    tacho_str_puts(out, "## ");
    report_put_markdown(out, e->measured);
    tacho_str_printf(out, ": %s block%s %s", report_count(number, e->result->block_count),
                     tacho_plural(e->result->block_count), report_eval_origin(e));
    if (e->arch) {
        tacho_str_puts(out, ", ");
        report_put_markdown(out, e->arch);
    }
    tacho_str_puts(out, "\n\n");
    for (size_t i = 0; i < e->left_out_count; i++) {
        tacho_str_printf(out, "- %s row%s left out: ", report_count(number, e->left_out[i].count),
                         e->left_out[i].count == 1 ? "" : "s");
        report_put_markdown(out, e->left_out[i].words);
        tacho_str_puts(out, i + 1 == e->left_out_count ? "\n\n" : "\n");
    }
    report_eval_caption(&line, e);
    report_put_markdown(out, line.data ? line.data : "");
    tacho_str_puts(out, ".\n");
    tacho_str_free(&line);
}

void report_eval_markdown(tacho_str *out, const report_eval *e)
{
    const tacho_eval_result *r = e->result;
    report_grid g;
    markdown_head(out, e);
    report_eval_summary(&g, r);
    put_grid(out, &g);
    report_eval_closeness(&g, r);
    put_grid(out, &g);
    for (size_t k = 0; k < r->grouping_count; k++) {
        tacho_str title = {0};
        report_eval_group_caption(&title, r, k);
        heading(out, title.data ? title.data : "", "");
        tacho_str_free(&title);
        report_eval_groups(&g, r, k);
        put_grid(out, &g);
    }
    for (size_t p = 0; p < r->predictor_count; p++)
        if (r->predictors[p].worst_count)
            worst(out, e, &r->predictors[p]);
    for (size_t p = 0; p < r->predictor_count; p++)
        failures(out, r, p);
}
