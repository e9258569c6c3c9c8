/* many_plot.c - a comparison of many commands as a picture: the runs of each with their box, one below the
 * other; under them, of a scan of one parameter of numbers, the medians over it, else the runs in their
 * order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/plot.h"
#include "app/report/report_runs.h"

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

static void put_name(tacho_str *out, const void *report, size_t command)
{
    const char *name = ((const report_many *)report)->commands[command].name;
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

void report_many_plot(tacho_str *out, const report_many *m, bool png)
{
    char unit[80];
    tacho_str answer = {0};
    double left = left_margin(m);
    const size_t pixels = TITLE + m->judgement->count * ROW + SCALE + BELOW + SCALE;
    const double height = (double)pixels;
    report_runs_plot p = {.samples = m->samples,
                          .sample_count = m->sample_count,
                          .count = m->judgement->count,
                          .scale = report_many_scale(m, unit, sizeof unit)};
    for (size_t c = 0; c < p.count; c++) {
        p.values[c] = &m->judgement->rows[c].side.values;
        p.colours[c] = colour_of(m, c);
    }
    report_many_answer(&answer, m);
    report_plot_terminal(out, WIDTH, pixels, png);
    report_runs_plot_begin(out, &p, m->metric, unit, &answer, 1 - 0.5 * TITLE / height);
    report_plot_panel(out, left, (SCALE + BELOW + SCALE) / height, 1 - TITLE / height);
    tacho_str_puts(out, "set xlabel ");
    report_plot_quoted(out, p.label_of_shown);
    tacho_str_putc(out, '\n');
    report_runs_plot_strips(out, &p, put_name, m);
    report_plot_panel(out, left > 0.1 ? left : 0.1, SCALE / height, (SCALE + BELOW) / height);
    if (is_scan(m))
        put_scan(out, m, p.scale, p.label);
    else
        report_runs_plot_order(out, &p);
    tacho_str_puts(out, "unset multiplot\n");
}
