/* copies.h - code whose copies depend on each other or compete: what a copy takes, as the slope of a curve.
 */
#ifndef TACHO_LEARN_COPIES_H
#define TACHO_LEARN_COPIES_H

#include "learn/loopset.h"

/** What all registers but RSP hold at first: an address in the middle of a line's first bytes. */
#define CHAIN_ADDRESS ((uint64_t)0x12340000)

typedef struct chain {
    const char *title, *code; /* one copy */
} chain;

/** Cycles of a copy of each in a loop; NaN: not known. Their curves are those of the experiment. */
int chains_time(lab *l, const chain *chains, unsigned count, double *cycles);

#endif
