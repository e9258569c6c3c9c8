/* report_graph.c - the dependency graph in Graphviz's language, and as JSON; what a page draws. */
#include "app/report/report.h"

enum {
    MANY = 300
};

/* Inside double quotes: quotes and backslashes escaped, what is not printable left out. */
static void put_quoted(tacho_str *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            continue;
        if (*c == '"' || *c == '\\')
            tacho_str_putc(out, '\\');
        tacho_str_putc(out, *c);
    }
}

static const char *carrier_text(const report_subject *s, const insn_graph_edge *e)
{
    return e->carrier == TACHO_TRACE_ORDER ? "order" : report_carrier_name(s, e->to, e->carrier, e->reg);
}

static void put_node(tacho_str *out, const insn_graph *g, const report_subject *s, uint32_t i)
{
    const tacho_insn_report *r = s->prediction->instructions[i];
    char text[160], number[TACHO_NUMBER_SIZE];
    report_insn_text(s, r, text, sizeof text);
    tacho_str_printf(out, "  n%u [label=\"%u  ", i, i);
    put_quoted(out, text);
    if (r->notes & TACHO_NOTE_CRITICAL)
        tacho_str_printf(out, "\\n%s of the critical cycle's cycles",
                         report_number(number, r->critical_latency));
    else if (g->eliminated[i])
        tacho_str_puts(out, "\\neliminated");
    else if (r->notes & TACHO_NOTE_FUSED_INTO_PREV)
        tacho_str_puts(out, "\\nfused with the instruction before it");
    tacho_str_putc(out, '"');
    if (r->notes & TACHO_NOTE_CRITICAL)
        tacho_str_puts(out, ", color=\"#c2371f\", penwidth=2");
    if (g->eliminated[i])
        tacho_str_puts(out, ", style=\"rounded,dashed\"");
    tacho_str_puts(out, "];\n");
}

static void put_edge(tacho_str *out, const report_subject *s, const insn_graph_edge *e)
{
    static const char *const colours[] = {"#3f5f8f", "#8f6a2f", "#2f7f52", "#888888", "#888888"};
    tacho_str_printf(out, "  n%u -> n%u [label=\" %s %d", e->from, e->to, carrier_text(s, e), e->latency);
    if (e->distance)
        tacho_str_printf(out, ", +%u\", style=dashed, constraint=false", e->distance);
    else
        tacho_str_putc(out, '"');
    if (e->critical)
        tacho_str_puts(out, ", color=\"#c2371f\", fontcolor=\"#c2371f\", penwidth=2");
    else
        tacho_str_printf(out, ", color=\"%s\", fontcolor=\"%s\"", colours[e->carrier], colours[e->carrier]);
    tacho_str_puts(out, "];\n");
}

void report_graph_dot(tacho_str *out, const insn_graph *g, const report_subject *s)
{
    char cycles[REPORT_RESULT_SIZE];
    tacho_str_puts(
        out,
        "digraph tacho {\n"
        "  graph [fontname=\"sans-serif\", labelloc=t, nodesep=0.35, ranksep=0.35, bgcolor=white, label=\"");
    put_quoted(out, report_title(s));
    tacho_str_printf(out,
                     " on %s: %s cycles per iteration\\nred: the critical dependency cycle; labels: what "
                     "carries the value, cycles; dashed, +N: N iterations later\"];\n",
                     s->arch->name, report_prediction_cycles(cycles, s->prediction));
    tacho_str_puts(
        out, "  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=11, margin=\"0.12,0.05\"];\n"
             "  edge [fontname=\"sans-serif\", fontsize=10, arrowsize=0.7];\n");
    if (g->instructions >
        MANY) /* straight lines, and fewer attempts at a good layout: minutes become seconds */
        tacho_str_puts(out, "  graph [splines=line, nslimit=1, nslimit1=1];\n");
    for (uint32_t i = 0; i < g->instructions; i++)
        put_node(out, g, s, i);
    for (size_t k = 0; k < g->count; k++)
        put_edge(out, s, &g->edges[k]);
    tacho_str_puts(out, "}\n");
}

/* @return a new reference, as report_record_json */
static json_t *report_graph_json(const insn_graph *g, const report_subject *s)
{
    json_t *list = json_array();
    for (size_t k = 0; k < g->count; k++) {
        const insn_graph_edge *e = &g->edges[k];
        json_array_append_new(
            list, json_pack("{s:i, s:i, s:i, s:s, s:s, s:i, s:b}", "from", (int)e->from, "to", (int)e->to,
                            "distance", (int)e->distance, "carrier", tacho_trace_carrier_name(e->carrier),
                            "name", carrier_text(s, e), "latency", (int)e->latency, "critical", e->critical));
    }
    return list;
}

/* ---- what the page draws, as JSON ---- */

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
