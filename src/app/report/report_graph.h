/* report_graph.h - the dependency graph of a block, as the simulated run showed it. */
#ifndef TACHO_REPORT_GRAPH_H
#define TACHO_REPORT_GRAPH_H

#include "app/report/report_trace.h"

typedef struct report_graph_edge {
    uint32_t from, to; /**< instructions */
    uint32_t distance; /**< iterations between them, 0: the same */
    tacho_trace_carrier carrier;
    tacho_reg reg;
    int32_t latency; /**< cycles from the dispatch of what makes the value; 0 from an eliminated move; the
                        largest seen */
    bool critical;   /**< between instructions that follow each other on the critical dependency cycle */
    int64_t next;    /**< next edge with the same `to`, -1 none */
} report_graph_edge;

typedef struct report_graph {
    report_graph_edge *edges;
    size_t count, capacity;
    int64_t *heads;   /**< [instruction] its newest edge, -1 none */
    bool *eliminated; /**< [instruction] a move that the renamer executed at least once */
    size_t instructions;
} report_graph;

/** @return 0, or -1 when memory runs out. */
int report_graph_build(report_graph *g, const report_subject *s, const report_trace *t);
void report_graph_free(report_graph *g);

/** In Graphviz's language. */
void report_graph_dot(tacho_str *out, const report_graph *g, const report_subject *s);
/** @return a new reference, as report_record_json */
json_t *report_graph_json(const report_graph *g, const report_subject *s);

#endif
