/* rename.c - renamer and allocator: fused µops leave the µop queue in order, get their operands, their port
 * and their places in the reorder buffer and the scheduler; moves, NOPs and zero idioms end here. uiCA paper,
 * sections 4.1.2, 4.1.4, 4.1.6; pipeline model, section 4. */
#include "sim/trace.h"

#include <string.h>

static move_eliminator *eliminator_of(sim *s, uint8_t unit)
{
    return unit < UNIT_HIGH8 ? &s->rn.gpr : &s->rn.simd;
}

static void set_active(move_eliminator *m, alias_slot *slot, bool active)
{
    uint64_t bit = (uint64_t)1 << (slot - m->slots);
    bool was = m->active & bit;
    m->active = active ? m->active | bit : m->active & ~bit;
    m->active_count = (uint16_t)(m->active_count + active - was);
}

/* The unit is about to be overwritten: it no longer shares its physical register. */
static void leave_alias(sim *s, uint8_t unit)
{
    rat_entry *r = &s->rn.rat[unit];
    if (r->alias < 0)
        return;
    move_eliminator *m = eliminator_of(s, unit);
    alias_slot *slot = &m->slots[r->alias];
    if (--slot->users == 0)
        set_active(m, slot, false);
    r->alias = -1;
}

static void write_unit(sim *s, uint8_t unit, int32_t seq, uint8_t out)
{
    leave_alias(s, unit);
    s->rn.rat[unit] = (rat_entry){.seq = seq, .out = out, .alias = -1};
}

static uint16_t slot_limit(const sim *s, bool gpr)
{
    return gpr ? s->arch->move_elim_slots_gpr : s->arch->move_elim_slots_simd;
}

/* How many eliminations are possible in a cycle: what was free some cycles ago, less those made since. */
static bool can_eliminate(const sim *s, bool gpr)
{
    const move_eliminator *m = gpr ? &s->rn.gpr : &s->rn.simd;
    int limit = slot_limit(s, gpr);
    if (limit == 0 || limit == TACHO_SLOTS_UNLIMITED)
        return limit != 0;
    int depth = s->arch->move_elim_pipeline_cycles;
    int used = m->in_use_history[(s->rn.active_cycles - (uint32_t)depth) % ELIM_HISTORY];
    for (uint32_t back = 0; back < (uint32_t)depth; back++)
        used += m->done_history[(s->rn.active_cycles - back) % ELIM_HISTORY];
    return used < limit;
}

static int16_t find_free_slot(move_eliminator *m)
{
    for (int16_t k = 0; k < ALIAS_SLOTS; k++)
        if (m->slots[k].users == 0)
            return k;
    return -1;
}

static void eliminate(sim *s, const block_insn *bi)
{
    renamer *rn = &s->rn;
    move_eliminator *m = bi->move_gpr ? &rn->gpr : &rn->simd;
    m->done_history[s->rn.active_cycles % ELIM_HISTORY]++;
    leave_alias(s, bi->move_target);
    rat_entry *source = &rn->rat[bi->move_source];
    if (source->alias < 0) {
        source->alias = find_free_slot(m);
        if (source->alias >= 0)
            m->slots[source->alias].users = 1;
    }
    rn->rat[bi->move_target] = *source;
    rn->rat[bi->move_target].by_move32 |= bi->move_width32;
    if (source->alias >= 0) {
        m->slots[source->alias].users++;
        set_active(m, &m->slots[source->alias], true);
    }
}

static rat_entry *entry_of(sim *s, uint8_t slot)
{
    return slot < TEMP_BASE ? &s->rn.rat[slot] : &s->rn.temps[slot - TEMP_BASE];
}

/* Load latency 4 instead of 5: the base comes straight from a load, the displacement is small, no index. */
static bool fast_chase(const sim *s, const mem_access *m)
{
    if (!sim_may_chase(s, m) || (m->index != UNIT_NONE && !s->rn.rat[m->index].zeroed))
        return false;
    const rat_entry *base = &s->rn.rat[m->base];
    return base->by_load && !base->by_move32;
}

static void find_forwarding(sim *s, uop_instance *i, const mem_access *m)
{
    if (!s->track_memory || m->unknown_address || !m->read)
        return;
    const store_entry *e = values_find_store(s, m);
    if (!e || e->seq_address < 0 || e->seq_data < 0)
        return;
    scheduler_forward(s, i, e->seq_address, e->seq_data);
    if (i->forward_data >= 0 && s->tally && i->insn < s->b->insn_count)
        s->tally->forwarded[i->insn]++;
}

static void note_store(sim *s, uop_instance *i, const block_insn *bi, const mem_access *m)
{
    if (m->unknown_address || !(s->track_memory || s->track_lines))
        return;
    if (i->u->kind == UOP_STORE_DATA)
        i->line = values_store_address(s, bi, m) >> 6;
    if (s->track_memory)
        values_record_store(s, bi, m, i->u->kind == UOP_STORE_ADDRESS ? i->seq : -1,
                            i->u->kind == UOP_STORE_DATA ? i->seq : -1);
}

/* Loads wait for an earlier lfence or mfence, stores for an sfence or mfence; these wait for the youngest
 * load and store before them (not for all: an approximation). */
static void order_accesses(sim *s, uop_instance *i)
{
    renamer *rn = &s->rn;
    const block_insn *bi = i->insn < s->b->insn_count ? &s->b->insns[i->insn] : NULL;
    if (bi && (bi->load_fence || bi->store_fence) && i->u->first_of_insn) {
        if (bi->load_fence && rn->last_load >= 0)
            scheduler_operand(s, i, SIM_EDGE_FENCE, rn->last_load, 0);
        if (bi->store_fence && rn->last_store >= 0)
            scheduler_operand(s, i, SIM_EDGE_ACCESS, rn->last_store, 0);
    } else if (i->u->kind == UOP_LOAD) {
        if (rn->load_fence >= 0)
            scheduler_operand(s, i, SIM_EDGE_FENCE, rn->load_fence, 0);
        rn->last_load = i->seq;
    } else if (i->u->kind != UOP_COMPUTE) {
        if (rn->store_fence >= 0)
            scheduler_operand(s, i, SIM_EDGE_FENCE, rn->store_fence, 0);
        rn->last_store = i->seq;
    }
}

/* State of one cycle's issue group. */
typedef struct issue_group {
    uint32_t slot;
    uint32_t set_count;
    uint16_t sets[32];
} issue_group;

static uop_instance *issue_uop(sim *s, issue_group *g, const uop *u, uint32_t insn, uint32_t iteration)
{
    renamer *rn = &s->rn;
    uop_instance *i = sim_uop(s, s->next_seq);
    *i = (uop_instance){.u = u,
                        .seq = s->next_seq++,
                        .issued = s->cycle,
                        .dispatched_at = SIM_NOT_YET,
                        .base = SIM_NOT_YET,
                        .rob = s->rob_tail,
                        .waiters = -1,
                        .forward_address = -1,
                        .forward_data = -1,
                        .insn = insn,
                        .iteration = iteration};
    i->port = u->only_port >= 0 ? u->only_port : (int8_t)ports_choose(s, u, g->slot, g->sets, g->set_count);
    if (g->set_count < sizeof g->sets / sizeof *g->sets)
        g->sets[g->set_count++] = u->ports;
    scheduler_add(s, i);
    for (int k = 0; k < u->in_count; k++) {
        const rat_entry *r = entry_of(s, u->in[k]);
        if (r->seq >= 0)
            scheduler_operand(s, i, k, r->seq, r->out);
    }
    if (insn < s->b->insn_count && u->kind != UOP_COMPUTE) {
        const block_insn *bi = &s->b->insns[insn];
        const mem_access *m = &bi->mem[u->mem];
        if (u->kind == UOP_LOAD && bi->mem_count) {
            if (fast_chase(s, m))
                i->load_discount = 1;
            find_forwarding(s, i, m);
        } else if (bi->mem_count) {
            note_store(s, i, bi, m);
        }
    }
    if (s->any_fence)
        order_accesses(s, i);
    for (int k = 0; k < u->out_count; k++) {
        if (u->out[k].slot >= TEMP_BASE)
            rn->temps[u->out[k].slot - TEMP_BASE] =
                (rat_entry){.seq = i->seq, .out = (uint8_t)k, .alias = -1};
        else if (rn->pending_count < sizeof rn->pending / sizeof *rn->pending)
            rn->pending[rn->pending_count++] = (pending_write){u->out[k].slot, (uint8_t)k, i->seq};
    }
    scheduler_operands_done(s, i);
    return i;
}

static rob_entry *new_rob_entry(sim *s, uint32_t insn, uint32_t iteration)
{
    rob_entry *r = &s->rob[s->rob_tail & (SIM_ROB - 1)];
    *r = (rob_entry){
        .finish = s->cycle, .insn = (uint16_t)insn, .iteration = iteration, .first_seq = s->next_seq};
    return r;
}

static void close_rob_entry(sim *s, issue_group *g)
{
    if (s->trace)
        sim_trace_issued(s);
    s->rob_tail++;
    g->slot++;
}

static void issue_synthetic(sim *s, issue_group *g, const uop *u, uint32_t iteration)
{
    rob_entry *r = new_rob_entry(s, 0, iteration);
    r->open = 1;
    const uop_instance *i = issue_uop(s, g, u, s->b->insn_count, iteration);
    write_unit(s, u->out[0].slot, i->seq, 0);
    s->rn.pending_count = 0;
    close_rob_entry(s, g);
}

static void issue_fused(sim *s, issue_group *g, const uop_group *f, const block_insn *bi, const idq_entry *e)
{
    rob_entry *r = new_rob_entry(s, e->insn, e->iteration);
    if (s->tally && e->iteration >= s->tally->from_iteration && e->iteration < s->tally->to_iteration)
        s->tally->issued[e->insn]++;
    if (bi->eliminable) {
        if (can_eliminate(s, bi->move_gpr)) {
            eliminate(s, bi);
            if (s->tally)
                s->tally->eliminated[e->insn]++;
        } else {
            r->open = 1;
            issue_uop(s, g, &s->b->uops[bi->uneliminated_first], e->insn, e->iteration);
        }
    } else {
        for (uint32_t k = 0; k < f->count; k++) {
            const uop *u = &s->b->uops[f->first + k];
            if (!u->ports)
                continue;
            r->open++;
            issue_uop(s, g, u, e->insn, e->iteration);
        }
    }
    close_rob_entry(s, g);
}

/* The instruction's last µop has been renamed: its results become visible. */
static void end_insn(sim *s, const block_insn *bi)
{
    renamer *rn = &s->rn;
    for (uint32_t k = 0; k < rn->pending_count; k++) {
        const pending_write *w = &rn->pending[k];
        write_unit(s, w->unit, w->seq, w->out);
        if (w->unit < UNIT_HIGH8)
            rn->rat[w->unit].by_load = bi->gpr_load;
    }
    if (bi->uop_count && bi->load_fence)
        rn->load_fence = s->next_seq - bi->uop_count;
    if (bi->uop_count && bi->store_fence)
        rn->store_fence = s->next_seq - bi->uop_count;
    rn->pending_count = 0;
    for (int k = 0; k < bi->kill_count; k++) {
        write_unit(s, bi->kills[k], -1, 0);
        rn->rat[bi->kills[k]].zeroed = true;
    }
    rn->high8_pending = (uint8_t)((rn->high8_pending & ~bi->writes_whole) | bi->writes_high8);
    if (s->track_memory || s->track_lines)
        values_step(s, bi);
}

/* Reading a whole register whose high byte is renamed apart: a µop merges them, alone in its cycle. */
static bool merge_high8(sim *s, issue_group *g, const block_insn *bi, uint32_t iteration)
{
    uint8_t need = bi->merges_high8 & s->rn.high8_pending;
    if (!need)
        return false;
    if (g->slot == 0) {
        int reg = __builtin_ctz(need);
        issue_synthetic(s, g, &s->merge_uops[reg], iteration);
        s->rn.high8_pending &= (uint8_t) ~(1u << reg);
    }
    return true;
}

static void rename_entry(sim *s, issue_group *g, const idq_entry *e)
{
    if (e->flags & IDQ_STACK_SYNC) {
        issue_synthetic(s, g, &s->sync_uop, e->iteration);
        return;
    }
    const block_insn *bi = &s->b->insns[e->insn];
    const uop_group *l = &s->b->laminated[e->laminated];
    for (uint32_t k = 0; k < l->count; k++)
        issue_fused(s, g, &s->b->fused[l->first + k], bi, e);
    if (!(e->flags & IDQ_LAST))
        return;
    if (e->insn + 1u + bi->fused_with_next == s->b->insn_count && l->count) {
        s->rob[(s->rob_tail - 1) & (SIM_ROB - 1)].last_of_iteration = true;
        s->issued_iterations++;
    }
    end_insn(s, bi);
}

/* Whether the µop at the head of the queue can be issued in this cycle. */
static bool may_issue(sim *s, issue_group *g, const idq_entry *e)
{
    uint32_t width = s->arch->issue_width;
    uint32_t slots = e->flags & IDQ_STACK_SYNC ? 1 : s->b->laminated[e->laminated].count;
    if (g->slot && g->slot + slots > width)
        return false;
    const block_insn *bi = &s->b->insns[e->insn];
    if (!(e->flags & IDQ_FIRST_OF_INSN) || !bi->waits_to_issue)
        return true;
    if (bi->serializing && (g->slot || s->rob_head != s->rob_tail))
        return false;
    return !merge_high8(s, g, bi, e->iteration);
}

/* A register that is shared no more frees its slot: for vectors (and general registers before Haswell) when
 * one name is left, but only in a cycle without eliminations. */
static void release_slots(move_eliminator *m, uint32_t now)
{
    if (m->done_history[now % ELIM_HISTORY])
        return;
    for (uint64_t left = m->active; left; left &= left - 1) {
        alias_slot *slot = &m->slots[__builtin_ctzll(left)];
        if (slot->users <= 1)
            set_active(m, slot, false);
    }
}

static void end_eliminator_cycle(sim *s)
{
    renamer *rn = &s->rn;
    uint32_t now = rn->active_cycles++;
    if (!s->arch->move_elim_all_aliases)
        release_slots(&rn->gpr, now);
    release_slots(&rn->simd, now);
    rn->gpr.in_use_history[now % ELIM_HISTORY] = rn->gpr.active_count;
    rn->simd.in_use_history[now % ELIM_HISTORY] = rn->simd.active_count;
    rn->gpr.done_history[(now + 1) % ELIM_HISTORY] = rn->simd.done_history[(now + 1) % ELIM_HISTORY] = 0;
}

bool sim_backend_full(const sim *s)
{
    uint32_t width = s->arch->issue_width;
    return (uint32_t)(s->rob_tail - s->rob_head) + width > s->arch->rob_width ||
           s->sched.occupancy + width > s->arch->rs_width || sim_ring_full(s);
}

void sim_rename(sim *s)
{
    renamer *rn = &s->rn;
    memcpy(rn->usage_previous, rn->usage_start, sizeof rn->usage_previous);
    memcpy(rn->usage_start, rn->usage, sizeof rn->usage_start);
    uint32_t width = s->arch->issue_width;
    issue_group g = {.slot = 0};
    bool full = s->backend_full;
    s->held_up |= full;
    issue_end why = full ? ISSUE_BACK_END_FULL : ISSUE_QUEUE_EMPTY;
    while (!full && s->fe.idq_count && g.slot < width) {
        const idq_entry e = s->fe.idq[s->fe.idq_head];
        if (!may_issue(s, &g, &e)) {
            why = ISSUE_HELD_BACK;
            break;
        }
        rename_entry(s, &g, &e);
        s->fe.idq_head = (s->fe.idq_head + 1) & (SIM_IDQ - 1);
        s->fe.idq_count--;
        if (e.flags & IDQ_ENDS_GROUP) {
            why = ISSUE_LOOP_END;
            break;
        }
    }
    if (s->tally)
        account_slots(s, g.slot, why);
    if (!full)
        end_eliminator_cycle(s);
}

void sim_retire(sim *s)
{
    for (uint32_t n = 0; n < s->arch->retire_width && s->rob_head != s->rob_tail; n++) {
        const rob_entry *r = &s->rob[s->rob_head & (SIM_ROB - 1)];
        if (r->open || r->finish >= s->cycle)
            return;
        if (s->trace)
            sim_trace_retired(s);
        s->rob_head++;
        s->last_retirement = s->cycle;
        if (r->last_of_iteration) {
            if (r->iteration < s->retired_capacity)
                s->retired[r->iteration] = (retirement){s->cycle, (uint16_t)n, (uint16_t)sim_in_flight(s)};
            s->iterations = r->iteration + 1;
        }
    }
}
