/* learn_taken.c - branches: how many are taken a cycle, and whether one that begins a line is fused with what
 * is before it. */
#include <math.h>

#include "learn/learn_experiments.h"
#include "learn/loopset.h"

int learn_taken(lab *l)
{
    enum {
        FROM = 3,
        TO = 17,
        STEP = 2
    };
    static const char name[] = "taken_branch_width";
    loopset s = loopset_of(l);
    if (subject_core(l->s)) {
        lab_undecided(l, name, "the simulator follows loops without taken branches inside");
        return loopset_end(&s);
    }
    for (unsigned n = FROM; n <= TO; n += STEP) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        for (unsigned k = 0; k < n; k++) /* each over some bytes */
            loopset_add(&s, 1,
                        "jmp 0f; nop dword ptr [rax+rax*1+0x12345678]; "
                        "nop dword ptr [rax+rax*1+0x12345678]; 0: nop");
    }
    curve *c = loopset_draw(&s, &(sweep){.from = FROM, .step = STEP, .count = (TO - FROM) / STEP + 1},
                            "jumps over some bytes", "jumps in the loop", "cycles an iteration");
    double width = 1 / curve_slope(c, 0);
    if (width > 0.3 && width < 0.85)
        lab_found(l, name, width, width, "1");
    else if (fabs(width - round(width)) < 0.2)
        lab_about(l, name, width, 0);
    else
        lab_undecided(l, name, "%.2f jumps a cycle: no whole number", width);
    return loopset_end(&s);
}

/* A test and a branch in each of some lines of 64 bytes; the branch, never taken, begins where it is said. */
static void add_pairs(loopset *s, unsigned at)
{
    enum {
        LINES = 6,
        LINE = 64,
        FIRST = 12,
        OTHERS = 10
    };
    loopset_loop(s, TACHO_MODE_LOOP);
    loopset_fill(s, (at ? at : LINE) - 2, FIRST);
    for (unsigned k = 0; k < LINES; k++) {
        loopset_add(s, 1, "test eax, eax; .byte 0x70, 0x00"); /* jo: to what follows */
        loopset_fill(s, LINE - 4, OTHERS);
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
    loopset s = loopset_of(l);
    double elsewhere = INFINITY, issue = lab_number(l, "issue_width", 4);
    for (unsigned i = 0; i < PLACES; i++)
        add_pairs(&s, places[i]);
    loopset_time(&s);
    curve *c = loopset_curve(&s, "six fused pairs and NOPs, by where in 64 bytes the branch begins", "place",
                             "cycles an iteration");
    for (unsigned i = 0; i < PLACES; i++) {
        loopset_point(&s, c, places[i], loopset_cycles(&s, i));
        if (i)
            elsewhere = fmin(elsewhere, loopset_cycles(&s, i));
    }
    /* all slots but the branches': 12 and 6 times 10 NOPs, 6 pairs, the loop's own */
    double fused = (12 + 60 + PAIRS + 1) / issue, at_start = loopset_cycles(&s, 0) - elsewhere;
    if (!(elsewhere < 1.07 * fused))
        lab_undecided(l, name, "pairs and NOPs take longer than they are issued in, wherever they are");
    else if (near_to(loopset_cycles(&s, 0), elsewhere + PAIRS / issue, 0.02))
        lab_yes(l, name, false);
    else if (at_start < 0.3 * PAIRS / issue)
        lab_yes(l, name, true);
    else
        lab_undecided(l, name, "pairs at the start of lines take %.2f cycles more, not a slot each",
                      at_start);
    return loopset_end(&s);
}
