/* learn_queues.c - how much code a core looks at ahead of what it waits for. A loop is a chain of dependent
 * instructions that begins anew in each iteration, and n others behind it. As long as the next chain finds
 * room while the last one still runs, the two overlap; where the others fill what both must be in, the
 * chain's whole length is in each iteration (H. Wong's method, without cache misses). What the places of a
 * bend say follows from simulated cores of all kinds, whose sizes are known: a whole group of µops has to
 * find room, and the counter of the loop takes a place, too. */

#include "base/search.h"
#include "learn/lab.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A finding that is no parameter: µops of the counter that a loop has behind it. */
#define WINDOW_COUNTER "counter_uops"

/* What a chain is made of. */
typedef struct window_chain {
    const char *first, *link; /* the first reads nothing of the chain before */
    double latency, interval; /* of a link; between two that do not wait for each other */
} window_chain;

typedef struct window_spec {
    const char *title, *x_name;
    const window_chain *chain;
    const char *behind; /* once after the chain; NULL: nothing */
    const char *const *others;
    unsigned other_count;
    unsigned fewest_links; /* of the chain; 0: many, for what a link more or less is to be told from */
    unsigned most;         /* others that are tried */
} window_spec;

typedef struct window {
    /* The last number of others beside which chains overlap, where that ends at once (`jump`); else, as the
     * chain's own links leave one by one, the number at which the overlap would begin if its growth were a
     * straight line. NaN: no bend. */
    double width;
    double error; /* of the mean, in others */
    bool jump;
} window;

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

/* The one of the largest latency, of those that overlap at least twice; it is NaN if there is none. */
static window_chain choose_chain(lab *l, const window_chain *from, unsigned count)
{
    enum {
        LINKS = 48
    };
    window_chain best = {.latency = NAN, .interval = NAN};
    lab_clear(l);
    for (unsigned k = 0; k < 2 * count; k++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_code(l, LINKS, "%s", k % 2 ? from[k / 2].first : from[k / 2].link);
        lab_addresses(l, IN_RBX);
    }
    lab_time(l);
    for (unsigned k = 0; k < count; k++) {
        double latency = lab_timed(l, 2 * k) / LINKS, interval = lab_timed(l, 2 * k + 1) / LINKS;
        if (latency >= 1.9 * interval && !(latency <= best.latency))
            best = (window_chain){from[k].first, from[k].link, latency, interval};
    }
    return best;
}

/* Of general registers: multiplications that keep their value, from RBX to RAX. */
static window_chain integer_chain(lab *l)
{
    return choose_chain(l, integer_chains, COUNT(integer_chains));
}

/* Of vector registers to XMM0. */
static window_chain vector_chain(lab *l)
{
    return choose_chain(l, vector_chains, COUNT(vector_chains));
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
    for (size_t i = flat; i-- && count < COUNT(bends);) {
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

static window window_find(lab *l, const window_spec *spec)
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

static void window_counter(lab *l)
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

/* µops that must find room beside those that are counted. */
static double group_of(const lab *l)
{
    return lab_number(l, "issue_width", 4) + lab_number(l, WINDOW_COUNTER, 1);
}

/* ---- schedulers: how many µops wait, and whether all wait in one place ---- */

/* All wait for RAX or XMM0. */
static const char *const waiting_sums[] = {"lea rcx, [rax+rbx]"};
static const char *const plain_loads[] = {"mov rcx, [rax]"};
static const char *const waiting_loads[] = {"mov rcx, [rsi]"};
static const char *const sums_and_loads[] = {"lea rcx, [rax+rbx]", "mov rdx, [rax]"};
/* Where additions would take the ports of the chain shuffles hardly do. */
static const char *const shuffles[] = {"pshufd xmm1, xmm0, 0"};
static const char *const vectors[] = {"paddd xmm1, xmm0", "paddd xmm2, xmm0", "paddd xmm3, xmm0",
                                      "paddd xmm4, xmm0", "paddd xmm5, xmm0", "paddd xmm6, xmm0",
                                      "paddd xmm7, xmm0"};

enum {
    MOST = 320,
    VECTOR_LINKS = 24
};

/* Where the next chain can begin no more. */
typedef struct waiting {
    window sums, loads, both, late_loads, shuffles, vectors, vectors_in_order;
    double loads_a_cycle;
} waiting;

static void find_windows(lab *l, waiting *w)
{
    const window_chain integer = integer_chain(l), vector = vector_chain(l);
    const window_spec specs[] = {
        {"additions that wait", "additions behind a chain of integers", &integer, NULL, waiting_sums,
         COUNT(waiting_sums), 0, MOST},
        {"loads that wait", "loads behind a chain of integers", &integer, NULL, plain_loads,
         COUNT(plain_loads), 0, MOST},
        {"additions and loads that wait", "additions and loads in turn behind a chain of integers", &integer,
         NULL, sums_and_loads, COUNT(sums_and_loads), 0, MOST},
        {"loads that wait for a store", "loads behind a chain of integers that is stored", &integer,
         "mov [rsi], rax", waiting_loads, COUNT(waiting_loads), 0, MOST},
        {"shuffles that wait", "shuffles behind a chain of integers", &integer, "movd xmm0, eax", shuffles,
         COUNT(shuffles), 0, MOST},
        {"vector µops that wait", "vector additions behind a chain of integers", &integer, "movd xmm0, eax",
         vectors, COUNT(vectors), 0, MOST},
        {"vector µops that wait before vectors", "vector additions behind a chain of vectors", &vector, NULL,
         vectors, COUNT(vectors), VECTOR_LINKS, MOST},
    };
    window *const found[] = {&w->sums,    &w->loads,           &w->both, &w->late_loads, &w->shuffles,
                             &w->vectors, &w->vectors_in_order};
    for (unsigned k = 0; k < COUNT(specs); k++)
        *found[k] = window_find(l, &specs[k]);
    w->loads_a_cycle = round(1 / lab_time_code(l, 96, plain_loads[0], IN_RAX));
}

/* µops that leave before the next link can enter, beside half a group; from simulated cores, whose sizes are
 * known. */
static const double LEAVING = 1.9;

/* One scheduler for all: as a µop leaves it its place is free some cycles later, in which a link of the chain
 * leaves. */
static int one_scheduler(lab *l, const waiting *w)
{
    static const char *const none[] = {
        "shared_scheduler_entries",       "alu_scheduler_entries",    "alu_scheduler_parts",
        "address_scheduler_entries",      "vector_scheduler_entries", "vector_release_cycles",
        "vector_store_scheduler_entries", "vector_quick_places",      "vector_queue_entries"};
    double width = round(w->loads.width + 0.5 * lab_number(l, "issue_width", 4) + LEAVING);
    lab_about(l, "rs_entries", width, fmax(1, w->sums.error));
    lab_about(l, "rs_alu_entries", width, fmax(1, w->sums.error));
    for (unsigned k = 0; k < COUNT(none); k++)
        lab_about(l, none[k], 0, 0);
    lab_found(l, "vector_second_ports", NAN, NAN, "-");
    const bool fewer = w->late_loads.jump && w->late_loads.width < 0.9 * width;
    return lab_about(l, "rs_address_entries", fewer ? w->late_loads.width : width, 1);
}

/* Of two schedulers of vectors, as the start may have them, each has half of the places. @return how many
 * wait in all; NaN: not known */
static double vector_schedulers(lab *l, const waiting *w, double group)
{
    const window *in_order = &w->vectors_in_order;
    /* the MOVD is a vector µop that waits, too */
    double all = fmax(w->vectors.width, w->shuffles.width) + group + 1;
    double width = round(in_order->jump ? in_order->width + VECTOR_LINKS - 3 : in_order->width);
    if (isnan(all) || isnan(width) || width > all) {
        lab_undecided(l, "vector_scheduler_entries", "no bend for vector µops that wait");
        lab_undecided(l, "vector_queue_entries", "no bend for vector µops that wait");
        return NAN;
    }
    const double schedulers = lab_number(l, "vector_second_ports", 0) > 0 ? 2 : 1;
    lab_about(l, "vector_scheduler_entries", floor(width / schedulers), in_order->jump ? 4 / schedulers : 1);
    lab_about(l, "vector_queue_entries", round(all - width), in_order->jump ? 4 : 1);
    return all;
}

static int several_schedulers(lab *l, const waiting *w)
{
    double sums = round(w->sums.width + group_of(l)), loads = w->loads.width + w->loads_a_cycle - 1;
    lab_about(l, "alu_scheduler_entries", sums, fmax(1, w->sums.error));
    lab_about(l, "address_scheduler_entries", loads, 1);
    if (w->both.width > 1.25 * fmax(w->sums.width, w->loads.width))
        lab_about(l, "shared_scheduler_entries", 0, 0);
    else
        lab_undecided(l, "shared_scheduler_entries",
                      "%.0f additions and loads wait: together in one place, or in several that they share",
                      w->both.width);
    const double in_vectors = vector_schedulers(l, w, lab_number(l, "issue_width", 4)),
                 sum = sums + loads + fmax(in_vectors, 0);
    lab_undecided(l, "vector_second_ports",
                  "two schedulers of vectors and one of as many places look alike here");
    /* of no account beside the others: as many as these hold */
    static const char *const all[] = {"rs_entries", "rs_alu_entries", "rs_address_entries"};
    for (unsigned k = 0; k < COUNT(all); k++)
        isnan(in_vectors) ? lab_at_least(l, all[k], sum, "%.0f without vectors", sum)
                          : lab_about(l, all[k], fmin(sum, 400), 2);
    return l->failed;
}

int learn_schedulers(lab *l)
{
    waiting w;
    find_windows(l, &w);
    double sums = w.sums.width, loads = w.loads.width;
    if (isnan(sums))
        return lab_undecided(l, "rs_entries", "no bend up to %d additions that wait", MOST);
    double near = 3 + 0.04 * sums;
    bool loads_alike = fabs(loads - sums) <= near && !w.loads.jump,
         vectors_alike = fabs(w.shuffles.width - sums) <= near || fabs(w.vectors.width - sums) <= near;
    if (loads_alike && vectors_alike)
        return one_scheduler(l, &w);
    if (isnan(loads) || loads_alike)
        return lab_undecided(l, "rs_entries",
                             "µops of general registers and loads wait in one scheduler (%.0f), "
                             "vectors in another: not known to the simulation",
                             sums);
    return several_schedulers(l, &w);
}

/* ---- the reorder buffer, registers, the store buffer ---- */

static const char *const nops[] = {"nop dword ptr [rax+1]"};
static const char *const idioms[] = {"pxor xmm15, xmm15"}, *const vex_idioms[] = {
                                                               "vpxor xmm15, xmm15, xmm15"};
static const char *const moves[] = {"mov ecx, 1"};
static const char *const stores[] = {"mov [rsi], rbx"};

static void with_both_chains(lab *l, window_spec *spec, window out[2])
{
    const window_chain of_vectors = vector_chain(l), of_integers = integer_chain(l);
    for (int k = 0; k < 2; k++) {
        spec->chain = k ? &of_integers : &of_vectors;
        out[k] = window_find(l, spec);
    }
}

/* Of those that are known. */
static double mean_of(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : (a + b) / 2;
}

/* The size that so many of some kind behind a chain show, `each` of them in an entry. */
static double size_by(const lab *l, const window w[2], double each)
{
    double size = mean_of(w[0].width, w[1].width) / each + group_of(l);
    /* Narrow groups come a little earlier than on the average of their places. */
    return size + 0.27 * (6 - lab_number(l, "issue_width", 6));
}

/* NOPs and zero idioms must show the same size, where both could be timed. Joined NOPs are two in an entry.
 */
int learn_reorder_buffer(lab *l)
{
    window w[2], second[2];
    window_spec by_nops = {"reorder buffer", "NOPs behind a chain", NULL, NULL, nops, COUNT(nops), 0, 768},
                by_idioms = by_nops;
    by_idioms.title = "reorder buffer by zero idioms";
    by_idioms.x_name = "zero idioms behind a chain";
    const bool joined = lab_is(l, JOINED_NOPS); /* as in lab_filler */
    by_idioms.others = joined ? vex_idioms : idioms;
    window_counter(l);
    with_both_chains(l, &by_nops, w);
    with_both_chains(l, &by_idioms, second);
    double nop_size = size_by(l, w, joined ? 2 : 1), idiom_size = size_by(l, second, 1),
           size = isnan(nop_size) || (joined && !isnan(idiom_size)) ? idiom_size : nop_size,
           error = fmax(w[0].error, w[1].error);
    if (isnan(size))
        return lab_undecided(l, "rob_entries", "no bend up to %u NOPs", by_nops.most);
    if (fabs(nop_size - idiom_size) > fmax(4, 0.03 * size))
        return lab_undecided(l, "rob_entries", "NOPs show %.0f, zero idioms %.0f entries", nop_size,
                             idiom_size);
    /* All that are known are made of parts of eight. */
    double even = 8 * round(size / 8);
    double value = fabs(even - size) <= 1.5 ? even : round(size);
    error = isnan(error) ? 2 : fmax(error, fabs(value - size));
    return lab_found(l, "rob_entries", size - error, size + error, "%.0f", value);
}

int learn_general_registers(lab *l)
{
    window w[2];
    window_spec spec = {
        "general registers", "MOVs of a constant behind a chain", NULL, NULL, moves, COUNT(moves), 0, 768};
    with_both_chains(l, &spec, w);
    double width = w[0].width, most = lab_number(l, "rob_entries", NAN);
    if (isnan(width) || isnan(most))
        return lab_undecided(l, "free_general_registers", "no bend up to %u MOVs", spec.most);
    const bool never = width + group_of(l) > 0.95 * most;
    return lab_about(l, "free_general_registers", never ? 0 : width + group_of(l), never ? 0 : 2);
}

int learn_store_buffer(lab *l)
{
    const window_chain chain = integer_chain(l);
    const window_spec spec = {"store buffer", "stores behind a chain", &chain, NULL,
                              stores,         COUNT(stores),           0,      320};
    const window w = window_find(l, &spec);
    double most = lab_number(l, "rob_entries", NAN);
    if (isnan(w.width) || !w.jump || w.width > 0.9 * most)
        return lab_undecided(l, "store_buffer_entries",
                             "stores behind a chain show no bend before the reorder buffer's (%.0f)", most);
    return lab_about(l, "store_buffer_entries", w.width, 1);
}
