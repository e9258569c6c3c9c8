/* learn_branches.c - what a mispredicted branch costs. A measured loop does the same each time it runs, and
 * predictors learn thousands of outcomes by heart: only random numbers of the processor's own are news. */
#include <math.h>

#include "learn/learn_experiments.h"
#include "learn/loopset.h"

enum {
    FEWEST = 4,
    STEP = 4,
    POINTS = 6
};

/* Branches to the next instruction by bits of EAX, which are random, or of EBX, which stay the same. */
static void add_branches(loopset *s, const char *number, const char *tested, unsigned count)
{
    loopset_loop(s, TACHO_MODE_LOOP);
    loopset_value(s, 3, 0);
    loopset_add(s, 1, "rdrand %s", number);
    for (unsigned k = 0; k < count; k++)
        loopset_add(s, 1, "test %s, %u; jnz 1f; 1: nop", tested, 2u << k);
}

int learn_mispredictions(lab *l)
{
    loopset s = loopset_of(l);
    for (unsigned i = 0; i < POINTS; i++) {
        add_branches(&s, "rax", "eax", FEWEST + STEP * i);
        add_branches(&s, "rcx", "ebx", FEWEST + STEP * i);
    }
    const sweep of = {.every = 2, .from = FEWEST, .step = STEP, .count = POINTS},
                always = {.first = 1, .every = 2, .from = FEWEST, .step = STEP, .count = POINTS};
    curve *c = loopset_draw(&s, &of, "branches by random bits", "branches", "cycles an iteration"),
          *sure =
              loopset_draw(&s, &always, "branches that are always alike", "branches", "cycles an iteration");
    /* The first few may be executed while the next random number is made. */
    double each = l->failed ? NAN : curve_slope(c, 1), alike = l->failed ? NAN : curve_slope(sure, 1);
    if (isnan(each) || isnan(alike))
        lab_undecided(l, "mispredict_cycles", "there are no random numbers (RDRAND), or they are not stable");
    else if (each - alike < 2)
        lab_undecided(l, "mispredict_cycles", "branches by random numbers take no longer than others");
    else
        lab_found(l, "mispredict_cycles", 2 * (each - alike), 2 * each, "%.0f", 2 * each - alike);
    return loopset_end(&s);
}
