/* copies.c - what a copy of some code takes. */
#include "learn/copies.h"

enum {
    FEWEST = 8,
    STEP = 8,
    POINTS = 3,
    RSP = 4,
    COUNTER = 15
};

static void add_chain(loopset *s, const char *code, unsigned copies)
{
    loopset_loop(s, TACHO_MODE_LOOP);
    for (unsigned r = 0; r < COUNTER; r++)
        if (r != RSP)
            loopset_value(s, r, CHAIN_ADDRESS);
    loopset_add(s, copies, "%s", code);
}

int chains_time(lab *l, const chain *chains, unsigned count, double *cycles)
{
    loopset s = loopset_of(l);
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < POINTS; i++)
            add_chain(&s, chains[k].code, FEWEST + STEP * i);
    for (unsigned k = 0; k < count; k++) {
        const sweep of = {.first = (size_t)k * POINTS, .from = FEWEST, .step = STEP, .count = POINTS};
        curve *c = loopset_draw(&s, &of, chains[k].title, "copies", "cycles an iteration");
        cycles[k] = l->failed ? 0 : curve_slope(c, 0);
    }
    return loopset_end(&s);
}
