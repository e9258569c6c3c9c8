/* eval_plot.c - pictures of an evaluation, as scripts for gnuplot: heat maps as in the uiCA paper (appendix),
 * errors, groups. Colours that stand for numbers go in equal steps of lightness (OKLab; B. Ottosson, "A
 * perceptual color space for image processing", 2020); those that stand for predictors are M. Okabe's and K.
 * Ito's ("Color Universal Design", 2008), but for yellow. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/eval_tables.h"
#include "app/report/plot.h"
#include "base/mem.h"

static const char *const heat_colours = "'#ffe64d', 1 '#febe28', 2 '#f29728', 3 '#df7538', 4 '#c45646', "
                                        "5 '#a53c4f', 6 '#822652', 7 '#5e144f', 8 '#3b0347'";
static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                      "#d55e00", "#56b4e9", "#555555", "#8a5a2b"};
enum {
    COLOURS = sizeof colours / sizeof *colours,
    SHOWN_GROUPS = 60
};

/* At most `columns` columns of a text. `format`: where "%" has a meaning. */
static void put_part(tacho_str *out, const char *text, size_t columns, bool format)
{
    tacho_str part = {0};
    size_t all = tacho_str_columns(text), seen = 0;
    for (const char *c = text; *c; c++) {
        seen += ((unsigned char)*c & 0xc0) != 0x80;
        if (all > columns && seen == columns) {
            tacho_str_puts(&part, "…");
            break;
        }
        if (format && *c == '%')
            tacho_str_putc(&part, '%');
        tacho_str_putc(&part, *c);
    }
    report_plot_quoted(out, part.data ? part.data : "");
    out->failed |= part.failed;
    tacho_str_free(&part);
}

static void put_short(tacho_str *out, const char *text, size_t columns)
{
    put_part(out, text, columns, false);
}

/* A picture of so many SVG pixels. */
static void put_terminal(tacho_str *out, size_t width, size_t height, bool png)
{
    report_plot_terminal(out, width, height, png);
    tacho_str_puts(out, "set border 3 lc rgb '#888888'\nset tics nomirror out textcolor rgb '#444444'\n"
                        "set grid lc rgb '#dddddd' lt 1\n");
}

/* ---- heat maps ---- */

/* Where the panels are, in pixels. */
typedef struct panels {
    size_t first, count, columns, rows, side;
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

static panels arrange(const report_eval *e, size_t first, size_t count)
{
    panels p = {.first = first, .count = count, .reference = report_eval_reference(e)};
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

static void put_bins(tacho_str *out, const report_heat *heat, size_t panel)
{
    tacho_str_printf(out, "$panel%zu << TACHO_END\n", panel);
    for (int y = 0; y < REPORT_HEAT_BINS; y++)
        for (int x = 0; x < REPORT_HEAT_BINS; x++)
            if (heat->counts[y][x])
                tacho_str_printf(out, "%.9g %.9g %u\n", (double)x / REPORT_HEAT_PER_CYCLE,
                                 (double)y / REPORT_HEAT_PER_CYCLE, heat->counts[y][x]);
    if (!heat->shown)
        tacho_str_puts(out, "-9 -9 1\n"); /* outside: gnuplot refuses a plot without data */
    tacho_str_puts(out, "TACHO_END\n");
}

static void put_panel_title(tacho_str *out, const tacho_eval_predictor *p, const report_heat *heat,
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

static void plot_heat_maps(tacho_str *out, const report_eval *e, size_t first, size_t count, bool png)
{
    const tacho_eval_result *r = e->result;
    panels p = arrange(e, first, count);
    char shown[TACHO_NUMBER_SIZE], all[TACHO_NUMBER_SIZE], title[120];
    uint32_t most = 0;
    report_heat *heats = tacho_mem_zalloc(p.count ? p.count : 1, sizeof *heats);
    if (!heats) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < p.count; i++) {
        report_heat_fill(&heats[i], r, p.first + i);
        most = heats[i].most > most ? heats[i].most : most;
    }
    put_terminal(out, p.width, p.height, png);
    for (size_t i = 0; i < p.count; i++)
        put_bins(out, &heats[i], i);
    put_scale(out, &p, most);
    snprintf(title, sizeof title, "%s of %s blocks: up to %d %s cycles (beyond: predicted to take more)",
             report_count(shown, report_heat_measured(r)), report_count(all, r->block_count),
             REPORT_HEAT_CYCLES, report_eval_reference(e));
    tacho_str_printf(
        out,
        "h = %.9g\nset xrange [-h:%d+h]\nset yrange [-h:%d+h]\nset xtics 0,%d,%d\nset ytics 0,%d,%d\n"
        "set multiplot\nset label 1 '%s' at screen 0.5, screen %.6f center tc rgb '#555555'\n",
        0.5 / REPORT_HEAT_PER_CYCLE, REPORT_HEAT_CYCLES, REPORT_HEAT_CYCLES, p.count > 4 ? 2 : 1,
        REPORT_HEAT_CYCLES, p.count > 4 ? 2 : 1, REPORT_HEAT_CYCLES, title, 1 - 16 / (double)p.height);
    for (size_t i = 0; i < p.count; i++) {
        put_panel_title(out, &r->predictors[p.first + i], &heats[i], p.side / 7);
        put_panel(out, &p, i);
        if (i == 0)
            tacho_str_puts(out, "unset label 1\nunset colorbox\n");
    }
    tacho_str_puts(out, "unset multiplot\n");
    tacho_mem_free(heats);
}

void report_plot_heat_map(tacho_str *out, const report_eval *e, size_t predictor, bool png)
{
    plot_heat_maps(out, e, predictor, 1, png);
}

void report_plot_heat_maps(tacho_str *out, const report_eval *e, bool png)
{
    plot_heat_maps(out, e, 0, e->result->predictor_count, png);
}

/* ---- errors ---- */

/* Lines of a legend to the right of the picture: a name, in the colour of its predictor. */
static size_t legend_columns(const tacho_eval_result *r)
{
    size_t most = 8;
    for (size_t p = 0; p < r->predictor_count; p++) {
        size_t n = tacho_str_columns(r->predictors[p].name);
        most = n > most ? n : most;
    }
    return most < 36 ? most : 36;
}

static void put_style(tacho_str *out, size_t predictor)
{
    tacho_str_printf(out, "lc rgb '%s' dt %zu", colours[predictor % COLOURS], predictor / COLOURS % 5 + 1);
}

void report_plot_errors(tacho_str *out, const report_eval *e, bool png)
{
    const tacho_eval_result *r = e->result;
    double shares[REPORT_ERROR_POINTS];
    size_t legend = legend_columns(r);
    put_terminal(out, 700 + legend * 8 + 60, 440, png);
    for (size_t p = 0; p < r->predictor_count; p++) {
        report_error_shares(shares, r, p);
        tacho_str_printf(out, "$errors%zu << TACHO_END\n", p);
        for (size_t i = 0; i < REPORT_ERROR_POINTS; i++)
            if (isnan(shares[i]))
                tacho_str_puts(out, "1 -1\n");
            else
                tacho_str_printf(out, "%.6g %.6g\n", 100 * report_error_at(i), 100 * shares[i]);
        tacho_str_puts(out, "TACHO_END\n");
    }
    tacho_str_printf(out, "set xlabel 'error, %% of the %s cycles'\n", report_eval_reference(e));
    tacho_str_puts(out, "set title 'How many blocks are predicted to within an error' noenhanced\n"
                        "set logscale x\nset xrange [0.1:1000]\nset yrange [0:100]\nset format x '%g'\n"
                        "set ylabel '% of the blocks that have a prediction'\n"
                        "set key outside right center Left reverse samplen 2 spacing 1.3\nplot");
    for (size_t p = 0; p < r->predictor_count; p++) {
        tacho_str_printf(out, "%s$errors%zu using 1:2 with lines lw 2 ", p ? ", \\\n " : " ", p);
        put_style(out, p);
        tacho_str_puts(out, " title ");
        put_short(out, r->predictors[p].name, 36);
    }
    tacho_str_putc(out, '\n');
}

/* ---- groups ---- */

/* The range of a grouping's MAPEs and intervals; only what is above 0 is in `low`. */
typedef struct range {
    double low, high;
    bool log; /* small ones could not be told apart on a linear scale */
} range;

static range range_of(const tacho_eval_result *r, size_t grouping, size_t groups)
{
    range all = {INFINITY, 0, false};
    double least = INFINITY;
    for (size_t p = 0; p < r->predictor_count; p++)
        for (size_t k = 0; k < groups; k++) {
            const tacho_estimate *m = &r->predictors[p].by_group[grouping][k].mape;
            double low = m->low > 0 ? m->low : m->value, high = m->high > m->value ? m->high : m->value;
            all.high = high > all.high ? high : all.high;
            all.low = low > 0 && low < all.low ? low : all.low;
            least = m->value > 0 && m->value < least ? m->value : least;
        }
    all.log = isfinite(least) && all.high > 30 * least;
    if (all.low < least / 10) /* an interval that nearly reaches 0 may leave the picture */
        all.low = least / 10;
    return all;
}

/* Percents at 1, 2 and 5 times the powers of ten; of many powers, at these. */
static void put_log_ticks(tacho_str *out, const range *all)
{
    static const int steps[] = {1, 2, 5};
    bool few = all->high > 1000 * all->low, first = true;
    tacho_str_puts(out, "set xtics (");
    for (int decade = -6; decade <= 9; decade++)
        for (int i = 0; i < (few ? 1 : 3); i++) {
            double at = steps[i] * pow(10, decade);
            if (at < 80 * all->low || at > 125 * all->high)
                continue;
            tacho_str_printf(out, "%s'%g' %g", first ? "" : ", ", at, at);
            first = false;
        }
    tacho_str_puts(out, ")\n");
}

static void put_group_data(tacho_str *out, const tacho_eval_result *r, size_t grouping, size_t groups)
{
    for (size_t p = 0; p < r->predictor_count; p++) {
        double offset = 0.8 * (((double)p + 0.5) / (double)r->predictor_count - 0.5);
        tacho_str_printf(out, "$mape%zu << TACHO_END\n", p);
        for (size_t k = 0; k < groups; k++) {
            const tacho_estimate *m = &r->predictors[p].by_group[grouping][k].mape;
            if (isnan(m->value))
                continue;
            tacho_str_printf(out, "%.6g %.6f %.6g %.6g\n", 100 * m->value, (double)k + offset,
                             100 * (isnan(m->low) ? m->value : m->low),
                             100 * (isnan(m->high) ? m->value : m->high));
        }
        tacho_str_puts(out, "-9 -9 -9 -9\nTACHO_END\n");
    }
}

static void put_group_names(tacho_str *out, const tacho_eval_grouping *by, size_t groups)
{
    char count[TACHO_NUMBER_SIZE];
    tacho_str_puts(out, "set ytics (");
    for (size_t k = 0; k < groups; k++) {
        tacho_str_puts(out, k ? ", " : "");
        put_part(out, by->groups[k].name, 40, true);
        tacho_str_printf(out, ".' (%s)' %zu", report_count(count, by->groups[k].member_count), k);
    }
    tacho_str_puts(out, ") scale 0 noenhanced\n");
    for (size_t k = 0; k + 1 < groups; k++)
        tacho_str_printf(out,
                         "set arrow from graph 0, first %zu.5 to graph 1, first %zu.5 nohead lc rgb "
                         "'#dddddd' back\n",
                         k, k);
}

static void put_group_frame(tacho_str *out, const tacho_eval_result *r, size_t grouping, size_t groups)
{
    const tacho_eval_grouping *by = &r->groupings[grouping];
    range all = range_of(r, grouping, groups);
    tacho_str title = {0};
    tacho_str_printf(&title, "Mean error by %s", by->name);
    if (groups < by->group_count)
        tacho_str_printf(&title, ": the first %zu of %zu", groups, by->group_count);
    tacho_str_puts(out, "set title ");
    put_short(out, title.data ? title.data : "", 100);
    tacho_str_free(&title);
    tacho_str_puts(out, " noenhanced\nset xlabel 'MAPE, %'\nset grid noytics xtics\n"
                        "set key outside right top Left reverse samplen 1.5 spacing 1.3\n");
    if (all.log) {
        tacho_str_printf(out, "set logscale x\nset xrange [%.6g:%.6g]\n", 80 * all.low, 125 * all.high);
        put_log_ticks(out, &all);
    } else
        tacho_str_printf(out, "set xrange [0:%.6g]\n", all.high > 0 ? 105 * all.high : 1);
    tacho_str_printf(out, "set yrange [%.1f:-0.5]\n", (double)groups - 0.5);
    put_group_names(out, by, groups);
}

void report_plot_groups(tacho_str *out, const report_eval *e, size_t grouping, bool png)
{
    const tacho_eval_result *r = e->result;
    size_t groups = r->groupings[grouping].group_count;
    if (groups > SHOWN_GROUPS)
        groups = SHOWN_GROUPS;
    size_t row = 14 + 11 * r->predictor_count;
    put_terminal(out, 640 + legend_columns(r) * 8 + 60, 110 + (groups ? groups : 1) * (row > 28 ? row : 28),
                 png);
    put_group_data(out, r, grouping, groups);
    put_group_frame(out, r, grouping, groups);
    tacho_str_puts(out, "plot");
    for (size_t p = 0; p < r->predictor_count; p++) {
        tacho_str_printf(out,
                         "%s$mape%zu using 1:2:3:4 with xerrorbars pt %d ps 0.9 lw 1.5 lc rgb '%s' title ",
                         p ? ", \\\n " : " ", p, p / COLOURS % 2 ? 5 : 7, colours[p % COLOURS]);
        put_short(out, r->predictors[p].name, 36);
    }
    tacho_str_putc(out, '\n');
}
