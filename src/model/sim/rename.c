/* rename.c - renamer and allocator: fused µops leave the µop queue in order, get their operands, their port
 * and their places in the reorder buffer and the scheduler; moves, NOPs and zero idioms end here. uiCA paper,
 * sections 4.1.2, 4.1.4, 4.1.6; pipeline model, section 4. */
#include "model/sim/inner_loop.h"
#include "model/sim/sim_trace.h"

static move_eliminator *eliminator_of(sim *s, uint8_t unit)
{
    return unit < UNIT_HIGH8 ? &s->rn.gpr : &s->rn.simd;
}

static void set_active(move_eliminator *m, int slot, bool active)
{
    uint64_t bit = (uint64_t)1 << slot;
    bool was = m->active & bit;
    m->active = active ? m->active | bit : m->active & ~bit;
    m->active_count = (uint16_t)(m->active_count + active - was);
}

/* The unit is about to be overwritten: it no longer shares its physical register. */
static void leave_alias(sim *s, uint8_t unit)
{
    if (unit < UNIT_HIGH8)
        s->rn.sums[unit] = 0;
    int16_t *alias = &s->rn.alias[unit];
    if (!s->limits_moves || *alias < 0)
        return;
    move_eliminator *m = eliminator_of(s, unit);
    if (--m->users[*alias] == 0)
        set_active(m, *alias, false);
    *alias = -1;
}

static void write_slot(sim *s, uint8_t slot, rat_value value)
{
    if (s->any_move && slot < UNIT_COUNT)
        leave_alias(s, slot);
    s->rn.rat[slot] = value;
}

static uint16_t slot_limit(const sim *s, bool gpr)
{
    return gpr ? s->arch->move_elim_slots_gpr : s->arch->move_elim_slots_simd;
}

/* How many moves can be eliminated in this cycle: the slots that were free some cycles ago, less the
 * eliminations since. */
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
        if (m->users[k] == 0)
            return k;
    return -1;
}

/* Both registers share a physical one. */
static void share(sim *s, move_eliminator *m, const block_insn *bi)
{
    renamer *rn = &s->rn;
    m->done_history[rn->active_cycles % ELIM_HISTORY]++;
    if (bi->move_source == bi->move_target)
        return;
    leave_alias(s, bi->move_target);
    int16_t *alias = &rn->alias[bi->move_source];
    if (*alias < 0) {
        *alias = find_free_slot(m);
        if (*alias >= 0)
            m->users[*alias] = 1;
    }
    rn->alias[bi->move_target] = *alias;
    if (*alias >= 0) {
        m->users[*alias]++;
        set_active(m, *alias, true);
    }
}

static void eliminate(sim *s, const block_insn *bi)
{
    renamer *rn = &s->rn;
    if (s->limits_moves)
        share(s, bi->move_gpr ? &rn->gpr : &rn->simd, bi);
    if (bi->move_source == bi->move_target)
        return;
    rn->rat[bi->move_target] = rn->rat[bi->move_source] | (bi->move_width32 ? RESULT_BY_MOVE32 : 0);
    rn->told[bi->move_target] = rn->told[bi->move_source];
    if (bi->move_gpr)
        rn->sums[bi->move_target] = rn->sums[bi->move_source];
}

/* Slots whose register has one name left. */
static uint64_t shared_no_more(const move_eliminator *m)
{
    uint64_t found = 0;
    for (uint64_t left = m->active; left; left &= left - 1)
        if (m->users[__builtin_ctzll(left)] <= 1)
            found |= left & -left;
    return found;
}

/* A register that is no longer shared frees its slot. For vectors (and general registers before Haswell) it
 * does so only in a cycle without eliminations, and only if one name was left as the cycle began. */
static void release_slots(move_eliminator *m, uint32_t now)
{
    if (m->done_history[now % ELIM_HISTORY])
        return;
    for (uint64_t left = m->single & m->active; left; left &= left - 1)
        set_active(m, __builtin_ctzll(left), false);
}

static void note_single_names(renamer *rn)
{
    rn->gpr.single = shared_no_more(&rn->gpr);
    rn->simd.single = shared_no_more(&rn->simd);
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

/* Load latency 4 instead of 5: the base comes straight from a load, and there is no index. */
static bool fast_chase(const sim *s, const mem_access *m)
{
    if (m->index != UNIT_NONE && !(rat_flags(s->rn.rat[m->index]) & RESULT_ZEROED))
        return false;
    return (rat_flags(s->rn.rat[m->base]) & (RESULT_BY_LOAD | RESULT_BY_MOVE32)) == RESULT_BY_LOAD;
}

static void count_source(insn_tally *t, const load_source *from)
{
    if (from->aliased) {
        t->aliased++;
        t->aliased_by = from->store->insn;
    } else if (from->blocked) {
        t->blocked++;
        t->blocked_by = from->store->insn;
    } else {
        t->forwarded++;
    }
}

/* Where the load gets its data; counted if that is a store. */
static load_source find_source(sim *s, const op *u, const mem_access *m, int32_t start)
{
    if (!s->compares || m->unknown_address)
        return (load_source){.available = SIM_LONG_AGO};
    load_source from = store_forward_find_source(s, u, m, start);
    if (!from.store)
        return from;
    s->forwards++;
    if (s->tally)
        count_source(&s->tally->insns[u->insn], &from);
    return from;
}

/* Until when fences make the µop wait. Loads wait for an earlier LFENCE or MFENCE, stores for an earlier
 * SFENCE or MFENCE; a fence waits for all loads and stores before it. */
static int32_t fenced_until(const sim *s, const op *u)
{
    const renamer *rn = &s->rn;
    const block_insn *bi = u->insn < s->b->insn_count ? &s->b->insns[u->insn] : NULL;
    if (bi && (bi->load_fence || bi->store_fence) && (u->flags & OP_FIRST_OF_INSN))
        return max_i32(bi->load_fence ? rn->last_load : SIM_LONG_AGO,
                       bi->store_fence ? rn->last_store : SIM_LONG_AGO) +
               FENCE_SEES_CYCLES;
    if (u->kind == UOP_LOAD)
        return rn->load_fence + FENCE_RELEASES_CYCLES;
    return u->kind != UOP_COMPUTE ? rn->store_fence + FENCE_RELEASES_CYCLES : SIM_LONG_AGO;
}

/* What later accesses and fences wait for. */
static void note_order(sim *s, const op *u, int32_t base)
{
    renamer *rn = &s->rn;
    const block_insn *bi = u->insn < s->b->insn_count ? &s->b->insns[u->insn] : NULL;
    int32_t done = base + u->first_latency;
    if (bi && (bi->load_fence || bi->store_fence) && (u->flags & OP_FIRST_OF_INSN)) {
        rn->next_load_fence = bi->load_fence ? done : rn->load_fence;
        rn->next_store_fence = bi->store_fence ? done : rn->store_fence;
    } else if (u->kind == UOP_LOAD) {
        rn->last_load = max_i32(rn->last_load, done);
    } else if (u->kind != UOP_COMPUTE) {
        rn->last_store = max_i32(rn->last_store, done);
    }
}

/* If the operands become ready in the cycle in which the µop could first leave, or in the next one, the µop
 * leaves a cycle later. */
static int32_t ready_cycle(const sim *s, int32_t operands)
{
    return max_i32(operands + (operands <= s->earliest + 1), s->earliest);
}

/* Instructions with an initiation interval, however many units there are. */
static throttle *throttle_of(sim *s, uint32_t insn)
{
    return &s->throttles[s->b->insns[insn].throttle_owner];
}

static inline void write_results(sim *s, const op *u, int32_t base)
{
    renamer *rn = &s->rn;
    uint32_t now = u->out_count - u->late_count;
    for (uint32_t k = 0; k < now; k++)
        write_slot(s, u->out[k].slot, base * RAT_CYCLE + u->out[k].after);
    if (!u->late_count)
        return;
    for (uint32_t k = now; k < u->out_count && rn->late_count < sizeof rn->late / sizeof *rn->late; k++)
        rn->late[rn->late_count++] = (late_result){u->out[k].slot, base * RAT_CYCLE + u->out[k].after};
}

/* Enters a µop that holds its port for one cycle into the reservation tables; returns that cycle. */
static inline int32_t place_plain(sim *s, int port, int32_t ready)
{
    int32_t start = reservations_claim(&s->reserved, port, ready);
    reservations_bind(s, port);
    reservations_leave(&s->reserved, 1u << port, start);
    return start;
}

/* The same for any µop: the cycle in which it leaves for its port. */
static inline int32_t place(sim *s, const op *u, int port, int32_t ready)
{
    if (!(u->flags & OP_PLAIN))
        return reservations_enter(s, u, port, ready);
    return place_plain(s, port, ready);
}

/* When a µop leaves, and from when on the latencies of its results count. */
typedef struct placed {
    int32_t start, base;
    load_source from; /* of a load */
    bool late;        /* it has to wait for the store in flight that it reads from */
    bool with_load;   /* a store address that takes no port: stores_at_load_unit */
} placed;

/* A load: once more where it crosses a line, of two halves, too. */
static __attribute__((noinline)) int32_t place_split(sim *s, const op *u, int port, int32_t ready)
{
    const block_insn *bi = &s->b->insns[u->insn];
    if (!(u->flags & OP_NO_PORT) && registers_cross_line(&s->rn.values, bi, &bi->mem[u->mem]))
        return reservations_enter_for(s, port, ready, u->flags & OP_WIDE ? 3 : 2);
    return place(s, u, port, ready);
}

static inline placed place_load(sim *s, const op *u, int port, int32_t ready)
{
    const mem_access *m = &s->b->insns[u->insn].mem[u->mem];
    int32_t discount = (u->flags & OP_CHASE) && fast_chase(s, m),
            start = s->track_splits ? place_split(s, u, port, ready) : place(s, u, port, ready);
    load_source from = find_source(s, u, m, start);
    s->rn.load_place = port;
    s->rn.load_start = start;
    if (s->links)
        waiting_link(s, u, port, start, &from);
    int32_t own = start - discount, other = from.available - u->load_latency;
    return (placed){.start = start, .base = max_i32(own, other), .from = from, .late = other > own};
}

static inline uint64_t store_address(const sim *s, const op *u)
{
    const block_insn *bi = &s->b->insns[u->insn];
    if (!s->streams)
        return registers_store_address(&s->rn.values, bi, &bi->mem[u->mem]);
    const access_stream *a = &s->streams[u->insn][u->mem];
    return a->first + s->issued_iterations * a->step;
}

/* Whether the µop is a store address that takes no port of its own: stores_at_load_unit. */
static inline bool leaves_with_load(const sim *s, const op *u)
{
    return u->with_load && (u->places >> s->rn.load_place & 1);
}

/* An instruction that changes memory asks for the address of its store once its load has left. */
static inline int32_t after_load(const sim *s, const op *u, int32_t ready)
{
    return u->with_load ? max_i32(ready, s->rn.load_start + !leaves_with_load(s, u)) : ready;
}

/* Whether the µop stores what its own instruction makes, and is the last of so many in succession. */
static bool is_last_made(sim *s, const block_insn *bi, const mem_access *m)
{
    const uint32_t most = s->arch->stores_made_most;
    const bool made = (m->read || (bi->insn->imm_bytes && registers_access_bytes(m) > 2)) &&
                      (s->arch->stores_made_anywhere || block_is_stack(m));
    s->stored.made = (uint8_t)(made ? s->stored.made % most + 1 : 0);
    return s->stored.made == most;
}

static inline placed place_store(sim *s, const op *u, int port, int32_t ready)
{
    const block_insn *bi = &s->b->insns[u->insn];
    const mem_access *m = &bi->mem[u->mem];
    bool data = u->kind == UOP_STORE_DATA;
    const bool splits = data && s->track_splits && registers_cross_line(&s->rn.values, bi, m);
    if (data && s->track_lines)
        store_buffer_aim(s, store_address(s, u), registers_access_bytes(m));
    if (data && s->gathers) {
        s->stored.next_whole = registers_access_bytes(m) == 64;
        s->stored.next_splits = splits && !s->stored.next_whole;
    }
    const bool made = data && s->arch->stores_made_most && is_last_made(s, bi, m),
               twice = (made || (splits && !s->gathers)) && !(u->flags & OP_NO_PORT),
               with_load = leaves_with_load(s, u);
    int32_t start = ready;
    if (with_load)
        reservations_leave(&s->reserved, 0, start);
    else
        start = twice ? reservations_enter_for(s, port, ready, 2) : place(s, u, port, ready);
    if (s->compares)
        store_forward_record_store(s, bi, m, u, start);
    return (placed){.start = start, .base = start, .with_load = with_load};
}

static inline __attribute__((always_inline)) placed place_op(sim *s, const op *u, int port, int32_t ready)
{
    if (u->flags & OP_MEMORY)
        return u->kind == UOP_LOAD ? place_load(s, u, port, ready) : place_store(s, u, port, ready);
    int32_t start = place(s, u, port, ready);
    return (placed){.start = start, .base = start};
}

/* When the operands of a µop with bypass delays are there, at the port that it goes to: see bypass.c. */
static int32_t bypass_operands(const sim *s, const op *u, int port)
{
    const bool is_other = s->arch->vector_domains || (s->arch->bypass_ports >> s->prog.spare_first[port] & 1);
    uint32_t late = u->flags & OP_FLOATS ? RESULT_BY_LOGIC : is_other ? RESULT_BY_FLOATS : 0;
    int32_t latest = SIM_LONG_AGO;
    for (const uint8_t *in = u->in, *end = in + u->in_count; in < end; in++) {
        rat_value v = s->rn.rat[*in];
        int32_t ready = rat_ready(v) + ((rat_flags(v) & late) != 0);
        latest = ready > latest ? ready : latest;
    }
    return latest;
}

/* Renames a µop; returns the cycle in which it finishes. */
static int32_t issue_op(sim *s, uint32_t slot, const op *u, int32_t finish)
{
    const bool late = u->flags & (OP_FLOATS | OP_LOGIC), bypassed = late && s->arch->bypass_ports;
    int port = bypassed ? ports_choose(s, u, slot, s->earliest) : 0;
    int32_t operands = late ? bypass_operands(s, u, port) : operands_ready(s, u);
    if (u->flags & OP_FENCE)
        operands = max_i32(operands, fenced_until(s, u));
    int32_t ready = operands = ready_cycle(s, operands);
    port_places places = u->places;
    const bool early = early_picks_has(s, u), bound = parts_go_round(s, u);
    if (bound) {
        places = parts_bind(s, u);
    } else if (u->flags & OP_SCHEDULER) {
        ready = queues_enter(s, u, ready);
        places = alus_places(s, queues_places(s, u));
    }
    ready = after_load(s, u, ready);
    if (early) {
        places = early_picks_part(s, u);
        early_picks_in_vain(s, places, early_picks_wake(s, u, ready), ready);
    }
    const int32_t picked = ready;
    if (u->flags & OP_THROTTLED)
        ready = throttle_first_free(throttle_of(s, u->insn), ready, s->b->insns[u->insn].tp_cycles);
    if (u->closed_by)
        ready = reservations_first_open(s, u, places, ready);
    if (!bypassed)
        port = places == u->places ? ports_choose(s, u, slot, ready)
                                   : reservations_free_port(s, places, ready).place;
    placed p = place_op(s, u, port, ready);
    if (u->closed_by | u->closes)
        reservations_close(s, u, p.start);
    if (u->flags & OP_SCHEDULER)
        p.base += queues_late(s, u);
    s->left = max_i32(s->left, p.start);
    if (u->flags & OP_THROTTLED)
        throttle_enter(throttle_of(s, u->insn), p.start, s->b->insns[u->insn].tp_cycles);
    if (u->flags & OP_SCHEDULER)
        queues_leave(s, u, p.start);
    alus_leave(s, port, p.start);
    if (u->parts)
        parts_leave(s, u, p.start);
    if (u->flags & OP_FENCE)
        note_order(s, u, p.base);
    write_results(s, u, p.base);
    if (s->arch->alu_scheduler_parts)
        early_picks_tell(s, u, p.base, early ? picked : p.base);
    int32_t end = p.base + u->finish;
    if (sim_is_watched(s)) {
        const uop_times times = {.u = u,
                                 .issued = s->cycle,
                                 .operands = operands,
                                 .ready = ready,
                                 .start = p.start,
                                 .end = end,
                                 .base = p.base,
                                 .port = s->prog.spare_first[p.with_load ? s->rn.load_place : port],
                                 .forwarded_late = p.late,
                                 .with_load = p.with_load};
        if (s->tally)
            account_uop(s, &times);
        if (s->trace)
            sim_trace_uop(s, &times, &p.from);
    }
    s->next_seq++;
    return max_i32(finish, end);
}

/* When the operands of a plain µop let it leave. */
static inline int32_t plain_ready(const sim *s, const op *u)
{
    const rat_value *rat = s->rn.rat;
    return ready_cycle(
        s, rat_ready(max_i32(max_i32(rat[u->in[0]], rat[u->in[1]]), max_i32(rat[u->in[2]], rat[u->in[3]]))));
}

/* Its results are there so long after cycle `base`; returns the later one of its end and `finish`. */
static inline int32_t end_plain(sim *s, const op *u, int32_t base, int32_t finish)
{
    rat_value *rat = s->rn.rat;
    s->next_seq++;
    if (u->flags & OP_SHARED)
        for (uint32_t k = 0; k < u->out_count; k++)
            leave_alias(s, u->out[k].slot);
    for (int k = 0; k < OP_FAST_OUT; k++)
        rat[u->out[k].slot] = base * RAT_CYCLE + u->out[k].after;
    return max_i32(finish, base + u->finish);
}

/* The same alone: most µops in a run of plain ones are none of memory. */
typedef struct leaving {
    int32_t start, base; /* as above */
} leaving;

static __attribute__((noinline)) leaving place_memory(sim *s, const op *u, int port, int32_t ready)
{
    const placed p = u->kind == UOP_LOAD ? place_load(s, u, port, ready) : place_store(s, u, port, ready);
    return (leaving){p.start, p.base};
}

/* Where a scheduler of its own kind chooses the port of a plain µop: from when on its latencies count.
 * `parts`: alu_scheduler_parts. */
static inline __attribute__((always_inline)) int32_t schedule_plain(sim *s, const op *u, bool parts,
                                                                    int32_t operands)
{
    const bool early = parts && u->scheduler == SCHEDULER_ALU, bound = parts_go_round(s, u);
    const int32_t ready = bound ? operands : after_load(s, u, queues_enter(s, u, operands));
    port_places places = bound ? parts_bind(s, u) : alus_places(s, queues_places(s, u));
    if (early) {
        places = early_picks_part(s, u);
        const int32_t woken = early_picks_wake(s, u, ready);
        if (woken < ready)
            early_picks_in_vain(s, places, woken, ready);
    }
    const free_port to = reservations_free_port(s, places, ready);
    int32_t base = to.cycle, start = to.cycle;
    if (u->flags & OP_MEMORY) {
        const leaving l = place_memory(s, u, to.place, ready);
        start = l.start;
        base = l.base;
    } else {
        reservations_take(&s->reserved, to.place, start);
        reservations_leave(&s->reserved, 0, start);
    }
    base += queues_late(s, u);
    queues_leave(s, u, start);
    alus_leave(s, to.place, start);
    if (u->parts)
        parts_leave(s, u, start);
    if (parts)
        early_picks_tell(s, u, base, early ? ready : base);
    return base;
}

/* A plain µop, when nobody looks. */
static inline int32_t issue_plain(sim *s, issue_way way, uint32_t slot, const op *u, int32_t finish)
{
    const int32_t ready = plain_ready(s, u);
    if (way != ISSUE_TO_PORTS)
        return end_plain(s, u, schedule_plain(s, u, way == ISSUE_TO_PARTS, ready), finish);
    const int port = ports_choose(s, u, slot, ready);
    return end_plain(
        s, u, u->flags & OP_MEMORY ? place_memory(s, u, port, ready).base : place_plain(s, port, ready),
        finish);
}

static void issue_fused(sim *s, uint32_t slot, const fused_op *f)
{
    const bool quickly = !sim_is_watched(s) && !s->any_mispredicted;
    int32_t finish = s->cycle;
    if (s->tally)
        s->tally->first_uop[s->rob.tail & (SIM_ROB - 1)] = s->next_seq;
    for (const op *u = &s->prog.ops[f->first], *end = u + f->count; u < end; u++)
        finish = !quickly || !(u->flags & OP_PLAIN)
                     ? issue_op(s, slot, u, finish)
                     : issue_plain(s, u->flags & OP_SCHEDULER ? s->way : ISSUE_TO_PORTS, slot, u, finish);
    if (s->trace)
        sim_trace_issued(s, f->count == 0);
    rob_enter(s, finish);
    if (f->stores)
        store_buffer_enter(s, f->stores);
}

/* The renamer keeps the sum of the immediates beside the register; what does not fit there is executed, and
 * then the register has its value again. */
static bool add_constant(sim *s, const block_insn *bi)
{
    renamer *rn = &s->rn;
    const rat_value from = rn->rat[bi->move_source] & ~(RAT_CYCLE - 1);
    const int64_t sum = rn->sums[bi->move_source] + block_constant(bi) / SUM_UNIT;
    if (!block_ends_at_rename(s->arch, bi) || !block_fits_bits(sum * SUM_UNIT, s->arch->immediate_sum_bits))
        return false;
    for (int k = 0; k < 2; k++)
        if (bi->sum_flags[k] != UNIT_NONE)
            write_slot(s, bi->sum_flags[k], from + SUM_FLAGS_CYCLES * RAT_CYCLE);
    if (bi->move_target != bi->move_source)
        write_slot(s, bi->move_target, from);
    rn->sums[bi->move_target] = (int16_t)sum;
    return true;
}

static bool issue_move(sim *s, uint32_t slot, const lam_op *l)
{
    const block_insn *bi = &s->b->insns[l->insn];
    if (bi->adds_constant ? !add_constant(s, bi)
                          : slot + 1 == s->arch->move_elim_except_slot || !can_eliminate(s, bi->move_gpr))
        return false;
    if (!bi->adds_constant)
        eliminate(s, bi);
    if (s->tally) {
        s->tally->insns[l->insn].eliminated++;
        account_move(s->tally, bi);
        s->tally->first_uop[s->rob.tail & (SIM_ROB - 1)] = s->next_seq;
    }
    if (s->trace)
        sim_trace_moved(s, bi);
    if (!(l->flags & LAM_JOINED))
        rob_enter(s, s->cycle);
    return true;
}

/* A LAM_ELIMINABLE of one fused µop. */
static __attribute__((noinline)) void issue_move_or_uop(sim *s, uint32_t slot, const lam_op *l)
{
    if (!issue_move(s, slot, l))
        issue_fused(s, slot, &s->prog.fused[l->fused_first]);
}

/* The instruction's last µop has been renamed: what is left of its results becomes visible. */
static void end_insn(sim *s, const block_insn *bi)
{
    renamer *rn = &s->rn;
    if (s->trace)
        sim_trace_completed(s, bi);
    for (uint32_t k = 0; k < rn->late_count; k++)
        write_slot(s, rn->late[k].slot, rn->late[k].value);
    rn->late_count = 0;
    if (bi->uop_count && (bi->load_fence || bi->store_fence)) {
        rn->load_fence = rn->next_load_fence;
        rn->store_fence = rn->next_store_fence;
    }
    for (int k = 0; k < bi->kill_count; k++)
        write_slot(s, bi->kills[k], SIM_LONG_AGO * RAT_CYCLE + RESULT_ZEROED);
    rn->high8_pending = (uint8_t)((rn->high8_pending & ~bi->writes_whole) | bi->writes_high8);
    if (s->track_values)
        store_forward_step(s, bi);
}

/* Cycles from the retirement of everything that is renamed until all its stores have reached the cache. */
static uint16_t store_lag(const sim *s)
{
    int32_t lag = s->stored.last - rob_last(&s->rob);
    return (uint16_t)(lag > 0 ? lag : 0);
}

static void end_iteration(sim *s)
{
    rob_retire(&s->rob, s->cycle);
    if (s->issued_iterations < s->retired_capacity)
        s->retired[s->issued_iterations] =
            (retirement){rob_last(&s->rob), (uint16_t)((s->rob.next - 1) % s->rob.width),
                         (uint16_t)sim_in_flight(s), store_lag(s)};
    if (s->b->advancing)
        store_forward_advance(s);
    s->issued_iterations++;
}

/* A µop of LAM_SIMPLE, when nobody looks. */
static inline __attribute__((always_inline)) void issue_simple(sim *s, issue_way way, uint32_t slot,
                                                               const lam_op *l)
{
    int32_t finish = s->cycle;
    const op *u = l->ops;
    const bool moves = l->flags & LAM_ELIMINABLE;
    if (moves && way == ISSUE_TO_PORTS) {
        issue_move_or_uop(s, slot, l);
    } else {
        if (moves)
            eliminate(s, &s->b->insns[l->insn]);
        else
            for (uint32_t left = l->op_count; left; left--, u++)
                finish = issue_plain(s, way, slot, u, finish);
        rob_enter(s, finish);
    }
    s->fe.idq_head++;
    s->fe.idq_count--;
    if (!(l->flags & (LAM_STORES | LAM_COMPLETES | LAM_ITERATION_END)))
        return;
    if (l->flags & LAM_STORES)
        store_buffer_enter(s, s->prog.fused[l->fused_first].stores);
    if (l->flags & LAM_COMPLETES)
        end_insn(s, &s->b->insns[l->insn]);
    if (l->flags & LAM_ITERATION_END)
        end_iteration(s);
}

/* Whether the µop, behind others in its cycle of which so many go to ALUs, is one of LAM_SIMPLE and goes with
 * them into this slot. */
static inline bool goes_on(sim *s, const lam_op *l, uint32_t slot, uint32_t alus)
{
    return (l->flags & LAM_SIMPLE) && slot + l->room <= s->arch->issue_width && !l->constants &&
           !(alus && alus + l->alus > s->arch->issue_alu_uops) &&
           !((l->flags & LAM_STORES) && store_buffer_full(s, 1)) && parts_have_room(s, l) &&
           !(s->arch->renames_a_cycle && s->renamed_cycle == s->cycle);
}

/* The µops of LAM_SIMPLE at the head of the queue, up to `most` and the end of a group, when nobody looks;
 * returns how many, and the entry of the last one. `alus`: those in this cycle that go to ALUs. */
static inline __attribute__((always_inline)) uint32_t
issue_run(sim *s, issue_way way, uint32_t slot, uint32_t most, idq_entry *entry, uint32_t *alus)
{
    const front_end *fe = &s->fe;
    const lam_op *lams = s->prog.lams, *l = &lams[*entry & ~IDQ_FLAGS];
    for (uint32_t n = 1;; n++) {
        issue_simple(s, way, slot++, l);
        if (n == most || (*entry & IDQ_ENDS_GROUP))
            return n;
        const idq_entry next = fe->idq[fe->idq_head & (SIM_IDQ - 1)];
        l = &lams[next & ~IDQ_FLAGS];
        if (!(l->flags & LAM_FOLLOWS) && !goes_on(s, l, slot, *alus))
            return n;
        *alus += l->alus;
        *entry = next;
    }
}

static __attribute__((noinline)) uint32_t issue_to_ports(sim *s, uint32_t slot, uint32_t most,
                                                         idq_entry *entry, uint32_t *alus)
{
    return issue_run(s, ISSUE_TO_PORTS, slot, most, entry, alus);
}

static __attribute__((noinline)) uint32_t issue_to_schedulers(sim *s, uint32_t slot, uint32_t most,
                                                              idq_entry *entry, uint32_t *alus)
{
    return issue_run(s, ISSUE_TO_SCHEDULERS, slot, most, entry, alus);
}

static __attribute__((noinline)) uint32_t issue_to_parts(sim *s, uint32_t slot, uint32_t most,
                                                         idq_entry *entry, uint32_t *alus)
{
    return issue_run(s, ISSUE_TO_PARTS, slot, most, entry, alus);
}

/* Issues a laminated µop; returns the slots that it takes. */
static uint32_t issue_lam(sim *s, uint32_t slot, const lam_op *l)
{
    uint32_t slots = l->fused_count;
    for (uint32_t k = 0; k < l->fused_count; k++) {
        if (tally_counts(s->tally, s->issued_iterations) && l->insn < s->b->insn_count)
            s->tally->insns[l->insn].issued++;
        if (k || !(l->flags & LAM_ELIMINABLE) || !issue_move(s, slot + k, l))
            issue_fused(s, slot + k, &s->prog.fused[l->fused_first + k]);
        else if (l->flags & LAM_JOINED)
            slots--;
    }
    if (l->flags & LAM_COMPLETES)
        end_insn(s, &s->b->insns[l->insn]);
    return slots;
}

/* Whether the µop at the head of the queue has to wait for another cycle. `merge` is set to a synthetic µop
 * that must be issued before it: reading a whole register whose high byte is renamed apart needs a µop that
 * merges the two, alone in its cycle. */
static bool must_wait(sim *s, uint32_t slot, const lam_op *l, const lam_op **merge)
{
    const block_insn *bi = &s->b->insns[l->insn];
    if (bi->serializing) {
        rob_retire(&s->rob, s->cycle);
        if (slot || s->rob.head != s->rob.tail)
            return true;
    }
    if (renamed_at_intervals(bi) && l->flags & LAM_FIRST) {
        throttle *t = throttle_of(s, l->insn);
        if (throttle_first_free(t, s->cycle, bi->tp_cycles) > s->cycle)
            return true;
        throttle_enter(t, s->cycle, bi->tp_cycles);
    }
    uint8_t need = bi->merges_high8 & s->rn.high8_pending;
    if (!need)
        return false;
    if (slot == 0) {
        int reg = __builtin_ctz(need);
        *merge = &s->prog.lams[s->prog.lam_merge + (uint32_t)reg];
        s->rn.high8_pending &= (uint8_t) ~(1u << reg);
    }
    return true;
}

/* Whether the laminated µop at the head of the queue has to wait for another cycle, after so many µops in
 * this one; a synthetic µop may be issued in its place. */
static bool is_held_back(sim *s, uint32_t *slot, uint32_t entries, const lam_op *l)
{
    const lam_op *merge = NULL;
    if (*slot && (*slot + l->room > s->arch->issue_width ||
                  (l->fused_count > 1 && entries >= s->arch->unlaminated_entries)))
        return true;
    if (s->renamed_cycle == s->cycle && l->flags & LAM_FIRST && memory_renaming_is_full(s, l->insn))
        return true;
    if (!(l->flags & LAM_WAITS) || !must_wait(s, *slot, l, &merge))
        return false;
    if (merge)
        *slot += issue_lam(s, *slot, merge);
    return true;
}

/* Whether a synchronising µop has to wait because the µops that it is for would not be issued with it: the
 * two are like an unlaminated pair. */
static __attribute__((noinline)) bool leaves_next_behind(const sim *s, uint32_t slot, uint32_t entries)
{
    const front_end *fe = &s->fe;
    if (!slot || fe->idq_count < 2)
        return false;
    const lam_op *next = &s->prog.lams[fe->idq[(fe->idq_head + 1) & (SIM_IDQ - 1)] & ~IDQ_FLAGS];
    return slot + 1 + next->fused_count > s->arch->issue_width || entries >= s->arch->unlaminated_entries;
}

/* A laminated µop that ends a mispredicted branch: what follows is issued once the branch has been executed.
 * Until then the processor is on the wrong path, which leaves no trace here. */
static uint32_t issue_mispredicted(sim *s, uint32_t slot, const lam_op *l)
{
    s->left = s->earliest;
    uint32_t slots = issue_lam(s, slot, l);
    s->right_path = s->left + s->arch->mispredict_cycles - s->arch->issue_to_dispatch_cycles;
    return slots;
}

void sim_rename(sim *s)
{
    renamer *rn = &s->rn;
    front_end *fe = &s->fe;
    uint32_t width = s->arch->issue_width, slot = 0, entries = 0, constants = 0, alus = 0;
    uint16_t last = LAM_LAST; /* flags of the one issued last */
    const uint32_t most_constants = s->arch->issue_constants, few_renamed = s->arch->renames_a_cycle;
    bool full = s->full;
    const lam_op *lams = s->prog.lams;
    s->earliest = s->cycle + s->arch->issue_to_dispatch_cycles;
    s->held_up |= full;
    if (s->limits_moves && !full)
        note_single_names(rn);
    bool stopped = s->cycle < s->right_path;
    issue_end why = full ? ISSUE_BACK_END_FULL : stopped ? ISSUE_HELD_BACK : ISSUE_QUEUE_EMPTY;
    s->held_up |= stopped;
    while (!full && !stopped && fe->idq_count && slot < width) {
        idq_entry e = fe->idq[fe->idq_head & (SIM_IDQ - 1)];
        const lam_op *l = &lams[e & ~IDQ_FLAGS];
        if ((l->flags & LAM_STORES && store_buffer_full(s, 1)) || !parts_have_room(s, l)) {
            s->held_up = true;
            why = ISSUE_BACK_END_FULL;
            break;
        }
        if (alus && alus + l->alus > s->arch->issue_alu_uops) {
            why = ISSUE_HELD_BACK;
            break;
        }
        alus += l->alus;
        last = l->flags;
        if ((l->flags & s->quick) && !(few_renamed && s->renamed_cycle == s->cycle)) {
            constants += l->constants;
            if (slot && (slot + l->room > width || (most_constants && constants > most_constants))) {
                why = ISSUE_HELD_BACK;
                break;
            }
            const uint32_t most = min_u32(width - slot, fe->idq_count),
                           n = s->way == ISSUE_TO_PORTS        ? issue_to_ports(s, slot, most, &e, &alus)
                               : s->way == ISSUE_TO_SCHEDULERS ? issue_to_schedulers(s, slot, most, &e, &alus)
                                                               : issue_to_parts(s, slot, most, &e, &alus);
            slot += n;
            entries += n;
            last = lams[e & ~IDQ_FLAGS].flags;
            if (e & IDQ_ENDS_GROUP) {
                why = ISSUE_LOOP_END;
                break;
            }
            continue;
        } else {
            if (((e & IDQ_WITH_NEXT) && leaves_next_behind(s, slot, entries)) ||
                is_held_back(s, &slot, entries, l) ||
                (most_constants && (constants += l->constants) > most_constants && slot)) {
                why = ISSUE_HELD_BACK;
                break;
            }
            slot += l->flags & LAM_MISPREDICTED ? issue_mispredicted(s, slot, l) : issue_lam(s, slot, l);
        }
        if (last & LAM_ITERATION_END)
            end_iteration(s);
        entries++;
        fe->idq_head++;
        fe->idq_count--;
        if (last & LAM_MISPREDICTED) {
            why = ISSUE_HELD_BACK;
            break;
        }
        if (e & IDQ_ENDS_GROUP) {
            why = ISSUE_LOOP_END;
            break;
        }
    }
    if (slot) {
        s->last_issue = s->cycle;
        s->inside_insn = !(last & (LAM_LAST | LAM_SYNTHETIC));
    }
    if (s->tally)
        account_slots(s, slot, why);
    if (s->limits_moves && !full)
        end_eliminator_cycle(s);
}
