/* learn_dsb.c - the cache of µops: rows of lines, constants, and which code it holds. */

#include "learn/lab.h"

/* ---- rows ---- */

/* A cache of µops whose lines of code come in rows: what fills more rows than leave at a time is read again
 * later, so that a line of more and more instructions takes the same until another row is full. */

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

/* ---- large immediates ---- */

/* Large immediates in the cache of µops. On Intel's cores one takes two places, and a cycle gives one of
 * them. */

enum {
    MOVES = 64,
    MOST_NOPS = 8,
    LEAST_WIDTH = 3,
    MOST_WIDTH = 8
};

/* The mean relative difference of the curve from what a DSB of that width gives, if a cycle ends with a large
 * immediate or not. */
static double misfit(const curve *c, unsigned width, bool ends, double issue)
{
    double sum = 0;
    unsigned n = 0;
    for (size_t i = 0; c && i < c->count; i++) {
        double k = c->points[i].x, cycles = ends ? ceil((k + 2) / width) : fmax(1, (k + 2) / width),
               expected = fmax(cycles, (k + 1) / issue);
        if (isnan(c->points[i].cycles))
            continue;
        sum += fabs(c->points[i].cycles / expected - 1);
        n++;
    }
    return n ? sum / n : INFINITY;
}

static int say_what_ends(lab *l, const curve *c)
{
    double best[2] = {INFINITY, INFINITY}, issue = lab_number(l, "issue_width", 4);
    unsigned width[2] = {0};
    for (unsigned w = LEAST_WIDTH; w <= MOST_WIDTH; w++)
        for (unsigned ends = 0; ends < 2; ends++) {
            double now = misfit(c, w, ends, issue);
            if (now < best[ends]) {
                best[ends] = now;
                width[ends] = w;
            }
        }
    bool ends = best[1] < best[0];
    if (best[ends] > 0.1 || best[ends] > 0.8 * best[!ends])
        return lab_undecided(l, "dsb_extra_slot_ends_cycle",
                             "NOPs beside large immediates show no steps, nor that there are none");
    if (ends)
        lab_about(l, "places_by_immediates", width[1], 0);
    return lab_yes(l, "dsb_extra_slot_ends_cycle", ends);
}

/* So many that a loop of them is too long for a loop stream detector. */
static double moves_for(const lab *l, unsigned nops)
{
    return fmax(MOVES, ceil((lab_number(l, "idq_entries", 0) + 8) / (nops + 1)));
}

int learn_immediates(lab *l)
{
    for (unsigned k = 0; k <= MOST_NOPS; k++) {
        lab_loop(l, TACHO_MODE_LOOP);
        for (unsigned n = 0; n < (unsigned)moves_for(l, k); n++) {
            lab_code(l, 1, "mov rax, 0x123456789abcdef0");
            lab_nops(l, 3, k);
        }
    }
    lab_loop(l, TACHO_MODE_LOOP);
    lab_nops(l, 10, MOVES);
    lab_time(l);
    curve *c = lab_curve(l, "NOPs behind each move of an immediate of 64 bits", "NOPs", "cycles a move");
    for (unsigned k = 0; k <= MOST_NOPS; k++)
        curve_add(l, c, k, lab_timed(l, k) / moves_for(l, k));
    double nop = lab_timed(l, MOST_NOPS + 1) / MOVES, each = curve_at(c, 0);
    if (!(each > 0 && nop > 0)) {
        lab_untimed(l, "dsb_extra_slots");
        return lab_untimed(l, "dsb_extra_slot_ends_cycle");
    }
    const bool extra = each >= 0.9 && each >= 1.5 * nop;
    lab_yes(l, "dsb_extra_slots", extra);
    return extra ? say_what_ends(l, c)
                 : lab_moot(l, "dsb_extra_slot_ends_cycle", "large immediates take no places of their own");
}

/* ---- which code is held ---- */

/* Code that the cache does not hold comes from the decoders, which lose cycles at a length-changing prefix:
 * so loops begin with such instructions, and those that take longer by what they cost are not held. */

enum {
    HALF = 32,
    LINE = 64,
    PREFIXED = 4, /* bytes of an instruction with such a prefix */
    FIRST = 16,   /* bytes of four of these */
    LEAST = 8,
    MOST_FIRST = 20, /* four of these and as many NOPs as there is room for */
    MOST_SECOND = 32,
    LOST = 3 /* cycles that tell the decoders from the cache */
};

static const char prefixed[] = "mov cx, 0x1234";

/* So many instructions in the first half of a line of 64 bytes, so many in the second. The branch lies
 * behind. */
static void add_halves(lab *l, unsigned first, unsigned second)
{
    lab_loop(l, TACHO_MODE_LOOP);
    lab_code(l, FIRST / PREFIXED, prefixed);
    lab_fill(l, HALF - FIRST, first - FIRST / PREFIXED);
    lab_fill(l, HALF, second);
    lab_nops(l, 4, 2);
}

/* The first x at which the curve is higher by LOST than just before; 0: there is none. */
static unsigned find_step(curve *c)
{
    double before = NAN;
    for (size_t i = 0; c && i < c->count; i++) {
        if (c->points[i].cycles > before + LOST) {
            c->bend = c->points[i].x;
            return (unsigned)c->points[i].x;
        }
        before = isnan(c->points[i].cycles) ? before : c->points[i].cycles;
    }
    return 0;
}

/* What the block holds, in µops; 0: any number. The finding of its bytes. */
static unsigned learn_blocks(lab *l)
{
    for (unsigned n = LEAST; n <= MOST_FIRST; n++)
        add_halves(l, n, 4);
    unsigned dense = find_step(
                 lab_draw(l, "instructions in the first half of a line of 64 bytes, 4 in the second",
                          "instructions", "cycles an iteration", (axis){.from = LEAST})),
             own = dense && dense <= MOST_FIRST - 4 ? dense - 1 : MOST_FIRST - 4;
    for (unsigned n = 4; n <= MOST_SECOND; n++)
        add_halves(l, own, n);
    unsigned both = find_step(lab_draw(l, "a first half of a line that is held, and others in the second",
                                       "others", "cycles an iteration", (axis){.from = 4}));
    if (dense || both) {
        lab_about(l, "dsb_block_bytes", dense ? HALF : LINE, 0);
        lab_yes(l, "dsb_needs_both_halves", dense && both);
    }
    return dense ? dense - 1 : both ? own + both - 1 : 0;
}

/* A block as full as it can be, with a move of a large immediate, which takes two places in one line, behind
 * so many µops. */
static void add_moved(lab *l, unsigned bytes, unsigned most, unsigned before)
{
    enum {
        MOVE = 10
    };
    unsigned nops = most - 4, rest = bytes - 2 * PREFIXED - MOVE, early = before - 2;
    lab_loop(l, TACHO_MODE_LOOP);
    lab_code(l, 2, prefixed);
    lab_fill(l, rest * early / nops, early);
    lab_code(l, 1, "mov rax, 0x123456789abcdef0");
    lab_fill(l, rest - rest * early / nops, nops - early);
    lab_fill(l, LINE - bytes + 8, bytes < LINE ? 8 : 2);
}

static void say_no_lines(lab *l, unsigned most, const char *why)
{
    lab_undecided(l, "dsb_line_uops", "%u µops of a block%s", most, why);
    lab_undecided(l, "dsb_lines_per_block", "%u µops of a block, in lines of unknown size", most);
}

/* A place stays free where the move does not fit behind what is in the line: then the block is too full. */
static void learn_lines(lab *l, unsigned bytes, unsigned most)
{
    if (!lab_is(l, "dsb_extra_slots")) {
        say_no_lines(l, most, "; no instruction is known to take two places");
        return;
    }
    for (unsigned before = 2; before < most - 2; before++)
        add_moved(l, bytes, most, before);
    unsigned step = find_step(lab_draw(l, "a large immediate in a block that is full", "µops before it",
                                       "cycles an iteration", (axis){.from = 2})),
             line = step + 1;
    if (!step || most % line != 0) {
        say_no_lines(l, most, ", in one line or in lines that a large immediate does not tell");
        return;
    }
    lab_about(l, "dsb_line_uops", line, 0);
    lab_about(l, "dsb_lines_per_block", most / line, 0);
}

/* A branch that is never taken, its last byte at `end`, in a loop of 64 bytes. */
static void add_branch(lab *l, unsigned end)
{
    static const uint8_t jo[] = {0x70, 0x00};
    lab_loop(l, TACHO_MODE_LOOP);
    lab_code(l, 2, prefixed);
    lab_fill(l, end - 1 - 2 * PREFIXED, 5);
    lab_bytes(l, jo, sizeof jo, 1);
    lab_fill(l, LINE + 8 - 1 - end, 8);
}

static void learn_erratum(lab *l)
{
    static const unsigned ends[] = {27, 29, 31, 32, 35};
    enum {
        ENDS = sizeof ends / sizeof *ends
    };
    const size_t first = l->loop_count;
    for (unsigned i = 0; i < ENDS; i++)
        add_branch(l, ends[i]);
    lab_time(l);
    curve *c =
        lab_curve(l, "a branch, and where in 32 bytes it ends", "its last byte", "cycles an iteration");
    for (unsigned i = 0; i < ENDS; i++)
        curve_add(l, c, ends[i], lab_timed(l, first + i));
    l->drawn = l->loop_count;
    double inside = fmin(fmin(curve_at(c, 0), curve_at(c, 1)), curve_at(c, 4));
    lab_less(l, "branch_ends_dsb_block", curve_at(c, 2), inside + LOST);
}

int learn_dsb(lab *l)
{
    static const char *const names[] = {"branch_ends_dsb_block", "dsb_needs_both_halves", "dsb_block_bytes",
                                        "dsb_line_uops", "dsb_lines_per_block"};
    const bool told = lab_number(l, "lcp_penalty_cycles", 0) >= 2;
    unsigned most = told ? learn_blocks(l) : 0;
    if (told)
        learn_erratum(l);
    if (most >= LEAST)
        learn_lines(l, (unsigned)lab_number(l, "dsb_block_bytes", LINE), most);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!lab_finding(l, names[i]))
            lab_undecided(l, names[i], "%s",
                          told ? "no code is too dense to be held"
                               : "nothing tells code of the cache of µops from code of the decoders");
    return l->failed;
}
