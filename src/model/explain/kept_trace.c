/* kept_trace.c - see kept_trace.h. */
#include "model/explain/kept_trace.h"

#include <string.h>

#include "base/mem.h"

static int keep_uop(const tacho_trace_uop *u, void *payload)
{
    kept_trace *t = payload;
    if (t->full)
        return 0;
    if (t->uop_count == KEPT_TRACE_MAX_UOPS)
        return KEPT_TRACE_TOO_LONG;
    bool next_iteration = t->uop_count && u->iteration != t->uops[t->uop_count - 1].iteration;
    if (next_iteration && !t->listener.max_iterations && t->uop_count >= KEPT_TRACE_USUAL_UOPS) {
        t->full = true;
        t->iterations = u->iteration;
        return 0;
    }
    if (tacho_mem_grow(&t->uops, &t->uop_capacity, t->uop_count + 1, sizeof *t->uops) ||
        tacho_mem_grow(&t->first_edge, &t->first_edge_capacity, t->uop_count + 2, sizeof *t->first_edge) ||
        tacho_mem_grow(&t->edges, &t->edge_capacity, t->edge_count + u->edge_count + 1, sizeof *t->edges))
        return KEPT_TRACE_NO_MEMORY;
    if (u->edge_count)
        memcpy(t->edges + t->edge_count, u->edges, u->edge_count * sizeof *u->edges);
    t->first_edge[t->uop_count] = t->edge_count;
    t->uops[t->uop_count] = *u;
    t->uops[t->uop_count++].edges = NULL;
    t->edge_count += u->edge_count;
    return 0;
}

static int keep_cycle(const tacho_trace_cycle *c, void *payload)
{
    kept_trace *t = payload;
    if (t->full && c->cycle > t->uops[t->uop_count - 1].retired)
        return 0;
    if (tacho_mem_grow(&t->cycles, &t->cycle_capacity, t->cycle_count + 1, sizeof *t->cycles))
        return KEPT_TRACE_NO_MEMORY;
    t->cycles[t->cycle_count++] = *c;
    if (!t->full)
        t->iterations = c->iterations;
    return 0;
}

void tacho_kept_trace_start(kept_trace *t, uint32_t iterations)
{
    t->uop_count = t->edge_count = t->cycle_count = 0;
    t->iterations = 0;
    t->full = false;
    t->listener = (tacho_trace_listener){keep_uop, keep_cycle, t, iterations, 0};
}

void tacho_kept_trace_finish(kept_trace *t)
{
    if (t->listener.max_iterations && t->iterations > t->listener.max_iterations)
        t->iterations = t->listener.max_iterations;
    while (t->uop_count && t->uops[t->uop_count - 1].iteration >= t->iterations)
        t->uop_count--;
    size_t end = t->uop_count ? (size_t)t->uops[t->uop_count - 1].retired + 1 : 0;
    if (t->cycle_count > end)
        t->cycle_count = end;
}

void tacho_kept_trace_free(kept_trace *t)
{
    TACHO_MEM_FREE(t->uops, t->first_edge, t->edges, t->cycles);
    *t = (kept_trace){0};
}

const tacho_trace_edge *tacho_kept_trace_edges(const kept_trace *t, size_t uop)
{
    return t->edges + t->first_edge[uop];
}

/* ---- the dependency graph ---- */

/* The dependency graph between the instructions of a block, from the producers that a traced run names:
 * registers, flags and memory, with latency and distance in iterations. A value that an eliminated move
 * passes on goes through that move, which takes no time. */

/* The two instructions follow each other on the critical cycle. */
static bool is_critical(const tacho_prediction *p, uint32_t from, uint32_t to)
{
    size_t n = p->critical_cycle_length;
    for (size_t i = 0; i < n; i++)
        if (p->critical_cycle[i] == from && p->critical_cycle[(i + 1) % n] == to)
            return true;
    return false;
}

static bool same_edge(const insn_graph_edge *a, const insn_graph_edge *b)
{
    return a->from == b->from && a->to == b->to && a->distance == b->distance && a->carrier == b->carrier &&
           a->reg.class_ == b->reg.class_ && a->reg.number == b->reg.number;
}

static int add_edge(insn_graph *g, insn_graph_edge e)
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
static int add_path(insn_graph *g, const tacho_prediction *p, const kept_trace *t, const tacho_trace_uop *u,
                    const tacho_trace_edge *e)
{
    bool critical = is_critical(p, e->instruction, u->instruction);
    tacho_reg reg = e->reg;
    int64_t through = e->through;
    while (through >= 0) {
        const tacho_trace_uop *move = &t->uops[through];
        const tacho_trace_edge *source = tacho_kept_trace_edges(t, (size_t)through);
        insn_graph_edge out = {.from = move->instruction,
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
    return add_edge(g, (insn_graph_edge){.from = e->instruction,
                                         .to = u->instruction,
                                         .distance = u->iteration - e->iteration,
                                         .carrier = e->carrier,
                                         .reg = reg,
                                         .latency = e->latency,
                                         .critical = critical});
}

/* Of the two µops of a store that a load reads from, the one with the data; the one with the address only
 * where the load had to wait for it. */
static bool is_shown(const kept_trace *t, const tacho_trace_uop *u, const tacho_trace_edge *e, uint32_t at)
{
    if (e->carrier == TACHO_TRACE_MEMORY && t->uops[e->producer].kind == TACHO_TRACE_STORE_ADDRESS)
        return u->waited_for == (int32_t)at;
    return e->carrier != TACHO_TRACE_INTERNAL;
}

int tacho_insn_graph_build(insn_graph *g, const tacho_prediction *p, const kept_trace *t)
{
    size_t n = p->instruction_count;
    *g = (insn_graph){.instructions = n};
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
            const tacho_trace_edge *e = &tacho_kept_trace_edges(t, k)[i];
            if (is_shown(t, u, e, i) && add_path(g, p, t, u, e))
                return -1;
        }
    }
    return 0;
}

void tacho_insn_graph_free(insn_graph *g)
{
    TACHO_MEM_FREE(g->edges, g->heads, g->eliminated);
    *g = (insn_graph){0};
}
