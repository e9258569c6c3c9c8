/* report_graph.h - the dependency graph of a block in reports. */
#ifndef TACHO_REPORT_GRAPH_H
#define TACHO_REPORT_GRAPH_H

#include "app/report/report_trace.h"
#include "model/explain/insn_graph.h"

/** In Graphviz's language. */
void report_graph_dot(tacho_str *out, const insn_graph *g, const report_subject *s);
/** @return a new reference, as report_record_json */
json_t *report_graph_json(const insn_graph *g, const report_subject *s);

#endif
