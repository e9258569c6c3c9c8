/* bias_plot.c - curves of a bias sweep, one factor below the other: bytes along, the metric up, spikes
 * marked, and the event that goes with it best on the other axis. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/plot.h"
#include "app/report/compare/report_bias.h"

enum {
    WIDTH = 1000,
    PANEL_HEIGHT = 330
};

static bool has_curve(const tacho_bias_factor *f)
{
    return !f->missing && f->point_count > 1;
}

/* The counter to be shown beside: one that says more than the time again. @return its number, or none */
static uint32_t counter_beside(const report_bias *r, const tacho_bias_factor *f)
{
    static const char *const times[] = {"cycles", "cpu", "elapsed", "forced-switches", "voluntary-switches"};
    const double enough = 0.3; /* as in the thesis, table 4.1 */
    for (uint32_t i = 0; i < f->correlation_count; i++) {
        bool time = false;
        for (size_t t = 0; t < sizeof times / sizeof *times; t++)
            time |= !strcmp(f->correlations[i].counter, times[t]);
        for (uint32_t c = 0;
             !time && fabs(f->correlations[i].pearson) >= enough && c < r->bias->counter_count; c++)
            if (!strcmp(r->bias->counter_names[c], f->correlations[i].counter))
                return c;
    }
    return r->bias->counter_count;
}

static void put_data(tacho_str *out, const tacho_bias_factor *f, uint32_t number, uint32_t counter,
                     uint32_t counters)
{
    tacho_str_printf(out, "$factor%u << TACHO_END\n", number);
    for (uint32_t i = 0; i < f->point_count; i++) {
        const tacho_bias_point *p = &f->points[i];
        if (isnan(p->value))
            continue;
        tacho_str_printf(out, "%.9g %.9g %d ", isnan(p->position) ? i : p->position, p->value, p->spike);
        if (counter < counters && isfinite(p->counters[counter]))
            tacho_str_printf(out, "%.9g\n", p->counters[counter]);
        else
            tacho_str_puts(out, "NaN\n");
    }
    tacho_str_puts(out, "TACHO_END\n");
}

static void put_title(tacho_str *out, const report_bias *r, const tacho_bias_factor *f)
{
    char title[300];
    snprintf(title, sizeof title, "%s: %s%s", tacho_bias_kind_words(f->kind), r->argv[0],
             f->biased                   ? ", biased"
             : isfinite(f->effect.value) ? ", not biased"
                                         : "");
    tacho_str_puts(out, "set title ");
    report_plot_quoted(out, title);
    tacho_str_puts(out, " noenhanced\n");
}

static void put_axes(tacho_str *out, const report_bias *r, const tacho_bias_factor *f, uint32_t counter)
{
    char unit[80];
    bool variants = isnan(f->points[0].position);
    snprintf(unit, sizeof unit, "%s%s%s", r->bias->metric,
             strcmp(r->bias->metric, r->bias->metric_unit) ? ", " : "",
             strcmp(r->bias->metric, r->bias->metric_unit) ? r->bias->metric_unit : "");
    tacho_str_puts(out, "unset y2label\nunset y2tics\nset ylabel ");
    report_plot_quoted(out, unit);
    if (counter < r->bias->counter_count) {
        tacho_str_puts(out, "\nset y2tics\nset y2label ");
        report_plot_quoted(out, r->bias->counter_names[counter]);
    }
    tacho_str_puts(out, "\nset xlabel ");
    report_plot_quoted(out, variants ? "" : "bytes from where it is");
    if (!variants) {
        tacho_str_printf(out, "\nset xtics auto\nset xrange [%.9g:%.9g]\n", f->points[0].position,
                         f->points[f->point_count - 1].position + f->step_bytes);
        return;
    }
    tacho_str_puts(out, "\nset xtics (");
    for (uint32_t i = 0; i < f->point_count; i++) {
        tacho_str_puts(out, i ? ", " : "");
        report_plot_quoted(out, f->point_count <= 12 ? f->points[i].label : "");
        tacho_str_printf(out, " %u", i);
    }
    tacho_str_printf(out, ")\nset xrange [-0.5:%u.5]\n", f->point_count - 1);
}

static void put_panel(tacho_str *out, const report_bias *r, const tacho_bias_factor *f, uint32_t number)
{
    uint32_t counter = counter_beside(r, f);
    bool variants = isnan(f->points[0].position);
    put_title(out, r, f);
    put_axes(out, r, f, counter);
    tacho_str_printf(out, "plot $factor%u using 1:2 with %s lw 1.5 lc rgb '#2c6bd1' title ", number,
                     variants ? "impulses" : "lines");
    report_plot_quoted(out, r->bias->metric);
    if (counter < r->bias->counter_count) {
        tacho_str_puts(out, ", \\\n '' using 1:4 axes x1y2 with ");
        tacho_str_puts(out, variants ? "points pt 2" : "lines");
        tacho_str_puts(out, " lw 1 lc rgb '#2f8f52' title ");
        report_plot_quoted(out, r->bias->counter_names[counter]);
    }
    tacho_str_printf(
        out,
        ", \\\n '' using 1:($3>0?$2:1/0) with points pt 7 ps 0.7 lc rgb '#c0392b' title 'spikes', \\\n"
        " %.9g with lines lw 1 dt 2 lc rgb '#888888' title 'median'\n",
        f->median);
}

bool report_bias_plot(tacho_str *out, const report_bias *r, bool png)
{
    uint32_t panels = 0;
    const tacho_bias *b = r->bias;
    for (uint32_t i = 0; i < b->factor_count; i++)
        panels += has_curve(&b->factors[i]);
    if (!panels)
        return false;
    report_plot_terminal(out, WIDTH, (size_t)panels * PANEL_HEIGHT, png);
    for (uint32_t i = 0; i < b->factor_count; i++)
        if (has_curve(&b->factors[i]))
            put_data(out, &b->factors[i], i, counter_beside(r, &b->factors[i]), b->counter_count);
    tacho_str_printf(out,
                     "set multiplot layout %u,1\nset border 3 lc rgb '#888888'\nset tics nomirror out\n"
                     "set grid ytics lc rgb '#dddddd' lt 1\nset key outside below\nset bmargin 5.5\nset "
                     "offsets 0,0,graph 0.05,0\n",
                     panels);
    for (uint32_t i = 0; i < b->factor_count; i++)
        if (has_curve(&b->factors[i]))
            put_panel(out, r, &b->factors[i], i);
    tacho_str_puts(out, "unset multiplot\n");
    return true;
}
