/* learn_code_rows.c - a cache of µops whose lines of code come in rows: what fills more rows than leave at a
 * time is read again later, so that a line of more and more instructions takes the same until another row is
 * full.
 */
#include <math.h>

#include "learn/learn_experiments.h"
#include "learn/loopset.h"

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
    for (size_t i = 0; i < c->count && !out.first; i++) {
        size_t end = i;
        while (end + 1 < c->count && near_to(c->points[end + 1].cycles, c->points[i].cycles, 0.012))
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

static void say_none(loopset *s)
{
    static const char *const moot[] = {"dsb_row_constants", "dsb_again_cycles"};
    lab_found(s->l, "dsb_rows", NAN, NAN, "0");
    for (unsigned i = 0; i < 2; i++)
        lab_moot(s->l, moot[i], "lines of code do not come in rows");
}

static void say_rows(loopset *s, const plateau *p, bool wherever)
{
    unsigned rows = rows_of(p), line = (unsigned)round(p->first / (rows + 1.0)),
             again = (unsigned)round(p->cycles) - 1;
    lab_about(s->l, "dsb_rows", rows, 0);
    lab_about(s->l, "dsb_line_uops", line, 0);
    lab_found(s->l, "dsb_again_cycles", p->cycles - 1, p->cycles - 1, "%u", again);
    lab_found(s->l, "dsb_width", rows * line, rows * line, "%u", rows * line);
    lab_moot(s->l, "dsb_lines_per_block", "lines of code come in rows, and as many as they fill");
    if (wherever)
        lab_found(s->l, "dsb_block_bytes", CODE_LINE, CODE_LINE, "%d", CODE_LINE);
}

int learn_code_rows(lab *l)
{
    loopset s = loopset_of(l);
    for (unsigned n = FROM; n <= TO; n++) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        for (unsigned k = 0; k < LINES; k++)
            loopset_fill(&s, CODE_LINE, n);
    }
    curve *c = loopset_draw(&s, &(sweep){.from = FROM, .count = TO - FROM + 1, .per = LINES},
                            "NOPs that fill 64 bytes", "NOPs", "cycles for 64 bytes");
    if (l->failed)
        return loopset_end(&s);
    plateau p = find_plateau(c, lab_number(l, "issue_width", 4));
    const finding *held = lab_finding(l, "dsb_holds_copies");
    bool decoded = held && held->state == FINDING_MEASURED && held->value[0] == 'n';
    if (!p.first || p.cycles < 1.5) {
        say_none(&s);
        return loopset_end(&s);
    }
    if (decoded) {
        lab_undecided(l, "dsb_rows", "lines of %u to %u NOPs take the same: in rows, or from the decoders",
                      p.first, p.last);
        return loopset_end(&s);
    }
    c->bend = p.first;
    unsigned most = (p.first + p.last) / 2;
    loopset_loop(&s, TACHO_MODE_LOOP);
    for (unsigned k = 0; k < LINES; k++) {
        loopset_fill(&s, CODE_LINE / 2, most - 5);
        loopset_fill(&s, CODE_LINE / 2, 5);
    }
    loopset_time(&s);
    say_rows(&s, &p, near_to(loopset_cycles(&s, TO - FROM + 1) / LINES, p.cycles, 0.03));
    return loopset_end(&s);
}

/* ---- displacements and immediates ---- */

enum {
    COMPARISON = 4, /* bytes, and as many places as it takes */
    MOST_COMPARED = 15
};

/* Comparisons of memory with an immediate, and NOPs, that fill a line: few NOPs, so that it is not these that
 * fill rows. */
static void add_compared(loopset *s, unsigned count)
{
    unsigned rest = CODE_LINE - COMPARISON * count;
    loopset_loop(s, TACHO_MODE_LOOP);
    for (unsigned k = 0; k < LINES; k++) {
        loopset_add(s, count, "cmp dword ptr [rsi+8], 1");
        loopset_fill(s, rest, (rest + 14) / 15);
    }
}

int learn_row_constants(lab *l)
{
    static const char name[] = "dsb_row_constants";
    loopset s = loopset_of(l);
    double rows = lab_number(l, "dsb_rows", 0), again = lab_number(l, "dsb_again_cycles", 0);
    if (!(rows >= 1))
        return loopset_end(&s);
    for (unsigned n = 1; n <= MOST_COMPARED; n++)
        add_compared(&s, n);
    curve *c = loopset_draw(&s, &(sweep){.from = 1, .count = MOST_COMPARED, .per = LINES},
                            "comparisons of memory with immediates among 64 bytes", "comparisons",
                            "cycles for 64 bytes");
    unsigned first = 1, full = (unsigned)rows + 1; /* of as many rows a line is read again */
    while (!l->failed && first <= MOST_COMPARED && !(c->points[first - 1].cycles > 0.97 * (1 + again)))
        first++;
    if (!l->failed && first <= MOST_COMPARED && first % full == 0) {
        c->bend = first;
        first /= full;
        lab_found(l, name, 4 * first, 4 * first + 3, "%u", 4 * first);
    } else {
        lab_undecided(l, name, "comparisons take longer from %u in a line on, or none does", first);
    }
    return loopset_end(&s);
}

/* A loop in a line of code, whose branch takes as many places as each comparison does: with a displacement
 * four. */
static void add_in_line(loopset *s, unsigned count, bool displaced)
{
    loopset_loop(s, TACHO_MODE_LOOP);
    loopset_add(s, count, displaced ? "cmp dword ptr [rsi+8], 5" : "cmp dword ptr [rsi], 5");
}

int learn_issue_constants(lab *l)
{
    enum {
        LEAST = 3,
        MOST = 5
    };
    static const char name[] = "issue_constants";
    loopset s = loopset_of(l);
    if (lab_is(l, "dsb_extra_slots")) {
        lab_moot(l, name, "the cache of µops gives a large immediate a cycle, whatever issue takes");
        return loopset_end(&s);
    }
    for (unsigned displaced = 0; displaced < 2; displaced++)
        for (unsigned n = 1; n <= MOST; n++)
            add_in_line(&s, n, displaced);
    loopset_time(&s);
    curve *plain = loopset_curve(&s, "comparisons of memory with immediates", "comparisons",
                                 "cycles an iteration"),
          *c = loopset_curve(&s, "the same, with displacements", "comparisons", "cycles an iteration");
    double sum = 0;
    unsigned slower = 0, known = 0;
    for (unsigned n = 1; n <= MOST && !l->failed; n++) {
        double without = loopset_cycles(&s, n - 1), with = loopset_cycles(&s, MOST + n - 1);
        loopset_point(&s, plain, n, without);
        loopset_point(&s, c, n, with);
        known += n >= LEAST && with > 0 && without > 0;
        if (with > 1.08 * without && with > 1.08) {
            sum += 4 * (n + 1) / with;
            slower++;
        }
    }
    double places = slower ? sum / slower : 0;
    if (known < 2)
        lab_undecided(l, name, "comparisons could not be timed");
    else if (fabs(places - round(places)) > 0.3)
        lab_undecided(l, name,
                      "displacements and immediates take longer, but %.1f a cycle are no whole "
                      "number",
                      places);
    else
        lab_about(l, name, places, 0);
    return loopset_end(&s);
}
