/* page_json.c - what the page draws, as JSON. */
#include "app/report/page.h"
#include "app/report/report_graph.h"

json_t *report_page_json(const report_subject *s, const kept_trace *t, const report_alignments *alignments)
{
    insn_graph graph;
    bool failed = tacho_insn_graph_build(&graph, s->prediction, t) != 0;
    json_t *report = failed ? NULL : report_json(s);
    if (!failed) {
        json_object_set_new(report, "graph", report_graph_json(&graph, s));
        if (alignments)
            json_object_set_new(report, "alignments", report_alignments_json(alignments));
    }
    tacho_insn_graph_free(&graph);
    return report;
}
