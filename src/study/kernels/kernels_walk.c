/* kernels_walk.c - a made-up path through a region, by counts alone: a walk through the graph of its blocks
 * that takes each way out of a block as often, in proportion, as it was taken when counting. Loops make their
 * mean number of iterations each time, inner ones are entered and left as often as in the run; which way is
 * taken when is invented. Windows are cut out of it as out of a trace (kernels_windows.c). No register is
 * known, and of branches only what their counts say. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "study/kernels/kernels_graph.h"
#include "study/kernels/loader.h"

enum {
    MAX_DEPTH = 1 << 12,      /* of calls */
    MAX_BEGINNINGS = 1 << 12, /* of a walk that ends before all is visited */
    PARTS = 24                /* of a walk that there is no room for as a whole */
};

typedef struct walking {
    kernels_graph *g;
    uint32_t *order;
    uint64_t count, most;
    uint64_t part;   /* steps until it begins again */
    double share;    /* of the executions that were counted, that there is room for */
    uint32_t *calls; /* nodes to return to */
    uint32_t depth;
} walking;

/* ---- one step ---- */

/* The way whose turn it is: a rare one when its share of the visits has come, else the most frequent one. */
static const kernels_way *choose_way(kernels_graph *g, const kernels_node *n)
{
    kernels_way *ways = g->ways + n->first_way, *due = NULL, *usual = ways;
    uint64_t all = 0;
    for (uint32_t i = 0; i < n->way_count; i++) {
        all += ways[i].count;
        if (ways[i].count > usual->count)
            usual = &ways[i];
    }
    for (uint32_t i = 0; i < n->way_count; i++) {
        ways[i].owed += ways[i].count;
        if (&ways[i] != usual && ways[i].owed >= all && (!due || ways[i].owed > due->owed))
            due = &ways[i];
    }
    due = due ? due : usual;
    due->owed -= due->owed < all ? due->owed : all;
    return due;
}

static uint32_t come_back(walking *w)
{
    return w->depth ? w->calls[--w->depth] : KERNELS_NO_NODE;
}

/* Where the walk goes on. */
static uint32_t leave(walking *w, const kernels_node *n)
{
    const uint32_t to = n->way_count ? choose_way(w->g, n)->to : KERNELS_NO_NODE;
    if (n->end == KERNELS_NODE_RETURNS)
        return come_back(w);
    if (to != KERNELS_NO_NODE && n->end == KERNELS_NODE_CALLS) {
        if (w->depth == MAX_DEPTH)
            return KERNELS_NO_NODE;
        w->calls[w->depth++] = n->behind;
    }
    if (to != KERNELS_NO_NODE)
        return to;
    return n->end == KERNELS_NODE_JUMPS ? come_back(w) : n->behind;
}

static void walk_from(walking *w, uint32_t at)
{
    const uint64_t end = w->most - w->count < w->part ? w->most : w->count + w->part;
    w->depth = 0;
    while (at != KERNELS_NO_NODE && w->count < end) {
        kernels_node *n = &w->g->nodes[at];
        n->visits++;
        for (uint32_t i = 0; i < n->step_count && w->count < w->most; i++)
            w->order[w->count++] = n->first_step + i;
        at = leave(w, n);
    }
}

/* ---- where to begin ---- */

/* A node that nothing leads to: the region is entered there. The rarest one first: what is often entered in
 * ways that the graph does not have is no beginning. */
static uint32_t find_entry(const kernels_graph *g)
{
    uint32_t entry = KERNELS_NO_NODE;
    for (size_t i = 0; i < g->node_count; i++) {
        const kernels_node *n = &g->nodes[i];
        if (!n->is_reached && !n->visits && n->count &&
            (entry == KERNELS_NO_NODE || n->count < g->nodes[entry].count))
            entry = (uint32_t)i;
    }
    return entry;
}

/* The node with most instructions that are still to be executed. */
static uint32_t most_wanted(const walking *w)
{
    const kernels_graph *g = w->g;
    double most = 0;
    uint32_t wanted = KERNELS_NO_NODE;
    for (size_t i = 0; i < g->node_count; i++) {
        const kernels_node *n = &g->nodes[i];
        const double left = ((double)n->count * w->share - (double)n->visits) * n->step_count;
        if (left > most) {
            most = left;
            wanted = (uint32_t)i;
        }
    }
    return wanted;
}

static uint64_t count_instructions(const kernels_graph *g)
{
    uint64_t count = 0;
    for (size_t i = 0; i < g->node_count; i++)
        count += g->nodes[i].count * g->nodes[i].step_count;
    return count;
}

int kernels_graph_walk(kernels_graph *g, uint64_t most, uint32_t **order, uint64_t *count, tacho_error *err)
{
    const uint64_t all = count_instructions(g);
    walking w = {.g = g, .most = all < most ? all : most};
    w.part = all <= most ? most : most / PARTS + 1;
    w.share = all ? (double)w.most / (double)all : 1;
    w.order = tacho_mem_alloc((w.most + 1) * sizeof *w.order);
    w.calls = tacho_mem_alloc(MAX_DEPTH * sizeof *w.calls);
    for (uint32_t n = 0; w.order && w.calls && w.count < w.most && n < MAX_BEGINNINGS; n++) {
        uint32_t at = find_entry(g);
        at = at == KERNELS_NO_NODE ? most_wanted(&w) : at;
        if (at == KERNELS_NO_NODE)
            break;
        walk_from(&w, at);
    }
    const bool failed = !w.order || !w.calls;
    tacho_mem_free(w.calls);
    if (failed)
        TACHO_MEM_FREE(w.order);
    *order = failed ? NULL : w.order;
    *count = w.count;
    return failed ? tacho_no_memory(err) : 0;
}

/* ---- a variant ---- */

static int walk_graph(kernels_graph *g, const tacho_arch *arch, kernels_windows *out,
                      char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    uint32_t *order;
    uint64_t count;
    int rc = kernels_graph_walk(g, LOADER_TRACE_MAX, &order, &count, err);
    const kernels_path path = {
        .steps = g->steps, .order = order, .count = count, .total = count_instructions(g)};
    if (!rc && !count)
        snprintf(message, KERNELS_MESSAGE_SIZE, "no instruction is executed in its region");
    else if (!rc)
        rc = kernels_cut_windows(&path, arch, out, err);
    tacho_mem_free(order);
    return rc;
}

int kernels_take_walk(const tacho_kernels *k, size_t variant, const tacho_arch *arch, kernels_windows *out,
                      char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    callgrind_counts counts = {.with_edges = true};
    tacho_extract *blocks = NULL;
    kernels_graph g = {0};
    int rc = kernels_count_blocks(k, variant, NULL, &counts, &blocks, message, err);
    if (!rc && blocks)
        rc = kernels_graph_make(&g, blocks, &counts, err);
    if (!rc && blocks)
        rc = walk_graph(&g, arch, out, message, err);
    kernels_graph_free(&g);
    callgrind_free(&counts);
    tacho_extract_free(blocks);
    return rc;
}
