/* learn_code_rows.c - a cache of µops whose lines of code come in rows: what fills more rows than leave at a
 * time is read again later, so that a line of more and more instructions takes the same until another row is
 * full.
 */
#include <math.h>

#include "learn/experiments.h"

enum {
    CODE_LINE = 64, /* bytes */
    LINES = 8,
    FROM = 8,
    TO = 40, /* instructions of a line */
    LEAST_RUN = 5,
    MOST_ROWS = 4
};

/* Where the curve is level, though issue takes more and more. */
typedef struct plateau {
    unsigned first, last; /* instructions of a line; 0: there is none */
    double cycles;        /* a line */
} plateau;

static plateau find_plateau(const curve *c, double issue)
{
    plateau out = {0};
    for (size_t i = 0; c && i < c->count && !out.first; i++) {
        size_t end = i;
        while (end + 1 < c->count && near_to(curve_at(c, end + 1), c->points[i].cycles, 0.012))
            end++;
        if (end - i + 1 >= LEAST_RUN && c->points[i].cycles > 1.1 * c->points[i].x / issue)
            out = (plateau){(unsigned)c->points[i].x, (unsigned)c->points[end].x, c->points[i].cycles};
    }
    return out;
}

/* It begins when the row after those that leave is full, and ends when as many again are: (rows + 1) and
 * twice `rows` times what a row holds. */
static unsigned rows_of(const plateau *p)
{
    double ratio = (double)p->last / p->first;
    unsigned best = 2;
    for (unsigned rows = 2; rows <= MOST_ROWS; rows++)
        if (fabs(ratio - 2.0 * rows / (rows + 1)) < fabs(ratio - 2.0 * best / (best + 1)))
            best = rows;
    return best;
}

static int say_none(lab *l)
{
    lab_found(l, "dsb_rows", NAN, NAN, "0");
    lab_moot(l, "dsb_row_constants", "lines of code do not come in rows");
    return lab_moot(l, "dsb_again_cycles", "lines of code do not come in rows");
}

static int say_rows(lab *l, const plateau *p, bool wherever)
{
    unsigned rows = rows_of(p), line = (unsigned)round(p->first / (rows + 1.0)),
             again = (unsigned)round(p->cycles) - 1;
    lab_about(l, "dsb_rows", rows, 0);
    lab_about(l, "dsb_line_uops", line, 0);
    lab_found(l, "dsb_again_cycles", p->cycles - 1, p->cycles - 1, "%u", again);
    lab_about(l, "dsb_width", rows * line, 0);
    lab_moot(l, "dsb_lines_per_block", "lines of code come in rows, and as many as they fill");
    return wherever ? lab_about(l, "dsb_block_bytes", CODE_LINE, 0) : l->failed;
}

int learn_code_rows(lab *l)
{
    for (unsigned n = FROM; n <= TO; n++) {
        lab_loop(l, TACHO_MODE_LOOP);
        for (unsigned k = 0; k < LINES; k++)
            lab_fill(l, CODE_LINE, n);
    }
    curve *c = lab_draw(l, "NOPs that fill 64 bytes", "NOPs", "cycles for 64 bytes",
                        (axis){.from = FROM, .per = LINES});
    plateau p = find_plateau(c, lab_number(l, "issue_width", 4));
    const finding *held = lab_finding(l, "dsb_holds_copies");
    if (!p.first || p.cycles < 1.5)
        return say_none(l);
    if (is_found(held) && held->value[0] == 'n')
        return lab_undecided(l, "dsb_rows",
                             "lines of %u to %u NOPs take the same: in rows, or from the decoders", p.first,
                             p.last);
    curve_bend(c, p.first);
    const size_t uneven = lab_loop(l, TACHO_MODE_LOOP);
    for (unsigned k = 0; k < LINES; k++) {
        lab_fill(l, CODE_LINE / 2, (p.first + p.last) / 2 - 5);
        lab_fill(l, CODE_LINE / 2, 5);
    }
    lab_time(l);
    return say_rows(l, &p, near_to(lab_timed(l, uneven) / LINES, p.cycles, 0.03));
}

/* ---- displacements and immediates ---- */

enum {
    COMPARISON = 4, /* bytes, and as many places as it takes */
    MOST_COMPARED = 15
};

/* Comparisons of memory with an immediate, and NOPs, that fill a line: few NOPs, so that it is not these that
 * fill rows. */
static void add_compared(lab *l, unsigned count)
{
    unsigned rest = CODE_LINE - COMPARISON * count;
    lab_loop(l, TACHO_MODE_LOOP);
    for (unsigned k = 0; k < LINES; k++) {
        lab_code(l, count, "cmp dword ptr [rsi+8], 1");
        lab_fill(l, rest, (rest + 14) / 15);
    }
}

int learn_row_constants(lab *l)
{
    static const char name[] = "dsb_row_constants";
    double rows = lab_number(l, "dsb_rows", 0), again = lab_number(l, "dsb_again_cycles", 0);
    if (!(rows >= 1))
        return l->failed;
    for (unsigned n = 1; n <= MOST_COMPARED; n++)
        add_compared(l, n);
    curve *c = lab_draw(l, "comparisons of memory with immediates among 64 bytes", "comparisons",
                        "cycles for 64 bytes", (axis){.from = 1, .per = LINES});
    unsigned first = 1, full = (unsigned)rows + 1; /* of as many rows a line is read again */
    while (first <= MOST_COMPARED && !(curve_at(c, first - 1) > 0.97 * (1 + again)))
        first++;
    if (first > MOST_COMPARED || first % full != 0)
        return lab_undecided(l, name, "comparisons take longer from %u in a line on, or none does", first);
    curve_bend(c, first);
    first /= full;
    return lab_found(l, name, 4 * first, 4 * first + 3, "%u", 4 * first);
}

/* Loops in a line of code, whose branch takes as many places as each comparison does: with a displacement
 * four. */
int learn_issue_constants(lab *l)
{
    enum {
        LEAST = 3,
        MOST = 5
    };
    static const char name[] = "issue_constants";
    if (lab_is(l, "dsb_extra_slots"))
        return lab_moot(l, name, "the cache of µops gives a large immediate a cycle, whatever issue takes");
    for (unsigned displaced = 0; displaced < 2; displaced++)
        for (unsigned n = 1; n <= MOST; n++) {
            lab_loop(l, TACHO_MODE_LOOP);
            lab_code(l, n, displaced ? "cmp dword ptr [rsi+8], 5" : "cmp dword ptr [rsi], 5");
        }
    const axis of = {.from = 1, .count = MOST};
    curve *plain =
              lab_draw(l, "comparisons of memory with immediates", "comparisons", "cycles an iteration", of),
          *c = lab_draw(l, "the same, with displacements", "comparisons", "cycles an iteration", of);
    double sum = 0;
    unsigned slower = 0, known = 0;
    for (unsigned n = 1; n <= MOST; n++) {
        double without = curve_at(plain, n - 1), with = curve_at(c, n - 1);
        known += n >= LEAST && with > 0 && without > 0;
        if (with > 1.08 * without && with > 1.08) {
            sum += 4 * (n + 1) / with;
            slower++;
        }
    }
    double places = slower ? sum / slower : 0;
    if (known < 2)
        return lab_undecided(l, name, "comparisons could not be timed");
    if (fabs(places - round(places)) > 0.3)
        return lab_undecided(l, name,
                             "displacements and immediates take longer, but %.1f a cycle are no whole number",
                             places);
    return lab_about(l, name, places, 0);
}
