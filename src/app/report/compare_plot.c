/* compare_plot.c - a comparison as a picture: the runs of each side with their box, how many took at most so
 * long, and all in the order in which they were made. */
#include <math.h>
#include <stdio.h>

#include "app/report/plot.h"
#include "app/report/report_compare.h"
#include "base/hash.h"

static const char *const colours[2] = {"#0072b2", "#d55e00"};

/* The runs of a side: value, number, a height by chance for the strip. */
static void put_runs(tacho_str *out, const report_compare *c, double scale)
{
    for (uint32_t side = 0; side < 2; side++) {
        tacho_str_printf(out, "$runs%u << TACHO_END\n", side);
        for (size_t i = 0; i < c->sample_count; i++)
            if (c->samples[i].side == side && !isnan(c->samples[i].value))
                tacho_str_printf(out, "%.9g %zu %.3f\n", c->samples[i].value / scale, i + 1,
                                 (double)(hash_mix(i) >> 32) * 0x1p-32 - 0.5);
        tacho_str_puts(out, "TACHO_END\n");
    }
}

/* Both boxes: quartiles and median, and lines to the least and the largest inside Tukey's inner fences. */
static void put_boxes(tacho_str *out, const report_compare *c, double scale)
{
    tacho_str_puts(out, "$boxes << TACHO_END\n");
    for (uint32_t side = 0; side < 2; side++) {
        const tacho_distribution *d = &c->judgement->sides[side].values;
        double range = d->q3 - d->q1, low = d->q1, high = d->q3;
        for (size_t i = 0; i < c->sample_count; i++) {
            double v = c->samples[i].value;
            if (c->samples[i].side != side || !(v >= d->q1 - 1.5 * range && v <= d->q3 + 1.5 * range))
                continue;
            low = fmin(low, v);
            high = fmax(high, v);
        }
        if (d->count)
            tacho_str_printf(out, "%.9g %.9g %.9g %.9g %.9g %u\n", low / scale, d->q1 / scale,
                             d->median / scale, d->q3 / scale, high / scale, 1 - side);
    }
    tacho_str_puts(out, "TACHO_END\n");
}

/* A panel from `bottom` to `top`, shares of the picture. */
static void put_panel(tacho_str *out, double bottom, double top)
{
    tacho_str_printf(out,
                     "set lmargin at screen 0.10\nset rmargin at screen 0.97\nset bmargin at screen %.3f\n"
                     "set tmargin at screen %.3f\n",
                     bottom, top);
}

static void put_strips(tacho_str *out)
{
    put_panel(out, 0.66, 0.88);
    tacho_str_puts(out, "set yrange [-0.6:1.6]\nset ytics ('A' 1, 'B' 0) scale 0\nset ylabel ''\n"
                        "set xlabel ''\nset format x ''\nset grid xtics noytics\nplot");
    for (int side = 0; side < 2; side++)
        tacho_str_printf(out,
                         "%s $runs%d using 1:(%d+0.5*$3) with points pt 7 ps 0.35 lc rgb '%s' notitle, \\\n"
                         " $boxes every ::%d::%d using 3:6:2:4:($6-0.32):($6+0.32) with boxxyerror fs empty "
                         "border lc rgb '#222222' lc rgb '#222222' lw 1.4 notitle",
                         side ? ", \\\n" : "", side, 1 - side, colours[side], side, side);
    tacho_str_puts(out, ", \\\n $boxes using 3:($6-0.32):(0):(0.64) with vectors nohead lc rgb '#222222' lw "
                        "3 notitle, \\\n $boxes using 1:6:($2-$1):(0) with vectors nohead lc rgb '#222222' "
                        "lw 1.4 notitle, \\\n $boxes using 4:6:($5-$4):(0) with vectors nohead lc rgb "
                        "'#222222' lw 1.4 notitle\n");
}

static void put_shares(tacho_str *out, const report_compare *c, const char *label)
{
    put_panel(out, 0.40, 0.64);
    tacho_str_puts(out, "set format x '%g'\nset yrange [0:100]\nset ytics 0,25,100 scale 0.5\n"
                        "set ylabel 'runs up to there, %'\nset grid xtics ytics\nset xlabel ");
    report_plot_quoted(out, label);
    tacho_str_puts(out, "\nset key right bottom Left reverse samplen 2\nplot");
    for (uint32_t side = 0; side < 2; side++) {
        size_t count = c->judgement->sides[side].values.count;
        tacho_str_printf(
            out, "%s $runs%u using 1:(%.9g) smooth cumulative with lines lw 2 lc rgb '%s' title '%c'",
            side ? ", \\\n" : "", side, count ? 100 / (double)count : 0, colours[side], "AB"[side]);
    }
    tacho_str_putc(out, '\n');
}

static void put_order(tacho_str *out, const report_compare *c, const char *label)
{
    put_panel(out, 0.10, 0.31);
    tacho_str_printf(out,
                     "unset key\nset xrange [0:%zu]\nset yrange [least:most]\nset xlabel 'run'\n"
                     "set ytics autofreq\nset ylabel ",
                     c->sample_count + 1);
    report_plot_quoted(out, label);
    tacho_str_puts(out, "\nplot");
    for (int side = 0; side < 2; side++)
        tacho_str_printf(out, "%s $runs%d using 2:1 with points pt 7 ps 0.4 lc rgb '%s' notitle",
                         side ? ", \\\n" : "", side, colours[side]);
    tacho_str_putc(out, '\n');
}

/* What the picture shows: all, unless a few runs so far out would make all others one line. */
typedef struct range {
    double least, most; /* scaled */
    size_t beyond;
} range;

static range choose_range(const report_compare *c, double scale)
{
    enum {
        SPREADS = 12 /* interquartile ranges beyond the quartiles */
    };
    range r = {INFINITY, -INFINITY, 0};
    for (uint32_t side = 0; side < 2; side++) {
        const tacho_distribution *d = &c->judgement->sides[side].values;
        double spread = fmax(d->q3 - d->q1, 0.002 * d->median);
        r.least = fmin(r.least, fmax(d->min, d->q1 - SPREADS * spread) / scale);
        r.most = fmax(r.most, fmin(d->max, d->q3 + SPREADS * spread) / scale);
    }
    for (size_t i = 0; i < c->sample_count; i++)
        r.beyond += c->samples[i].value < r.least * scale || c->samples[i].value > r.most * scale;
    double margin = r.most > r.least ? (r.most - r.least) * 0.03 : r.most * 0.01;
    r.least -= margin;
    r.most += margin;
    return r;
}

static void put_title(tacho_str *out, const report_compare *c)
{
    tacho_str answer = {0};
    report_compare_answer(&answer, c);
    tacho_str_puts(out, "set label 1 ");
    report_plot_quoted(out, answer.data ? answer.data : "");
    tacho_str_puts(out, " at screen 0.5, screen 0.95 center tc rgb '#222222' noenhanced\n");
    out->failed |= answer.failed;
    tacho_str_free(&answer);
}

void report_compare_plot(tacho_str *out, const report_compare *c, bool png)
{
    char unit[80], label[120], beyond[200];
    double scale = report_compare_scale(c, unit, sizeof unit);
    range shown = choose_range(c, scale);
    snprintf(label, sizeof label, "%s%s%s", c->metric, *unit ? ", " : "", unit);
    snprintf(beyond, sizeof beyond, "%s", label);
    if (shown.beyond)
        snprintf(beyond, sizeof beyond, "%s (%zu run%s outside of the picture)", label, shown.beyond,
                 shown.beyond == 1 ? " is" : "s are");
    report_plot_terminal(out, 760, 640, png);
    tacho_str_puts(out, "set border 3 lc rgb '#888888'\nset tics nomirror out textcolor rgb '#444444'\n"
                        "set grid lc rgb '#dddddd' lt 1\n");
    put_runs(out, c, scale);
    put_boxes(out, c, scale);
    tacho_str_printf(out, "least = %.9g\nmost = %.9g\nset xrange [least:most]\nset multiplot\n", shown.least,
                     shown.most);
    put_title(out, c);
    put_strips(out);
    tacho_str_puts(out, "unset label 1\n");
    put_shares(out, c, beyond);
    put_order(out, c, label);
    tacho_str_puts(out, "unset multiplot\n");
}
