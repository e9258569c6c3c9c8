/* causal_report.c - what a program would gain where places took less time, as text and as JSON. */

#include "app/report/report_hot.h"

enum {
    AT = 12,
    STEPS = 4
};

static void put_name(tacho_str *out, const tacho_causal_place *p)
{
    tacho_str_puts(out, p->function ? p->function : "code without names");
    tacho_str_puts(out, p->function && !strchr(p->function, '(') ? "()" : "");
    const char *file = p->source_file ? p->source_file : p->object;
    tacho_str_printf(out, " (%s", tacho_base_name(file));
    if (p->source_line)
        tacho_str_printf(out, ":%" PRIu32, p->source_line);
    tacho_str_putc(out, ')');
}

static void put_point(report_grid *g, const tacho_causal_place *place, double less)
{
    for (size_t i = 0; i < place->point_count; i++) {
        const tacho_causal_point *p = &place->points[i];
        if (p->less != less)
            continue;
        if (isfinite(p->low))
            report_grid_cellf(g, "%.1f [%.1f, %.1f]", 100 * p->gain, 100 * p->low, 100 * p->high);
        else
            report_grid_cellf(g, "%.1f", 100 * p->gain);
        return;
    }
    report_grid_cell(g, "");
}

static void put_row(report_grid *g, const tacho_causal_place *p)
{
    TACHO_FREED tacho_str name = {0};
    put_name(&name, p);
    report_grid_cell(g, name.failed ? "" : name.data);
    report_grid_cellf(g, "%.1f", 100 * p->share);
    for (int k = 1; k <= STEPS; k++)
        put_point(g, p, (double)k / STEPS);
}

static void experiments_text(tacho_str *out, const tacho_causal *c, bool colour)
{
    tacho_str text = {0};
    tacho_str_printf(&text,
                     "%" PRIu32 " with a change and %" PRIu32
                     " without, in which %s is passed %.0f times a second; threads were delayed %" PRIu64
                     " times, the program by %.2f s",
                     c->experiments, c->base_experiments, c->progress, c->visits_per_second, c->delays,
                     c->delayed);
    report_label(out, colour, "experiments");
    report_wrapped_text(out, &text, AT);
}

void report_causal_text(tacho_str *out, const tacho_causal *c, bool colour)
{
    static const char *const titles[] = {"what if",   "% of samples", "25 % less",
                                         "50 % less", "75 % less",    "all"};
    report_grid g;
    if (!c->nothing) {
        tacho_str_puts(out, "If a place took less time: percent less time from visit to visit of ");
        report_put_plain(out, c->progress);
        tacho_str_puts(out,
                       "\n[95 % interval; none: too few experiments, of which a longer run has more]\n\n");
        report_grid_start(&g, sizeof titles / sizeof *titles, 0);
        report_grid_cells(&g, titles, sizeof titles / sizeof *titles);
        for (size_t i = 0; i < c->place_count; i++)
            put_row(&g, &c->places[i]);
        report_grid_put(out, &g, colour);
        tacho_str_putc(out, '\n');
        experiments_text(out, c, colour);
    } else {
        report_label(out, colour, "what if");
        report_wrapped(out, c->nothing, AT);
    }
    tacho_str_putc(out, '\n');
}

#define RECORD tacho_causal_point
static const report_field points[] = {
    {MEMBER(less, "share of the place's time that is saved")},
    {MEMBER(gain, "share of the time from visit to visit that is saved; below 0: it takes longer")},
    MEMBERS2(low, high, "its 95 % interval; null: of too few experiments"),
    MEMBERS2(experiments, visits, "of the place with this share; in them"),
};
#undef RECORD

#define RECORD tacho_causal_place
static const report_field places[] = {
    {MEMBER(object, "the file")},
    {MEMBER(function, "null: all code of the file without names", .none = REPORT_NO_TEXT)},
    {MEMBER(source_file, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(source_line, "null: not known", .none = REPORT_ZERO)},
    {MEMBER(share, "of all samples")},
    {MEMBER(slope, "gain for each part of its time that is saved: of a line through the points and 0")},
    {RECORDS("points", points, point_count, ROWS(points), "by `less`")},
};
#undef RECORD

#define RECORD tacho_causal
static const report_field all[] = {
    {MEMBER(progress, "the point, as it was asked for")},
    {MEMBER(visits_per_second, "of it, where nothing was changed; null: not known")},
    MEMBERS2(base_experiments, experiments, "where nothing was changed; all others"),
    MEMBERS2(delays, delayed, "times that a thread was stopped; seconds by which the program was held up"),
    {RECORDS("places", places, place_count, ROWS(places), "greatest slope first")},
    {MEMBER(nothing, "why there are no places; null: there are", .none = REPORT_NO_TEXT)},
};
#undef RECORD
TABLE(report_causal_table, all, NULL);
