/* report_bias.c - a bias sweep as text: a line for each factor, then what was found of those that matter;
 * its curves as a script for gnuplot. */
#include "app/report/compare/report_compare.h"
#include "app/report/report.h"

enum {
    CURVE_COLUMNS = 64,
    MOST_SPIKES = 8,
    MOST_PAIRS = 3,
    MOST_CORRELATIONS = 6
};

static void head(tacho_str *out, const report_bias *r, bool colour)
{
    tacho_str_puts(out, colour ? REPORT_BOLD : "");
    report_command(out, r->argv);
    tacho_str_puts(out, colour ? REPORT_PLAIN : "");
    bool cycles = !strcmp(r->bias->metric, "cycles");
    tacho_str_printf(out, ": %s%s%s%s, ", r->bias->metric, cycles ? " (" : "", cycles ? r->bias->clock : "",
                     cycles ? ")" : "");
    if (r->bias->cpu >= 0)
        tacho_str_printf(out, "CPU %d, ", r->bias->cpu);
    tacho_str_printf(out, "%.0f s%s\n\n", r->bias->seconds, r->bias->partial ? ", ended early" : "");
}

static const char *number(char out[TACHO_NUMBER_SIZE], double value, const char *format)
{
    if (isfinite(value))
        snprintf(out, TACHO_NUMBER_SIZE, format, value);
    else
        snprintf(out, TACHO_NUMBER_SIZE, "-");
    return out;
}

static void row(tacho_str *out, const tacho_bias_factor *f, bool colour)
{
    char effect[TACHO_NUMBER_SIZE], noise[TACHO_NUMBER_SIZE], period[TACHO_NUMBER_SIZE];
    char low[TACHO_NUMBER_SIZE], high[TACHO_NUMBER_SIZE], range[2 * TACHO_NUMBER_SIZE + 8];
    tacho_str_printf(out, "  %-12s", f->name);
    if (f->missing) {
        tacho_str_printf(out, "  %s\n", f->missing);
        return;
    }
    bool judged = isfinite(f->effect.value);
    snprintf(range, sizeof range, "%s%s%s", number(low, f->effect.low, "%.3f"),
             isfinite(f->effect.low) ? " to " : "",
             isfinite(f->effect.low) ? number(high, f->effect.high, "%.3f") : "");
    tacho_str_printf(out, "%16s  %-18s%6s  ", number(effect, f->effect.value, "%.3f"), range,
                     number(noise, f->noise * 100, "%.1f %%"));
    report_paint(out, colour,
                 f->biased ? REPORT_RED
                 : judged  ? REPORT_GREEN
                           : REPORT_DIM,
                 f->biased ? "biased     "
                 : judged  ? "not biased "
                           : "-          ");
    char words[REPORT_WORDS_SIZE];
    const char *cause = report_words(tacho_bias_cause_name(f->cause), words);
    tacho_str_printf(out, "%7s%s%s\n", number(period, f->period_bytes, "%.0f"), *cause ? "  " : "", cause);
}

static void table(tacho_str *out, const report_bias *r, bool colour)
{
    char heading[120];
    snprintf(heading, sizeof heading, "  %-12s%16s  %.0f %% %-13s%6s  %-11s%7s  %s", "factor",
             "slowest/fastest", r->confidence * 100, "interval", "noise", "verdict", "period", "cause");
    report_paint(out, colour, REPORT_DIM, heading);
    tacho_str_putc(out, '\n');
    bool any = false;
    for (uint32_t i = 0; i < r->bias->factor_count; i++) {
        row(out, &r->bias->factors[i], colour);
        any |= isfinite(r->bias->factors[i].effect.value);
    }
    if (any)
        tacho_str_puts(
            out, "\n  slowest/fastest: how many times as long the slowest place takes as the fastest one\n");
}

/* The curve in eighths of a line; each column has the highest of its points. */
static void curve(tacho_str *out, const tacho_bias_factor *f, bool colour)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    uint32_t columns = f->point_count < CURVE_COLUMNS ? f->point_count : CURVE_COLUMNS;
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < f->point_count; i++) {
        least = fmin(least, f->points[i].ratio);
        most = fmax(most, f->points[i].ratio);
    }
    report_label(out, colour, "curve");
    for (uint32_t c = 0; c < columns; c++) {
        double high = -INFINITY;
        for (uint32_t i = c * f->point_count / columns; i < (c + 1) * f->point_count / columns; i++)
            high = fmax(high, f->points[i].ratio);
        int level = most > least && isfinite(high) ? (int)(7.99 * (high - least) / (most - least)) : 0;
        tacho_str_puts(out, bars[level]);
    }
    tacho_str_printf(out, "  %.3f to %.3f\n", least, most);
}

static void spikes(tacho_str *out, const tacho_bias_factor *f, bool colour)
{
    tacho_str text = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->point_count; i++)
        if (f->points[i].spike && ++count <= MOST_SPIKES)
            tacho_str_printf(&text, "%s%s (%.3f)", count > 1 ? ", " : "", f->points[i].label,
                             f->points[i].ratio);
    if (count > MOST_SPIKES)
        tacho_str_printf(&text, " and %u more", count - MOST_SPIKES);
    if (count)
        report_line_text(out, colour, "spikes", &text);
}

/* Times go with each other, and what takes longer is interrupted more often: these say nothing. */
static bool is_time(const char *counter)
{
    return !strcmp(counter, "cycles") || !strcmp(counter, "cpu") || !strcmp(counter, "elapsed") ||
           !strcmp(counter, "forced-switches");
}

static void correlations(tacho_str *out, const report_bias *r, const tacho_bias_factor *f, bool colour)
{
    tacho_str text = {0};
    uint32_t shown = 0;
    for (uint32_t i = 0; i < f->correlation_count && shown < MOST_CORRELATIONS; i++)
        if (!is_time(f->correlations[i].counter) && isfinite(f->correlations[i].pearson) &&
            isfinite(f->correlations[i].spearman))
            tacho_str_printf(&text, "%s%s %.2f (%.2f)", shown++ ? ", " : "", f->correlations[i].counter,
                             f->correlations[i].pearson, f->correlations[i].spearman);
    if (shown) {
        tacho_str_printf(&text, ": correlation with %s over the places, Pearson's (Spearman's)",
                         r->bias->metric);
        report_line_text(out, colour, "counters", &text);
    }
}

/* "main+0x1c (program.c:12)" or as much as is known. */
static void put_place(tacho_str *out, const tacho_bias_insn *insn)
{
    tacho_str_printf(out, "%s at ", insn->assembly ? insn->assembly : "?");
    if (insn->symbol)
        tacho_str_printf(out, "%s+0x%llx", insn->symbol, (unsigned long long)insn->offset);
    else
        tacho_str_printf(out, "%s0x%llx", insn->object ? "address " : "", (unsigned long long)insn->address);
    if (insn->source)
        tacho_str_printf(out, " (%s:%u)", insn->source, insn->line);
    else if (insn->object)
        tacho_str_printf(out, " in %s", insn->object);
}

static void pairs(tacho_str *out, const tacho_bias_why *w, bool colour)
{
    for (uint32_t i = 0; i < w->pair_count && i < MOST_PAIRS; i++) {
        const tacho_bias_pair *p = &w->pairs[i];
        tacho_str text = {0};
        put_place(&text, &p->store);
        tacho_str_puts(&text, ", then ");
        put_place(&text, &p->load);
        tacho_str_printf(
            &text, ": addresses 0x%llx and 0x%llx; %.1f times in 1,000 instructions, %.1f in the fast layout",
            (unsigned long long)p->store_address, (unsigned long long)p->load_address, p->slow, p->fast);
        report_line_text(out, colour, i ? "" : "pairs", &text);
    }
}

static void missing(tacho_str *out, const tacho_bias_why *w, bool colour)
{
    tacho_str text = {0};
    if (!(w->missing_per_1000 > 0))
        return;
    put_place(&text, &w->missing);
    tacho_str_printf(&text, ": %.1f of them", w->missing_per_1000);
    report_line_text(out, colour, "most", &text);
}

static void advice(tacho_str *out, const report_bias *r, const tacho_bias_advice *a, bool colour)
{
    tacho_str text = {0};
    if (!a->sentence)
        return;
    tacho_str_puts(&text, a->sentence);
    if (a->tried && isfinite(a->ratio))
        tacho_str_printf(&text,
                         ". Tried (%s): %.3f of the slow layout's %s, %.0f %% interval %.3f to %.3f: %s",
                         a->tried, a->ratio, r->bias->metric, r->confidence * 100, a->low, a->high,
                         a->helps                      ? "it helps"
                         : a->low <= 1 && a->high >= 1 ? "whether it helps does not show"
                                                       : "it does not help");
    report_line_text(out, colour, "advice", &text);
}

static void extremes(tacho_str *out, const report_bias *r, const tacho_bias_factor *f, bool colour)
{
    report_line(out, colour, "slowest", "%s: %.3f times what is usual, %.0f %% interval %.3f to %.3f",
                f->points[f->slow].label, f->loss.value, r->confidence * 100, f->loss.low, f->loss.high);
    report_line(out, colour, "fastest", "%s: usual places take %.3f times as long, %.3f to %.3f",
                f->points[f->fast].label, f->gain.value, f->gain.low, f->gain.high);
}

static void details(tacho_str *out, const report_bias *r, const tacho_bias_factor *f, bool colour)
{
    tacho_str_putc(out, '\n');
    report_paint(out, colour, REPORT_BOLD, tacho_bias_kind_words(f->kind));
    if (f->step_bytes)
        tacho_str_printf(out, ": %u place%s every %u bytes, %u pass%s\n", f->point_count,
                         tacho_plural(f->point_count), f->step_bytes, f->passes, f->passes == 1 ? "" : "es");
    else
        tacho_str_printf(out, ": %u variant%s, %u pass%s\n", f->point_count, tacho_plural(f->point_count),
                         f->passes, f->passes == 1 ? "" : "es");
    curve(out, f, colour);
    extremes(out, r, f, colour);
    spikes(out, f, colour);
    if (isfinite(f->period_bytes))
        report_line(out, colour, "period", "%.0f bytes", f->period_bytes);
    correlations(out, r, f, colour);
    if (f->why.sentence)
        report_line(out, colour, "why", "%s", f->why.sentence);
    pairs(out, &f->why, colour);
    missing(out, &f->why, colour);
    advice(out, r, &f->advice, colour);
}

void report_bias_text(tacho_str *out, const report_bias *r, bool colour)
{
    const tacho_bias *b = r->bias;
    head(out, r, colour);
    table(out, r, colour);
    for (uint32_t i = 0; i < b->factor_count; i++)
        if (b->factors[i].biased)
            details(out, r, &b->factors[i], colour);
    bool any = false;
    for (uint32_t i = 0; i < b->factor_count; i++)
        for (uint32_t n = 0; n < b->factors[i].note_count; n++) {
            const size_t at = strlen(b->factors[i].name) + 4;
            tacho_str_printf(out, "%s  %-9s  ", any ? "" : "\n", b->factors[i].name);
            any = true;
            report_wrapped(out, b->factors[i].notes[n], at < REPORT_VALUE_AT ? REPORT_VALUE_AT : at);
        }
    for (uint32_t n = 0; n < b->note_count; n++) {
        tacho_str_puts(out, any ? "" : "\n");
        any = true;
        report_line(out, colour, "note", "%s", b->notes[n]);
    }
}

/* ---- curves of a bias sweep, one factor below the other: bytes along, the metric up, spikes marked, and
 * the event that goes with it best on the other axis ---- */

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
    const double enough = 0.3; /* as in the thesis, table 4.1 */
    for (uint32_t i = 0; i < f->correlation_count; i++) {
        const char *counter = f->correlations[i].counter;
        bool says_more = !is_time(counter) && strcmp(counter, "voluntary-switches") != 0;
        for (uint32_t c = 0;
             says_more && fabs(f->correlations[i].pearson) >= enough && c < r->bias->counter_count; c++)
            if (!strcmp(r->bias->counter_names[c], counter))
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
