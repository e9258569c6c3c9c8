/* eval_pictures.c - the page of an evaluation (the JSON of the report and the numbers of its pictures, which
 * the page's script draws), and heat maps as in the uiCA paper (appendix), as a script for gnuplot. Colours
 * go in equal steps of lightness (OKLab; B. Ottosson, "A perceptual color space for image processing",
 * 2020). */
#include "app/report/report.h"
#include "app/report/study/report_study.h"
#include "base/mem.h"

enum {
    MOST_POINTS = 2000 /* blocks: of more, only bins are shown */
};

/* Where there are few blocks: each one's number, measured and predicted cycles. */
static json_t *points_json(const tacho_eval_result *r, size_t predictor)
{
    json_t *points = json_array();
    for (size_t b = 0; b < r->block_count; b++) {
        double measured = r->blocks[b].measured, cycles = r->predictors[predictor].predictions[b].cycles;
        if (measured <= EVAL_HEAT_CYCLES && cycles <= EVAL_HEAT_CYCLES)
            json_array_append_new(points, json_pack("[I,f,f]", (json_int_t)b, measured, cycles));
    }
    return points;
}

static json_t *blocks_json(const tacho_eval_result *r)
{
    json_t *blocks = json_array();
    for (size_t b = 0; b < r->block_count; b++)
        json_array_append_new(blocks, report_block_asm_json(r->blocks[b].hex));
    return blocks;
}

static json_t *heat_json(const eval_heat *heat)
{
    json_t *bins = json_array();
    for (int y = 0; y < EVAL_HEAT_BINS; y++)
        for (int x = 0; x < EVAL_HEAT_BINS; x++)
            if (heat->counts[y][x])
                json_array_append_new(bins, json_pack("[i,i,I]", x, y, (json_int_t)heat->counts[y][x]));
    return json_pack("{s:I, s:I, s:o}", "blocks", (json_int_t)heat->shown, "beyond", (json_int_t)heat->beyond,
                     "bins", bins);
}

static json_t *heats_json(const tacho_eval_result *r, eval_heat *room)
{
    json_t *maps = json_array();
    const bool few = r->block_count <= MOST_POINTS;
    for (size_t p = 0; p < r->predictor_count; p++) {
        tacho_eval_heat_fill(room, r, p);
        json_array_append_new(maps, heat_json(room));
        json_object_set_new(json_array_get(maps, p), "points", few ? points_json(r, p) : json_null());
    }
    return json_pack("{s:o, s:i, s:i, s:I, s:o}", "block_asm", few ? blocks_json(r) : json_null(), "cycles",
                     EVAL_HEAT_CYCLES, "bins_per_cycle", EVAL_HEAT_PER_CYCLE, "measured",
                     (json_int_t)tacho_eval_heat_measured(r), "maps", maps);
}

static json_t *errors_json(const tacho_eval_result *r)
{
    double shares[EVAL_ERROR_POINTS];
    json_t *at = json_array(), *all = json_array();
    for (size_t i = 0; i < EVAL_ERROR_POINTS; i++)
        json_array_append_new(at, json_real(tacho_eval_error_at(i)));
    for (size_t p = 0; p < r->predictor_count; p++) {
        tacho_eval_error_shares(shares, r, p);
        json_t *list = isnan(shares[0]) ? json_null() : json_array();
        for (size_t i = 0; i < EVAL_ERROR_POINTS && json_is_array(list); i++)
            json_array_append_new(list, json_real(shares[i]));
        json_array_append_new(all, list);
    }
    return json_pack("{s:o, s:o}", "at", at, "shares", all);
}

void report_eval_draw(tacho_str *out, const report_eval *e)
{
    TACHO_MEM_FREED eval_heat *room = tacho_mem_alloc(sizeof *room);
    json_t *report = room ? report_eval_json(e) : NULL;
    if (report) {
        json_object_set_new(report, "heat", heats_json(e->result, room));
        json_object_set_new(report, "errors", errors_json(e->result));
    }
    report_page_put(out, &report_eval_page, report);
}

/* ---- heat maps ---- */

static const char *const heat_colours = "'#ffe64d', 1 '#febe28', 2 '#f29728', 3 '#df7538', 4 '#c45646', 5 "
                                        "'#a53c4f', 6 '#822652', 7 '#5e144f', 8 '#3b0347'";

/* At most `columns` columns of a text. */
static void put_short(tacho_str *out, const char *text, size_t columns)
{
    TACHO_FREED tacho_str part = {0};
    tacho_str_puts(&part, text);
    report_cut(&part, columns);
    report_plot_quoted(out, part.data ? part.data : "");
    out->failed |= part.failed;
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
    tacho_str_printf(out,
                     "plot x with lines lc rgb '#9aa0a8' lw 1 notitle, \\\n"
                     " $panel%zu using 1:2:($1-h):($1+h):($2-h):($2+h):3 with boxxyerror fs solid noborder "
                     "fc palette notitle\n",
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
    TACHO_MEM_FREED eval_heat *heats = tacho_mem_zalloc(p.count ? p.count : 1, sizeof *heats);
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
}
