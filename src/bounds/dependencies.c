/* dependencies.c - how long the longest chain of latencies makes an iteration: the data flow alone, with
 * unlimited width, ports and buffers. After enough iterations the latest result lies on the critical cycle
 * (maximum cycle ratio of the dependency graph); following its producers back finds it. */
#include "bounds/bounds.h"

enum {
    FLOW_UOPS = 40000,
    FLOW_ITERATIONS = 40
};

/* One executed µop: when it started, and which earlier one made it start then. */
typedef struct flow_node {
    int64_t start;
    int64_t latency_in; /* cycles from the critical producer's start */
    int32_t producer;   /* node, -1 none */
    uint32_t insn, iteration;
    uint32_t uop;
} flow_node;

typedef struct flow_value {
    int32_t node; /* -1: ready from the start */
    int32_t latency;
    bool by_load; /* as it came from memory: the base of a faster load (uiCA paper, section 4.1.3) */
    bool zeroed;
} flow_value;

typedef struct flow {
    const sim *s;
    flow_node *nodes;
    int32_t count, capacity;
    flow_value units[UNIT_COUNT], temps[TEMP_COUNT];
    flow_value pending_value[24];
    uint8_t pending_unit[24];
    uint32_t pending_count;
} flow;

static void note_producer(flow_node *n, const flow *f, flow_value v, int extra)
{
    if (v.node < 0)
        return;
    int64_t ready = f->nodes[v.node].start + v.latency + extra;
    if (n->producer < 0 || ready > n->start) {
        n->start = ready;
        n->producer = v.node;
        n->latency_in = v.latency + extra;
    }
}

static bool fast_chase(const flow *f, const uop *u, uint32_t insn)
{
    const block_insn *bi = &f->s->b->insns[insn];
    if (u->kind != UOP_LOAD || !bi->mem_count)
        return false;
    const mem_access *m = &bi->mem[u->mem];
    return sim_may_chase(f->s, m) && f->units[m->base].by_load &&
           (m->index == UNIT_NONE || f->units[m->index].zeroed);
}

static void flow_uop(flow *f, const uop *u, uint32_t insn, uint32_t iteration, uint32_t number)
{
    int saved = fast_chase(f, u, insn);
    flow_node *n = &f->nodes[f->count];
    *n = (flow_node){.producer = -1, .insn = insn, .iteration = iteration, .uop = number};
    for (int k = 0; k < u->in_count; k++)
        note_producer(n, f, u->in[k] < TEMP_BASE ? f->units[u->in[k]] : f->temps[u->in[k] - TEMP_BASE], 0);
    for (int k = 0; k < u->out_count; k++) {
        flow_value v = {.node = f->count, .latency = u->out[k].latency - saved};
        if (u->out[k].slot >= TEMP_BASE) {
            f->temps[u->out[k].slot - TEMP_BASE] = v;
        } else if (f->pending_count < sizeof f->pending_unit) {
            f->pending_unit[f->pending_count] = u->out[k].slot;
            f->pending_value[f->pending_count++] = v;
        }
    }
    f->count++;
}

static void flow_insn(flow *f, uint32_t insn, uint32_t iteration)
{
    const block *b = f->s->b;
    const block_insn *bi = &b->insns[insn];
    bool moves = bi->eliminable &&
                 (bi->move_gpr ? f->s->arch->move_elim_slots_gpr : f->s->arch->move_elim_slots_simd) > 0;
    f->pending_count = 0;
    if (moves) {
        f->units[bi->move_target] = f->units[bi->move_source];
        f->units[bi->move_target].by_load &= !bi->move_width32;
    } else if (bi->eliminable)
        flow_uop(f, &b->uops[bi->uneliminated_first], insn, iteration, bi->uneliminated_first);
    for (uint32_t k = 0; k < bi->uop_count; k++)
        flow_uop(f, &b->uops[bi->uop_first + k], insn, iteration, bi->uop_first + k);
    for (uint32_t k = 0; k < f->pending_count; k++) {
        f->units[f->pending_unit[k]] = f->pending_value[k];
        f->units[f->pending_unit[k]].by_load = bi->gpr_load;
    }
    for (int k = 0; k < bi->kill_count; k++)
        f->units[bi->kills[k]] = (flow_value){.node = -1, .zeroed = true};
}

/* Follows critical producers back from the latest node until a µop of the block comes twice. */
static int find_cycle(const flow *f, critical_cycle *out, arena *a)
{
    int32_t last = -1;
    for (int32_t i = f->count - 1; i >= 0 && i + (int32_t)f->s->b->uop_count >= f->count; i--)
        if (last < 0 || f->nodes[i].start > f->nodes[last].start)
            last = i;
    int32_t *seen = arena_alloc(a, (f->s->b->uop_count + 1u) * sizeof *seen);
    if (!seen)
        return TACHO_ERR_MEMORY;
    int32_t from = -1, to = -1;
    for (int32_t n = last; n >= 0; n = f->nodes[n].producer) {
        int32_t *first = &seen[f->nodes[n].uop];
        if (*first) {
            from = n;
            to = *first - 1;
            break;
        }
        *first = n + 1;
    }
    if (from < 0)
        return 0;
    out->iterations = f->nodes[to].iteration - f->nodes[from].iteration;
    if (out->iterations <= 0)
        return 0;
    out->cycles = (double)(f->nodes[to].start - f->nodes[from].start) / out->iterations;
    uint32_t length = 0;
    for (int32_t n = to; n != from; n = f->nodes[n].producer)
        length++;
    out->insns = arena_alloc(a, (length + 1) * sizeof *out->insns);
    out->latencies = arena_alloc(a, (length + 1) * sizeof *out->latencies);
    if (!out->insns || !out->latencies)
        return TACHO_ERR_MEMORY;
    uint32_t at = length;
    for (int32_t n = to; n != from; n = f->nodes[n].producer) {
        out->insns[--at] = f->nodes[f->nodes[n].producer].insn;
        out->latencies[at] = (double)f->nodes[n].latency_in;
    }
    /* µops of one instruction that follow each other are one step */
    for (uint32_t i = 0; i < length; i++) {
        if (out->count && out->insns[out->count - 1] == out->insns[i]) {
            out->latencies[out->count - 1] += out->latencies[i];
            continue;
        }
        out->insns[out->count] = out->insns[i];
        out->latencies[out->count++] = out->latencies[i];
    }
    return 0;
}

int bounds_dependencies(critical_cycle *out, const sim *s, arena *a)
{
    *out = (critical_cycle){.cycles = 0};
    const block *b = s->b;
    if (!b->uop_count)
        return 0;
    uint32_t iterations = FLOW_UOPS / b->uop_count;
    iterations = iterations > FLOW_ITERATIONS ? FLOW_ITERATIONS : iterations < 4 ? 4 : iterations;
    flow f = {.s = s};
    f.nodes = arena_alloc_raw(a, (size_t)iterations * b->uop_count * sizeof *f.nodes);
    if (!f.nodes)
        return TACHO_ERR_MEMORY;
    for (int u = 0; u < UNIT_COUNT; u++)
        f.units[u].node = -1;
    for (int t = 0; t < TEMP_COUNT; t++)
        f.temps[t].node = -1;
    for (uint32_t k = 0; k < iterations; k++)
        for (uint32_t i = 0; i < b->insn_count; i++)
            flow_insn(&f, i, k);
    return find_cycle(&f, out, a);
}
