/* kept_trace.h - a simulated run that is kept: every µop, every producer, the queues in every cycle. */
#ifndef TACHO_EXPLAIN_KEPT_TRACE_H
#define TACHO_EXPLAIN_KEPT_TRACE_H

#include "base/private.h"
#include "tacho/trace.h"

enum {
    KEPT_TRACE_USUAL_UOPS = 2000, /**< without a limit: so many, up to the end of that iteration */
    KEPT_TRACE_MAX_UOPS = 100000, /**< more is an error */
    KEPT_TRACE_MAX_ITERATIONS = 10000
};

typedef struct kept_trace {
    tacho_trace_uop *uops; /**< `edges` is not set; see tacho_kept_trace_edges */
    size_t uop_count, uop_capacity;
    size_t *first_edge; /**< of each µop */
    size_t first_edge_capacity;
    tacho_trace_edge *edges;
    size_t edge_count, edge_capacity;
    tacho_trace_cycle *cycles;
    size_t cycle_count, cycle_capacity;
    tacho_trace_listener listener; /**< for tacho_predict_options */
    uint32_t iterations;           /**< kept: these are complete */
    bool full;                     /**< the usual number of µops has been reached */
} kept_trace;

/** Prepares `t` (any contents are kept as memory) to take the first `iterations` iterations; 0: the usual
 * number of µops, at most to the end of the averaged part. Give &t->listener to tacho_predict, which then can
 * also fail with these. */
TACHO_PRIVATE void tacho_kept_trace_start(kept_trace *t, uint32_t iterations);
enum {
    KEPT_TRACE_TOO_LONG = -1000,
    KEPT_TRACE_NO_MEMORY = -1001
};
/** After the prediction: cuts off what belongs to an incomplete iteration. */
TACHO_PRIVATE void tacho_kept_trace_finish(kept_trace *t);
TACHO_PRIVATE void tacho_kept_trace_free(kept_trace *t);

TACHO_PRIVATE const tacho_trace_edge *tacho_kept_trace_edges(const kept_trace *t, size_t uop);

#endif
