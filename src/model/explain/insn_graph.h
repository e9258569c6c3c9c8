/* insn_graph.h - the dependency graph of a block, as the simulated run showed it. */
#ifndef TACHO_EXPLAIN_INSN_GRAPH_H
#define TACHO_EXPLAIN_INSN_GRAPH_H

#include "model/explain/kept_trace.h"
#include "tacho/predict.h"

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
