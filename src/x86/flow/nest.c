/* nest.c - the loops of a control-flow graph and how they are nested: Havlak's algorithm (P. Havlak, Nesting
 * of reducible and irreducible loops, TOPLAS 1997), on Tarjan's test of flow reducibility.
 *
 * A loop is headed by the block that a depth-first search meets first; the branches back to it from its own
 * descendants close it. All of them together make one loop. It is irreducible if it can also be entered
 * elsewhere than at its header. Each root of the graph is searched by itself, and edges into what an earlier
 * root has reached do not count: so that a landing pad or dead code does not turn the loops of its function
 * irreducible. */
#include "x86/flow/cfg.h"

#include "tacho/error.h"

enum {
    MAX_STEPS = 50000000, /* irreducible loops within one another can take quadratic time */
    MAX_EXTRA = 1 << 22   /* ... and memory */
};

typedef struct edge_list {
    uint32_t *first, *sources; /* of block b: sources[first[b]] up to first[b + 1] */
} edge_list;

typedef struct nest {
    cfg *g;
    uint32_t *order;  /* blocks by preorder */
    uint32_t *last;   /* of block b: the highest preorder among its descendants */
    uint32_t *parent; /* union-find: the loop header that stands for a block */
    edge_list in;
    uint32_t *extra_next, *extra_block,
        *extra_first; /* further edges into irreducible loops: lists by block */
    uint32_t extra_count, extra_capacity;
    uint32_t *list;   /* the body that is being collected */
    uint32_t *member; /* block b is in the body of loop member[b] - 1 */
    uint64_t steps;
} nest;

typedef struct frame {
    uint32_t block, successor;
} frame;

static void search_from(nest *n, frame *stack, uint32_t root, uint32_t tree, uint32_t *pre, uint32_t *post)
{
    cfg *g = n->g;
    uint32_t depth = 0;
    stack[depth++] = (frame){root, 0};
    g->blocks[root].preorder = (*pre)++;
    g->blocks[root].tree = tree;
    n->order[g->blocks[root].preorder] = root;
    while (depth) {
        frame *f = &stack[depth - 1];
        uint32_t to = tacho_cfg_successor(g, &g->blocks[f->block], f->successor++);
        if (to == CFG_NONE) {
            g->blocks[f->block].postorder = (*post)++;
            n->last[f->block] = *pre - 1;
            depth--;
        } else if (g->blocks[to].preorder == CFG_NONE) {
            g->blocks[to].preorder = (*pre)++;
            g->blocks[to].tree = tree;
            n->order[g->blocks[to].preorder] = to;
            stack[depth++] = (frame){to, 0};
        }
    }
}

static int search(nest *n)
{
    cfg *g = n->g;
    uint32_t pre = 0, post = 0, tree = 0;
    frame *stack = arena_alloc_raw(g->memory, (g->block_count + 1u) * sizeof *stack);
    if (!stack)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < g->block_count; i++)
        g->blocks[i].preorder = g->blocks[i].header = CFG_NONE;
    for (uint32_t i = 0; i < g->root_count; i++) {
        uint32_t b = tacho_cfg_block_at(g, g->roots[i]);
        if (b != CFG_NONE && g->blocks[b].preorder == CFG_NONE)
            search_from(n, stack, b, tree++, &pre, &post);
    }
    for (uint32_t b = 0; b < g->block_count; b++)
        if (g->blocks[b].preorder == CFG_NONE)
            search_from(n, stack, b, tree++, &pre, &post);
    return 0;
}

static bool is_descendant(const nest *n, uint32_t b, uint32_t of)
{
    uint32_t place = n->g->blocks[b].preorder;
    return place >= n->g->blocks[of].preorder && place <= n->last[of];
}

/* Edges by target, within the trees. */
static int collect_edges(nest *n)
{
    cfg *g = n->g;
    uint32_t count = 0, to;
    n->in.first = arena_alloc(g->memory, (g->block_count + 2u) * sizeof *n->in.first);
    if (!n->in.first)
        return TACHO_ERR_MEMORY;
    uint32_t *first = n->in.first;
    for (uint32_t b = 0; b < g->block_count; b++)
        for (uint32_t k = 0; (to = tacho_cfg_successor(g, &g->blocks[b], k)) != CFG_NONE; k++)
            if (g->blocks[b].tree == g->blocks[to].tree) {
                first[to + 2]++;
                count++;
            }
    for (uint32_t b = 2; b < g->block_count + 2; b++)
        first[b] += first[b - 1];
    n->in.sources = arena_alloc_raw(g->memory, (count + 1u) * sizeof *n->in.sources);
    if (!n->in.sources)
        return TACHO_ERR_MEMORY;
    for (uint32_t b = 0; b < g->block_count; b++)
        for (uint32_t k = 0; (to = tacho_cfg_successor(g, &g->blocks[b], k)) != CFG_NONE; k++)
            if (g->blocks[b].tree == g->blocks[to].tree)
                n->in.sources[first[to + 1]++] = b;
    return 0;
}

static uint32_t find(nest *n, uint32_t b)
{
    uint32_t top = b;
    while (n->parent[top] != top)
        top = n->parent[top];
    while (n->parent[b] != top) {
        uint32_t next = n->parent[b];
        n->parent[b] = top;
        b = next;
    }
    return top;
}

static int add_extra(nest *n, uint32_t header, uint32_t source)
{
    if (n->extra_count == MAX_EXTRA)
        return TACHO_ERR_LIMIT;
    if (n->extra_count == n->extra_capacity) {
        uint32_t more = n->extra_capacity ? 2 * n->extra_capacity : 64;
        n->extra_next = arena_grow(n->g->memory, n->extra_next, n->extra_count * sizeof *n->extra_next,
                                   more * sizeof *n->extra_next);
        n->extra_block = arena_grow(n->g->memory, n->extra_block, n->extra_count * sizeof *n->extra_block,
                                    more * sizeof *n->extra_block);
        if (!n->extra_next || !n->extra_block)
            return TACHO_ERR_MEMORY;
        n->extra_capacity = more;
    }
    n->extra_block[n->extra_count] = source;
    n->extra_next[n->extra_count] = n->extra_first[header];
    n->extra_first[header] = n->extra_count++;
    return 0;
}

/* Puts what stands for `source`, from where an edge leads into the body of loop `header`, into the body; an
 * edge from elsewhere makes the loop irreducible. */
static int enter(nest *n, uint32_t header, uint32_t source, uint32_t *count)
{
    uint32_t b = find(n, source);
    n->steps++;
    if (!is_descendant(n, b, header)) {
        n->g->blocks[header].irreducible = true;
        return add_extra(n, header, b);
    }
    if (b != header && n->member[b] != header + 1) {
        n->member[b] = header + 1;
        n->list[(*count)++] = b;
    }
    return 0;
}

static int collect_loop(nest *n, uint32_t header)
{
    cfg *g = n->g;
    uint32_t count = 0;
    int rc = 0;
    for (uint32_t k = n->in.first[header]; k < n->in.first[header + 1] && !rc; k++)
        if (is_descendant(n, n->in.sources[k], header)) {
            g->blocks[header].is_header = true;
            rc = enter(n, header, n->in.sources[k], &count);
        }
    for (uint32_t i = 0; i < count && !rc; i++) {
        uint32_t x = n->list[i];
        for (uint32_t k = n->in.first[x]; k < n->in.first[x + 1] && !rc; k++)
            if (!is_descendant(n, n->in.sources[k], x))
                rc = enter(n, header, n->in.sources[k], &count);
        for (uint32_t e = n->extra_first[x]; e != CFG_NONE && !rc; e = n->extra_next[e])
            rc = enter(n, header, n->extra_block[e], &count);
        if (n->steps > MAX_STEPS)
            rc = TACHO_ERR_LIMIT;
    }
    for (uint32_t i = 0; i < count; i++) {
        g->blocks[n->list[i]].header = header;
        g->blocks[header].has_inner |= g->blocks[n->list[i]].is_header;
        n->parent[n->list[i]] = header;
    }
    return rc;
}

static int start(nest *n)
{
    uint32_t count = n->g->block_count + 1u;
    uint32_t **arrays[] = {&n->order, &n->last, &n->parent, &n->extra_first, &n->list, &n->member};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = arena_alloc(n->g->memory, count * sizeof(uint32_t));
        if (!*arrays[i])
            return TACHO_ERR_MEMORY;
    }
    for (uint32_t b = 0; b < count; b++) {
        n->parent[b] = b;
        n->extra_first[b] = CFG_NONE;
    }
    return 0;
}

int tacho_cfg_find_loops(cfg *g)
{
    nest n = {.g = g};
    int rc = start(&n) ?: search(&n) ?: collect_edges(&n);
    for (uint32_t i = g->block_count; i-- > 0 && !rc;)
        rc = collect_loop(&n, n.order[i]);
    for (uint32_t i = 0; i < g->block_count && !rc; i++) { /* outer headers come first in preorder */
        cfg_block *b = &g->blocks[n.order[i]];
        if (b->is_header)
            b->depth = 1 + (b->header != CFG_NONE ? g->blocks[b->header].depth : 0);
    }
    return rc;
}

/* Blocks by the loop that they are in: first[h] begins a list through next. */
static int list_members(const cfg *g, arena *memory, uint32_t **first, uint32_t **next)
{
    *first = arena_alloc_raw(memory, (g->block_count + 1u) * sizeof **first);
    *next = arena_alloc_raw(memory, (g->block_count + 1u) * sizeof **next);
    if (!*first || !*next)
        return TACHO_ERR_MEMORY;
    for (uint32_t b = 0; b < g->block_count; b++)
        (*first)[b] = CFG_NONE;
    for (uint32_t b = g->block_count; b-- > 0;) {
        uint32_t h = g->blocks[b].header;
        if (h != CFG_NONE) {
            (*next)[b] = (*first)[h];
            (*first)[h] = b;
        }
    }
    return 0;
}

int tacho_cfg_each_loop(const cfg *g, arena *memory, cfg_each_loop *each, void *payload)
{
    uint32_t *first, *next, *members = arena_alloc_raw(memory, (g->block_count + 1u) * sizeof *members);
    int rc = members ? list_members(g, memory, &first, &next) : TACHO_ERR_MEMORY;
    for (uint32_t b = 0; b < g->block_count && !rc; b++) {
        uint32_t count = 0;
        if (!g->blocks[b].is_header || g->blocks[b].has_inner)
            continue;
        for (uint32_t m = first[b]; m != CFG_NONE; m = next[m])
            members[count++] = m;
        rc = each(g, b, members, count, payload);
    }
    return rc;
}
