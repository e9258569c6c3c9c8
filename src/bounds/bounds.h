/* bounds.h - what each component alone would allow: analytical limits, in cycles per iteration. */
#ifndef TACHO_BOUNDS_H
#define TACHO_BOUNDS_H

#include "block/block.h"
#include "sim/sim.h"

/* The critical dependency cycle: the chain of latencies that returns to itself an iteration (or more) later.
 */
typedef struct critical_cycle {
    double cycles;     /* per iteration; 0 without one */
    double iterations; /* that it spans */
    uint32_t *insns;   /* in order; one entry an instruction on it */
    double *latencies; /* cycles that it adds there */
    uint32_t count;
} critical_cycle;

/* Fills `out`; NaN where a component does not apply. `s` must be prepared; it is reset and used for the front
 * end. Without `decoded` the predecoder and the decoders are left out: nothing of the block goes through
 * them. */
int bounds_compute(double out[TACHO_BOUND_COUNT], critical_cycle *critical, sim *s, arena *a, bool decoded);

/* dependencies.c */
int bounds_dependencies(critical_cycle *out, const sim *s, arena *a);

#endif
