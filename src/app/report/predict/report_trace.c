/* report_trace.c - a trace as JSON (tacho-trace-1), written as text because there can be very many µops: one
 * on each line (doc/JSON.md says what the fields mean); the graph of its dependencies. */
#include "app/report/report.h"

/* ymm0 rather than zmm0 where the instruction says so. */
static tacho_reg as_written(const tacho_insn *insn, tacho_reg reg)
{
    for (unsigned i = 0; i < insn->operand_count && i < TACHO_MAX_OPERANDS; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_REG && tacho_reg_same_full(o->reg, reg))
            return o->reg;
        if (o->kind == TACHO_OPERAND_MEM && tacho_reg_same_full(o->mem.index, reg))
            return o->mem.index;
    }
    return reg;
}

/* What carries a value to an instruction, by the name that it has there where that is a vector register:
 * "rax", "ymm0", "carry flag", "flags", "memory"; "" for the other carriers. */
static const char *carrier_name(const report_subject *s, uint32_t instruction, tacho_trace_carrier carrier,
                                tacho_reg reg)
{
    switch (carrier) {
    case TACHO_TRACE_REGISTER:
        if (reg.class_ == TACHO_REG_ZMM)
            reg = as_written(s->prediction->instructions[instruction]->insn, reg);
        return tacho_reg_name(reg);
    case TACHO_TRACE_FLAGS:
        return reg.number == TACHO_FLAG_C ? "carry flag" : "flags";
    case TACHO_TRACE_MEMORY:
        return "memory";
    default:
        return "";
    }
}

/* The name of the region, or else of the input. */
static const char *title_of(const report_subject *s)
{
    return s->region->name ? s->region->name : s->input;
}

static void put_string(tacho_str *out, const char *text)
{
    json_t *valid = report_json_string(text);
    char *dumped = json_dumps(valid, JSON_ENCODE_ANY);
    if (dumped)
        tacho_str_puts(out, dumped);
    else
        out->failed = true;
    free(dumped);
    json_decref(valid);
}

static void put_field(tacho_str *out, const char *name, const char *text)
{
    tacho_str_printf(out, "\"%s\": ", name);
    put_string(out, text && *text ? text : NULL);
    tacho_str_puts(out, ",\n");
}

/* Cycles and ports: -1 is "did not happen". */
static void put_number(tacho_str *out, const char *name, int64_t value)
{
    if (value < 0)
        tacho_str_printf(out, ", \"%s\": null", name);
    else
        tacho_str_printf(out, ", \"%s\": %lld", name, (long long)value);
}

static void put_edge(tacho_str *out, const report_subject *s, uint32_t consumer, const tacho_trace_edge *e)
{
    tacho_str_printf(out, "{\"producer\": %llu, \"instruction\": %u, \"iteration\": %u, \"carrier\": \"%s\"",
                     (unsigned long long)e->producer, e->instruction, e->iteration,
                     tacho_trace_carrier_name(e->carrier));
    if (e->reg.class_ != TACHO_REG_NONE)
        tacho_str_printf(out, ", \"register\": \"%s\"", carrier_name(s, consumer, e->carrier, e->reg));
    else
        tacho_str_puts(out, ", \"register\": null");
    put_number(out, "through", e->through);
    tacho_str_printf(out, ", \"ready\": %d, \"latency\": %d}", e->ready, e->latency);
}

static void put_uop(tacho_str *out, const report_subject *s, const kept_trace *t, size_t at)
{
    const tacho_trace_uop *u = &t->uops[at];
    tacho_str_printf(out,
                     "{\"number\": %llu, \"instruction\": %u, \"iteration\": %u, \"uop\": %u, \"slot\": "
                     "%llu, \"kind\": \"%s\", \"source\": \"%s\", \"ports\": [",
                     (unsigned long long)u->number, u->instruction, u->iteration, u->uop,
                     (unsigned long long)u->slot, tacho_trace_kind_name(u->kind),
                     tacho_trace_source_name(u->source));
    const char *separator = "";
    for (int p = 0; p < TACHO_MAX_PORTS; p++)
        if (u->ports >> p & 1) {
            tacho_str_printf(out, "%s%d", separator, p);
            separator = ", ";
        }
    tacho_str_putc(out, ']');
    put_number(out, "port", u->port);
    put_number(out, "predecoded", u->predecoded);
    put_number(out, "queued", u->queued);
    put_number(out, "issued", u->issued);
    put_number(out, "ready", u->ready);
    put_number(out, "dispatched", u->dispatched);
    put_number(out, "executed", u->executed);
    put_number(out, "retired", u->retired);
    put_number(out, "waited_for", u->waited_for);
    tacho_str_puts(out, ", \"producers\": [");
    for (uint32_t k = 0; k < u->edge_count; k++) {
        tacho_str_puts(out, k ? ", " : "");
        put_edge(out, s, u->instruction, &tacho_kept_trace_edges(t, at)[k]);
    }
    tacho_str_puts(out, "]}");
}

static void put_cycles(tacho_str *out, const kept_trace *t)
{
    static const struct {
        const char *name;
        size_t offset;
    } columns[] = {{"iq", offsetof(tacho_trace_cycle, iq)},
                   {"idq", offsetof(tacho_trace_cycle, idq)},
                   {"rob", offsetof(tacho_trace_cycle, rob)},
                   {"scheduler", offsetof(tacho_trace_cycle, scheduler)},
                   {"issued", offsetof(tacho_trace_cycle, issued)},
                   {"retired", offsetof(tacho_trace_cycle, retired)},
                   {"iterations", offsetof(tacho_trace_cycle, iterations)}};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        tacho_str_printf(out, "%s\"%s\": [", c ? ",\n " : "", columns[c].name);
        for (size_t k = 0; k < t->cycle_count; k++) {
            uint32_t value;
            memcpy(&value, (const char *)&t->cycles[k] + columns[c].offset, sizeof value);
            tacho_str_printf(out, "%s%u", k ? "," : "", value);
        }
        tacho_str_putc(out, ']');
    }
}

static void put_instructions(tacho_str *out, const report_subject *s)
{
    char text[160];
    for (size_t i = 0; i < s->prediction->instruction_count; i++) {
        const tacho_insn_report *r = s->prediction->instructions[i];
        report_insn_text(s, r, text, sizeof text);
        tacho_str_puts(out, i ? ", " : "");
        put_string(out, text);
    }
}

void report_trace_json(tacho_str *out, const report_subject *s, const kept_trace *t)
{
    const tacho_prediction *p = s->prediction;
    const tacho_arch *a = s->arch;
    char exact[48], missing[200], number[TACHO_NUMBER_SIZE];
    tacho_str_puts(out, "{\n\"schema\": \"tacho-trace-1\",\n");
    put_field(out, "input", s->input);
    put_field(out, "region", s->region->name);
    put_field(out, "arch", a->name);
    put_field(out, "vendor", arch_vendor(a));
    put_field(out, "mode", tacho_mode_name(p->mode));
    tacho_str_printf(out, "\"cycles\": %s,\n", tacho_format_number(number, p->cycles, 6));
    put_field(out, "cycles_exact", report_exact(p, exact));
    tacho_str_printf(out, "\"unknown\": %u,\n\"lower_bound\": %s,\n", p->unknown_count,
                     tacho_prediction_is_lower_bound(p) ? "true" : "false");
    put_field(out, "missing", report_missing(p, missing, sizeof missing));
    tacho_str_printf(out, "\"averaged_from\": %u,\n\"averaged_to\": %u,\n\"iterations\": %u,\n",
                     p->averaged_from, p->averaged_to, t->iterations);
    tacho_str_printf(out,
                     "\"sizes\": {\"iq\": %u, \"idq\": %u, \"rob\": %u, \"scheduler\": %u, \"ports\": %u},\n",
                     a->iq_entries, a->idq_entries, a->rob_entries, a->rs_entries, a->ports);
    tacho_str_puts(out, "\"instructions\": [");
    put_instructions(out, s);
    tacho_str_puts(out, "],\n\"cycle\": {");
    put_cycles(out, t);
    tacho_str_puts(out, "},\n\"uops\": [\n");
    for (size_t k = 0; k < t->uop_count; k++) {
        put_uop(out, s, t, k);
        tacho_str_puts(out, k + 1 < t->uop_count ? ",\n" : "\n");
    }
    tacho_str_puts(out, "]\n}\n");
}

json_t *report_trace_object(const report_subject *s, const kept_trace *t)
{
    TACHO_FREED tacho_str text = {0};
    report_trace_json(&text, s, t);
    return text.failed ? NULL : json_loadb(text.data, text.length, 0, NULL);
}

/* ---- the dependency graph in Graphviz's language, and as JSON; what a page draws ---- */

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
    return e->carrier == TACHO_TRACE_ORDER ? "order" : carrier_name(s, e->to, e->carrier, e->reg);
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

static void put_arrow(tacho_str *out, const report_subject *s, const insn_graph_edge *e)
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
    put_quoted(out, title_of(s));
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
        put_arrow(out, s, &g->edges[k]);
    tacho_str_puts(out, "}\n");
}

/* @return a new reference, as report_record_json */
static json_t *graph_json(const insn_graph *g, const report_subject *s)
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
        json_object_set_new(report, "graph", graph_json(&graph, s));
        if (alignments)
            json_object_set_new(report, "alignments", report_alignments_json(alignments));
    }
    tacho_insn_graph_free(&graph);
    return report;
}
