/* learn_dsb.c - which code the cache of µops holds. Code that it does not hold comes from the decoders, which
 * lose cycles at a length-changing prefix: so loops begin with such instructions, and those that take longer
 * by what they cost are not held. */
#include <math.h>

#include "learn/learn_experiments.h"
#include "learn/loopset.h"

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
static void add_halves(loopset *s, unsigned first, unsigned second)
{
    loopset_loop(s, TACHO_MODE_LOOP);
    loopset_add(s, FIRST / PREFIXED, prefixed);
    loopset_fill(s, HALF - FIRST, first - FIRST / PREFIXED);
    loopset_fill(s, HALF, second);
    loopset_nops(s, 4, 2);
}

/* The first x at which the curve is higher by LOST than just before; 0: there is none. */
static unsigned find_step(curve *c)
{
    double before = NAN;
    for (size_t i = 0; i < c->count; i++) {
        if (c->points[i].cycles > before + LOST) {
            c->bend = c->points[i].x;
            return (unsigned)c->points[i].x;
        }
        before = isnan(c->points[i].cycles) ? before : c->points[i].cycles;
    }
    return 0;
}

/* What the block holds, in µops; 0: any number. The finding of its bytes. */
static unsigned learn_blocks(loopset *s)
{
    for (unsigned n = LEAST; n <= MOST_FIRST; n++)
        add_halves(s, n, 4);
    curve *first = loopset_draw(s, &(sweep){.from = LEAST, .count = MOST_FIRST - LEAST + 1},
                                "instructions in the first half of a line of 64 bytes, 4 in the second",
                                "instructions", "cycles an iteration");
    if (s->l->failed)
        return 0;
    unsigned dense = find_step(first), own = dense && dense <= MOST_FIRST - 4 ? dense - 1 : MOST_FIRST - 4;
    size_t next = s->count;
    for (unsigned n = 4; n <= MOST_SECOND; n++)
        add_halves(s, own, n);
    curve *second = loopset_draw(s, &(sweep){.first = next, .from = 4, .count = MOST_SECOND - 3},
                                 "a first half of a line that is held, and others in the second", "others",
                                 "cycles an iteration");
    if (s->l->failed)
        return 0;
    unsigned both = find_step(second), most = 0;
    if (dense) {
        most = dense - 1;
        lab_found(s->l, "dsb_block_bytes", HALF, HALF, "%d", HALF);
        lab_yes(s->l, "dsb_needs_both_halves", both);
    } else if (both) {
        most = own + both - 1;
        lab_found(s->l, "dsb_block_bytes", LINE, LINE, "%d", LINE);
        lab_yes(s->l, "dsb_needs_both_halves", false);
    }
    return most;
}

/* A block as full as it can be, with a move of a large immediate, which takes two places in one line, behind
 * so many µops. */
static void add_moved(loopset *s, unsigned bytes, unsigned most, unsigned before)
{
    enum {
        MOVE = 10
    };
    unsigned nops = most - 4, rest = bytes - 2 * PREFIXED - MOVE, early = before - 2;
    loopset_loop(s, TACHO_MODE_LOOP);
    loopset_add(s, 2, prefixed);
    loopset_fill(s, rest * early / nops, early);
    loopset_add(s, 1, "mov rax, 0x123456789abcdef0");
    loopset_fill(s, rest - rest * early / nops, nops - early);
    loopset_fill(s, LINE - bytes + 8, bytes < LINE ? 8 : 2);
}

/* A place stays free where the move does not fit behind what is in the line: then the block is too full. */
static void learn_lines(loopset *s, unsigned bytes, unsigned most)
{
    if (!lab_is(s->l, "dsb_extra_slots")) {
        lab_undecided(s->l, "dsb_line_uops",
                      "%u µops of a block; no instruction is known to take two "
                      "places",
                      most);
        lab_undecided(s->l, "dsb_lines_per_block", "%u µops of a block, in lines of unknown size", most);
        return;
    }
    size_t first = s->count;
    for (unsigned before = 2; before < most - 2; before++)
        add_moved(s, bytes, most, before);
    curve *c =
        loopset_draw(s, &(sweep){.first = first, .from = 2, .count = most - 2 - 2},
                     "a large immediate in a block that is full", "µops before it", "cycles an iteration");
    if (s->l->failed)
        return;
    unsigned step = find_step(c), line = step + 1;
    if (!step || most % line != 0) {
        lab_undecided(s->l, "dsb_line_uops",
                      "%u µops of a block, in one line or in lines that a large "
                      "immediate does not tell",
                      most);
        lab_undecided(s->l, "dsb_lines_per_block", "%u µops of a block, in lines of unknown size", most);
        return;
    }
    lab_about(s->l, "dsb_line_uops", line, 0);
    lab_found(s->l, "dsb_lines_per_block", most / line, most / line, "%u", most / line);
}

/* A branch that is never taken, its last byte at `end`, in a loop of 64 bytes. */
static void add_branch(loopset *s, unsigned end)
{
    static const uint8_t jo[] = {0x70, 0x00};
    loopset_loop(s, TACHO_MODE_LOOP);
    loopset_add(s, 2, prefixed);
    loopset_fill(s, end - 1 - 2 * PREFIXED, 5);
    if (!s->l->failed)
        s->l->failed = subject_add_bytes(&s->loops[s->count - 1], jo, sizeof jo, 1, s->l->err);
    loopset_fill(s, LINE + 8 - 1 - end, 8);
}

static void learn_erratum(loopset *s)
{
    static const unsigned ends[] = {27, 29, 31, 32, 35};
    enum {
        ENDS = sizeof ends / sizeof *ends
    };
    size_t first = s->count;
    for (unsigned i = 0; i < ENDS; i++)
        add_branch(s, ends[i]);
    loopset_time(s);
    curve *c =
        loopset_curve(s, "a branch, and where in 32 bytes it ends", "its last byte", "cycles an iteration");
    for (unsigned i = 0; i < ENDS; i++)
        loopset_point(s, c, ends[i], loopset_cycles(s, first + i));
    if (s->l->failed)
        return;
    const curve_point *p = c->points;
    double inside = fmin(fmin(p[0].cycles, p[1].cycles), p[4].cycles);
    if (!(inside > 0 && p[2].cycles > 0))
        lab_undecided(s->l, "branch_ends_dsb_block", "the loops could not be timed");
    else
        lab_found(s->l, "branch_ends_dsb_block", NAN, NAN, "%s", p[2].cycles > inside + LOST ? "no" : "yes");
}

int learn_dsb(lab *l)
{
    static const char *const names[] = {"branch_ends_dsb_block", "dsb_needs_both_halves", "dsb_block_bytes",
                                        "dsb_line_uops", "dsb_lines_per_block"};
    enum {
        NAMES = sizeof names / sizeof *names
    };
    loopset s = loopset_of(l);
    const char *why = NULL;
    if (!(lab_number(l, "lcp_penalty_cycles", 0) >= 2))
        why = "nothing tells code of the cache of µops from code of the decoders";
    unsigned most = why ? 0 : learn_blocks(&s);
    if (!why)
        learn_erratum(&s);
    if (most >= LEAST)
        learn_lines(&s, (unsigned)lab_number(l, "dsb_block_bytes", LINE), most);
    for (unsigned i = 0; i < NAMES; i++)
        if (!lab_finding(l, names[i]))
            lab_undecided(l, names[i], "%s", why ? why : "no code is too dense to be held");
    return loopset_end(&s);
}
