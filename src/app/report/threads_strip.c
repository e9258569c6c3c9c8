/* threads_strip.c - what each thread does as time goes by: a line of letters, or of colours in a picture
 * (SVG). Threads of one name that come one after the other share a line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/report/report_hot.h"
#include "base/mem.h"

enum {
    STRIP_LINES = 16,
    PICTURE_LINES = 64,
    STRIP_COLUMNS = 60
};

/* A line of the strip: threads of one name that come one after the other. */
typedef struct lane {
    const tacho_hot_thread *first;
    size_t count;
    double to, running;
    tacho_thread_bin bins[TACHO_THREAD_BINS];
} lane;

static void add_to_lane(lane *l, const tacho_hot_thread *t)
{
    l->first = l->first ? l->first : t;
    l->count++;
    l->to = t->to;
    l->running += t->running;
    for (int i = 0; i < TACHO_THREAD_BINS; i++) {
        l->bins[i].running += t->bins[i].running;
        l->bins[i].spinning += t->bins[i].spinning;
        l->bins[i].ready += t->bins[i].ready;
        l->bins[i].lock += t->bins[i].lock;
        l->bins[i].waiting += t->bins[i].waiting;
    }
}

/* @return how many threads found no place in the lines */
static size_t fill_lanes(const tacho_hot_threads *t, lane *lanes, size_t most, size_t *count)
{
    size_t left = 0;
    for (size_t i = 0; i < t->thread_count; i++) {
        const tacho_hot_thread *one = &t->threads[i];
        size_t k = 0;
        while (k < *count && !(lanes[k].to <= one->from && lanes[k].first->process == one->process &&
                               !strcmp(lanes[k].first->name, one->name)))
            k++;
        *count += k == *count && k < most;
        if (k < *count)
            add_to_lane(&lanes[k], one);
        else
            left++;
    }
    return left;
}

static char letter_of(const lane *l, int column)
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

static void lane_text(tacho_str *out, const lane *l)
{
    char head[64], name[64];
    snprintf(name, sizeof name, "%s", l->first->name);
    for (char *c = name; *c; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    if (l->count > 1)
        snprintf(head, sizeof head, "%zu threads", l->count);
    else
        snprintf(head, sizeof head, "%" PRIu64, l->first->thread);
    tacho_str_printf(out, "  %-11.11s %-15.15s ", head, name);
    for (int c = 0; c < STRIP_COLUMNS; c++)
        tacho_str_putc(out, letter_of(l, c));
    tacho_str_putc(out, '\n');
}

void report_threads_strip(tacho_str *out, const tacho_hot_threads *t, bool colour)
{
    lane lanes[STRIP_LINES] = {{.count = 0}};
    size_t count = 0;
    if (t->thread_count < 2)
        return;
    const size_t left = fill_lanes(t, lanes, STRIP_LINES, &count);
    report_label(out, colour, "strip");
    tacho_str_puts(out, "# runs  ~ only looks  - ready, no processor  L lock or barrier  . other waits\n");
    for (size_t i = 0; i < count; i++)
        lane_text(out, &lanes[i]);
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

static void put_lane(tacho_str *out, const lane *l, int top)
{
    tacho_str_printf(out, "<text x='%d' y='%d' text-anchor='end'>", LEFT - 6, top + LINE - 3);
    report_svg_put(out, l->first->name);
    if (l->count > 1)
        tacho_str_printf(out, " (%zu threads)</text>", l->count);
    else
        tacho_str_printf(out, " %" PRIu64 "</text>", l->first->thread);
    for (int i = 0; i < TACHO_THREAD_BINS; i++)
        put_bin(out, &l->bins[i], i, top);
}

void report_threads_svg(tacho_str *out, const tacho_hot_threads *t)
{
    lane *lanes = tacho_mem_zalloc(PICTURE_LINES, sizeof *lanes);
    size_t count = 0;
    if (!lanes) {
        out->failed = true;
        return;
    }
    fill_lanes(t, lanes, PICTURE_LINES, &count);
    const int width = LEFT + TACHO_THREAD_BINS * BIN + 10, height = 44 + (int)count * (LINE + GAP);
    tacho_str_printf(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' role='img' "
        "aria-label='Threads by time' font-family='sans-serif' font-size='11' fill='currentColor'>",
        width, height);
    for (int i = 0, x = LEFT; i < 5; x += 24 + 7 * (int)strlen(states[i].what), i++)
        tacho_str_printf(out,
                         "<rect x='%d' y='4' width='10' height='10' fill='%s'/><text x='%d' y='13'>%s</text>",
                         x, states[i].colour, x + 14, states[i].what);
    for (size_t i = 0; i < count; i++)
        put_lane(out, &lanes[i], 22 + (int)i * (LINE + GAP));
    tacho_str_printf(
        out, "<text x='%d' y='%d'>0 s</text><text x='%d' y='%d' text-anchor='end'>%.2f s</text></svg>", LEFT,
        height - 8, width - 10, height - 8, t->seconds);
    tacho_mem_free(lanes);
}
