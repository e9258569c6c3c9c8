/* threads_strip.c - what each thread does as time goes by: a line of letters, or of colours in a picture
 * (SVG). Threads of one name that come one after the other share a line. */

#include "app/report/report_hot.h"

enum {
    STRIP_LINES = 16,
    STRIP_COLUMNS = 60
};

static char letter_of(const tacho_thread_lane *l, int column)
{
    const int each = TACHO_THREAD_BINS / STRIP_COLUMNS;
    float shares[5] = {0};
    for (int i = column * each; i < (column + 1) * each; i++) {
        shares[0] += l->bins[i].running;
        shares[1] += l->bins[i].spinning;
        shares[2] += l->bins[i].ready;
        shares[3] += l->bins[i].lock;
        shares[4] += l->bins[i].waiting;
    }
    size_t most = 0;
    for (size_t i = 1; i < sizeof shares / sizeof *shares; i++)
        most = shares[i] > shares[most] ? i : most;
    return shares[most] > 0 ? "#~-L."[most] : ' ';
}

static void lane_text(tacho_str *out, const tacho_hot_threads *t, const tacho_thread_lane *l)
{
    char head[64], name[64];
    snprintf(name, sizeof name, "%s", t->threads[l->first].name);
    for (char *c = name; *c; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    if (l->thread_count > 1)
        snprintf(head, sizeof head, "%u threads", l->thread_count);
    else
        snprintf(head, sizeof head, "%" PRIu64, t->threads[l->first].thread);
    tacho_str_printf(out, "  %-11.11s %-15.15s ", head, name);
    for (int c = 0; c < STRIP_COLUMNS; c++)
        tacho_str_putc(out, letter_of(l, c));
    tacho_str_putc(out, '\n');
}

void report_threads_strip(tacho_str *out, const tacho_hot_threads *t, bool colour)
{
    size_t left = t->without_lane;
    if (t->thread_count < 2)
        return;
    report_label(out, colour, "strip");
    tacho_str_puts(out, "# runs  ~ only looks  - ready, no processor  L lock or barrier  . other waits\n");
    for (size_t i = 0; i < t->lane_count; i++)
        if (i < STRIP_LINES)
            lane_text(out, t, &t->lanes[i]);
        else
            left += t->lanes[i].thread_count;
    if (left)
        tacho_str_printf(out, "  and %zu more threads\n", left);
}

/* ---- the picture ---- */

enum {
    LEFT = 190,
    BIN = 6, /* points wide */
    LINE = 14,
    GAP = 3
};
static const struct {
    const char *colour, *what;
} states[5] = {{"#2c6bd1", "runs"},
               {"#b03fc4", "only looks (spins)"},
               {"#c9a227", "ready, without a processor"},
               {"#d0342c", "waits for a lock or barrier"},
               {"#9aa0a6", "other waits"}};

static void put_bin(tacho_str *out, const tacho_thread_bin *b, int column, int top)
{
    const float shares[5] = {b->running, b->spinning, b->ready, b->lock, b->waiting};
    double at = top;
    for (int i = 0; i < 5; i++) {
        const double height = LINE * (shares[i] < 1 ? shares[i] : 1);
        if (height >= 0.3)
            tacho_str_printf(out, "<rect x='%d' y='%.1f' width='%d' height='%.1f' fill='%s'/>",
                             LEFT + column * BIN, at, BIN, height, states[i].colour);
        at += height;
    }
}

static void put_lane(tacho_str *out, const tacho_hot_threads *t, const tacho_thread_lane *l, int top)
{
    tacho_str_printf(out, "<text x='%d' y='%d' text-anchor='end'>", LEFT - 6, top + LINE - 3);
    report_svg_put(out, t->threads[l->first].name);
    if (l->thread_count > 1)
        tacho_str_printf(out, " (%u threads)</text>", l->thread_count);
    else
        tacho_str_printf(out, " %" PRIu64 "</text>", t->threads[l->first].thread);
    for (int i = 0; i < TACHO_THREAD_BINS; i++)
        put_bin(out, &l->bins[i], i, top);
}

void report_threads_svg(tacho_str *out, const tacho_hot_threads *t)
{
    const int width = LEFT + TACHO_THREAD_BINS * BIN + 10, height = 44 + (int)t->lane_count * (LINE + GAP);
    tacho_str_printf(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' role='img' "
        "aria-label='Threads by time' font-family='sans-serif' font-size='11' fill='currentColor'>",
        width, height);
    for (int i = 0, x = LEFT; i < 5; x += 24 + 7 * (int)strlen(states[i].what), i++)
        tacho_str_printf(out,
                         "<rect x='%d' y='4' width='10' height='10' fill='%s'/><text x='%d' y='13'>%s</text>",
                         x, states[i].colour, x + 14, states[i].what);
    for (size_t i = 0; i < t->lane_count; i++)
        put_lane(out, t, &t->lanes[i], 22 + (int)i * (LINE + GAP));
    tacho_str_printf(
        out, "<text x='%d' y='%d'>0 s</text><text x='%d' y='%d' text-anchor='end'>%.2f s</text></svg>", LEFT,
        height - 8, width - 10, height - 8, t->seconds);
}
