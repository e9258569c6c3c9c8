/* many_plot.c - a comparison of many commands as a picture: the runs of each with their box, one below the
 * other; under them, of a scan of one parameter of numbers, the medians over it, else the runs in their
 * order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/plot.h"
#include "app/report/report_many.h"
#include "base/hash.h"

enum {
    WIDTH = 860,
    ROW = 28,
    TITLE = 46,
    SCALE = 66,  /* below a panel */
    BELOW = 210, /* the second panel */
    LETTERS = 44 /* of a name */
};
static const char *const colours[] = {"#777777", "#0072b2", "#009e73", "#d55e00"};

/* That of a command: the baseline, and by the verdict. */
static const char *colour_of(const report_many *m, size_t c)
{
    tacho_verdict v = m->judgement->rows[c].verdict;
    return colours[!c ? 1 : v == TACHO_VERDICT_FASTER ? 2 : v == TACHO_VERDICT_SLOWER ? 3 : 0];
}

/* What the picture shows: all, unless a few runs so far out would make all others one line. */
typedef struct range {
    double least, most; /* scaled */
    size_t beyond;
} range;

static range choose_range(const report_many *m, double scale)
{
    enum {
        SPREADS = 12 /* interquartile ranges beyond the quartiles */
    };
    range r = {INFINITY, -INFINITY, 0};
    for (size_t c = 0; c < m->judgement->count; c++) {
        const tacho_distribution *d = &m->judgement->rows[c].side.values;
        double spread = fmax(d->q3 - d->q1, 0.002 * d->median);
        r.least = fmin(r.least, fmax(d->min, d->q1 - SPREADS * spread) / scale);
        r.most = fmax(r.most, fmin(d->max, d->q3 + SPREADS * spread) / scale);
    }
    for (size_t i = 0; i < m->sample_count; i++)
        r.beyond += m->samples[i].value < r.least * scale || m->samples[i].value > r.most * scale;
    double margin = r.most > r.least ? (r.most - r.least) * 0.03 : r.most * 0.01;
    r.least -= margin;
    r.most += margin;
    return r;
}

/* Commands come from above: the first one has the largest height. */
static size_t height_of(const report_many *m, size_t c)
{
    return m->judgement->count - 1 - c;
}

static void put_runs(tacho_str *out, const report_many *m, double scale)
{
    for (size_t c = 0; c < m->judgement->count; c++) {
        tacho_str_printf(out, "$runs%zu << TACHO_END\n", c);
        for (size_t i = 0; i < m->sample_count; i++)
            if (m->samples[i].side == c && !isnan(m->samples[i].value))
                tacho_str_printf(
                    out, "%.9g %.3f %zu\n", m->samples[i].value / scale,
                    (double)height_of(m, c) + 0.5 * ((double)(hash_mix(i) >> 32) * 0x1p-32 - 0.5), i + 1);
        tacho_str_puts(out, "TACHO_END\n");
    }
}

/* Quartiles and median, and lines to the least and the largest inside Tukey's inner fences. */
static void put_boxes(tacho_str *out, const report_many *m, double scale)
{
    tacho_str_puts(out, "$boxes << TACHO_END\n");
    for (size_t c = 0; c < m->judgement->count; c++) {
        const tacho_distribution *d = &m->judgement->rows[c].side.values;
        double reach = 1.5 * (d->q3 - d->q1), low = d->q1, high = d->q3;
        for (size_t i = 0; i < m->sample_count; i++) {
            double v = m->samples[i].value;
            if (m->samples[i].side != c || !(v >= d->q1 - reach && v <= d->q3 + reach))
                continue;
            low = fmin(low, v);
            high = fmax(high, v);
        }
        if (d->count)
            tacho_str_printf(out, "%.9g %.9g %.9g %.9g %.9g %zu\n", low / scale, d->q1 / scale,
                             d->median / scale, d->q3 / scale, high / scale, height_of(m, c));
    }
    tacho_str_puts(out, "TACHO_END\n");
}

static void put_name(tacho_str *out, const char *name)
{
    char text[4 * LETTERS + 8];
    size_t n = 0, letters = 0;
    for (; name[n] && n < 4 * LETTERS; n++)
        if ((name[n] & 0xc0) != 0x80 && letters++ == LETTERS)
            break;
    snprintf(text, sizeof text, "%.*s%s", (int)n, name, name[n] ? "…" : "");
    report_plot_quoted(out, text);
}

static double left_margin(const report_many *m)
{
    size_t longest = 0;
    for (size_t c = 0; c < m->judgement->count; c++) {
        size_t n = tacho_str_columns(m->commands[c].name);
        longest = n > longest ? n : longest;
    }
    return (24 + 7.0 * (double)(longest > LETTERS ? LETTERS + 1 : longest)) / WIDTH;
}

static void put_panel(tacho_str *out, double left, double bottom, double top, size_t height)
{
    tacho_str_printf(out,
                     "set lmargin at screen %.4f\nset rmargin at screen 0.97\nset bmargin at screen %.4f\n"
                     "set tmargin at screen %.4f\n",
                     left, bottom / (double)height, top / (double)height);
}

static void put_strips(tacho_str *out, const report_many *m, const char *label)
{
    tacho_str_printf(out, "set yrange [-0.6:%zu.6]\nset ylabel ''\nset ytics scale 0 (",
                     m->judgement->count - 1);
    for (size_t c = 0; c < m->judgement->count; c++) {
        tacho_str_puts(out, c ? ", " : "");
        put_name(out, m->commands[c].name);
        tacho_str_printf(out, " %zu", height_of(m, c));
    }
    tacho_str_puts(out, ")\nset grid xtics noytics\nset xlabel ");
    report_plot_quoted(out, label);
    tacho_str_puts(out, "\nplot");
    for (size_t c = 0; c < m->judgement->count; c++)
        tacho_str_printf(out, " $runs%zu using 1:2 with points pt 7 ps 0.35 lc rgb '%s' notitle, \\\n", c,
                         colour_of(m, c));
    tacho_str_puts(
        out, " $boxes using 3:6:2:4:($6-0.32):($6+0.32) with boxxyerror fs empty border lc rgb '#222222' lc "
             "rgb '#222222' lw 1.4 notitle, \\\n"
             " $boxes using 3:($6-0.32):(0):(0.64) with vectors nohead lc rgb '#222222' lw 3 notitle, \\\n"
             " $boxes using 1:6:($2-$1):(0) with vectors nohead lc rgb '#222222' lw 1.4 notitle, \\\n"
             " $boxes using 4:6:($5-$4):(0) with vectors nohead lc rgb '#222222' lw 1.4 notitle\n");
}

static void put_order(tacho_str *out, const report_many *m, const char *label)
{
    tacho_str_printf(out,
                     "set xrange [0:%zu]\nset yrange [least:most]\nset ytics autofreq\nset grid xtics ytics\n"
                     "set xlabel 'run'\nset ylabel ",
                     m->sample_count + 1);
    report_plot_quoted(out, label);
    tacho_str_puts(out, "\nplot");
    for (size_t c = 0; c < m->judgement->count; c++)
        tacho_str_printf(out, "%s $runs%zu using 3:1 with points pt 7 ps 0.4 lc rgb '%s' notitle",
                         c ? ", \\\n" : "", c, colour_of(m, c));
    tacho_str_putc(out, '\n');
}

/* ---- over a parameter ---- */

static bool number_of(const report_many *m, size_t command, double *out)
{
    const char *value = m->commands[command].values ? m->commands[command].values[0] : NULL;
    char *end = NULL;
    *out = value ? strtod(value, &end) : NAN;
    return value && end != value && !*end && isfinite(*out);
}

/* Of one parameter, all values of which are numbers. */
static bool is_scan(const report_many *m)
{
    double value;
    for (size_t c = 0; c < m->judgement->count; c++)
        if (m->parameter_count != 1 || !number_of(m, c, &value))
            return false;
    return m->judgement->count > 2;
}

static void put_scan(tacho_str *out, const report_many *m, double scale, const char *label)
{
    double value, least = INFINITY, most = -INFINITY, low = INFINITY, high = -INFINITY;
    tacho_str_puts(out, "$medians << TACHO_END\n");
    for (size_t c = 0; c < m->judgement->count; c++) {
        const tacho_estimate *e = &m->judgement->rows[c].median;
        if (!number_of(m, c, &value) || isnan(e->value))
            continue;
        double from = isnan(e->low) ? e->value : e->low, to = isnan(e->high) ? e->value : e->high;
        tacho_str_printf(out, "%.9g %.9g %.9g %.9g %s\n", value, e->value / scale, from / scale, to / scale,
                         colour_of(m, c) + 1);
        least = fmin(least, value);
        most = fmax(most, value);
        low = fmin(low, from / scale);
        high = fmax(high, to / scale);
    }
    double margin = most > least ? 0.04 * (most - least) : 1,
           above = high > low ? 0.08 * (high - low) : 0.01 * high;
    tacho_str_printf(out,
                     "TACHO_END\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nset ytics autofreq\n"
                     "set grid xtics ytics\nset xlabel ",
                     least - margin, most + margin, low - above, high + above);
    report_plot_quoted(out, m->parameters[0]);
    tacho_str_puts(out, "\nset ylabel ");
    report_plot_quoted(out, label);
    tacho_str_puts(out,
                   "\n"
                   "plot $medians using 1:2 with lines lw 1 lc rgb '#bbbbbb' notitle, \\\n"
                   " $medians using 1:2:3:4:(int('0x'.strcol(5))) with yerrorbars pt 7 ps 0.8 lw 1.6 lc rgb "
                   "variable notitle\n");
}

/* ---- all ---- */

static void put_title(tacho_str *out, const report_many *m, size_t height)
{
    tacho_str answer = {0};
    report_many_answer(&answer, m);
    tacho_str_puts(out, "set label 1 ");
    report_plot_quoted(out, answer.data ? answer.data : "");
    tacho_str_printf(out, " at screen 0.5, screen %.4f center tc rgb '#222222' noenhanced\n",
                     1 - 0.5 * TITLE / (double)height);
    out->failed |= answer.failed;
    tacho_str_free(&answer);
}

void report_many_plot(tacho_str *out, const report_many *m, bool png)
{
    char unit[80], label[120], beyond[200];
    double scale = report_many_scale(m, unit, sizeof unit), left = left_margin(m);
    size_t rows = m->judgement->count * ROW, height = TITLE + rows + SCALE + BELOW + SCALE;
    range shown = choose_range(m, scale);
    snprintf(label, sizeof label, "%s%s%s", m->metric, *unit ? ", " : "", unit);
    snprintf(beyond, sizeof beyond, "%s", label);
    if (shown.beyond)
        snprintf(beyond, sizeof beyond, "%s (%zu run%s outside of the picture)", label, shown.beyond,
                 shown.beyond == 1 ? " is" : "s are");
    report_plot_terminal(out, WIDTH, height, png);
    tacho_str_puts(out, "set border 3 lc rgb '#888888'\nset tics nomirror out textcolor rgb '#444444'\n"
                        "set grid lc rgb '#dddddd' lt 1\n");
    put_runs(out, m, scale);
    put_boxes(out, m, scale);
    tacho_str_printf(out, "least = %.9g\nmost = %.9g\nset xrange [least:most]\nset multiplot\n", shown.least,
                     shown.most);
    put_title(out, m, height);
    put_panel(out, left, SCALE + BELOW + SCALE, (double)(height - TITLE), height);
    put_strips(out, m, beyond);
    tacho_str_puts(out, "unset label 1\n");
    put_panel(out, left > 0.1 ? left : 0.1, SCALE, SCALE + BELOW, height);
    if (is_scan(m))
        put_scan(out, m, scale, label);
    else
        put_order(out, m, label);
    tacho_str_puts(out, "unset multiplot\n");
}
