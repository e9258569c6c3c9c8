/* overlap.c - where the overlap of two chains ends. */
#include "learn/overlap.h"

#include <math.h>

#include "base/search.h"

enum {
    BEFORE = 26, /* fine points before the coarse bend and behind it */
    BEHIND = 20,
    FEWEST_LINKS = 36,
    STEEP = 4 /* points in which an overlap ends that a single place decides */
};

/* ---- chains ---- */

static const window_chain vector_chains[] = {
    {"sqrtpd xmm0, xmm8", "sqrtpd xmm0, xmm0", 0, 0},
    {"sqrtps xmm0, xmm8", "sqrtps xmm0, xmm0", 0, 0},
    {"rcpps xmm0, xmm8", "rcpps xmm0, xmm0", 0, 0},
    {"cvtps2dq xmm0, xmm8", "cvtps2dq xmm0, xmm0", 0, 0},
    {"pshufd xmm0, xmm8, 0", "pshufd xmm0, xmm0, 0", 0, 0},
};

static const window_chain integer_chains[] = {
    {"imul rax, rbx, 1", "imul rax, rax, 1", 0, 0},
};

/* Of those that overlap at least twice. */
static void choose_chain(lab *l, const window_chain *from, unsigned count, window_chain *out)
{
    enum {
        LINKS = 48
    };
    *out = (window_chain){.latency = NAN, .interval = NAN};
    lab_clear(l);
    for (unsigned k = 0; k < 2 * count; k++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_code(l, LINKS, "%s", k % 2 ? from[k / 2].first : from[k / 2].link);
        lab_addresses(l, IN_RBX);
    }
    lab_time(l);
    for (unsigned k = 0; k < count; k++) {
        double latency = lab_timed(l, 2 * k) / LINKS, interval = lab_timed(l, 2 * k + 1) / LINKS;
        if (latency >= 1.9 * interval && !(latency <= out->latency))
            *out = (window_chain){from[k].first, from[k].link, latency, interval};
    }
}

void window_integer_chain(lab *l, window_chain *out)
{
    choose_chain(l, integer_chains, sizeof integer_chains / sizeof *integer_chains, out);
}

void window_vector_chain(lab *l, window_chain *out)
{
    choose_chain(l, vector_chains, sizeof vector_chains / sizeof *vector_chains, out);
}

/* ---- lines ---- */

typedef struct line {
    double at_0, slope;
} line;

/* Of least squares; NaN with fewer than two points. */
static line line_through(const curve *c, size_t from, size_t to)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = from; i < to && i < c->count; i++) {
        const curve_point *p = &c->points[i];
        if (isnan(p->cycles))
            continue;
        n++, x += p->x, y += p->cycles, xx += p->x * p->x, xy += p->x * p->cycles;
    }
    double across = n * xx - x * x, slope = n < 2 ? NAN : (n * xy - x * y) / across;
    return (line){n < 2 ? NAN : (y - slope * x) / n, slope};
}

/* How many links an iteration is shorter there than the line says. */
static double links_short(const curve *c, size_t i, line serial, double latency)
{
    return (serial.at_0 + serial.slope * c->points[i].x - c->points[i].cycles) / latency;
}

/* ---- the two curves ---- */

static void add_loop(lab *l, const window_spec *spec, unsigned links, unsigned others)
{
    lab_loop(l, TACHO_MODE_LOOP);
    lab_addresses(l, IN_ALL);
    lab_code(l, 1, "%s", spec->chain->first);
    lab_code(l, links - 1, "%s", spec->chain->link);
    if (spec->behind)
        lab_code(l, 1, "%s", spec->behind);
    lab_code_in_turn(l, others, spec->others, spec->other_count);
}

/* Links that take clearly longer than so many others beside them. */
static unsigned links_for(const window_spec *spec, double others, double interval)
{
    double links = ceil((1.3 * others * interval + 60) / spec->chain->latency);
    const unsigned fewest = spec->fewest_links ? spec->fewest_links : FEWEST_LINKS;
    return links < fewest ? fewest : links > 400 ? 400 : (unsigned)links;
}

static curve *time_curve(lab *l, const window_spec *spec, unsigned links, unsigned from, unsigned to,
                         unsigned step)
{
    lab_clear(l);
    for (unsigned n = from; n <= to; n += step)
        add_loop(l, spec, links, n);
    return lab_draw(l, spec->title, spec->x_name, "cycles an iteration", (axis){.from = from, .step = step});
}

/* Cycles that one of the others takes. */
static double time_others(lab *l, const window_spec *spec)
{
    enum {
        OTHERS = 96
    };
    lab_clear(l);
    lab_loop(l, TACHO_MODE_LOOP);
    lab_addresses(l, IN_ALL);
    lab_code_in_turn(l, OTHERS, spec->others, spec->other_count);
    lab_time(l);
    return lab_timed(l, 0) / OTHERS;
}

/* One more than the number of the last point, from the right, behind which all lie on one line; 0 if there
 * is none. */
static size_t coarse_bend(const curve *c, double latency)
{
    size_t i = c->count < 5 ? 0 : c->count - 4;
    for (; i; i--) {
        line serial = line_through(c, i, c->count);
        double margin = fmax(1.5, 0.02 * serial.at_0 / latency);
        if (isnan(serial.slope))
            return 0;
        if (links_short(c, i - 1, serial, latency) > margin &&
            (i < 2 || links_short(c, i - 2, serial, latency) > margin))
            return i;
    }
    return 0;
}

ORDER_NUMBERS(by_value, double);

/* Of the middle half of them; its standard error. */
static double middle_mean(double *values, size_t count, double *error)
{
    double sum = 0, squares = 0, n = 0;
    tacho_sort(values, count, sizeof *values, by_value);
    for (size_t i = count / 4; i < count - count / 4; i++)
        n++, sum += values[i], squares += values[i] * values[i];
    *error = sqrt(fmax(0, squares / n - sum / n * (sum / n)) / n);
    return sum / n;
}

/* The bend of the fine curve, which has its plateau from `flat` on. */
static window fine_bend(curve *c, size_t flat, double latency, unsigned links, unsigned group)
{
    window w = {NAN, NAN, false};
    line serial = line_through(c, flat, c->count);
    double deepest = 0, at_once = 0;
    for (size_t i = 0; i < flat; i++)
        deepest = fmax(deepest, links_short(c, i, serial, latency));
    if (deepest < 3)
        return w;
    /* how much of the overlap ends within a few points; some could not be timed */
    size_t last = flat;
    while (last && !(links_short(c, last, serial, latency) >= 1.5))
        last--;
    for (size_t i = last < STEEP ? 0 : last - STEEP; i <= last; i++)
        at_once = fmax(at_once, links_short(c, i, serial, latency));
    for (size_t i = 0; i <= last; i++)
        w.width = links_short(c, i, serial, latency) > 0.5 * at_once ? c->points[i].x : w.width;
    w.jump = at_once > 2 * STEEP;
    w.error = 0.5;
    c->bend = w.width;
    if (w.jump)
        return w;
    double bends[BEFORE + BEHIND];
    size_t count = 0;
    for (size_t i = flat; i-- && count < sizeof bends / sizeof *bends;) {
        double here = links_short(c, i, serial, latency);
        if (here >= 1 && here <= 0.6 * deepest && here <= 0.4 * links)
            bends[count++] = c->points[i].x + here;
    }
    if (count < 3)
        return (window){NAN, NAN, false};
    /* µops are issued in groups, and where a link is in its group changes with each of the others: so the
     * average is one over whole groups */
    count -= count > group ? count % group : 0;
    w.width = c->bend = middle_mean(bends, count, &w.error);
    return w;
}

window window_find(lab *l, const window_spec *spec)
{
    const window none = {NAN, NAN, false};
    const double latency = spec->chain->latency;
    const unsigned step = spec->most > 320 ? 16 : 8;
    const double interval = isnan(latency) ? NAN : time_others(l, spec);
    if (isnan(interval))
        return none;
    unsigned links = links_for(spec, spec->most, interval);
    curve *c = time_curve(l, spec, links, step / 2, spec->most, step);
    size_t at = c ? coarse_bend(c, latency) : 0;
    if (!at)
        return none;
    unsigned bend = (unsigned)c->points[at - 1].x, from = bend > BEFORE ? bend - BEFORE : 1;
    links = links_for(spec, bend + step, interval);
    c = time_curve(l, spec, links, from, bend + step + BEHIND, 1);
    return c ? fine_bend(c, bend + step + 3 - from, latency, links, (unsigned)lab_number(l, "issue_width", 4))
             : none;
}

/* ---- the loop's counter ---- */

void window_counter(lab *l)
{
    enum {
        FEW = 96,
        NEAR = 16
    };
    double group = lab_number(l, "issue_width", NAN), counter = INFINITY;
    for (unsigned k = 0; k < NEAR && !isnan(group); k++)
        for (unsigned bytes = 4; bytes <= 8; bytes += 2) {
            lab_loop(l, TACHO_MODE_LOOP);
            lab_nops(l, bytes, FEW + k);
        }
    lab_time(l);
    for (unsigned k = 0; k < l->loop_count; k++)
        counter = fmin(counter, lab_timed(l, k) * group - FEW - k / 3);
    if (counter < 4)
        lab_found(l, WINDOW_COUNTER, counter, counter, "%d", counter < 1.5 ? 1 : 2);
}
