/* flow.c - how late each value of a block is ready, counted from several sources at once (the lanes of a
 * vector). A µop takes the latest of its operands, a move that can be eliminated passes its value on, and a
 * load waits for the store that it reads from. */
#include "model/bounds/flow.h"

#include <string.h>

bool bounds_eliminates(const tacho_arch *arch, const block_insn *bi)
{
    return block_ends_at_rename(arch, bi);
}

bool flow_is_live(const flow *f, uint32_t slot)
{
    return f->live[slot / 64] >> slot % 64 & 1;
}

static void set_live(flow *f, uint32_t slot, bool live)
{
    uint64_t bit = (uint64_t)1 << slot % 64;
    f->live[slot / 64] = live ? f->live[slot / 64] | bit : f->live[slot / 64] & ~bit;
}

lanes *flow_value(const flow *f, uint32_t slot)
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

/* Makes the µop wait for `value`; returns whether it now waits for anything. While tracing, notes which came
 * last. */
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
    bool live = flow_is_live(f, source);
    set_live(f, target, live);
    if (!live)
        return;
    memcpy(flow_value(f, target), flow_value(f, source), f->width * sizeof(lanes));
    f->slot_node[target] = f->slot_node[source];
}

/* A flag that an addition at rename writes. */
static void copy_flag(flow *f, uint32_t flag, uint32_t source)
{
    bool live = flow_is_live(f, source);
    if (flag == UNIT_NONE)
        return;
    set_live(f, flag, live);
    if (!live)
        return;
    set_later(flow_value(f, flag), flow_value(f, source), SUM_FLAGS_CYCLES, f->width);
    f->slot_node[flag] = f->slot_node[source];
}

/* A load of `m` takes a cycle less: the base comes straight from a load, the displacement is small, no index.
 */
static bool chases(const flow *f, const mem_access *m)
{
    return f->b->arch->fast_pointer_chasing && m->base < UNIT_HIGH8 && m->disp >= 0 &&
           m->disp < FAST_DISPLACEMENT_END && (f->by_load >> m->base & 1) &&
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

static const uop *uop_of(const block *b, uint32_t insn, uop_kind kind, uint8_t access)
{
    const block_insn *bi = &b->insns[insn];
    for (const uop *u = b->uops + bi->uop_first, *end = u + bi->uop_count; u < end; u++)
        if (u->kind == kind && u->mem == access)
            return u;
    return NULL;
}

/* Whether another instance of the store's instruction comes between the store and the load. */
static bool comes_again(const block *b, const forwarding *w)
{
    uint32_t first = w->store_insn + 1u, end = w->load_insn + w->distance * b->insn_count;
    for (uint32_t i = first; i < end; i++)
        if (b->same_code[i % b->insn_count] == b->same_code[w->store_insn])
            return true;
    return false;
}

/* Whether the load has its value from the register that was stored: see model/sim/stores.c. */
static bool is_renamed(const block *b, const uop *load, const forwarding *w)
{
    return b->same_code && load && w->same_start &&
           block_may_rename(&b->insns[w->load_insn], w->load_access, true) &&
           block_renames_base(b, &b->insns[w->load_insn].mem[w->load_access]) &&
           block_may_rename(&b->insns[w->store_insn], w->store_access, false) && !comes_again(b, w);
}

/* A µop of a store: loads can have the data this many cycles after it starts. */
static void pass_to_loads(flow *f, const uop *u, uint32_t insn, int32_t node)
{
    const tacho_arch *arch = f->b->arch;
    for (uint32_t k = 0; k < f->memory->count; k++) {
        const forwarding *w = &f->memory->list[k];
        if (w->store_insn != insn || w->store_access != u->mem)
            continue;
        const uop *load = uop_of(f->b, w->load_insn, UOP_LOAD, w->load_access);
        bool renamed = is_renamed(f->b, load, w);
        if (renamed && u->kind == UOP_STORE_ADDRESS)
            continue;
        int32_t cycles =
            (u->kind == UOP_STORE_ADDRESS ? arch->load_latency_cycles : 1) +
            block_forward_cycles(arch, load ? load->ports : arch->load_ports, load && load->vector_load) +
            (block_forwards_at_once(load && load->vector_load, w->same_start) ? 0
                                                                              : arch->forward_missed_cycles);
        if (renamed)
            cycles = 0;
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

static int32_t add_node(flow *f, uint32_t insn, const uop *u, bool waits)
{
    if (!f->nodes || !waits || f->node_count + 1 >= f->node_capacity)
        return -1;
    f->nodes[f->node_count].start = f->now[0][0];
    f->nodes[f->node_count].insn = insn;
    f->nodes[f->node_count].u = u;
    return f->node_count++;
}

static int32_t latency_of(const flow *f, const uop *u, int k)
{
    return u->out[k].latency + (f->in->crowded && block_is_quick(f->b->arch, u));
}

static void flow_uop(flow *f, const uop *u, uint32_t insn, insn_results *r)
{
    bool waits = false;
    for (int k = 0; k < u->in_count; k++)
        if (flow_is_live(f, u->in[k]))
            wait_for(f, flow_value(f, u->in[k]), 0, &waits, f->slot_node[u->in[k]]);
    if (u->kind == UOP_LOAD && f->b->insns[insn].mem_count) {
        if (waits && chases(f, &f->b->insns[insn].mem[u->mem]))
            set_later(f->now, f->now, -1, f->width);
        if (f->memory->count)
            wait_for_store(f, u, insn, &waits);
    }
    int32_t node = add_node(f, insn, u, waits);
    if (waits && f->memory->count && (u->kind == UOP_STORE_ADDRESS || u->kind == UOP_STORE_DATA))
        pass_to_loads(f, u, insn, node);
    for (int k = 0; k < u->out_count; k++) {
        uint32_t slot = u->out[k].slot;
        if (slot >= TEMP_BASE) {
            set_live(f, slot, waits);
            f->slot_node[slot] = node;
            if (waits)
                set_later(flow_value(f, slot), f->now, latency_of(f, u, k), f->width);
        } else if (r->count < MAX_RESULTS) {
            r->list[r->count] = (visible_result){(uint8_t)slot, waits, node};
            if (waits)
                set_later(r->values + r->count * f->width, f->now, latency_of(f, u, k), f->width);
            r->count++;
        }
    }
}

void flow_note_origin(flow *f, const block_insn *bi)
{
    if (!f->b->has_load || !f->b->arch->fast_pointer_chasing)
        return; /* nobody asks */
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

/* The instruction reads nothing that comes from a source. */
static bool reads_nothing(const flow *f, const block_insn *bi)
{
    return !f->memory->count && !((bi->reads.bits[0] & f->live[0]) | (bi->reads.bits[1] & f->live[1]));
}

static void flow_insn(flow *f, uint32_t insn, insn_results *r)
{
    const block_insn *bi = &f->b->insns[insn];
    for (uint32_t k = 0; f->syncs->before && k < f->syncs->before[insn]; k++)
        if (flow_is_live(f, UNIT_RSP))
            set_later(flow_value(f, UNIT_RSP), flow_value(f, UNIT_RSP), 1, f->width);
    if (reads_nothing(f, bi)) {
        f->live[0] &= ~bi->writes.bits[0];
        f->live[1] &= ~bi->writes.bits[1];
        flow_note_origin(f, bi);
        return;
    }
    r->count = 0;
    f->live[2] = f->live[3] = 0;
    if (bounds_eliminates(f->b->arch, bi)) {
        for (int k = 0; bi->adds_constant && k < 2; k++)
            copy_flag(f, bi->sum_flags[k], bi->move_source);
        copy_unit(f, bi->move_target, bi->move_source);
    }
    if (bi->eliminable && !bounds_eliminates(f->b->arch, bi))
        flow_uop(f, &f->b->uops[bi->uneliminated_first], insn, r);
    for (uint32_t k = 0; k < bi->uop_count; k++)
        flow_uop(f, &f->b->uops[bi->uop_first + k], insn, r);
    for (uint32_t k = 0; k < r->count; k++) {
        const visible_result *v = &r->list[k];
        set_live(f, v->unit, v->live);
        f->slot_node[v->unit] = v->node;
        if (v->live)
            memcpy(flow_value(f, v->unit), r->values + k * f->width, f->width * sizeof(lanes));
    }
    for (int k = 0; k < bi->kill_count; k++)
        set_live(f, bi->kills[k], false);
    flow_note_origin(f, bi);
}

static void set_source(lanes *value, uint32_t source, uint32_t width)
{
    for (uint32_t k = 0; k < width; k++)
        value[k] = (lanes){NO_PATH, NO_PATH, NO_PATH, NO_PATH};
    value[source / LANES][source % LANES] = 0;
}

void flow_run(flow *f, const carried_nodes *c, int32_t only, insn_results *r)
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
        set_source(flow_value(f, c->unit[k]), only < 0 ? k : 0, f->width);
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

int flow_start_trace(flow *f)
{
    if (f->nodes)
        return 0;
    f->node_capacity = (int32_t)f->b->uop_count + 2;
    f->nodes = arena_alloc_raw(f->in->memory, (size_t)f->node_capacity * sizeof *f->nodes);
    f->path = arena_alloc_raw(f->in->memory, (size_t)f->node_capacity * sizeof *f->path);
    f->width = 1;
    return f->nodes && f->path ? 0 : TACHO_ERR_MEMORY;
}
