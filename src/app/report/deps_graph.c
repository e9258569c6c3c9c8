/* deps_graph.c - dependencies of a block as a graph for Graphviz. */
#include <stdio.h>

#include "app/report/report_deps.h"
#include "x86/decode/insn_struct.h"

/* In double quotes only these two have a meaning. */
static void put_quoted(tacho_str *out, const char *text)
{
    tacho_str_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            tacho_str_putc(out, '\\');
        if ((unsigned char)*text >= 0x20)
            tacho_str_putc(out, *text);
    }
    tacho_str_putc(out, '"');
}

static void put_nodes(tacho_str *out, const report_deps *r)
{
    uint64_t at = r->region->address;
    for (size_t i = 0; i < r->deps->insn_count; i++) {
        char text[220];
        size_t n = (size_t)snprintf(text, sizeof text, "%zu  ", i);
        tacho_listing_write(r->listing, &r->deps->insns[i], at - r->region->address, text + n,
                            sizeof text - n);
        tacho_str_printf(out, "  i%zu [label=", i);
        put_quoted(out, text);
        tacho_str_puts(out, "]\n");
        if (i)
            tacho_str_printf(out, "  i%zu -> i%zu [style=invis, weight=10]\n", i - 1, i);
        at += r->deps->insns[i].length;
    }
}

static void put_edge(tacho_str *out, const tacho_dependency *d)
{
    static const char *const colours[TACHO_DEPENDENCY_KIND_COUNT] = {"#0072b2", "#999999", "#d55e00"};
    char label[DEPS_CARRIER_SIZE + 60], carrier[DEPS_CARRIER_SIZE];
    size_t n = (size_t)snprintf(label, sizeof label, "%s", deps_carrier(d, carrier));
    if (d->longest > d->distance)
        n += (size_t)snprintf(label + n, sizeof label - n, " (-%u to -%u)", d->distance, d->longest);
    else if (d->distance)
        n += (size_t)snprintf(label + n, sizeof label - n, " (-%u)", d->distance);
    if (d->kind == TACHO_DEPENDENCY_MEMORY && !tacho_dependency_forwards(d))
        snprintf(label + n, sizeof label - n, " not forwarded");
    tacho_str_printf(out,
                     "  i%u -> i%u [color=\"%s\", fontcolor=\"%s\", constraint=false%s, label=", d->source,
                     d->target, colours[d->kind], colours[d->kind], d->longest ? ", style=dashed" : "");
    put_quoted(out, label);
    tacho_str_puts(out, "]\n");
}

void report_deps_graph(tacho_str *out, const report_deps *r)
{
    tacho_str_puts(
        out, "digraph dependencies {\n"
             "  graph [bgcolor=white, nodesep=0.6, ranksep=0.5]\n"
             "  node [shape=box, fontname=\"monospace\", fontsize=11, style=filled, fillcolor=\"#f7f7f7\", "
             "color=\"#888888\"]\n"
             "  edge [fontname=\"sans-serif\", fontsize=9]\n");
    put_nodes(out, r);
    for (size_t i = 0; i < r->deps->count; i++)
        put_edge(out, &r->deps->dependencies[i]);
    tacho_str_puts(out, "}\n");
}
