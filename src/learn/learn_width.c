/* learn_width.c - how many µops are issued and retired a cycle, and whether NOPs take a slot each. */

#include "learn/lab.h"

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

static void add_kind(lab *l, unsigned k, unsigned count)
{
    const unsigned nops = kinds[k].nops;
    lab_loop(l, TACHO_MODE_LOOP);
    if (!kinds[k].text) {
        lab_nops(l, kinds[k].bytes, count);
        return;
    }
    for (unsigned i = 0; i < count; i += 1 + nops) {
        if (nops == 1) /* as learning has asked it since its first version: records know it so */
            lab_nops(l, kinds[k].bytes, 1);
        lab_code(l, 1, "%s", kinds[k].text);
        if (nops > 1)
            lab_nops(l, kinds[k].bytes, nops);
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

/* Two kinds have to agree. Zero idioms and moves are short, and caches of µops may give lines that are so
 * full more slowly (Zen 5): where NOPs are too slow to be joined, one beside each zero idiom is a kind, too.
 */
static int say_width(lab *l, const double rate[KINDS])
{
    const double nops = faster(rate[NOPS], rate[NOPS_OF_5]),
                 others = faster(faster(rate[SUMS], rate[VECTORS]), rate[MOVES]),
                 second = faster(others, rate[LONG_NOPS]),
                 agreeing = nops > 1.5 * others ? others : faster(others, rate[MIXED]);
    const bool joined = are_joined(rate, nops, others),
               slow_others = rate[TRIPLES] > 0.93 * nops || (isnan(others) && near_to(nops, second, 0.06));
    double width = joined ? second : nops;
    if (isnan(nops) || (!joined && !slow_others && !near_to(nops, agreeing, 0.06)))
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
    double rate[KINDS];
    for (unsigned k = 0; k < KINDS; k++)
        for (unsigned i = 0; i < POINTS; i++)
            add_kind(l, k, FROM + STEP * i);
    for (unsigned k = 0; k < KINDS; k++)
        rate[k] =
            1 / curve_slope(lab_draw(l, kinds[k].title, "instructions in the loop", "cycles an iteration",
                                     (axis){.from = FROM, .step = STEP, .count = POINTS}),
                            0);
    return say_width(l, rate);
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
    static const char name[] = "retire_width";
    for (unsigned n = 0; n <= MOST; n += EVERY) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_code(l, CHAIN, "imul rax, rax");
        lab_nops(l, 4, n);
        lab_code(l, 1, "lfence");
    }
    curve *c = lab_draw(l, "NOPs that retire between a slow chain and a fence", "NOPs", "cycles an iteration",
                        (axis){.step = EVERY});
    double width = 1 / curve_slope(c, 2), issue = lab_number(l, "issue_width", NAN);
    if (isnan(width))
        return lab_untimed(l, name);
    if (!(width > 0) || width > 64 || fabs(width - round(width)) > 0.25)
        return lab_undecided(l, name, "%.2f NOPs a cycle retire before a fence: no whole number", width);
    if (width < issue - 0.5)
        return lab_undecided(l, name, "fewer NOPs a cycle retire before a fence (%.2f) than are issued",
                             width);
    return lab_about(l, name, width, 0);
}

/* ---- branches ---- */

/* Branches: what a mispredicted one costs, how many are taken a cycle, and whether one that begins a line is
 * fused with what is before it. */

enum {
    BRANCH_FEWEST = 4,
    BRANCH_STEP = 4,
    BRANCH_POINTS = 6
};

/* Branches to the next instruction by bits of EAX, which are random, or of EBX, which stay the same. */
static void add_branches(lab *l, const char *number, const char *tested)
{
    for (unsigned i = 0; i < BRANCH_POINTS; i++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_value(l, 3, 0);
        lab_code(l, 1, "rdrand %s", number);
        for (unsigned k = 0; k < BRANCH_FEWEST + BRANCH_STEP * i; k++)
            lab_code(l, 1, "test %s, %u; jnz 1f; 1: nop", tested, 2u << k);
    }
}

/* A measured loop does the same each time it runs, and predictors learn thousands of outcomes by heart: only
 * random numbers of the processor's own are news. */
int learn_mispredictions(lab *l)
{
    if (l->s->predictor)
        return lab_moot(l, "mispredict_cycles", "the simulator foresees all branches");
    const axis of = {.from = BRANCH_FEWEST, .step = BRANCH_STEP, .count = BRANCH_POINTS};
    add_branches(l, "rax", "eax");
    add_branches(l, "rcx", "ebx");
    curve *c = lab_draw(l, "branches by random bits", "branches", "cycles an iteration", of),
          *sure = lab_draw(l, "branches that are always alike", "branches", "cycles an iteration", of);
    /* The first few may be executed while the next random number is made. */
    double each = curve_slope(c, 1), alike = curve_slope(sure, 1);
    if (isnan(each) || isnan(alike))
        return lab_undecided(l, "mispredict_cycles",
                             "there are no random numbers (RDRAND), or they are not stable");
    if (each - alike < 2)
        return lab_undecided(l, "mispredict_cycles", "branches by random numbers take no longer than others");
    return lab_found(l, "mispredict_cycles", 2 * (each - alike), 2 * each, "%.0f", 2 * each - alike);
}

int learn_taken(lab *l)
{
    enum {
        LEAST = 3,
        MOST = 17,
        EVERY = 2
    };
    static const char name[] = "taken_branch_width";
    if (l->s->predictor)
        return lab_moot(l, name, "the simulator follows loops without taken branches inside");
    for (unsigned n = LEAST; n <= MOST; n += EVERY) {
        lab_loop(l, TACHO_MODE_LOOP);
        for (unsigned k = 0; k < n; k++) /* each over some bytes */
            lab_code(l, 1,
                     "jmp 0f; nop dword ptr [rax+rax*1+0x12345678]; "
                     "nop dword ptr [rax+rax*1+0x12345678]; 0: nop");
    }
    curve *c = lab_draw(l, "jumps over some bytes", "jumps in the loop", "cycles an iteration",
                        (axis){.from = LEAST, .step = EVERY});
    double width = 1 / curve_slope(c, 0);
    if (width > 0.3 && width < 0.85)
        return lab_found(l, name, width, width, "1");
    if (fabs(width - round(width)) < 0.2)
        return lab_about(l, name, width, 0);
    return lab_undecided(l, name, "%.2f jumps a cycle: no whole number", width);
}

/* A test and a branch in each of some lines of 64 bytes; the branch, never taken, begins where it is said. */
static void add_pairs(lab *l, unsigned at, unsigned pairs)
{
    enum {
        LINE = 64,
        FIRST = 12,
        OTHERS = 10
    };
    lab_loop(l, TACHO_MODE_LOOP);
    lab_fill(l, (at ? at : LINE) - 2, FIRST);
    for (unsigned k = 0; k < pairs; k++) {
        lab_code(l, 1, "test eax, eax; .byte 0x70, 0x00"); /* jo: to what follows */
        lab_fill(l, LINE - 4, OTHERS);
    }
}

int learn_line_start(lab *l)
{
    static const unsigned places[] = {0, 40, 44, 52};
    enum {
        PLACES = sizeof places / sizeof *places,
        PAIRS = 6
    };
    static const char name[] = "fuses_at_line_start";
    double elsewhere = INFINITY, issue = lab_number(l, "issue_width", 4);
    for (unsigned i = 0; i < PLACES; i++)
        add_pairs(l, places[i], PAIRS);
    lab_time(l);
    curve *c = lab_curve(l, "six fused pairs and NOPs, by where in 64 bytes the branch begins", "place",
                         "cycles an iteration");
    for (unsigned i = 0; i < PLACES; i++) {
        curve_add(l, c, places[i], lab_timed(l, i));
        elsewhere = i ? fmin(elsewhere, lab_timed(l, i)) : elsewhere;
    }
    /* all slots but the branches': 12 and 6 times 10 NOPs, 6 pairs, the loop's own */
    double fused = (12 + 60 + PAIRS + 1) / issue, at_start = lab_timed(l, 0) - elsewhere;
    if (!(elsewhere < 1.07 * fused))
        return lab_undecided(l, name,
                             "pairs and NOPs take longer than they are issued in, wherever they are");
    const bool apart = near_to(lab_timed(l, 0), elsewhere + PAIRS / issue, 0.02);
    if (apart || at_start < 0.3 * PAIRS / issue)
        return lab_yes(l, name, !apart);
    return lab_undecided(l, name, "pairs at the start of lines take %.2f cycles more, not a slot each",
                         at_start);
}
