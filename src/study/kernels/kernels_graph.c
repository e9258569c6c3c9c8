/* kernels_graph.c - blocks and the jumps between them, as callgrind has counted them, made into a graph. */
#include "study/kernels/kernels_graph.h"

#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "x86/decode/insn_struct.h"

enum {
    OBJECT_BITS = 32, /* objects lie so far apart here */
    OBJECTS = 32      /* within TACHO_MAX_PIECE_DISTANCE */
};

/* An address in an object, as if all were loaded at different places. */
static uint64_t place_of(uint32_t object, uint64_t address)
{
    return ((uint64_t)(object % OBJECTS) + 1) << OBJECT_BITS | (address & (((uint64_t)1 << OBJECT_BITS) - 1));
}

static uint32_t object_number(const callgrind_counts *counts, const char *name)
{
    for (size_t i = 0; i < counts->object_count; i++)
        if (!strcmp(tacho_base_name(counts->objects[i]), name))
            return (uint32_t)i;
    return 0;
}

/* ---- nodes ---- */

static kernels_node_end end_of(const tacho_insn *last)
{
    if (last->is_ret)
        return KERNELS_NODE_RETURNS;
    if (last->is_call)
        return KERNELS_NODE_CALLS;
    return last->is_branch && !last->is_conditional ? KERNELS_NODE_JUMPS : KERNELS_NODE_GOES_ON;
}

static int add_node(kernels_graph *g, const tacho_extract_block *b, uint64_t place, tacho_error *err)
{
    kernels_node node = {.count = b->count, .first_step = (uint32_t)g->step_count, .behind = KERNELS_NO_NODE};
    tacho_insn insn = {0};
    for (uint32_t at = 0; at < b->byte_count; at += insn.length) {
        if (tacho_mem_grow(&g->steps, &g->step_capacity, g->step_count + 1, sizeof *g->steps))
            return tacho_no_memory(err);
        if (!kernels_decode_step(&g->steps[g->step_count], place + at, b->bytes + at, b->byte_count - at,
                                 &insn))
            return tacho_error_set(err, TACHO_ERR_INPUT, "a block has what is no instruction");
        g->step_count++;
        node.step_count++;
    }
    node.end = end_of(&insn);
    if (tacho_mem_grow(&g->nodes, &g->node_capacity, g->node_count + 1, sizeof *g->nodes))
        return tacho_no_memory(err);
    g->nodes[g->node_count++] = node;
    return 0;
}

static const kernels_step *last_step(const kernels_graph *g, const kernels_node *n)
{
    return &g->steps[n->first_step + n->step_count - 1];
}

/* The node that begins there. */
static uint32_t node_at(const kernels_graph *g, uint64_t place)
{
    size_t at;
    COUNT_BEFORE(at, g->node_count, g->steps[g->nodes[at].first_step].address < place);
    return at < g->node_count && g->steps[g->nodes[at].first_step].address == place ? (uint32_t)at
                                                                                    : KERNELS_NO_NODE;
}

/* The node that ends with the instruction there. */
static uint32_t node_before(const kernels_graph *g, uint64_t place)
{
    size_t at;
    COUNT_BEFORE(at, g->node_count, last_step(g, &g->nodes[at])->address < place);
    return at < g->node_count && last_step(g, &g->nodes[at])->address == place ? (uint32_t)at
                                                                               : KERNELS_NO_NODE;
}

/* ---- ways ---- */

static int add_way(kernels_graph *g, uint32_t from, uint32_t to, uint64_t count, tacho_error *err)
{
    if (tacho_mem_grow(&g->ways, &g->way_capacity, g->way_count + 1, sizeof *g->ways))
        return tacho_no_memory(err);
    g->ways[g->way_count++] = (kernels_way){.from = from, .to = to, .count = count};
    return 0;
}

/* Where a direct call leads by itself: where callgrind names the function behind a stub of the procedure
 * linkage table, this is the stub. */
static uint32_t callee_of(const kernels_graph *g, const kernels_node *n)
{
    const kernels_step *last = last_step(g, n);
    tacho_insn insn;
    if (n->end != KERNELS_NODE_CALLS || tacho_decode(&insn, last->bytes, last->length, NULL) ||
        !insn.operand_count || insn.operands[0].kind != TACHO_OPERAND_REL)
        return KERNELS_NO_NODE;
    return node_at(g, last->address + last->length + (uint64_t)insn.operands[0].imm);
}

static int add_edge(kernels_graph *g, uint32_t from, uint32_t to, const callgrind_edge *e, tacho_error *err)
{
    const uint32_t callee = callee_of(g, &g->nodes[from]);
    if (callee != KERNELS_NO_NODE && callee != to) {
        int rc = add_way(g, from, callee, e->count, err);
        from = callee; /* a stub is one jump */
        if (rc)
            return rc;
    }
    int rc = add_way(g, from, to, e->count, err);
    return rc || e->of <= e->count ? rc : add_way(g, from, KERNELS_NO_NODE, e->of - e->count, err);
}

/* Edges of instructions that jump to themselves (repeated ones) are none. */
static int add_edges(kernels_graph *g, const callgrind_counts *counts, tacho_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < counts->edge_count && !rc; i++) {
        const callgrind_edge *e = &counts->edges[i];
        uint32_t from = node_before(g, place_of(e->from_object, e->from));
        if (from != KERNELS_NO_NODE && last_step(g, &g->nodes[from])->transfers)
            rc = add_edge(g, from, node_at(g, place_of(e->to_object, e->to)), e, err);
    }
    return rc;
}

int kernels_graph_make(kernels_graph *g, const tacho_extract *blocks, const callgrind_counts *counts,
                       tacho_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < blocks->count && !rc; i++) {
        const tacho_extract_block *b = &blocks->blocks[i];
        if (kernels_is_of_the_region(b))
            rc = add_node(g, b, place_of(object_number(counts, b->object), b->address), err);
    }
    for (size_t i = 0; i < g->node_count; i++) {
        const kernels_step *last = last_step(g, &g->nodes[i]);
        g->nodes[i].behind = node_at(g, last->address + last->length);
    }
    rc = rc ? rc : add_edges(g, counts, err);
    kernels_graph_close(g);
    return rc;
}

ORDER_BY_TWO(by_nodes, kernels_way, from, to);

/* Ways that are there several times become one. */
static void merge_ways(kernels_graph *g)
{
    size_t kept = 0;
    tacho_sort(g->ways, g->way_count, sizeof *g->ways, by_nodes);
    for (size_t i = 0; i < g->way_count; i++)
        if (kept && !by_nodes(&g->ways[kept - 1], &g->ways[i]))
            g->ways[kept - 1].count += g->ways[i].count;
        else
            g->ways[kept++] = g->ways[i];
    g->way_count = kept;
}

static void mark_reached(kernels_graph *g, uint32_t node)
{
    if (node != KERNELS_NO_NODE)
        g->nodes[node].is_reached = true;
}

void kernels_graph_close(kernels_graph *g)
{
    merge_ways(g);
    for (size_t i = g->way_count; i-- > 0;) {
        kernels_node *from = &g->nodes[g->ways[i].from];
        from->first_way = (uint32_t)i;
        from->way_count++;
        mark_reached(g, g->ways[i].to);
        if (from->end == KERNELS_NODE_GOES_ON && g->ways[i].to == KERNELS_NO_NODE)
            mark_reached(g, from->behind);
    }
    for (size_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].end == KERNELS_NODE_CALLS ||
            (g->nodes[i].end == KERNELS_NODE_GOES_ON && !g->nodes[i].way_count))
            mark_reached(g, g->nodes[i].behind);
}

void kernels_graph_free(kernels_graph *g)
{
    TACHO_MEM_FREE(g->steps, g->nodes, g->ways);
    *g = (kernels_graph){0};
}
