/* dependencies.c - the time of an iteration by its chains of latencies alone, with unlimited width, ports and
 * buffers: the maximum cycle ratio of the dependency graph, exactly.
 *
 * An iteration hands values to the next in units that are read before they are written: registers, flags, and
 * memory through which a store reaches a later load. One pass over the block finds the longest path from each
 * such unit at the start to each at the end. That makes a small graph, each edge of which takes one
 * iteration. Its cycle with the largest mean is the critical one; a second pass finds the instructions on it.
 */

#include "base/number.h"
#include "model/bounds/flow.h"

/* ---- the largest ratio of a cycle ---- */

/* The maximum cycle mean of a small dense graph, exactly: Karp's theorem (R. M. Karp, A characterization of
 * the minimum cycle mean in a digraph, 1978) in integers. With all nodes as starts it holds for graphs that
 * are not strongly connected, too. */

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

/* The largest mean weight of a cycle in a graph of n nodes; weight[to * stride + from] is that of an edge,
 * NO_PATH where there is none. The result is *num / *den; 0/1 without a cycle. `cycle`, if not NULL, takes
 * the nodes of one such cycle in order, and *length how many.
 * @return 0 or TACHO_ERR_MEMORY */
static int max_cycle_mean(const int32_t *weight, uint32_t n, uint32_t stride, int64_t *num, int64_t *den,
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

/* ---- the bound ---- */

/* The cycles that chains of one cycle an iteration are expected to lose because µops get their
 * port at issue, long before it is known which of them will be ready together. It is an expectation, not a
 * limit, for predictions without a simulation. */

/* The probability that two µops which become ready together were given the same port, all allowed ports being
 * equally likely. */
static double same_port(const flow *f, uint16_t a, uint16_t b)
{
    const tacho_arch *arch = f->b->arch;
    uint16_t in_turn =
        arch->load_ports | arch->store_data_ports | arch->store_address_ports; /* evenly used */
    int common = __builtin_popcount(a & b & (uint16_t)~in_turn);
    return common ? (double)common / (__builtin_popcount(a) * __builtin_popcount(b)) : 0;
}

/* The cycles that a chain of one carried value is expected to lose in an iteration. Each link waits a cycle
 * when an older µop that becomes ready with it was given its port. The µops that follow from the chain become
 * ready at fixed distances after it, so they meet it again in every cycle. */
static double expected_conflicts(const flow *f, int32_t last)
{
    double lost = 0;
    for (int32_t n = last; n >= 0; n = f->nodes[n].from) {
        double free = 1;
        for (int32_t w = 0; w < f->node_count; w++) {
            int32_t after = f->nodes[w].start - f->nodes[n].start;
            bool older = after > 0 || (after == 0 && w < n);
            if (older)
                free *= 1 - same_port(f, f->nodes[n].u->ports, f->nodes[w].u->ports);
        }
        lost += 1 - free;
    }
    return lost;
}

/* The links of the chains that take one cycle an iteration each. */
typedef struct chain_links {
    const uop *u[UNIT_COUNT];
    uint32_t count;
} chain_links;

/* The cycles that the youngest of several chains loses to the others. While the chains are level, the older
 * ones' links go first. The chain that has lost a cycle is then the oldest, until another one has lost as
 * many. So the chains are level half of the time. */
static double lost_to_chains(const flow *f, const chain_links *l)
{
    double worst = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        double free = 1;
        for (uint32_t j = 0; j < l->count; j++)
            free *= l->u[j] < l->u[k] ? 1 - same_port(f, l->u[k]->ports, l->u[j]->ports) : 1;
        worst = 1 - free > worst ? 1 - free : worst;
    }
    return worst / 2 / (1 - worst / 2);
}

/* µops of an iteration that can go to a port of the chains. */
static uint32_t rivals(const flow *f, const chain_links *l)
{
    uint32_t ports = 0, count = 0;
    for (uint32_t k = 0; k < l->count; k++)
        ports |= l->u[k]->ports;
    for (uint32_t k = 0; k < f->b->uop_count; k++)
        count += (f->b->uops[k].ports & ports) != 0;
    return count;
}

/* Only several chains lose cycles: a single chain's µops are kept apart, because ports are chosen by the
 * numbers of waiting µops, and ports with time to spare are, too; chains of one cycle an iteration drift
 * against each other. */
static int flow_conflicts(double *lost, flow *f, const carried_nodes *c, const int32_t *weight,
                          uint32_t stride, insn_results *r)
{
    uint32_t chains = 0;
    bool bound_early = f->b->arch->port_policy != TACHO_PORTS_AT_DISPATCH;
    chain_links links = {.count = 0};
    *lost = 0;
    for (uint32_t k = 0; k < c->units && bound_early; k++)
        chains += weight[k * stride + k] == 1;
    for (uint32_t k = 0; k < c->units && chains > 1; k++) {
        if (weight[k * stride + k] != 1)
            continue;
        if (flow_start_trace(f))
            return TACHO_ERR_MEMORY;
        flow_run(f, c, (int32_t)k, r);
        int32_t last = f->slot_node[c->unit[k]];
        double more = expected_conflicts(f, last);
        *lost = more > *lost ? more : *lost;
        if (last >= 0)
            links.u[links.count++] = f->nodes[last].u;
    }
    if (links.count > 2 || (links.count == 2 && rivals(f, &links) > 2)) {
        double more = lost_to_chains(f, &links);
        *lost = more > *lost ? more : *lost;
    }
    return 0;
}

enum {
    MAX_PASSES = 4
};

/* ---- what is carried ---- */

static void add_units(carried_nodes *c, uint64_t bits, uint32_t first)
{
    for (; bits; bits &= bits - 1)
        c->unit[c->units++] = (uint8_t)(first + (uint32_t)__builtin_ctzll(bits));
}

/* Which registers hold a loaded value at the start of an iteration. Moves hand such a value on from one
 * register to the next, so it can take several iterations until this settles; where it never settles, all
 * registers may hold one. */
static void settle_origins(flow *f)
{
    uint32_t before = ~f->by_load;
    for (int pass = 0; f->b->arch->fast_pointer_chasing && f->by_load && f->by_load != before; pass++) {
        if (pass == MAX_PASSES) {
            f->by_load = UINT32_MAX;
            return;
        }
        before = f->by_load;
        for (uint32_t i = 0; i < f->b->insn_count; i++)
            flow_note_origin(f, &f->b->insns[i]);
    }
}

/* Finds the units that are read before they are written, and those that are written; also what the registers'
 * values are like at the end. */
static void find_carried(carried_nodes *c, flow *f)
{
    unit_set read = {{0, 0}}, written = {{0, 0}};
    for (uint32_t i = 0; i < f->b->insn_count; i++) {
        const block_insn *bi = &f->b->insns[i];
        for (int w = 0; w < 2; w++) {
            read.bits[w] |= bi->reads.bits[w] & ~written.bits[w];
            written.bits[w] |= bi->writes.bits[w];
        }
        if (f->syncs->before && f->syncs->before[i]) {
            read.bits[0] |= ((uint64_t)1 << UNIT_RSP) & ~written.bits[0];
            written.bits[0] |= (uint64_t)1 << UNIT_RSP;
        }
        flow_note_origin(f, bi);
    }
    settle_origins(f);
    *c = (carried_nodes){.units = 0};
    add_units(c, read.bits[0] & written.bits[0], 0);
    add_units(c, read.bits[1] & written.bits[1], 64);
    for (uint32_t k = 0; k < f->memory->count; k++)
        for (uint8_t age = 1; age <= f->memory->list[k].distance; age++) {
            if (c->memories + f->memory->list[k].distance - age >= MAX_MEMORY_NODES)
                break;
            c->memory[c->memories].forwarding = (uint16_t)k;
            c->memory[c->memories++].age = age;
        }
}

/* The graph: weight[to * stride + from]. */
static void read_weights(int32_t *weight, const flow *f, const carried_nodes *c)
{
    uint32_t n = c->units + c->memories, stride = f->width * LANES;
    for (uint32_t k = 0; k < n * stride; k++)
        weight[k] = NO_PATH;
    for (uint32_t k = 0; k < n; k++) {
        const lanes *value = NULL;
        if (k < c->units) {
            value = flow_is_live(f, c->unit[k]) ? flow_value(f, c->unit[k]) : NULL;
        } else if (c->memory[k - c->units].age > 1) {
            weight[k * stride + k - 1] = 0; /* a store of one iteration more ago */
        } else {
            uint32_t w = c->memory[k - c->units].forwarding;
            value = f->store_live[w] ? f->stores + w * f->width : NULL;
        }
        for (uint32_t j = 0; value && j < n; j++)
            if (value[j / LANES][j % LANES] > NO_PATH / 2)
                weight[k * stride + j] = value[j / LANES][j % LANES];
    }
}

static int alloc_flow(flow *f, const carried_nodes *c, insn_results *r)
{
    arena *a = f->in->memory;
    uint32_t n = c->units + c->memories, count = f->memory->count;
    f->width = (n + LANES - 1) / LANES;
    size_t value = f->width * sizeof(lanes);
    f->slots = arena_alloc_raw(a, SLOTS * value);
    f->slot_node = arena_alloc_raw(a, SLOTS * sizeof *f->slot_node);
    f->now = arena_alloc_raw(a, value);
    r->values = arena_alloc_raw(a, MAX_RESULTS * value);
    if (!f->slots || !f->slot_node || !f->now || !r->values)
        return TACHO_ERR_MEMORY;
    if (!count)
        return 0;
    f->stores = arena_alloc_raw(a, count * value);
    f->carried = arena_alloc_raw(a, count * value);
    f->store_live = arena_alloc(a, count);
    f->carried_live = arena_alloc(a, count);
    f->store_node = arena_alloc(a, count * sizeof *f->store_node);
    return f->stores && f->carried && f->store_live && f->carried_live && f->store_node ? 0
                                                                                        : TACHO_ERR_MEMORY;
}

/* ---- the critical cycle's instructions ---- */

/* Adds a step to the cycle; consecutive µops of one instruction are one step. */
static void add_step(critical_cycle *out, uint32_t insn, int32_t latency)
{
    if (!out->count || out->insns[out->count - 1] != insn) {
        out->insns[out->count] = insn;
        out->latencies[out->count++] = 0;
    }
    out->latencies[out->count - 1] += latency;
}

/* From when on a node's own latency counts. A load that reads what a store writes is taken to start early
 * enough for the data to be there in time; the time that forwarding takes belongs to the store. */
static int32_t time_of(const flow *f, int32_t node)
{
    const path_node *n = &f->nodes[node];
    bool forwarded =
        n->u->kind == UOP_LOAD && n->from >= 0 &&
        (f->nodes[n->from].u->kind == UOP_STORE_ADDRESS || f->nodes[n->from].u->kind == UOP_STORE_DATA);
    return n->start + (forwarded ? n->u->load_latency : 0);
}

/* The longest path through the block from one carried node to another. */
static void trace_edge(critical_cycle *out, flow *f, const carried_nodes *c, uint32_t from, uint32_t to,
                       insn_results *r)
{
    if (to >= c->units && c->memory[to - c->units].age > 1)
        return; /* no µop: the store is one iteration further back */
    uint32_t w = to >= c->units ? c->memory[to - c->units].forwarding : 0;
    flow_run(f, c, (int32_t)from, r);
    int32_t last = to < c->units ? f->slot_node[c->unit[to]] : f->store_node[w];
    int32_t end = to < c->units ? flow_value(f, c->unit[to])[0][0] : f->stores[w * f->width][0];
    int32_t *next = f->path, count = 0;
    for (int32_t n = last; n >= 0; n = f->nodes[n].from)
        next[count++] = n;
    for (int32_t now = 0, then; count--; now = then) {
        then = count ? time_of(f, next[count - 1]) : end;
        add_step(out, f->nodes[next[count]].insn, then - now);
    }
}

static int trace_cycle(critical_cycle *out, flow *f, const carried_nodes *c, const uint32_t *cycle,
                       uint32_t length, insn_results *r)
{
    arena *a = f->in->memory;
    size_t steps = (size_t)length * f->b->uop_count + 1;
    out->insns = arena_alloc(a, steps * sizeof *out->insns);
    out->latencies = arena_alloc(a, steps * sizeof *out->latencies);
    if (flow_start_trace(f) || !out->insns || !out->latencies)
        return TACHO_ERR_MEMORY;
    for (uint32_t k = 0; k < length; k++)
        trace_edge(out, f, c, cycle[k], cycle[(k + 1) % length], r);
    if (out->count > 1 && out->insns[0] == out->insns[out->count - 1])
        out->latencies[0] += out->latencies[--out->count];
    out->iterations = length;
    return 0;
}

int bounds_dependencies(double *cycles, double *conflicts, critical_cycle *critical, const bounds_input *in,
                        const stack_syncs *syncs, const forwardings *memory)
{
    carried_nodes c;
    insn_results r;
    flow f = {.in = in, .b = in->b, .syncs = syncs, .memory = memory};
    *cycles = 0;
    *conflicts = NAN;
    find_carried(&c, &f);
    uint32_t n = c.units + c.memories, length;
    if (!n)
        return 0;
    if (alloc_flow(&f, &c, &r))
        return TACHO_ERR_MEMORY;
    flow_run(&f, &c, -1, &r);
    uint32_t stride = f.width * LANES;
    int32_t *weight = arena_alloc_raw(in->memory, n * stride * sizeof *weight);
    uint32_t *cycle = critical ? arena_alloc(in->memory, n * sizeof *cycle) : NULL;
    if (!weight || (critical && !cycle))
        return TACHO_ERR_MEMORY;
    read_weights(weight, &f, &c);
    int64_t num, den;
    int rc = max_cycle_mean(weight, n, stride, &num, &den, cycle, &length, in->memory);
    *cycles = (double)num / (double)den;
    double lost = 0;
    if (!rc && in->conflicts && num == 1 && den == 1)
        rc = flow_conflicts(&lost, &f, &c, weight, stride, &r);
    if (lost > 0)
        *conflicts = *cycles + lost;
    return rc || !critical || !length ? rc : trace_cycle(critical, &f, &c, cycle, length, &r);
}
