/* kept_trace.h - a simulated run that is kept: every µop, every producer, the queues in every cycle. */
#ifndef TACHO_EXPLAIN_KEPT_TRACE_H
#define TACHO_EXPLAIN_KEPT_TRACE_H

#include "base/private.h"
#include "tacho/predict.h"
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

/* ---- the dependency graph of a block, as the simulated run showed it ---- */

typedef struct insn_graph_edge {
    uint32_t from, to; /**< instructions */
    uint32_t distance; /**< iterations between them, 0: the same */
    tacho_trace_carrier carrier;
    tacho_reg reg;
    int32_t latency; /**< cycles from the dispatch of what makes the value; 0 from an eliminated move; the
                        largest seen */
    bool critical;   /**< between instructions that follow each other on the critical dependency cycle */
    int64_t next;    /**< next edge with the same `to`, -1 none */
} insn_graph_edge;

typedef struct insn_graph {
    insn_graph_edge *edges;
    size_t count, capacity;
    int64_t *heads;   /**< [instruction] its newest edge, -1 none */
    bool *eliminated; /**< [instruction] a move that the renamer executed at least once */
    size_t instructions;
} insn_graph;

/** @return 0, or -1 when memory runs out. */
TACHO_PRIVATE int tacho_insn_graph_build(insn_graph *g, const tacho_prediction *p, const kept_trace *t);
TACHO_PRIVATE void tacho_insn_graph_free(insn_graph *g);

#endif
