/* costs.h - what this machine takes for things that a model of its core has no figure for: a few loops are
 * timed when a figure is first asked for, each for some milliseconds (memory: some tenths of a second). Of
 * several runs the fastest counts, in cycles of a loop that takes one for each iteration. */
#ifndef TACHO_COSTS_H
#define TACHO_COSTS_H

#include "base/cpus.h"

/** Cycles more than without it: where nothing waits for it, and where all does. NaN: not known. */
typedef struct cost {
    double least, most;
} cost;

typedef enum cost_arithmetic {
    COST_ADD = 0, /* also subtractions */
    COST_MULTIPLY,
    COST_DIVIDE,
    COST_ROOT,
    COST_FUSED, /* multiply and add */
    COST_CONVERT,
    COST_ARITHMETICS
} cost_arithmetic;

typedef enum cost_walk {
    COST_CHAIN = 0, /* each load has the address of the next */
    COST_RANDOM,    /* loads that do not wait for each other */
    COST_SEQUENCE,  /* one line after the other */
    COST_WALKS
} cost_walk;

typedef struct costs costs;

/** @return NULL: memory ran out */
costs *costs_new(void);
void costs_free(costs *c);
/** Of an operation with subnormal numbers. */
cost costs_subnormal(costs *c, cost_arithmetic a);
/** Of a load (store) that lies in two lines, or in two pages. */
cost costs_crossing(costs *c, bool store, bool pages);
/** This machine's caches of data. @return how many */
size_t costs_caches(const costs *c, const data_cache **out);
/** Of a load from behind the cache `number` (0: the first level), which lacks it. */
cost costs_behind(costs *c, size_t number, cost_walk walk);
/** Of a store to a line that another thread writes all the time. */
cost costs_sharing(costs *c);
/** Cycles that an iteration of the second takes more; 0 for less than a quarter of a cycle. */
double costs_more(double usual, double slow);
/** Makes a way through `count` places (at least 1, below 2^32), `stride` bytes (at least 16) from each other,
 *  in an order by chance that comes back (S. Sattolo 1986). The first word of a place has the address of the
 *  next one; second words hold the order while it is made. */
void costs_link_places(char *bytes, uint64_t count, uint64_t stride);

#endif
