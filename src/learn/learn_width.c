/* learn_width.c - how many µops are issued and retired a cycle, and whether NOPs take a slot each. */
#include <math.h>

#include "learn/learn_experiments.h"
#include "learn/loopset.h"

enum {
    FROM = 24,
    STEP = 24,
    POINTS = 9
};

/* Which length of NOPs the front end likes best is not known, nor whether NOPs are joined with what is before
 * them: so no kind is believed alone. */
typedef enum kind {
    LONG_NOPS,
    NOPS,
    NOPS_OF_5,
    MIXED, /* with a zero idiom before each NOP of 8 bytes */
    SUMS,
    VECTORS,
    MOVES,
    TRIPLES, /* two NOPs behind each zero idiom */
    KINDS
} kind;

enum {
    MIXED_BYTES = 5, /* of an instruction, on the average */
    LONG = 8,
};

static const struct {
    const char *title, *text; /* NULL: NOPs alone */
    unsigned bytes, nops;     /* of a NOP; NOPs behind each instruction */
} kinds[KINDS] = {
    [LONG_NOPS] = {"NOPs of 8 bytes", NULL, LONG, 1},
    [NOPS] = {"NOPs of 4 bytes", NULL, 4, 1},
    [NOPS_OF_5] = {"NOPs of 5 bytes", NULL, 5, 1},
    [MIXED] = {"NOPs of 8 bytes, every second one a zero idiom", "xor eax, eax", LONG, 1},
    [SUMS] = {"zero idioms", "xor eax, eax", 0, 0},
    [VECTORS] = {"zero idioms of vectors", "pxor xmm15, xmm15", 0, 0},
    [MOVES] = {"moves", "mov rcx, rdx", 0, 0},
    [TRIPLES] = {"NOPs of 4 bytes, every third one a zero idiom", "xor eax, eax", 4, 2},
};

static void add_kind(loopset *s, unsigned k, unsigned count)
{
    const unsigned nops = kinds[k].nops;
    loopset_loop(s, TACHO_MODE_LOOP);
    if (!kinds[k].text) {
        loopset_nops(s, kinds[k].bytes, count);
        return;
    }
    for (unsigned i = 0; i < count; i += 1 + nops) {
        if (nops == 1) /* as learning has asked it since its first version: records know it so */
            loopset_nops(s, kinds[k].bytes, 1);
        loopset_add(s, 1, "%s", kinds[k].text);
        if (nops > 1)
            loopset_nops(s, kinds[k].bytes, nops);
    }
}

/* Of two rates that need not be known. */
static double faster(double a, double b)
{
    return b > a || isnan(a) ? b : a;
}

/* Zero idioms and moves may be held up by ports or the renamer where NOPs are not. Joined NOPs show where two
 * stand behind one zero idiom: these three take two slots. Without these loops, as in an old record: NOPs of
 * 8 bytes, two of which are too long to be joined, come faster where every second one is a zero idiom, and
 * then with more bytes a cycle: so bytes were not what held them up. */
static bool are_joined(const double rate[KINDS], double nops, double others)
{
    if (!isnan(rate[TRIPLES]) && !isnan(others))
        return nops > 1.5 * others && near_to(rate[TRIPLES], 1.5 * others, 0.08);
    return near_to(nops, 2 * rate[LONG_NOPS], 0.06) && near_to(rate[MIXED], nops, 0.06) &&
           rate[MIXED] * MIXED_BYTES > 1.1 * rate[LONG_NOPS] * LONG;
}

/* Two kinds have to agree. */
static int say_width(loopset *s, const double rate[KINDS])
{
    lab *l = s->l;
    const double nops = faster(rate[NOPS], rate[NOPS_OF_5]),
                 others = faster(faster(rate[SUMS], rate[VECTORS]), rate[MOVES]),
                 second = faster(others, rate[LONG_NOPS]);
    const bool joined = are_joined(rate, nops, others),
               slow_others = rate[TRIPLES] > 0.93 * nops || (isnan(others) && near_to(nops, second, 0.06));
    double width = joined ? second : nops;
    if (isnan(nops) || (!joined && !slow_others && !near_to(nops, others, 0.06)))
        return lab_undecided(
            l, "issue_width",
            "NOPs take a cycle for %.2f of them, zero idioms and moves for %.2f: no two kinds of "
            "instructions agree",
            nops, others);
    if (fabs(width - round(width)) > 0.15)
        return lab_undecided(l, "issue_width", "NOPs take a cycle for %.2f of them: no whole number", width);
    lab_about(l, "issue_width", width, 0);
    return !joined && isnan(others) ? l->failed : lab_yes(l, JOINED_NOPS, joined);
}

int learn_issue_width(lab *l)
{
    loopset s = loopset_of(l);
    double rate[KINDS];
    for (unsigned k = 0; k < KINDS; k++)
        for (unsigned i = 0; i < POINTS; i++)
            add_kind(&s, k, FROM + STEP * i);
    for (unsigned k = 0; k < KINDS; k++) {
        const sweep of = {.first = k * POINTS, .from = FROM, .step = STEP, .count = POINTS};
        curve *c = loopset_draw(&s, &of, kinds[k].title, "instructions in the loop", "cycles an iteration");
        rate[k] = 1 / curve_slope(c, 0);
    }
    if (!l->failed)
        say_width(&s, rate);
    return loopset_end(&s);
}

/* ---- retirement ---- */

/* A chain of multiplications, NOPs behind it, and a fence that waits until all have retired: while the chain
 * runs the NOPs are issued, behind it they retire. */
int learn_retire_width(lab *l)
{
    enum {
        CHAIN = 48,
        MOST = 96,
        EVERY = 8
    };
    loopset s = loopset_of(l);
    for (unsigned n = 0; n <= MOST; n += EVERY) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        loopset_add(&s, CHAIN, "imul rax, rax");
        loopset_nops(&s, 4, n);
        loopset_add(&s, 1, "lfence");
    }
    curve *c =
        loopset_draw(&s, &(sweep){.step = EVERY, .count = MOST / EVERY + 1},
                     "NOPs that retire between a slow chain and a fence", "NOPs", "cycles an iteration");
    double width = 1 / curve_slope(c, 2), issue = lab_number(l, "issue_width", NAN);
    if (isnan(width))
        lab_undecided(l, "retire_width", "the loops could not be timed");
    else if (!(width > 0) || width > 64 || fabs(width - round(width)) > 0.25)
        lab_undecided(l, "retire_width", "%.2f NOPs a cycle retire before a fence: no whole number", width);
    else if (width < issue - 0.5)
        lab_undecided(l, "retire_width", "fewer NOPs a cycle retire before a fence (%.2f) than are issued",
                      width);
    else
        lab_about(l, "retire_width", width, 0);
    return loopset_end(&s);
}
