/* program.c - the block as the machine reads it. */
#include "model/sim/sim.h"

/* ---- liveness ---- */

/* Which results somebody waits for. Most instructions write flags that nothing reads, and most address
 * registers never change: the renamer need not follow them. */

typedef struct liveness {
    unit_set *after;  /* [insn] units whose value after it is read before it is written again */
    unit_set results; /* units that can be late: some µop writes them */
    unit_set moved;   /* units that can share a physical register */
    unit_set loaded;  /* units whose value can come straight from a load */
} liveness;

/* What an instruction reads and writes; `results`: what it writes with a µop, and thus at some time. */
static void effects(const block *b, const block_insn *bi, unit_set *reads, unit_set *writes,
                    unit_set *results)
{
    *reads = bi->reads;
    *writes = bi->writes;
    *results = bi->uop_count || bi->eliminable ? bi->writes : (unit_set){{0}};
    for (uint8_t r = 0; r < 4; r++)
        if (bi->merges_high8 >> r & 1) { /* by a µop before it */
            unit_set_add(reads, UNIT_GPR + r);
            unit_set_add(reads, UNIT_HIGH8 + r);
            unit_set_add(results, UNIT_GPR + r);
        }
    if (b->has_stack) { /* the stack engine's µops read and write it, anywhere */
        unit_set_add(reads, UNIT_RSP);
        unit_set_add(results, UNIT_RSP);
    }
}

/* @return 0 or TACHO_ERR_MEMORY */
static int liveness_find(liveness *out, const block *b, arena *a)
{
    *out = (liveness){.after = arena_alloc_raw(a, b->insn_count * sizeof *out->after)};
    if (!out->after)
        return TACHO_ERR_MEMORY;
    unit_set live = {{0}};
    for (int pass = 0; pass < 2; pass++) /* what is live at the end of an iteration is so at its start */
        for (uint32_t i = b->insn_count; i-- > 0;) {
            unit_set reads, writes, results;
            effects(b, &b->insns[i], &reads, &writes, &results);
            out->after[i] = live;
            for (int k = 0; k < 2; k++) {
                live.bits[k] = (live.bits[k] & ~writes.bits[k]) | reads.bits[k];
                out->results.bits[k] |= results.bits[k];
                out->moved.bits[k] |= b->insns[i].eliminable ? writes.bits[k] | reads.bits[k] : 0;
                out->loaded.bits[k] |= b->insns[i].gpr_load || b->insns[i].eliminable ? writes.bits[k] : 0;
            }
        }
    return 0;
}

/* ---- records ---- */

/* The block as the machine reads it: the same µops as in the block, in small records that hold what a cycle
 * needs and no more. */

/* The last instruction is followed by the first. */
static uint32_t following(const block *b, uint32_t insn)
{
    return insn + 1 == b->insn_count ? 0 : insn + 1;
}

static bool dsb_takes_over_after(const sim *s, uint32_t insn)
{
    return s->b->mode != TACHO_MODE_UNROLL && dsb_layout_takes_over(s->layout, s->b, insn);
}

static void fill_front_insn(front_insn *f, const sim *s, uint32_t insn, uint32_t needed)
{
    const block *b = s->b;
    bool to_dsb = dsb_takes_over_after(s, insn);
    uint16_t next = (uint16_t)following(b, insn);
    const block_insn *bi = &b->insns[insn];
    bool split = bi->uops_ms && bi->uops_mite < bi->laminated_count;
    *f = (front_insn){.lam_first = bi->laminated_first,
                      .lam_count = bi->laminated_count,
                      .lam_decoded = split ? bi->uops_mite : bi->laminated_count,
                      .uops_ms = bi->uops_ms,
                      .following = next,
                      .fetched_next = to_dsb ? (uint16_t)needed : next,
                      .leaves = b->mode != TACHO_MODE_UNROLL && (bi->jumps || to_dsb),
                      .to_dsb = to_dsb,
                      .stack_delta = bi->stack_delta,
                      .length = bi->insn->length,
                      .opcode_offset = bi->insn->opcode_offset,
                      .simple_decoders = bi->simple_decoders,
                      .lcp = bi->insn->lcp,
                      .complex_decoder = bi->complex_decoder,
                      .fusible = bi->fusible,
                      .fused_with_next = bi->fused_with_next,
                      .branch = bi->is_branch,
                      .uses_rsp = bi->uses_rsp,
                      .always_syncs = bi->always_syncs,
                      .resets_stack = bi->resets_stack,
                      .has_stack = bi->uses_rsp || bi->resets_stack || bi->stack_delta};
}

static void fill_front_insns(sim *s)
{
    const uint32_t n = s->b->insn_count;
    uint32_t needed = 0; /* where the decoders will be needed next; where all is cached: of no account */
    for (uint32_t i = n; i-- > 0;)
        needed = s->layout->insn_cached[i] ? needed : i;
    for (uint32_t i = n; i-- > 0;) {
        fill_front_insn(&s->prog.insns[i], s, i, needed);
        needed = s->layout->insn_cached[i] ? needed : i;
    }
}

enum {
    PLAIN_FINISH = 128 /* cycles: for longer ones the end of the reservation tables is checked */
};

typedef struct builder {
    sim *s;
    liveness live;
    uint16_t needed; /* registers that addresses come from */
    uint32_t lams, fused, ops;
} builder;

/* Whether a later µop of the instruction reads the unit, as it was before the instruction. */
static bool read_later(const block *b, const block_insn *bi, uint32_t after, uint8_t slot)
{
    for (uint32_t k = after + 1; k < bi->uop_first + bi->uop_count; k++)
        for (int i = 0; i < b->uops[k].in_count; i++)
            if (b->uops[k].in[i] == slot)
                return true;
    return false;
}

/* Whether a result becomes visible only at the instruction's end, because another µop of the instruction
 * still reads the old value. If one writer of a unit is late all are, so that the last one wins. */
static bool is_late(const block *b, const block_insn *bi, uint8_t slot)
{
    if (slot >= TEMP_BASE || bi->uop_count < 2)
        return false;
    for (uint32_t k = bi->uop_first; k < bi->uop_first + bi->uop_count; k++)
        for (int o = 0; o < b->uops[k].out_count; o++)
            if (b->uops[k].out[o].slot == slot && read_later(b, bi, k, slot))
                return true;
    return false;
}

/* Keeps only results that are read; where there are moves, also those that end the sharing of a physical
 * register. */
static bool is_needed(const builder *w, const block_insn *bi, uint8_t slot)
{
    return slot >= TEMP_BASE || !bi || unit_set_has(&w->live.after[bi - w->s->b->insns], slot) ||
           unit_set_has(&w->live.moved, slot);
}

static void fill_results(builder *w, op *p, const block_insn *bi, const uop *u)
{
    const block *b = w->s->b;
    for (int late = 0; late < 2; late++)
        for (int o = 0; o < u->out_count; o++) {
            uint8_t slot = u->out[o].slot;
            if (!is_needed(w, bi, slot) || (bi && is_late(b, bi, slot)) != late)
                continue;
            int32_t flags = bi && slot < UNIT_HIGH8 && bi->gpr_load ? RESULT_BY_LOAD : 0;
            p->out[p->out_count++] =
                (op_result){slot, (int32_t)((uint32_t)u->out[o].latency << RESULT_FLAG_BITS) | flags};
            p->late_count = (uint8_t)(p->late_count + late) & 15;
        }
}

/* Only the operands that are not always ready. */
static void fill_operands(const builder *w, op *p, const uop *u)
{
    for (int k = 0; k < u->in_count; k++)
        if (u->in[k] >= TEMP_BASE || unit_set_has(&w->live.results, u->in[k]))
            p->in[p->in_count++] = u->in[k];
}

/* Sandy Bridge moves 256 bits in two halves. */
static bool is_wide(const tacho_arch *arch, const block_insn *bi, const uop *u)
{
    return arch->mem256_two_cycles && (u->kind == UOP_LOAD || u->kind == UOP_STORE_DATA) && bi->mem_count &&
           bi->mem[u->mem].bytes == 32;
}

bool program_has_wide_load(const block *b)
{
    for (uint32_t i = 0; i < b->uop_count; i++)
        if (b->uops[i].kind == UOP_LOAD && is_wide(b->arch, &b->insns[b->uops[i].insn], &b->uops[i]))
            return true;
    return false;
}

/* The schedulers choose ports, and nothing else needs to know which. */
static bool chooses_at_dispatch(const sim *s)
{
    return s->arch->port_policy == TACHO_PORTS_AT_DISPATCH && !s->counts_ports &&
           !(s->options->variants & TACHO_VARIANT_SIMPLE_PORT_ASSIGNMENT);
}

/* Few operands and results, nothing rare: padded, so that the renamer needs no loops. */
static void make_plain(const builder *w, op *p)
{
    const uint16_t scheduled = chooses_at_dispatch(w->s) ? OP_SCHEDULER | OP_STORE_QUEUE | OP_INTEGER : 0;
    if ((p->closes | p->closed_by) ||
        (p->flags & ~(OP_FIRST_OF_INSN | OP_MEMORY | OP_CHASE | OP_VECTOR_LOAD | scheduled)) ||
        p->div_cycles || p->finish >= PLAIN_FINISH || p->late_count || p->in_count > OP_FAST_IN ||
        p->out_count > OP_FAST_OUT)
        return;
    for (int k = 0; k < p->out_count; k++)
        if (unit_set_has(&w->live.moved, p->out[k].slot) &&
            (w->s->limits_moves || w->s->arch->immediate_sum_bits))
            p->flags |= OP_SHARED;
    for (int k = p->in_count; k < OP_FAST_IN; k++)
        p->in[k] = SLOT_READY;
    for (int k = p->out_count; k < OP_FAST_OUT; k++)
        p->out[k] = (op_result){.slot = SLOT_NOWHERE};
    p->flags |= OP_PLAIN;
}

/* Whether it matters where a load or store goes. */
static bool address_matters(const sim *s, uint8_t kind, const mem_access *m)
{
    if (m->unknown_address)
        return false;
    if (s->arch->stores_at_load_unit && kind != UOP_STORE_DATA && m->read && m->write)
        return true;
    if (kind == UOP_LOAD)
        return (s->compares || s->track_splits) && m->read;
    return s->compares || (kind == UOP_STORE_DATA && (s->track_lines || s->track_splits));
}

static uint8_t rule_of(sim *s, uint16_t ports)
{
    bool by_turn = s->arch->port_policy == TACHO_PORTS_10 || s->arch->port_policy == TACHO_PORTS_12;
    if ((ports & (ports - 1)) == 0)
        return (uint8_t)__builtin_ctz(ports);
    if (s->options->variants & TACHO_VARIANT_SIMPLE_PORT_ASSIGNMENT)
        return PORT_ANY;
    if (s->arch->port_policy == TACHO_PORTS_AT_DISPATCH)
        return PORT_AT_DISPATCH;
    port_rule turn = ports == s->arch->load_ports                       ? PORT_LOADS
                     : by_turn && ports == s->arch->store_data_ports    ? PORT_STORE_DATA
                     : by_turn && ports == s->arch->store_address_ports ? PORT_STORE_ADDRESS
                                                                        : 0;
    if (turn) {
        ports_list_in_turn(s, turn, ports);
        return turn;
    }
    const bool listed = ports_list(s, ports);
    if (by_turn)
        return PORT_BY_TURN;
    return s->arch->port_policy == TACHO_PORTS_8 && listed && __builtin_popcount(ports) <= 4 ? PORT_OF_FOUR
                                                                                             : PORT_BY_SLOT;
}

/* Where µops are sent to schedulers by groups (scheduler_parts.c), store addresses go to any address unit. */
static uint16_t ports_of(const tacho_arch *arch, const uop *u)
{
    return u->kind == UOP_STORE_ADDRESS && arch->shared_scheduler_uops ? arch->load_ports : u->ports;
}

static void fill_figures(op *p, sim *s, const block_insn *bi, const uop *u)
{
    const uint16_t ports = ports_of(s->arch, u);
    int finish = u->max_latency;
    if (u->kind == UOP_STORE_ADDRESS)
        finish = s->arch->load_latency_cycles;
    if (u->first_of_insn && finish < bi->tp_cycles)
        finish = bi->tp_cycles;
    *p = (op){.ports = ports,
              .rule = rule_of(s, ports),
              .kind = u->kind,
              .mem = u->mem,
              .with_load = u->with_load,
              .insn = u->insn,
              .finish = (int16_t)(finish < 2 ? 2 : finish),
              .load_latency = u->load_latency,
              .div_cycles = u->div_cycles,
              .first_latency = u->out_count ? u->out[0].latency : 0,
              .quick = block_is_quick(s->arch, u)};
    if (!bi->eliminable && bi->uop_count)
        p->number = (uint8_t)(u - s->b->uops - bi->uop_first);
}

static uint16_t scheduler_flags(const tacho_arch *arch, const uop *u)
{
    bool address = u->kind == UOP_LOAD || u->kind == UOP_STORE_ADDRESS;
    if (block_is_vector(arch, u))
        return arch->vector_scheduler_entries ? OP_SCHEDULER | (arch->vector_store_scheduler_entries &&
                                                                        (u->ports & arch->store_data_ports)
                                                                    ? OP_STORE_QUEUE
                                                                    : 0)
                                              : 0;
    return (address ? arch->address_scheduler_entries : arch->alu_scheduler_entries)
               ? OP_SCHEDULER | OP_INTEGER
               : 0;
}

static void bypass_mark(const block *b, op *p, const uop *u)
{
    bypass_kind kind = block_bypass_kind(b, u);
    if (kind == BYPASS_NONE)
        return;
    p->flags |= kind == BYPASS_LOGIC ? OP_LOGIC : kind == BYPASS_FLOATS ? OP_FLOATS : 0;
    for (int o = 0; o < p->out_count; o++)
        if (!b->arch->vector_domains || unit_is_vector(p->out[o].slot))
            p->out[o].after |= kind == BYPASS_LOGIC ? RESULT_BY_LOGIC : RESULT_BY_FLOATS;
}

/* Behind the µop that multiplies, of an instruction that writes two general registers. */
static bool is_second_of_multiplication(const block *b, const block_insn *bi, const uop *u)
{
    const uop *first = &b->uops[bi->uop_first];
    for (; first < u && (first->kind != UOP_COMPUTE || first->max_latency < 3 || first->div_cycles); first++)
        ;
    return first < u && bi->written_gprs & (bi->written_gprs - 1);
}

/* Bits of port_closer: what the µop closes. */
static uint8_t closes(const block *b, const uop *u)
{
    const tacho_arch *arch = b->arch;
    if (u->kind != UOP_COMPUTE || u->insn >= b->insn_count || u->needs_no_port)
        return 0;
    if (arch->to_general_closes && block_is_vector(arch, u) &&
        !(u->ports & (uint16_t)~arch->store_data_ports))
        return u->out_count && u->out[0].slot < UNIT_HIGH8 ? CLOSER_TO_GENERAL : 0;
    return arch->high_half_closes && u->ports == arch->alu_ports &&
                   is_second_of_multiplication(b, &b->insns[u->insn], u)
               ? CLOSER_HIGH_HALF
               : 0;
}

bool program_has_closer(const block *b)
{
    for (uint32_t k = 0; k < b->uop_count; k++)
        if (closes(b, &b->uops[k]))
            return true;
    return false;
}

/* What closes it: of µops that go to ALUs for a cycle. Flags alone, and fused branches, do not meet what
 * comes from vectors. */
static uint8_t closed_by(const block *b, const block_insn *bi, const uop *u)
{
    const tacho_arch *arch = b->arch;
    bool general = bi->mem_count && bi->mem[0].write;
    if (u->kind != UOP_COMPUTE || u->max_latency > 1 || u->needs_no_port || !(u->ports & arch->alu_ports))
        return 0;
    for (uint32_t k = 0; k < u->out_count; k++)
        general |= u->out[k].slot < UNIT_HIGH8 || u->out[k].slot >= UNIT_COUNT;
    general &= !bi->is_branch && !bi->fused_with_next;
    return (general && u->ports & arch->to_general_closes ? CLOSER_TO_GENERAL : 0) |
           (u->ports & arch->high_half_closes ? CLOSER_HIGH_HALF : 0);
}

/* `bi`: its instruction, NULL for a µop that belongs to none. */
static void fill_op(builder *w, op *p, const block_insn *bi, const uop *u)
{
    static const block_insn nothing;
    const block_insn *insn = bi ? bi : &nothing;
    fill_figures(p, w->s, insn, u);
    if (u->first_of_insn)
        p->flags |= OP_FIRST_OF_INSN;
    if (u->first_of_insn && insn->tp_cycles)
        p->flags |= OP_THROTTLED;
    if (u->kind != UOP_COMPUTE && insn->mem_count) {
        const mem_access *m = &insn->mem[u->mem];
        if (address_matters(w->s, u->kind, m))
            p->flags |= OP_MEMORY;
        if (u->kind == UOP_LOAD && sim_may_chase(w->s, m) && unit_set_has(&w->live.loaded, m->base))
            p->flags |= OP_MEMORY | OP_CHASE;
    }
    if (is_wide(w->s->arch, insn, u) || block_port_cycles(w->s->arch, insn, u) > 1)
        p->flags |= OP_WIDE;
    if (u->vector_load)
        p->flags |= OP_VECTOR_LOAD;
    if (w->s->any_wide_load && u->kind == UOP_LOAD)
        p->flags |= OP_LOAD;
    if (u->needs_no_port)
        p->flags |= OP_NO_PORT;
    p->flags |= scheduler_flags(w->s->arch, u);
    if (w->s->any_fence)
        p->flags |= OP_FENCE;
    fill_operands(w, p, u);
    fill_results(w, p, bi, u);
    if (w->s->any_closer && bi) {
        p->closes = closes(w->s->b, u);
        p->closed_by = p->closes ? 0 : closed_by(w->s->b, bi, u);
    }
    if (w->s->any_bypass)
        bypass_mark(w->s->b, p, u);
    make_plain(w, p);
}

/* What the end of an instruction has to do beyond its µops' own results. */
static bool completes(const builder *w, const block_insn *bi, uint32_t first_op, uint32_t end_op)
{
    const sim *s = w->s;
    if (bi->kill_count || bi->load_fence || bi->store_fence)
        return true;
    if (s->b->has_high8_write && (bi->writes_whole || bi->writes_high8))
        return true;
    if (s->track_values && registers_matter(bi, w->needed))
        return true;
    for (uint32_t k = first_op; k < end_op; k++)
        if (s->prog.ops[k].late_count)
            return true;
    return false;
}

/* A µop that belongs to no instruction: it changes `unit`. */
static void add_synthetic(builder *w, uint8_t unit, uint8_t second, uint16_t ports)
{
    program *g = &w->s->prog;
    uop u = {.ports = ports,
             .kind = UOP_COMPUTE,
             .insn = (uint16_t)w->s->b->insn_count,
             .in_count = second == UNIT_NONE ? 1 : 2,
             .in = {unit, second},
             .out_count = 1,
             .out = {{unit, 1}},
             .max_latency = 1};
    if (second != UNIT_NONE && w->s->b->has_high8_read)
        u.out[u.out_count++] = (uop_out){second, (int16_t)(1 + w->s->arch->high8_extract_cycles)};
    block_make_ideal_uop(&u, w->s->options);
    fill_op(w, &g->ops[w->ops], NULL, &u);
    g->fused[w->fused] = (fused_op){.first = w->ops++, .count = 1};
    g->lams[w->lams++] = (lam_op){.fused_first = w->fused++,
                                  .insn = u.insn,
                                  .fused_count = 1,
                                  .room = 1,
                                  .flags = LAM_FIRST | LAM_SYNTHETIC};
}

/* Whether it matters when the store that the µop completes reaches the cache. */
static bool is_followed_store(const sim *s, const uop *u)
{
    return u->kind == UOP_STORE_DATA && (s->track_memory || s->track_lines);
}

static void add_fused(builder *w, const block_insn *bi, const uop_group *f)
{
    program *g = &w->s->prog;
    fused_op *out = &g->fused[w->fused++];
    *out = (fused_op){.first = w->ops};
    for (uint32_t k = 0; k < f->count; k++)
        if (w->s->b->uops[f->first + k].ports) {
            out->stores = (uint16_t)(out->stores + is_followed_store(w->s, &w->s->b->uops[f->first + k]));
            fill_op(w, &g->ops[w->ops++], bi, &w->s->b->uops[f->first + k]);
        }
    out->count = (uint16_t)(w->ops - out->first);
}

/* The first fused µop of a move: the one that is executed when it is not eliminated. */
static void add_move(builder *w, const block_insn *bi)
{
    program *g = &w->s->prog;
    fill_op(w, &g->ops[w->ops], bi, &w->s->b->uops[bi->uneliminated_first]);
    g->fused[w->fused++] = (fused_op){.first = w->ops++, .count = 1};
}

/* One fused µop of plain ones, all with a scheduler of their own kind where there are such. Sets their number
 * too. */
static bool is_simple(const builder *w, lam_op *lam)
{
    lam->op_count = (uint32_t)(&w->s->prog.ops[w->ops] - lam->ops);
    for (const op *u = lam->ops; u < lam->ops + lam->op_count; u++)
        if (!(u->flags & OP_PLAIN) || !(u->flags & OP_SCHEDULER) != (w->s->way == ISSUE_TO_PORTS))
            return false;
    return lam->fused_count == 1;
}

/* Whether a move takes one slot, and to schedulers the renamer always executes it. */
static bool is_simple_move(const builder *w, const lam_op *lam)
{
    const block_insn *bi = &w->s->b->insns[lam->insn];
    const tacho_arch *arch = w->s->arch;
    if (lam->fused_count != 1 || bi->joined)
        return false;
    return w->s->way == ISSUE_TO_PORTS ||
           (!bi->adds_constant && !w->s->limits_moves && !arch->move_elim_except_slot &&
            (bi->move_gpr ? arch->move_elim_slots_gpr : arch->move_elim_slots_simd));
}

/* It serialises, is renamed once in so many cycles, or reads a register whole whose high byte may be renamed
 * apart. */
static bool waits_to_issue(const block *b, const block_insn *bi)
{
    return bi->serializing || renamed_at_intervals(bi) || (bi->merges_high8 && b->has_high8_write);
}

/* Whether no instruction behind it has µops of its own. */
static bool is_last(const block *b, uint32_t insn)
{
    do
        insn++;
    while (insn < b->insn_count && b->insns[insn].fused_into_previous);
    return insn == b->insn_count;
}

/* It, or the branch that it is fused with. */
static bool is_mispredicted(const block *b, uint32_t insn)
{
    return b->insns[insn].mispredicted || (b->insns[insn].fused_with_next && b->insns[insn + 1].mispredicted);
}

/* Whether it is issued behind others without a look at what is full, or has come already in the cycle. */
static bool follows(const sim *s, const lam_op *lam)
{
    return (lam->flags & LAM_SIMPLE) && lam->room == 1 && !lam->constants &&
           !((lam->flags & LAM_STORES) && s->track_lines) && !s->binds && !s->arch->renames_a_cycle;
}

/* Of issue_constants. */
static unsigned issue_constant_room(const block *b, const block_insn *bi)
{
    return bi->is_branch ? b->arch->issue_branch_constants : block_constant_room(bi);
}

static void add_insn(builder *w, uint32_t insn)
{
    const block *b = w->s->b;
    const block_insn *bi = &b->insns[insn];
    program *g = &w->s->prog;
    const uint32_t first_op = w->ops, first_fused = w->fused, end = bi->laminated_first + bi->laminated_count;
    for (uint32_t l = bi->laminated_first; l < end; l++) {
        const uop_group *group = &b->laminated[l];
        lam_op *lam = &g->lams[w->lams++];
        *lam = (lam_op){.fused_first = w->fused,
                        .insn = (uint16_t)insn,
                        .fused_count = group->count,
                        .room = (uint8_t)block_issue_room(b, bi, l),
                        .ops = &g->ops[w->ops]};
        for (uint32_t k = 0; k < group->count; k++)
            if (bi->eliminable && w->fused == first_fused)
                add_move(w, bi);
            else
                add_fused(w, bi, &b->fused[group->first + k]);
        if (l == bi->laminated_first) {
            lam->flags |= (uint16_t)(LAM_FIRST | (waits_to_issue(b, bi) ? LAM_WAITS : 0));
            lam->constants = b->arch->issue_constants
                                 ? (uint8_t)(issue_constant_room(b, bi) +
                                             (bi->fused_with_next ? issue_constant_room(b, &bi[1]) : 0u))
                                 : 0;
        }
        for (uint32_t k = lam->fused_first; k < w->fused; k++)
            lam->flags |= g->fused[k].stores ? LAM_STORES : 0;
        if (bi->eliminable && l == bi->laminated_first)
            lam->flags |= bi->joined ? LAM_ELIMINABLE | LAM_JOINED : LAM_ELIMINABLE;
        if (!(lam->flags & LAM_WAITS) && !(l + 1 == end && is_mispredicted(b, insn)))
            lam->flags |=
                (lam->flags & LAM_ELIMINABLE ? is_simple_move(w, lam) : is_simple(w, lam)) ? LAM_SIMPLE : 0;
        if (l + 1 == end) {
            if (is_mispredicted(b, insn))
                lam->flags |= LAM_MISPREDICTED;
            lam->flags |= LAM_LAST | (completes(w, bi, first_op, w->ops) ? LAM_COMPLETES : 0);
            if (is_last(b, insn) && group->count)
                lam->flags |= LAM_ITERATION_END;
        }
        lam->flags |= follows(w->s, lam) ? LAM_FOLLOWS : 0;
    }
}

/* The instructions before the part that counts end like an iteration. */
static void end_warm_up(sim *s, uint32_t lams)
{
    const program *g = &s->prog;
    for (uint32_t k = lams; k-- > 0 && s->options->once;)
        if (g->lams[k].insn < s->options->warm_up && (g->lams[k].flags & LAM_LAST)) {
            g->lams[k].flags |= LAM_ITERATION_END;
            return;
        }
}

static void collect_units(program *g, const block *b, uint32_t ops)
{
    unit_set written = {{0}};
    for (uint32_t k = 0; k < ops; k++)
        for (int o = 0; o < g->ops[k].out_count; o++)
            unit_set_add(&written, g->ops[k].out[o].slot);
    if (b->has_stack)
        unit_set_add(&written, UNIT_RSP);
    for (uint8_t r = 0; b->has_high8_write && r < 4; r++)
        unit_set_add(&written, UNIT_GPR + r);
    g->unit_count = 0;
    for (uint32_t w = 0; w < sizeof written.bits / sizeof *written.bits; w++)
        for (uint64_t left = written.bits[w]; left; left &= left - 1)
            g->units[g->unit_count++] = (uint8_t)(64 * w + (uint32_t)__builtin_ctzll(left));
}

enum {
    SYNTHETIC = 5
};

/* Of a branch that is fused with the instruction, too. */
static bool is_branch(const block *b, uint32_t insn)
{
    return b->insns[insn].is_branch || b->insns[insn].fused_with_next;
}

/* How many µops for ALUs each laminated µop brings; of two that are issued together the first one has all. */
static void count_alus(const sim *s)
{
    const program *g = &s->prog;
    for (lam_op *l = g->lams; l < g->lams + g->lam_count; l++) {
        lam_op *first = l > g->lams && l[-1].room == 2 && l[-1].insn == l->insn ? l - 1 : l;
        const bool counts = parts_bind_alus(s->arch) || !is_branch(s->b, l->insn);
        for (const op *u = l->ops; u < l->ops + l->op_count && counts; u++)
            first->alus += u->scheduler == SCHEDULER_ALU && (u->ports & s->arch->alu_ports);
        if (first->alus)
            first->flags &= (uint16_t)~LAM_FOLLOWS;
    }
}

/* What the schedulers need to know of the µops, once the ports are ranked. */
static void place_ops(sim *s, uint32_t count)
{
    program *g = &s->prog;
    g->second_places = ports_places(g, s->arch->vector_second_ports);
    for (op *u = g->ops; u < g->ops + count; u++) {
        u->places = ports_places(g, u->ports);
        if (u->rule < TACHO_MAX_PORTS)
            u->rule = (uint8_t)__builtin_ctzll(u->places);
        u->scheduler = (uint8_t)queues_of(s->arch, u);
        u->entry = u->scheduler < SCHEDULERS ? (scheduler_counts)1 << SCHEDULER_BITS * u->scheduler : 0;
    }
    if (s->arch->issue_alu_uops)
        count_alus(s);
    parts_prepare(s, g->ops, count);
}

/* Room for what decoders and DSB do in a cycle, if they have anything to do. */
static int keep_cycles(sim *s, arena *a)
{
    program *g = &s->prog;
    const dsb_layout *l = s->layout;
    bool from_dsb = l->any_cached, decodes = !from_dsb || !l->all_cached;
    const uint32_t insns = s->b->insn_count;
    const bool fetches = decodes && insns <= FETCHED_INSNS;
    g->fetched = NULL;
    g->decoded = NULL;
    g->dsb_cycles = NULL;
    if (s->use_lsd)
        return 0;
    if (fetches)
        g->fetched =
            arena_alloc(a, insns * (s->arch->predecode_block_bytes + FETCHED_BEFORE) * sizeof *g->fetched);
    if (decodes)
        g->decoded = arena_alloc(a, insns * (s->arch->decoders + 2u) * sizeof *g->decoded);
    if (from_dsb && !s->arch->dsb_rows)
        g->dsb_cycles = arena_alloc(a, 2 * l->dsb_entry_count * sizeof *g->dsb_cycles);
    return (fetches && !g->fetched) || (decodes && !g->decoded) ||
                   (from_dsb && !s->arch->dsb_rows && !g->dsb_cycles)
               ? TACHO_ERR_MEMORY
               : 0;
}

int program_build(sim *s, arena *a)
{
    const block *b = s->b;
    program *g = &s->prog;
    g->insns = arena_alloc_raw(a, b->insn_count * sizeof *g->insns);
    g->lams = arena_alloc_raw(a, (b->laminated_count + SYNTHETIC) * sizeof *g->lams);
    g->fused = arena_alloc_raw(a, (b->fused_count + SYNTHETIC) * sizeof *g->fused);
    g->ops = arena_alloc_raw(a, (b->uop_count + SYNTHETIC) * sizeof *g->ops);
    g->written = arena_alloc_raw(a, (b->fused_count + 1) * sizeof *g->written);
    g->fused_count = 0;
    if (!g->insns || !g->lams || !g->fused || !g->ops || !g->written)
        return TACHO_ERR_MEMORY;
    if (keep_cycles(s, a))
        return TACHO_ERR_MEMORY;
    s->way = !s->queued || !chooses_at_dispatch(s) ? ISSUE_TO_PORTS
             : s->arch->alu_scheduler_parts        ? ISSUE_TO_PARTS
                                                   : ISSUE_TO_SCHEDULERS;
    builder w = {.s = s};
    if (s->track_values)
        w.needed = registers_needed(b);
    g->address_registers = w.needed;
    if (liveness_find(&w.live, b, a))
        return TACHO_ERR_MEMORY;
    fill_front_insns(s);
    for (uint32_t i = 0; i < b->insn_count; i++)
        add_insn(&w, i);
    const bool at_dispatch = s->arch->port_policy == TACHO_PORTS_AT_DISPATCH,
               schedules = s->queued || at_dispatch;
    ports_rank(s, at_dispatch ? w.ops : 0);
    g->lam_count = w.lams;
    g->op_count = w.ops;
    end_warm_up(s, w.lams);
    g->run = arena_alloc_raw(a, (w.lams + LAM_RUN) * sizeof *g->run);
    if (!g->run)
        return TACHO_ERR_MEMORY;
    for (uint32_t k = 0; k < w.lams + LAM_RUN; k++)
        g->run[k] = k < w.lams ? k : w.lams ? g->run[k - w.lams] : 0;
    collect_units(g, b, w.ops);
    g->lam_sync = w.lams;
    add_synthetic(&w, UNIT_RSP, UNIT_NONE, b->arch->alu_ports);
    g->lam_merge = w.lams;
    for (uint8_t r = 0; r < 4; r++)
        add_synthetic(&w, UNIT_GPR + r, UNIT_HIGH8 + r, 0x22); /* p15 */
    if (schedules)
        place_ops(s, w.ops);
    return 0;
}
