/* compare_plot.c - a comparison as a picture: the runs of each side with their box, how many took at most so
 * long, and all in the order in which they were made. */
#include <math.h>
#include <stdio.h>

#include "app/report/plot.h"
#include "app/report/report_compare.h"
#include "base/hash.h"

typedef struct plotted {
    const tacho_sample *samples;
    size_t sample_count;
    const tacho_distribution *values[2];
    const char *colours[2];
    double scale;             /* values are divided by it */
    char label[120];          /* of the values: made by begin() */
    char label_of_shown[200]; /* the same, and how many runs are outside of the picture */
} plotted;

/* The runs of each side: value, its height in the first panel (spread by chance), number. */
static void put_runs(tacho_str *out, const plotted *p)
{
    for (size_t c = 0; c < 2; c++) {
        tacho_str_printf(out, "$runs%zu << TACHO_END\n", c);
        for (size_t i = 0; i < p->sample_count; i++)
            if (p->samples[i].side == c && !isnan(p->samples[i].value))
                tacho_str_printf(out, "%.9g %.3f %zu\n", p->samples[i].value / p->scale,
                                 (double)(1 - c) + 0.5 * ((double)(hash_mix(i) >> 32) * 0x1p-32 - 0.5),
                                 i + 1);
        tacho_str_puts(out, "TACHO_END\n");
    }
}

/* Quartiles and median, and lines to the least and the largest inside Tukey's inner fences. */
static void put_boxes(tacho_str *out, const plotted *p)
{
    tacho_str_puts(out, "$boxes << TACHO_END\n");
    for (size_t c = 0; c < 2; c++) {
        const tacho_distribution *d = p->values[c];
        double reach = 1.5 * (d->q3 - d->q1), low = d->q1, high = d->q3;
        for (size_t i = 0; i < p->sample_count; i++) {
            double v = p->samples[i].value;
            if (p->samples[i].side != c || !(v >= d->q1 - reach && v <= d->q3 + reach))
                continue;
            low = fmin(low, v);
            high = fmax(high, v);
        }
        if (d->count)
            tacho_str_printf(out, "%.9g %.9g %.9g %.9g %.9g %zu\n", low / p->scale, d->q1 / p->scale,
                             d->median / p->scale, d->q3 / p->scale, high / p->scale, 1 - c);
    }
    tacho_str_puts(out, "TACHO_END\n");
}

/* Shows all, unless a few runs so far out would make all others one line. @return how many are not shown */
static size_t put_range(tacho_str *out, const plotted *p)
{
    enum {
        SPREADS = 12 /* interquartile ranges beyond the quartiles */
    };
    double least = INFINITY, most = -INFINITY;
    size_t beyond = 0;
    for (size_t c = 0; c < 2; c++) {
        const tacho_distribution *d = p->values[c];
        double spread = fmax(d->q3 - d->q1, 0.002 * d->median);
        least = fmin(least, fmax(d->min, d->q1 - SPREADS * spread));
        most = fmax(most, fmin(d->max, d->q3 + SPREADS * spread));
    }
    for (size_t i = 0; i < p->sample_count; i++)
        beyond += p->samples[i].value < least || p->samples[i].value > most;
    double margin = most > least ? (most - least) * 0.03 : most * 0.01;
    tacho_str_printf(out, "least = %.9g\nmost = %.9g\nset xrange [least:most]\n", (least - margin) / p->scale,
                     (most + margin) / p->scale);
    return beyond;
}

/* The data, of each side as `$runsN` (its values in the first column), and a title, which is freed, at a
 * share of the height. */
static void begin(tacho_str *out, plotted *p, const char *metric, const char *unit, tacho_str *title,
                  double title_at)
{
    tacho_str_puts(out, "set border 3 lc rgb '#888888'\nset tics nomirror out textcolor rgb '#444444'\n"
                        "set grid lc rgb '#dddddd' lt 1\n");
    put_runs(out, p);
    put_boxes(out, p);
    size_t beyond = put_range(out, p);
    snprintf(p->label, sizeof p->label, "%s%s%s", metric, *unit ? ", " : "", unit);
    snprintf(p->label_of_shown, sizeof p->label_of_shown, "%s", p->label);
    if (beyond)
        snprintf(p->label_of_shown, sizeof p->label_of_shown, "%s (%zu run%s outside of the picture)",
                 p->label, beyond, beyond == 1 ? " is" : "s are");
    tacho_str_puts(out, "set multiplot\nset label 1 ");
    report_plot_quoted(out, title->data ? title->data : "");
    tacho_str_printf(out, " at screen 0.5, screen %.4f center tc rgb '#222222' noenhanced\n", title_at);
    out->failed |= title->failed;
    tacho_str_free(title);
}

/* The next panel: its left side, bottom and top as shares of the picture. */
static void put_panel(tacho_str *out, double left, double bottom, double top)
{
    tacho_str_printf(out,
                     "set lmargin at screen %.4f\nset rmargin at screen 0.97\nset bmargin at screen %.4f\n"
                     "set tmargin at screen %.4f\n",
                     left, bottom, top);
}

static void put_strips(tacho_str *out, const plotted *p)
{
    tacho_str_puts(out, "set yrange [-0.6:1.6]\nset ylabel ''\nset ytics scale 0 ('A' 1, 'B' 0)\n"
                        "set grid xtics noytics\nplot");
    for (size_t c = 0; c < 2; c++)
        tacho_str_printf(out, " $runs%zu using 1:2 with points pt 7 ps 0.35 lc rgb '%s' notitle, \\\n", c,
                         p->colours[c]);
    tacho_str_puts(
        out, " $boxes using 3:6:2:4:($6-0.32):($6+0.32) with boxxyerror fs empty border lc rgb '#222222' lc "
             "rgb '#222222' lw 1.4 notitle, \\\n"
             " $boxes using 3:($6-0.32):(0):(0.64) with vectors nohead lc rgb '#222222' lw 3 notitle, \\\n"
             " $boxes using 1:6:($2-$1):(0) with vectors nohead lc rgb '#222222' lw 1.4 notitle, \\\n"
             " $boxes using 4:6:($5-$4):(0) with vectors nohead lc rgb '#222222' lw 1.4 notitle\n"
             "unset label 1\n");
}

static void put_order(tacho_str *out, const plotted *p)
{
    tacho_str_printf(out,
                     "unset key\nset xrange [0:%zu]\nset yrange [least:most]\nset ytics autofreq\n"
                     "set grid xtics ytics\nset xlabel 'run'\nset ylabel ",
                     p->sample_count + 1);
    report_plot_quoted(out, p->label);
    tacho_str_puts(out, "\nplot");
    for (size_t c = 0; c < 2; c++)
        tacho_str_printf(out, "%s $runs%zu using 3:1 with points pt 7 ps 0.4 lc rgb '%s' notitle",
                         c ? ", \\\n" : "", c, p->colours[c]);
    tacho_str_putc(out, '\n');
}

static void put_shares(tacho_str *out, const plotted *p)
{
    put_panel(out, 0.10, 0.40, 0.64);
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
    plotted p = {.samples = c->samples,
                 .sample_count = c->sample_count,
                 .values = {&c->judgement->sides[0].values, &c->judgement->sides[1].values},
                 .colours = {"#0072b2", "#d55e00"},
                 .scale = report_compare_scale(c, unit, sizeof unit)};
    report_compare_answer(&answer, c);
    report_plot_terminal(out, 760, 640, png);
    begin(out, &p, c->metric, unit, &answer, 0.95);
    put_panel(out, 0.10, 0.66, 0.88);
    tacho_str_puts(out, "set xlabel ''\nset format x ''\n");
    put_strips(out, &p);
    put_shares(out, &p);
    put_panel(out, 0.10, 0.10, 0.31);
    put_order(out, &p);
    tacho_str_puts(out, "unset multiplot\n");
}
