/* eval_plot.c - heat maps as in the uiCA paper (appendix), as a script for gnuplot. Colours go in equal steps
 * of lightness (OKLab; B. Ottosson, "A perceptual color space for image processing", 2020). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/eval_tables.h"
#include "app/report/plot.h"
#include "app/report/report.h"
#include "base/mem.h"

static const char *const heat_colours = "'#ffe64d', 1 '#febe28', 2 '#f29728', 3 '#df7538', 4 '#c45646', "
                                        "5 '#a53c4f', 6 '#822652', 7 '#5e144f', 8 '#3b0347'";

/* At most `columns` columns of a text. */
static void put_short(tacho_str *out, const char *text, size_t columns)
{
    tacho_str part = {0};
    tacho_str_puts(&part, text);
    report_cut(&part, columns);
    report_plot_quoted(out, part.data ? part.data : "");
    out->failed |= part.failed;
    tacho_str_free(&part);
}

/* Where the panels are, in pixels. */
typedef struct panels {
    size_t count, columns, rows, side;
    size_t width, height;
    const char *reference; /* of the horizontal axis: "measured" */
} panels;

enum {
    LEFT = 64,
    RIGHT = 92,
    TOP = 86,
    BOTTOM = 56,
    GAP_X = 22,
    GAP_Y = 66
};

static panels arrange(const report_eval *e)
{
    panels p = {.count = e->result->predictor_count, .reference = report_eval_reference(e)};
    p.columns = p.count <= 3 ? p.count : p.count == 4 ? 2 : p.count <= 9 ? 3 : 4;
    p.rows = p.columns ? (p.count + p.columns - 1) / p.columns : 0;
    p.side = p.count == 1 ? 460 : p.count <= 4 ? 340 : 260;
    p.width = LEFT + p.columns * p.side + (p.columns ? p.columns - 1 : 0) * GAP_X + RIGHT;
    p.height = TOP + p.rows * p.side + (p.rows ? p.rows - 1 : 0) * GAP_Y + BOTTOM;
    return p;
}

static void put_margins(tacho_str *out, const panels *p, size_t i)
{
    double left = (double)(LEFT + i % p->columns * (p->side + GAP_X));
    double top = (double)(TOP + i / p->columns * (p->side + GAP_Y));
    double w = (double)p->width, h = (double)p->height, side = (double)p->side;
    tacho_str_printf(out,
                     "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset tmargin at screen %.6f\n"
                     "set bmargin at screen %.6f\n",
                     left / w, (left + side) / w, 1 - top / h, 1 - (top + side) / h);
}

static void put_bins(tacho_str *out, const eval_heat *heat, size_t panel)
{
    tacho_str_printf(out, "$panel%zu << TACHO_END\n", panel);
    for (int y = 0; y < EVAL_HEAT_BINS; y++)
        for (int x = 0; x < EVAL_HEAT_BINS; x++)
            if (heat->counts[y][x])
                tacho_str_printf(out, "%.9g %.9g %u\n", (double)x / EVAL_HEAT_PER_CYCLE,
                                 (double)y / EVAL_HEAT_PER_CYCLE, heat->counts[y][x]);
    if (!heat->shown)
        tacho_str_puts(out, "-9 -9 1\n"); /* outside: gnuplot refuses a plot without data */
    tacho_str_puts(out, "TACHO_END\n");
}

static void put_panel_title(tacho_str *out, const tacho_eval_predictor *p, const eval_heat *heat,
                            size_t columns)
{
    char mape[TACHO_NUMBER_SIZE], beyond[TACHO_NUMBER_SIZE], figures[200];
    int n = snprintf(figures, sizeof figures, "MAPE %s %%", report_percent(mape, p->overall.mape.value));
    if (!isnan(p->overall.kendall_tau.value))
        n += snprintf(figures + n, sizeof figures - (size_t)n, ", tau %.3f", p->overall.kendall_tau.value);
    if (heat->beyond)
        snprintf(figures + n, sizeof figures - (size_t)n, ", %s beyond", report_count(beyond, heat->beyond));
    tacho_str_puts(out, "set title ");
    put_short(out, p->name, columns);
    tacho_str_printf(out, ".\"\\n\".'%s' noenhanced tc rgb '#222222' offset 0,-0.4\n", figures);
}

static void put_panel(tacho_str *out, const panels *p, size_t i)
{
    bool left = i % p->columns == 0, bottom = i + p->columns >= p->count;
    put_margins(out, p, i);
    tacho_str_printf(out, "set ylabel '%s'\nset xlabel '%s%s'\nset format y '%s'\nset format x '%s'\n",
                     left ? "predicted cycles" : "", bottom ? p->reference : "", bottom ? " cycles" : "",
                     left ? "%g" : "", bottom ? "%g" : "");
    tacho_str_printf(
        out,
        "plot x with lines lc rgb '#9aa0a8' lw 1 notitle, \\\n"
        " $panel%zu using 1:2:($1-h):($1+h):($2-h):($2+h):3 with boxxyerror fs solid noborder fc "
        "palette notitle\n",
        i);
}

/* One colour scale for all panels, right of them. */
static void put_scale(tacho_str *out, const panels *p, uint32_t most)
{
    double w = (double)p->width, h = (double)p->height;
    double bottom = BOTTOM / h, height = (h - TOP - BOTTOM) / h;
    double shown = p->rows > 1 ? 0.5 : 1;
    tacho_str_printf(out,
                     "set palette defined (0 %s)\nset logscale cb\nset cbrange [1:%u]\nset cblabel 'blocks' "
                     "offset -0.5,0\nset format cb '%%g'\n"
                     "set colorbox user origin %.6f,%.6f size %.6f,%.6f noborder\n",
                     heat_colours, most > 1 ? most : 10, (w - RIGHT + 16) / w,
                     bottom + height * (1 - shown) / 2, 12 / w, height * shown);
}

void report_plot_heat_maps(tacho_str *out, const report_eval *e, bool png)
{
    const tacho_eval_result *r = e->result;
    panels p = arrange(e);
    char shown[TACHO_NUMBER_SIZE], all[TACHO_NUMBER_SIZE], title[120];
    uint32_t most = 0;
    eval_heat *heats = tacho_mem_zalloc(p.count ? p.count : 1, sizeof *heats);
    if (!heats) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < p.count; i++) {
        tacho_eval_heat_fill(&heats[i], r, i);
        most = heats[i].most > most ? heats[i].most : most;
    }
    report_plot_terminal(out, p.width, p.height, png);
    tacho_str_puts(out, "set border 3 lc rgb '#888888'\nset tics nomirror out textcolor rgb '#444444'\n"
                        "set grid lc rgb '#dddddd' lt 1\n");
    for (size_t i = 0; i < p.count; i++)
        put_bins(out, &heats[i], i);
    put_scale(out, &p, most);
    snprintf(title, sizeof title, "%s of %s blocks: up to %d %s cycles (beyond: predicted to take more)",
             report_count(shown, tacho_eval_heat_measured(r)), report_count(all, r->block_count),
             EVAL_HEAT_CYCLES, report_eval_reference(e));
    tacho_str_printf(
        out,
        "h = %.9g\nset xrange [-h:%d+h]\nset yrange [-h:%d+h]\nset xtics 0,%d,%d\nset ytics 0,%d,%d\n"
        "set multiplot\nset label 1 '%s' at screen 0.5, screen %.6f center tc rgb '#555555'\n",
        0.5 / EVAL_HEAT_PER_CYCLE, EVAL_HEAT_CYCLES, EVAL_HEAT_CYCLES, p.count > 4 ? 2 : 1, EVAL_HEAT_CYCLES,
        p.count > 4 ? 2 : 1, EVAL_HEAT_CYCLES, title, 1 - 16 / (double)p.height);
    for (size_t i = 0; i < p.count; i++) {
        put_panel_title(out, &r->predictors[i], &heats[i], p.side / 7);
        put_panel(out, &p, i);
        if (i == 0)
            tacho_str_puts(out, "unset label 1\nunset colorbox\n");
    }
    tacho_str_puts(out, "unset multiplot\n");
    tacho_mem_free(heats);
}
