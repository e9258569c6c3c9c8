/* learn_dsb.c - which code the cache of µops holds. Code that it does not hold comes from the decoders, which
 * lose cycles at a length-changing prefix: so loops begin with such instructions, and those that take longer
 * by what they cost are not held. */
#include <math.h>

#include "learn/experiments.h"

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
