/* cycle_ratio.c - the maximum cycle mean of a small dense graph, exactly: Karp's theorem (R. M. Karp, A
 * characterization of the minimum cycle mean in a digraph, 1978) in integers. With all nodes as starts it
 * holds for graphs that are not strongly connected, too. */
#include "base/number.h"
#include "model/bounds/bounds.h"

#include <string.h>

typedef struct graph {
    const int32_t *weight;
    uint32_t n, stride;
} graph;

static int32_t edge(const graph *g, uint32_t from, uint32_t to)
{
    return g->weight[to * g->stride + from];
}

/* row[k * n + v]: the heaviest walk of k edges that ends at v, NO_PATH if there is none. */
static void fill_walks(const graph *g, int64_t *row)
{
    memset(row, 0, g->n * sizeof *row);
    for (uint32_t k = 1; k <= g->n; k++, row += g->n)
        for (uint32_t v = 0; v < g->n; v++) {
            int64_t best = NO_PATH;
            for (uint32_t u = 0; u < g->n; u++)
                if (row[u] > NO_PATH && edge(g, u, v) > NO_PATH && row[u] + edge(g, u, v) > best)
                    best = row[u] + edge(g, u, v);
            row[g->n + v] = best;
        }
}

static void karp(const int64_t *walks, uint32_t n, int64_t *num, int64_t *den)
{
    *num = 0;
    *den = 1;
    for (uint32_t v = 0; v < n; v++) {
        int64_t last = walks[n * n + v], least_num = 0, least_den = 0;
        for (uint32_t k = 0; k < n && last > NO_PATH; k++) {
            if (walks[k * n + v] <= NO_PATH)
                continue;
            int64_t up = last - walks[k * n + v], down = n - k;
            if (!least_den || up * least_den < least_num * down) {
                least_num = up;
                least_den = down;
            }
        }
        if (least_den && least_num * *den > *num * least_den) {
            *num = least_num;
            *den = least_den;
        }
    }
    int64_t divisor = greatest_common_divisor(*num, *den);
    *num /= divisor;
    *den /= divisor;
}

/* When the mean is subtracted from each edge, no cycle has a positive weight. If a heaviest walk comes back
 * to a node, the cycle that it makes is one of those with weight 0; the last improvements of the potentials
 * lead along it. */
static int find_cycle(const graph *g, int64_t num, int64_t den, uint32_t *cycle, uint32_t *length, arena *a)
{
    int64_t *potential = arena_alloc(a, g->n * sizeof *potential);
    uint32_t *seen = arena_alloc(a, g->n * sizeof *seen), *stack = arena_alloc(a, 2 * g->n * sizeof *stack);
    if (!potential || !seen || !stack)
        return TACHO_ERR_MEMORY;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t u = 0; u < g->n; u++)
            for (uint32_t v = 0; v < g->n; v++) {
                if (edge(g, u, v) <= NO_PATH)
                    continue;
                int64_t reached = potential[u] + den * edge(g, u, v) - num;
                if (reached > potential[v]) {
                    potential[v] = reached;
                    changed = true;
                }
            }
    }
    /* depth first along edges that are tight: a node met again on the way closes the cycle */
    for (uint32_t start = 0; start < g->n; start++) {
        uint32_t depth = 0;
        if (seen[start])
            continue;
        stack[0] = start;
        stack[1] = 0;
        seen[start] = 1;
        for (;;) {
            uint32_t u = stack[2 * depth], v = stack[2 * depth + 1]++;
            if (v == g->n) {
                seen[u] = 2;
                if (!depth--)
                    break;
                continue;
            }
            if (edge(g, u, v) <= NO_PATH || seen[v] == 2 ||
                potential[u] + den * edge(g, u, v) - num != potential[v])
                continue;
            if (seen[v] == 1) {
                uint32_t from = depth;
                while (stack[2 * from] != v)
                    from--;
                for (*length = 0; from <= depth; from++)
                    cycle[(*length)++] = stack[2 * from];
                return 0;
            }
            seen[v] = 1;
            depth++;
            stack[2 * depth] = v;
            stack[2 * depth + 1] = 0;
        }
    }
    return 0;
}

/* The largest mean where every cycle is an edge from a node to itself; false where there are other cycles.
 * Nodes without an edge in, or without one out, are on no other cycle. */
static bool only_own_edges(const graph *g, int64_t *num)
{
    uint64_t from[64] = {0}, to[64] = {0}, left = lowest_bits(g->n);
    if (g->n > 64)
        return false;
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t u = 0; u < g->n; u++) {
            if (edge(g, u, v) <= NO_PATH)
                continue;
            if (u == v) {
                *num = edge(g, v, v) > *num ? edge(g, v, v) : *num;
                continue;
            }
            to[v] |= (uint64_t)1 << u;
            from[u] |= (uint64_t)1 << v;
        }
    for (bool changed = true; changed && left;) {
        changed = false;
        for (uint64_t m = left; m; m &= m - 1) {
            int v = __builtin_ctzll(m);
            if ((to[v] & left) && (from[v] & left))
                continue;
            left &= ~((uint64_t)1 << v);
            changed = true;
        }
    }
    return !left;
}

int max_cycle_mean(const int32_t *weight, uint32_t n, uint32_t stride, int64_t *num, int64_t *den,
                   uint32_t *cycle, uint32_t *length, arena *a)
{
    graph g = {weight, n, stride};
    *num = 0;
    *den = 1;
    if (cycle)
        *length = 0;
    if (n == 1) {
        *num = edge(&g, 0, 0) > 0 ? edge(&g, 0, 0) : 0;
    } else if (n > 1 && !only_own_edges(&g, num)) {
        int64_t *walks = arena_alloc_raw(a, (size_t)n * (n + 1) * sizeof *walks);
        if (!walks)
            return TACHO_ERR_MEMORY;
        fill_walks(&g, walks);
        karp(walks, n, num, den);
    }
    return cycle && *num > 0 ? find_cycle(&g, *num, *den, cycle, length, a) : 0;
}
