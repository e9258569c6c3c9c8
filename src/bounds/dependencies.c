/* dependencies.c - how long the chains of latencies make an iteration, with unlimited width, ports and
 * buffers: the maximum cycle ratio of the dependency graph, exactly.
 *
 * What one iteration hands to the next is what some units hold that are read before they are written:
 * registers, flags, and memory through which a store reaches a later load. One pass over the block finds the
 * longest path from each of these, at its start, to each, at its end: a small graph, each edge of which takes
 * an iteration. The cycle with the largest mean in it is the critical one; a second pass finds its
 * instructions. */
#include "bounds/bounds.h"

#include <string.h>

enum {
    MAX_MEMORY_NODES = 32, /* further dependencies through memory and across iterations are overlooked */
    LANES = 4,
    SLOTS = 256 /* units and temporaries */
};

/* Distances from the sources, LANES of them. */
typedef int32_t lanes __attribute__((vector_size(4 * LANES)));

/* A µop on the longest path from the source, when there is only one. */
typedef struct path_node {
    int32_t from; /* node before, -1: the source */
    int32_t start;
    uint32_t insn;
} path_node;

/* A value: when it is ready, counted from each source; NO_PATH where the source does not matter. */
typedef struct flow {
    const bounds_input *in;
    const block *b;
    const stack_syncs *syncs;
    const forwardings *memory;
    uint32_t width; /* vectors in a value */
    lanes *slots;   /* [SLOTS][width]; valid where live */
    lanes *stores;  /* [forwarding][width]: data on the way from a store to its load */
    lanes *carried; /* [forwarding][width]: the same from earlier iterations */
    lanes *now;     /* [width] */
    uint64_t live[SLOTS / 64];
    uint8_t *store_live, *carried_live; /* [forwarding] */
    uint32_t next_forwarding;
    uint32_t by_load, zeroed; /* general registers as they came from memory, or from a zero idiom */
    /* tracing */
    path_node *nodes; /* NULL: no trace */
    int32_t node_count, node_capacity;
    int32_t *path; /* [node_capacity] */
    int32_t slot_node[SLOTS];
    int32_t *store_node; /* [forwarding] */
} flow;

bool bounds_eliminates(const tacho_arch *arch, const block_insn *bi)
{
    return bi->eliminable && (bi->move_gpr ? arch->move_elim_slots_gpr : arch->move_elim_slots_simd) > 0;
}

static bool is_live(const flow *f, uint32_t slot)
{
    return f->live[slot / 64] >> slot % 64 & 1;
}

static void set_live(flow *f, uint32_t slot, bool live)
{
    uint64_t bit = (uint64_t)1 << slot % 64;
    f->live[slot / 64] = live ? f->live[slot / 64] | bit : f->live[slot / 64] & ~bit;
}

static lanes *slot_value(const flow *f, uint32_t slot)
{
    return f->slots + slot * f->width;
}

/* to = max(to, from + cycles) */
static void later(lanes *to, const lanes *from, int32_t cycles, uint32_t width)
{
    for (uint32_t k = 0; k < width; k++) {
        lanes value = from[k] + cycles, greater = value > to[k];
        to[k] = (value & greater) | (to[k] & ~greater);
    }
}

static void set_later(lanes *to, const lanes *from, int32_t cycles, uint32_t width)
{
    for (uint32_t k = 0; k < width; k++)
        to[k] = from[k] + cycles;
}

/* The µop waits for `value`; returns whether it now waits for anything. While tracing, notes what is last. */
static void wait_for(flow *f, const lanes *value, int32_t cycles, bool *waits, int32_t node)
{
    if (f->nodes && (!*waits || value[0][0] + cycles > f->now[0][0]))
        f->nodes[f->node_count].from = node;
    if (*waits)
        later(f->now, value, cycles, f->width);
    else
        set_later(f->now, value, cycles, f->width);
    *waits = true;
}

static void copy_unit(flow *f, uint32_t target, uint32_t source)
{
    bool live = is_live(f, source);
    if (live)
        memcpy(slot_value(f, target), slot_value(f, source), f->width * sizeof(lanes));
    set_live(f, target, live);
    f->slot_node[target] = f->slot_node[source];
}

/* A load of `m` takes a cycle less: the base comes straight from a load, the displacement is small, no index.
 */
static bool chases(const flow *f, const mem_access *m)
{
    return f->b->arch->fast_pointer_chasing && m->base < UNIT_HIGH8 && m->disp >= 0 && m->disp < 2048 &&
           (f->by_load >> m->base & 1) &&
           (m->index == UNIT_NONE || (m->index < UNIT_HIGH8 && (f->zeroed >> m->index & 1)));
}

/* What a load waits for in memory: the µops of the store that it reads from. */
static void wait_for_store(flow *f, const uop *u, uint32_t insn, bool *waits)
{
    const forwardings *list = f->memory;
    while (f->next_forwarding < list->count && list->list[f->next_forwarding].load_insn < insn)
        f->next_forwarding++;
    for (uint32_t k = f->next_forwarding; k < list->count && list->list[k].load_insn == insn; k++) {
        bool carried = list->list[k].distance > 0;
        if (list->list[k].load_access != u->mem || !(carried ? f->carried_live : f->store_live)[k])
            continue;
        wait_for(f, (carried ? f->carried : f->stores) + k * f->width, -u->load_latency, waits,
                 carried ? -1 : f->store_node[k]);
    }
}

/* A store's µop: its loads can have the data so many cycles after it starts. */
static void pass_to_loads(flow *f, const uop *u, uint32_t insn, int32_t node)
{
    const tacho_arch *arch = f->b->arch;
    int32_t cycles =
        (u->kind == UOP_STORE_ADDRESS ? arch->load_latency_cycles : 1) + arch->store_forward_cycles;
    for (uint32_t k = 0; k < f->memory->count; k++) {
        const forwarding *w = &f->memory->list[k];
        if (w->store_insn != insn || w->store_access != u->mem)
            continue;
        lanes *to = f->stores + k * f->width;
        if (!f->store_live[k] || f->now[0][0] + cycles > to[0][0])
            f->store_node[k] = node;
        if (f->store_live[k])
            later(to, f->now, cycles, f->width);
        else
            set_later(to, f->now, cycles, f->width);
        f->store_live[k] = true;
    }
}

static int32_t add_node(flow *f, uint32_t insn, bool waits)
{
    if (!f->nodes || !waits || f->node_count + 1 >= f->node_capacity)
        return -1;
    f->nodes[f->node_count].start = f->now[0][0];
    f->nodes[f->node_count].insn = insn;
    return f->node_count++;
}

/* Results become visible to the instruction's own µops as temporaries, to others when it is over. */
typedef struct visible_result {
    uint8_t unit;
    bool live;
    int32_t node;
} visible_result;

enum {
    MAX_RESULTS = 24
};

typedef struct insn_results {
    visible_result list[MAX_RESULTS];
    uint32_t count;
    lanes *values; /* [MAX_RESULTS][width] */
} insn_results;

static void flow_uop(flow *f, const uop *u, uint32_t insn, insn_results *r)
{
    bool waits = false;
    for (int k = 0; k < u->in_count; k++)
        if (is_live(f, u->in[k]))
            wait_for(f, slot_value(f, u->in[k]), 0, &waits, f->slot_node[u->in[k]]);
    if (u->kind == UOP_LOAD && f->b->insns[insn].mem_count) {
        if (waits && chases(f, &f->b->insns[insn].mem[u->mem]))
            set_later(f->now, f->now, -1, f->width);
        if (f->memory->count)
            wait_for_store(f, u, insn, &waits);
    }
    int32_t node = add_node(f, insn, waits);
    if (waits && f->memory->count && (u->kind == UOP_STORE_ADDRESS || u->kind == UOP_STORE_DATA))
        pass_to_loads(f, u, insn, node);
    for (int k = 0; k < u->out_count; k++) {
        uint32_t slot = u->out[k].slot;
        if (slot >= TEMP_BASE) {
            set_live(f, slot, waits);
            f->slot_node[slot] = node;
            if (waits)
                set_later(slot_value(f, slot), f->now, u->out[k].latency, f->width);
        } else if (r->count < MAX_RESULTS) {
            r->list[r->count] = (visible_result){(uint8_t)slot, waits, node};
            if (waits)
                set_later(r->values + r->count * f->width, f->now, u->out[k].latency, f->width);
            r->count++;
        }
    }
}

static void note_origin(flow *f, const block_insn *bi)
{
    uint32_t written = (uint32_t)bi->writes.bits[0] & 0xffff;
    if (bounds_eliminates(f->b->arch, bi)) {
        uint32_t bit = written, by_load = 0, zeroed = 0;
        if (bi->move_source < UNIT_HIGH8 && bi->move_target < UNIT_HIGH8) {
            by_load = !bi->move_width32 && (f->by_load >> bi->move_source & 1) ? bit : 0;
            zeroed = f->zeroed >> bi->move_source & 1 ? bit : 0;
        }
        f->by_load = (f->by_load & ~written) | by_load;
        f->zeroed = (f->zeroed & ~written) | zeroed;
        return;
    }
    f->by_load = bi->gpr_load ? f->by_load | written : f->by_load & ~written;
    f->zeroed = bi->kill_count ? f->zeroed | written : f->zeroed & ~written;
}

static void flow_insn(flow *f, uint32_t insn, insn_results *r)
{
    const block_insn *bi = &f->b->insns[insn];
    for (uint32_t k = 0; f->syncs->before && k < f->syncs->before[insn]; k++)
        if (is_live(f, UNIT_RSP))
            set_later(slot_value(f, UNIT_RSP), slot_value(f, UNIT_RSP), 1, f->width);
    r->count = 0;
    f->live[2] = f->live[3] = 0;
    if (bounds_eliminates(f->b->arch, bi))
        copy_unit(f, bi->move_target, bi->move_source);
    else if (bi->eliminable)
        flow_uop(f, &f->b->uops[bi->uneliminated_first], insn, r);
    for (uint32_t k = 0; k < bi->uop_count; k++)
        flow_uop(f, &f->b->uops[bi->uop_first + k], insn, r);
    for (uint32_t k = 0; k < r->count; k++) {
        const visible_result *v = &r->list[k];
        set_live(f, v->unit, v->live);
        f->slot_node[v->unit] = v->node;
        if (v->live)
            memcpy(slot_value(f, v->unit), r->values + k * f->width, f->width * sizeof(lanes));
    }
    for (int k = 0; k < bi->kill_count; k++)
        set_live(f, bi->kills[k], false);
    note_origin(f, bi);
}

/* ---- what is carried ---- */

typedef struct carried_nodes {
    uint8_t unit[UNIT_COUNT];
    uint32_t units;
    struct {
        uint16_t forwarding;
        uint8_t age; /* iterations since the store */
    } memory[MAX_MEMORY_NODES];
    uint32_t memories;
} carried_nodes;

static void add_units(carried_nodes *c, uint64_t bits, uint32_t first)
{
    for (; bits; bits &= bits - 1)
        c->unit[c->units++] = (uint8_t)(first + (uint32_t)__builtin_ctzll(bits));
}

/* Units read before they are written, and written. On the way, what the registers' values are like at the
 * end.
 */
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
        note_origin(f, bi);
    }
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

/* ---- one pass ---- */

static void set_source(lanes *value, uint32_t source, uint32_t width)
{
    for (uint32_t k = 0; k < width; k++)
        value[k] = (lanes){NO_PATH, NO_PATH, NO_PATH, NO_PATH};
    value[source / LANES][source % LANES] = 0;
}

/* Runs the block with each of the nodes as a source, or with `only` alone (not -1) as source 0. */
static void run_block(flow *f, const carried_nodes *c, int32_t only, insn_results *r)
{
    memset(f->live, 0, sizeof f->live);
    f->next_forwarding = 0;
    f->node_count = 0;
    if (f->memory->count) {
        memset(f->store_live, 0, f->memory->count);
        memset(f->carried_live, 0, f->memory->count);
    }
    for (uint32_t k = 0; k < c->units; k++) {
        if (only >= 0 && k != (uint32_t)only)
            continue;
        set_source(slot_value(f, c->unit[k]), only < 0 ? k : 0, f->width);
        set_live(f, c->unit[k], true);
        f->slot_node[c->unit[k]] = -1;
    }
    for (uint32_t k = 0; k < c->memories; k++) {
        uint32_t w = c->memory[k].forwarding;
        if ((only >= 0 && c->units + k != (uint32_t)only) || c->memory[k].age != f->memory->list[w].distance)
            continue;
        set_source(f->carried + w * f->width, only < 0 ? c->units + k : 0, f->width);
        f->carried_live[w] = true;
    }
    for (uint32_t i = 0; i < f->b->insn_count; i++)
        flow_insn(f, i, r);
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
            value = is_live(f, c->unit[k]) ? slot_value(f, c->unit[k]) : NULL;
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
    f->now = arena_alloc_raw(a, value);
    r->values = arena_alloc_raw(a, MAX_RESULTS * value);
    if (!f->slots || !f->now || !r->values)
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

/* Goes on with one more step of the cycle; µops of one instruction that follow each other are one. */
static void add_step(critical_cycle *out, uint32_t insn, int32_t latency)
{
    if (!out->count || out->insns[out->count - 1] != insn) {
        out->insns[out->count] = insn;
        out->latencies[out->count++] = 0;
    }
    out->latencies[out->count - 1] += latency;
}

/* The longest path through the block from one carried node to another. */
static void trace_edge(critical_cycle *out, flow *f, const carried_nodes *c, uint32_t from, uint32_t to,
                       insn_results *r)
{
    run_block(f, c, (int32_t)from, r);
    uint32_t w = to >= c->units ? c->memory[to - c->units].forwarding : 0;
    if (to >= c->units && c->memory[to - c->units].age > 1)
        return;
    int32_t last = to < c->units ? f->slot_node[c->unit[to]] : f->store_node[w];
    int32_t end = to < c->units ? slot_value(f, c->unit[to])[0][0] : f->stores[w * f->width][0];
    int32_t *next = f->path, count = 0;
    for (int32_t n = last; n >= 0; n = f->nodes[n].from)
        next[count++] = n;
    while (count--) {
        const path_node *p = &f->nodes[next[count]];
        add_step(out, p->insn, (count ? f->nodes[next[count - 1]].start : end) - p->start);
    }
}

static int trace_cycle(critical_cycle *out, flow *f, const carried_nodes *c, const uint32_t *cycle,
                       uint32_t length, insn_results *r)
{
    arena *a = f->in->memory;
    f->node_capacity = (int32_t)f->b->uop_count + 2;
    f->nodes = arena_alloc(a, (size_t)f->node_capacity * sizeof *f->nodes);
    f->path = arena_alloc(a, (size_t)f->node_capacity * sizeof *f->path);
    size_t steps = (size_t)length * f->b->uop_count + 1;
    out->insns = arena_alloc(a, steps * sizeof *out->insns);
    out->latencies = arena_alloc(a, steps * sizeof *out->latencies);
    if (!f->nodes || !f->path || !out->insns || !out->latencies)
        return TACHO_ERR_MEMORY;
    f->width = 1;
    for (uint32_t k = 0; k < length; k++)
        trace_edge(out, f, c, cycle[k], cycle[(k + 1) % length], r);
    if (out->count > 1 && out->insns[0] == out->insns[out->count - 1])
        out->latencies[0] += out->latencies[--out->count];
    out->iterations = length;
    return 0;
}

int bounds_dependencies(double *cycles, critical_cycle *critical, const bounds_input *in,
                        const stack_syncs *syncs, const forwardings *memory)
{
    carried_nodes c;
    insn_results r = {.count = 0};
    flow f = {.in = in, .b = in->b, .syncs = syncs, .memory = memory};
    *cycles = 0;
    find_carried(&c, &f);
    uint32_t n = c.units + c.memories, length;
    if (!n)
        return 0;
    if (alloc_flow(&f, &c, &r))
        return TACHO_ERR_MEMORY;
    run_block(&f, &c, -1, &r);
    uint32_t stride = f.width * LANES;
    int32_t *weight = arena_alloc_raw(in->memory, n * stride * sizeof *weight);
    uint32_t *cycle = critical ? arena_alloc(in->memory, n * sizeof *cycle) : NULL;
    if (!weight || (critical && !cycle))
        return TACHO_ERR_MEMORY;
    read_weights(weight, &f, &c);
    int64_t num, den;
    int rc = max_cycle_mean(weight, n, stride, &num, &den, cycle, &length, in->memory);
    *cycles = (double)num / (double)den;
    return rc || !critical || !length ? rc : trace_cycle(critical, &f, &c, cycle, length, &r);
}
