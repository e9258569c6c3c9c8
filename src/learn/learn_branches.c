/* learn_branches.c - branches: what a mispredicted one costs, how many are taken a cycle, and whether one
 * that begins a line is fused with what is before it. */
#include <math.h>

#include "learn/lab.h"

enum {
    FEWEST = 4,
    STEP = 4,
    POINTS = 6
};

/* Branches to the next instruction by bits of EAX, which are random, or of EBX, which stay the same. */
static void add_branches(lab *l, const char *number, const char *tested)
{
    for (unsigned i = 0; i < POINTS; i++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_value(l, 3, 0);
        lab_code(l, 1, "rdrand %s", number);
        for (unsigned k = 0; k < FEWEST + STEP * i; k++)
            lab_code(l, 1, "test %s, %u; jnz 1f; 1: nop", tested, 2u << k);
    }
}

/* A measured loop does the same each time it runs, and predictors learn thousands of outcomes by heart: only
 * random numbers of the processor's own are news. */
int learn_mispredictions(lab *l)
{
    if (l->s->predictor)
        return lab_moot(l, "mispredict_cycles", "the simulator foresees all branches");
    const axis of = {.from = FEWEST, .step = STEP, .count = POINTS};
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
