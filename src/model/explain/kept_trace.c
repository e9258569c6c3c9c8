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
