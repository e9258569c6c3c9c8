/* roofline_picture.c - the roofline of a program's hot places as a picture (SVG): operations a byte that the
 * core accesses, and operations a cycle, under what memory and core allow (cache-aware: A. Ilic, F. Pratas,
 * L. Sousa, "Cache-aware Roofline model: upgrading the loft", 2014). Both axes go by powers of 2. */
#include "app/report/report_hot.h"

enum {
    WIDTH = 980,
    HEIGHT = 640,
    LEFT = 66,
    RIGHT = 950,
    TOP = 70,
    BOTTOM = 572,
    MOST_LABELS = 12,
    MOST_BOXES = 128
};
static const char *const colours[] = {"#d07a12", "#2c6bd1"}; /* whole numbers, floats */

typedef struct box {
    double x, y, width, height;
} box;

typedef struct picture {
    tacho_str *out;
    const tacho_hot_roofline *r;
    const tacho_memory *memory;
    double x_low, x_high, y_low, y_high; /* log2 */
    box taken[MOST_BOXES];
    size_t taken_count;
} picture;

static double at_x(const picture *p, double per_byte)
{
    return LEFT + (log2(per_byte) - p->x_low) / (p->x_high - p->x_low) * (RIGHT - LEFT);
}

static double at_y(const picture *p, double per_cycle)
{
    return BOTTOM - (log2(per_cycle) - p->y_low) / (p->y_high - p->y_low) * (BOTTOM - TOP);
}

static bool is_drawn(const tacho_hot_point *p)
{
    return p->per_cycle > 0;
}

/* A point without accesses lies at the right border. */
static double point_x(const picture *p, const tacho_hot_point *point)
{
    return isfinite(point->per_byte) ? at_x(p, point->per_byte) : RIGHT - 14;
}

static double radius(const tacho_hot_point *point)
{
    return 4 + 24 * sqrt(point->place->share);
}

static double highest_peak(const tacho_hot_roofline *r)
{
    double most = 1;
    for (size_t i = 0; i < r->peak_count; i++)
        most = fmax(most, r->peaks[i].operations);
    return most;
}

static void find_ranges(picture *p)
{
    double x_low = -4, x_high = 1, y_low = -2;
    const double top = log2(highest_peak(p->r));
    for (uint32_t i = 0; p->memory && i < p->memory->level_count; i++)
        x_high = fmax(x_high, fmin(top - log2(tacho_hot_bandwidth(&p->memory->levels[i])), 6));
    for (size_t i = 0; i < p->r->count; i++) {
        const tacho_hot_point *point = &p->r->points[i];
        if (!is_drawn(point))
            continue;
        y_low = fmin(y_low, log2(point->per_cycle));
        if (!isfinite(point->per_byte))
            continue;
        x_low = fmin(x_low, log2(point->per_byte));
        x_high = fmax(x_high, log2(point->per_byte));
    }
    p->x_low = floor(x_low - 0.6);
    p->x_high = ceil(x_high + 1.5);
    p->y_low = floor(y_low - 0.6);
    p->y_high = ceil(top + 0.6);
}

static void take(picture *p, box b)
{
    if (p->taken_count < MOST_BOXES)
        p->taken[p->taken_count++] = b;
}

static bool is_free(const picture *p, const box *b)
{
    for (size_t i = 0; i < p->taken_count; i++) {
        const box *t = &p->taken[i];
        if (b->x < t->x + t->width && t->x < b->x + b->width && b->y < t->y + t->height &&
            t->y < b->y + b->height)
            return false;
    }
    return b->x > LEFT && b->x + b->width < RIGHT + 24 && b->y > TOP - 14 && b->y + b->height < BOTTOM;
}

void report_svg_put(tacho_str *out, const char *text)
{
    json_t *clean = report_json_string(text);
    for (const char *c = json_string_value(clean); c && *c; c++)
        if (*c == '<' || *c == '&')
            tacho_str_puts(out, *c == '<' ? "&lt;" : "&amp;");
        else
            tacho_str_putc(out, (unsigned char)*c < ' ' ? '?' : *c);
    json_decref(clean);
}

/* 1/8, 4 */
static void put_power(tacho_str *out, int power)
{
    tacho_str_printf(out, power < 0 ? "1/%.0f" : "%.0f", ldexp(1, power < 0 ? -power : power));
}

static void put_grid(picture *p)
{
    tacho_str *out = p->out;
    const int step = p->x_high - p->x_low > 14 ? 2 : 1, rise = p->y_high - p->y_low > 12 ? 2 : 1;
    for (int i = (int)p->x_low; i <= (int)p->x_high; i += step) {
        const double x = at_x(p, ldexp(1, i));
        tacho_str_printf(out, "<path class='grid' d='M%.1f %dV%d'/><text x='%.1f' y='%d' class='tick mid'>",
                         x, TOP, BOTTOM, x, BOTTOM + 18);
        put_power(out, i);
        tacho_str_puts(out, "</text>\n");
    }
    for (int i = (int)p->y_low; i <= (int)p->y_high; i += rise) {
        const double y = at_y(p, ldexp(1, i));
        tacho_str_printf(out, "<path class='grid' d='M%d %.1fH%d'/><text x='%d' y='%.1f' class='tick end'>",
                         LEFT, y, RIGHT, LEFT - 8, y + 4);
        put_power(out, i);
        tacho_str_puts(out, "</text>\n");
    }
    tacho_str_printf(
        out,
        "<text x='%d' y='%d' class='mid'>operations a byte that the core loads and stores</text>\n"
        "<text transform='translate(18 %d) rotate(-90)' class='mid'>operations a cycle</text>\n",
        (LEFT + RIGHT) / 2, BOTTOM + 40, (TOP + BOTTOM) / 2);
}

enum {
    NAME_PIECES = 14 /* boxes that the name of a bandwidth takes */
};

static box name_piece(double x, double y, double angle, int piece)
{
    return (box){x + 11 * piece * cos(angle), y + 11 * piece * sin(angle) - 9, 11, 11};
}

/* How far along a line the name has room; 0 where it has none. */
static double room_along(const picture *p, double x, double y, double angle)
{
    for (double far = 0; far < 300; far += 30) {
        int piece = 0;
        for (box b; piece < NAME_PIECES; piece++) {
            b = name_piece(x + far * cos(angle), y + far * sin(angle), angle, piece);
            if (!is_free(p, &b))
                break;
        }
        if (piece == NAME_PIECES)
            return far;
    }
    return 0;
}

/* From the left or lower border to the highest peak; its name lies along it, near where it enters. */
static void put_bandwidth(picture *p, const tacho_memory_level *l)
{
    const double bytes = tacho_hot_bandwidth(l), top = log2(highest_peak(p->r));
    const double from = fmax(p->x_low, p->y_low - log2(bytes)), to = fmin(top - log2(bytes), p->x_high);
    char number[TACHO_NUMBER_SIZE];
    if (!(to > from))
        return;
    const double x = at_x(p, exp2(from)), y = at_y(p, exp2(from) * bytes), x2 = at_x(p, exp2(to)),
                 y2 = at_y(p, exp2(to) * bytes), angle = atan2(y2 - y, x2 - x),
                 ahead = fmin(26, (x2 - x) / 8);
    double x_text = x + ahead - 5 * sin(-angle), y_text = y + ahead * tan(angle) - 5 * cos(angle);
    const double far = room_along(p, x_text, y_text, angle);
    x_text += far * cos(angle);
    y_text += far * sin(angle);
    tacho_str_printf(p->out,
                     "<path class='roof' d='M%.1f %.1fL%.1f %.1f'/><text class='name' "
                     "transform='translate(%.1f %.1f) rotate(%.1f)'>",
                     x, y, x2, y2, x_text, y_text, angle * 180 / M_PI);
    report_svg_put(p->out, l->name);
    tacho_str_printf(p->out, ": %s bytes a cycle</text>\n", tacho_format_number(number, bytes, 1));
    for (int i = 0; i < NAME_PIECES; i++)
        take(p, name_piece(x_text, y_text, angle, i));
}

/* From where the highest bandwidth reaches it to the right border. */
static void put_peak(picture *p, const tacho_hot_peak *peak)
{
    char number[TACHO_NUMBER_SIZE], text[120];
    double most = 0;
    for (uint32_t i = 0; p->memory && i < p->memory->level_count; i++)
        most = fmax(most, tacho_hot_bandwidth(&p->memory->levels[i]));
    const double y = at_y(p, peak->operations),
                 x = most > 0 ? fmax(at_x(p, peak->operations / most), LEFT) : LEFT;
    snprintf(text, sizeof text, "%s: %s a cycle (%s of %u bits)", peak->name,
             tacho_format_number(number, peak->operations, 1), peak->floats ? "floats" : "whole numbers",
             8 * peak->element_bytes);
    box b = {RIGHT - 6.1 * (double)strlen(text), y - 16, 6.1 * (double)strlen(text), 14};
    while (!is_free(p, &b) && b.x > LEFT)
        b.x -= 20;
    tacho_str_printf(p->out,
                     "<path class='roof' stroke='%s' d='M%.1f %.1fH%d'/><text x='%.1f' y='%.1f' class='name "
                     "end'>%s</text>\n",
                     colours[peak->floats], x, y, RIGHT, b.x + b.width, y - 5, text);
    take(p, b);
}

static void put_circle(picture *p, const report_hot *h, const tacho_hot_point *point)
{
    const tacho_hot_work *w = &point->work;
    const double x = point_x(p, point), y = at_y(p, point->per_cycle), r = radius(point);
    char name[REPORT_ROOM];
    tacho_str_printf(p->out,
                     "<g class='point' data-place='%zu'><circle cx='%.1f' cy='%.1f' r='%.1f' stroke='%s' "
                     "fill='%s'/><title>",
                     (size_t)(point->place - h->hot->places), x, y, r, colours[w->floats],
                     w->observed ? colours[w->floats] : "none");
    report_svg_put(p->out, report_hot_name(point->place->loop, name, sizeof name));
    tacho_str_printf(p->out, ": %.1f %% of the time; %.3g operations and %.3g bytes in %.3g cycles",
                     100 * point->place->share, w->operations, w->bytes, w->cycles);
    if (point->limit) {
        tacho_str_printf(p->out, "; %.0f %% of what ", 100 * point->per_cycle / point->roof);
        report_svg_put(p->out, point->limit);
        tacho_str_puts(p->out, " allows");
    }
    tacho_str_puts(p->out, "</title></g>\n");
    take(p, (box){x - r, y - r, 2 * r, 2 * r});
}

/* Beside it, or further away at a line; where there is no room the circle's title has to do. */
static void put_label(picture *p, const tacho_hot_point *point, const char *text)
{
    static const double ways[][2] = {{1, 0},     {-1, 0},   {0.7, -1}, {0.7, 1},
                                     {-0.7, -1}, {-0.7, 1}, {0, -1},   {0, 1}};
    const double x = point_x(p, point), y = at_y(p, point->per_cycle), r = radius(point);
    const double width = 7.6 * (double)tacho_str_columns(text);
    for (double far = 5; far < 140; far += far < 10 ? 12 : 22)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            const double dx = ways[i][0] * (r + far), dy = ways[i][1] * (r + far);
            const box b = {dx > 0 ? x + dx : dx < 0 ? x + dx - width : x - width / 2, y + dy - 7, width, 14};
            if (!is_free(p, &b))
                continue;
            take(p, b);
            if (far > 10)
                tacho_str_printf(p->out, "<path class='lead' d='M%.1f %.1fL%.1f %.1f'/>", x, y, x + dx,
                                 y + dy);
            tacho_str_printf(p->out, "<text class='label' x='%.1f' y='%.1f'>", b.x, b.y + 11);
            report_svg_put(p->out, text);
            tacho_str_puts(p->out, "</text>\n");
            return;
        }
}

static void put_labels(picture *p)
{
    for (size_t i = 0; i < p->r->count && i < MOST_LABELS; i++) {
        const tacho_hot_point *point = &p->r->points[i];
        char name[REPORT_ROOM];
        TACHO_FREED tacho_str text = {0};
        tacho_str_puts(&text, report_hot_name(point->place->loop, name, sizeof name));
        report_cut(&text, 43);
        tacho_str_printf(&text, " %.0f %%", 100 * point->place->share);
        if (is_drawn(point) && !text.failed)
            put_label(p, point, text.data);
        p->out->failed |= text.failed;
    }
}

static void put_head(picture *p, const report_hot *h)
{
    tacho_str *out = p->out;
    size_t drawn = 0, without = 0;
    for (size_t i = 0; i < p->r->count; i++) {
        drawn += is_drawn(&p->r->points[i]);
        without += is_drawn(&p->r->points[i]) && isinf(p->r->points[i].per_byte);
    }
    tacho_str_printf(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' class='roofline' viewBox='0 0 %d %d' role='img' "
        "aria-label='roofline'>\n<style>.roofline{font:12px system-ui,'DejaVu "
        "Sans',sans-serif;max-width:%dpx}.roofline text{fill:var(--text,#1d2025)}.roofline "
        ".mid{text-anchor:middle}.roofline .end{text-anchor:end}.roofline .tick,.roofline "
        ".note{fill:var(--soft,#646a74)}.roofline .name{font-size:11px;fill:var(--soft,#4a5058)}.roofline "
        ".grid{stroke:var(--line,#e2e3e6)}.roofline "
        ".roof{stroke-width:1.6;fill:none;pointer-events:none}.roofline "
        ".roof:not([stroke]){stroke:var(--soft,#646a74)}.roofline .point{cursor:pointer}.roofline "
        "circle{fill-opacity:.45;stroke-width:1.5;pointer-events:all}.roofline "
        ".lead{stroke:var(--soft,#646a74);stroke-width:.8}.roofline "
        ".label{font-weight:600;paint-order:stroke;stroke:var(--panel,#fff);stroke-width:3px;stroke-linejoin:"
        "round}.roofline .title{font-size:16px;font-weight:600}</style>\n"
        "<rect width='%d' height='%d' fill='var(--panel,#fff)'/>\n<text x='%d' y='26' class='title'>Roofline "
        "of ",
        WIDTH, HEIGHT, WIDTH, WIDTH, HEIGHT, LEFT);
    report_svg_put(out, h->command ? tacho_base_name(h->command[0]) : h->file ? h->file : "a process");
    tacho_str_printf(out,
                     " on %s</text>\n<text x='%d' y='46' class='note'>Area: share of the time. Blue: "
                     "operations of floating point; orange: of whole numbers, also addresses. Hollow: cycles "
                     "are predicted, not observed.</text>\n<text x='%d' y='%d' class='note'>",
                     h->arch->name, LEFT, LEFT, HEIGHT - 8);
    if (!h->memory)
        tacho_str_puts(out, h->file
                                ? "Bandwidths are not known: the samples may be another machine's. "
                                : "Bandwidths are not known: `tacho doctor --memory` measures them once. ");
    if (without)
        tacho_str_puts(out, "At the right border: no accesses to memory. ");
    if (drawn < p->r->count)
        tacho_str_printf(out, "%zu place%s without arithmetic, or without cycles: not drawn.",
                         p->r->count - drawn, tacho_plural(p->r->count - drawn));
    tacho_str_puts(out, "</text>\n");
}

void report_roofline_svg(tacho_str *out, const tacho_hot_roofline *r, const report_hot *h)
{
    picture p = {.out = out, .r = r, .memory = h->memory};
    find_ranges(&p);
    put_head(&p, h);
    put_grid(&p);
    for (size_t i = 0; i < r->count; i++)
        if (is_drawn(&r->points[i]))
            put_circle(&p, h, &r->points[i]);
    for (uint32_t i = 0; p.memory && i < p.memory->level_count; i++)
        put_bandwidth(&p, &p.memory->levels[i]);
    for (size_t i = 0; i < r->peak_count; i++)
        put_peak(&p, &r->peaks[i]);
    put_labels(&p);
    tacho_str_puts(out, "</svg>\n");
}
