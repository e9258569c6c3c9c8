/* compare_plot.c - a comparison as a picture: the runs of each side with their box, how many took at most so
 * long, and all in the order in which they were made. */
#include <math.h>

#include "app/report/plot.h"
#include "app/report/report_compare.h"
#include "app/report/report_runs.h"

static void put_name(tacho_str *out, const void *report, size_t side)
{
    (void)report;
    tacho_str_puts(out, side ? "'B'" : "'A'");
}

static void put_shares(tacho_str *out, const report_runs_plot *p)
{
    report_plot_panel(out, 0.10, 0.40, 0.64);
    tacho_str_puts(out, "set format x '%g'\nset yrange [0:100]\nset ytics 0,25,100 scale 0.5\n"
                        "set ylabel 'runs up to there, %'\nset grid xtics ytics\nset xlabel ");
    report_plot_quoted(out, p->label_of_shown);
    tacho_str_puts(out, "\nset key right bottom Left reverse samplen 2\nplot");
    for (uint32_t side = 0; side < 2; side++) {
        size_t count = p->values[side]->count;
        tacho_str_printf(
            out, "%s $runs%u using 1:(%.9g) smooth cumulative with lines lw 2 lc rgb '%s' title '%c'",
            side ? ", \\\n" : "", side, count ? 100 / (double)count : 0, p->colours[side], "AB"[side]);
    }
    tacho_str_putc(out, '\n');
}

void report_compare_plot(tacho_str *out, const report_compare *c, bool png)
{
    char unit[80];
    tacho_str answer = {0};
    report_runs_plot p = {.samples = c->samples,
                          .sample_count = c->sample_count,
                          .count = 2,
                          .values = {&c->judgement->sides[0].values, &c->judgement->sides[1].values},
                          .colours = {"#0072b2", "#d55e00"},
                          .scale = report_compare_scale(c, unit, sizeof unit)};
    report_compare_answer(&answer, c);
    report_plot_terminal(out, 760, 640, png);
    report_runs_plot_begin(out, &p, c->metric, unit, &answer, 0.95);
    report_plot_panel(out, 0.10, 0.66, 0.88);
    tacho_str_puts(out, "set xlabel ''\nset format x ''\n");
    report_runs_plot_strips(out, &p, put_name, c);
    put_shares(out, &p);
    report_plot_panel(out, 0.10, 0.10, 0.31);
    report_runs_plot_order(out, &p);
    tacho_str_puts(out, "unset multiplot\n");
}
