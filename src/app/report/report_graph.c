/* report_graph.c - the dependency graph between the instructions of a block, from the producers that a traced
 * run names: registers, flags and memory, with latency and distance in iterations. A value that an eliminated
 * move passes on goes through that move, which takes no time. */
#include "app/report/report_graph.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* The two instructions follow each other on the critical cycle. */
static bool is_critical(const tacho_prediction *p, uint32_t from, uint32_t to)
{
    size_t n = p->critical_cycle_length;
    for (size_t i = 0; i < n; i++)
        if (p->critical_cycle[i] == from && p->critical_cycle[(i + 1) % n] == to)
            return true;
    return false;
}

static bool same_edge(const report_graph_edge *a, const report_graph_edge *b)
{
    return a->from == b->from && a->to == b->to && a->distance == b->distance && a->carrier == b->carrier &&
           a->reg.class_ == b->reg.class_ && a->reg.number == b->reg.number;
}

static int add_edge(report_graph *g, report_graph_edge e)
{
    for (int64_t k = g->heads[e.to]; k >= 0; k = g->edges[k].next)
        if (same_edge(&g->edges[k], &e)) {
            g->edges[k].critical |= e.critical;
            if (e.latency > g->edges[k].latency)
                g->edges[k].latency = e.latency;
            return 0;
        }
    if (tacho_mem_grow(&g->edges, &g->capacity, g->count + 1, sizeof *g->edges))
        return -1;
    e.next = g->heads[e.to];
    g->heads[e.to] = (int64_t)g->count;
    g->edges[g->count++] = e;
    return 0;
}

/* The edge, or where moves have passed the value on the edges into, between and out of them. */
static int add_path(report_graph *g, const report_subject *s, const report_trace *t, const tacho_trace_uop *u,
                    const tacho_trace_edge *e)
{
    bool critical = is_critical(s->prediction, e->instruction, u->instruction);
    tacho_reg reg = e->reg;
    int64_t through = e->through;
    while (through >= 0) {
        const tacho_trace_uop *move = &t->uops[through];
        const tacho_trace_edge *source = report_trace_edges(t, (size_t)through);
        report_graph_edge out = {.from = move->instruction,
                                 .to = u->instruction,
                                 .distance = u->iteration - move->iteration,
                                 .carrier = e->carrier,
                                 .reg = reg,
                                 .critical = critical};
        if (add_edge(g, out))
            return -1;
        if (!move->edge_count) /* its producer was retired long ago */
            return 0;
        u = move;
        reg = source->reg;
        through = source->through;
    }
    return add_edge(g, (report_graph_edge){.from = e->instruction,
                                           .to = u->instruction,
                                           .distance = u->iteration - e->iteration,
                                           .carrier = e->carrier,
                                           .reg = reg,
                                           .latency = e->latency,
                                           .critical = critical});
}

/* Of the two µops of a store that a load reads from, the one with the data; the one with the address only
 * where the load had to wait for it. */
static bool is_shown(const report_trace *t, const tacho_trace_uop *u, const tacho_trace_edge *e, uint32_t at)
{
    if (e->carrier == TACHO_TRACE_MEMORY && t->uops[e->producer].kind == TACHO_TRACE_STORE_ADDRESS)
        return u->waited_for == (int32_t)at;
    return e->carrier != TACHO_TRACE_INTERNAL;
}

int report_graph_build(report_graph *g, const report_subject *s, const report_trace *t)
{
    size_t n = s->prediction->instruction_count;
    *g = (report_graph){.instructions = n};
    g->heads = tacho_mem_zalloc(n + 1, sizeof *g->heads);
    g->eliminated = tacho_mem_zalloc(n + 1, sizeof *g->eliminated);
    if (!g->heads || !g->eliminated)
        return -1;
    for (size_t i = 0; i < n; i++)
        g->heads[i] = -1;
    for (size_t k = 0; k < t->uop_count; k++) {
        const tacho_trace_uop *u = &t->uops[k];
        g->eliminated[u->instruction] |= u->kind == TACHO_TRACE_ELIMINATED;
        for (uint32_t i = 0; i < u->edge_count; i++) {
            const tacho_trace_edge *e = &report_trace_edges(t, k)[i];
            if (is_shown(t, u, e, i) && add_path(g, s, t, u, e))
                return -1;
        }
    }
    return 0;
}

void report_graph_free(report_graph *g)
{
    TACHO_MEM_FREE(g->edges, g->heads, g->eliminated);
    *g = (report_graph){0};
}

/* ---- Graphviz ---- */

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

static const char *carrier_text(const report_subject *s, const report_graph_edge *e)
{
    return e->carrier == TACHO_TRACE_ORDER ? "order" : report_carrier_name(s, e->to, e->carrier, e->reg);
}

static void put_node(tacho_str *out, const report_graph *g, const report_subject *s, uint32_t i)
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

static void put_edge(tacho_str *out, const report_subject *s, const report_graph_edge *e)
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

void report_graph_dot(tacho_str *out, const report_graph *g, const report_subject *s)
{
    char cycles[REPORT_RESULT_SIZE];
    tacho_str_puts(
        out,
        "digraph tacho {\n"
        "  graph [fontname=\"sans-serif\", labelloc=t, nodesep=0.35, ranksep=0.35, bgcolor=white, label=\"");
    put_quoted(out, report_title(s));
    tacho_str_printf(
        out,
        " on %s: %s cycles per iteration\\nred: the critical dependency cycle; labels: what carries "
        "the value, cycles; dashed, +N: N iterations later\"];\n",
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

json_t *report_graph_json(const report_graph *g, const report_subject *s)
{
    json_t *list = json_array();
    for (size_t k = 0; k < g->count; k++) {
        const report_graph_edge *e = &g->edges[k];
        json_array_append_new(
            list, json_pack("{s:i, s:i, s:i, s:s, s:s, s:i, s:b}", "from", (int)e->from, "to", (int)e->to,
                            "distance", (int)e->distance, "carrier", tacho_trace_carrier_name(e->carrier),
                            "name", carrier_text(s, e), "latency", (int)e->latency, "critical", e->critical));
    }
    return list;
}
