/* sim.c - the machine as a whole: set-up, reset, one cycle; and the µop queue with what feeds it. */
#include "sim/trace.h"

#include <string.h>

void idq_push(sim *s, uint32_t laminated, uint32_t insn, uint32_t iteration, uint8_t flags,
              delivery_source source)
{
    front_end *fe = &s->fe;
    fe->idq[(fe->idq_head + fe->idq_count++) & (SIM_IDQ - 1)] =
        (idq_entry){laminated, insn, iteration, flags, (uint8_t)source};
    if (s->trace)
        sim_trace_queued(s);
    if (s->tally && insn < s->b->insn_count && iteration >= s->tally->from_iteration &&
        iteration < s->tally->to_iteration)
        s->tally->delivered[insn * DELIVERY_SOURCES + source]++;
}

/* The stack engine keeps push and pop's changes of RSP aside; who uses RSP itself needs them added first. */
void idq_begin_insn(sim *s, uint32_t insn, uint32_t iteration, delivery_source source)
{
    const block_insn *bi = &s->b->insns[insn];
    front_end *fe = &s->fe;
    if (!s->b->has_stack)
        return;
    if (bi->uses_rsp && fe->stack_offset) {
        idq_push(s, 0, s->b->insn_count, iteration, IDQ_STACK_SYNC, source);
        s->sync_before[insn] = true;
        fe->stack_offset = 0;
    }
    fe->stack_offset += bi->stack_delta;
    if (fe->stack_offset > 192 || fe->stack_offset < -192) {
        idq_push(s, 0, s->b->insn_count, iteration, IDQ_STACK_SYNC, source);
        s->sync_before[insn] = true;
        fe->stack_offset = 0;
    }
    if (bi->resets_stack)
        fe->stack_offset = 0;
}

static void lsd_tick(sim *s)
{
    front_end *fe = &s->fe;
    const block *b = s->b;
    for (uint32_t n = 0; n < 2u * s->arch->issue_width && fe->idq_count < s->arch->idq_width; n++) {
        uint32_t insn = s->lsd_insns[fe->lsd_next];
        const block_insn *bi = &b->insns[insn];
        uint32_t end = bi->laminated_first + bi->laminated_count;
        uint8_t flags = (fe->lsd_next == bi->laminated_first ? IDQ_FIRST_OF_INSN : 0) |
                        (fe->lsd_next + 1 == end ? IDQ_LAST : 0);
        bool last = fe->lsd_next + 1 == b->laminated_count;
        if (flags & IDQ_FIRST_OF_INSN)
            idq_begin_insn(s, insn, fe->lsd_iteration, FROM_LSD);
        if (last && !s->ideal_front_end && (fe->lsd_iteration + 1) % s->lsd_unroll == 0)
            flags |= IDQ_ENDS_GROUP;
        idq_push(s, fe->lsd_next, insn, fe->lsd_iteration, flags, FROM_LSD);
        fe->lsd_next = last ? 0 : fe->lsd_next + 1;
        fe->lsd_iteration += last;
    }
}

static void mite_tick(sim *s)
{
    front_end *fe = &s->fe;
    predecoder_tick(s, &fe->pre);
    decoders_tick(s);
}

void sim_deliver(sim *s)
{
    front_end *fe = &s->fe;
    if (s->tally)
        account_delivery(s);
    if (fe->idq_count + s->arch->dsb_width > s->arch->idq_width && fe->source != FROM_LSD)
        return;
    if (fe->ms.active)
        sequencer_tick(s);
    else if (fe->source == FROM_LSD)
        lsd_tick(s);
    else if (fe->source == FROM_MITE)
        mite_tick(s);
    else
        dsb_tick(s);
}

void sim_tick(sim *s)
{
    s->backend_full = sim_backend_full(s);
    sim_retire(s);
    sim_dispatch(s);
    sim_rename(s);
    sim_deliver(s);
    if (s->trace)
        sim_trace_cycle(s);
    s->cycle++;
}

static int prepare_lsd(sim *s, arena *a)
{
    s->ideal_front_end = (s->options->ideal & TACHO_IDEAL_FRONT_END) && s->b->laminated_count;
    s->use_lsd = s->ideal_front_end || s->layout->fits_lsd;
    if (!s->use_lsd)
        return 0;
    uint32_t n = s->b->laminated_count;
    s->lsd_insns = arena_alloc(a, n * sizeof *s->lsd_insns);
    if (!s->lsd_insns)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < s->b->insn_count; i++)
        for (uint32_t k = 0; k < s->b->insns[i].laminated_count; k++)
            s->lsd_insns[s->b->insns[i].laminated_first + k] = i;
    return 0;
}

static uop synthetic_uop(uint8_t unit, uint8_t second, uint16_t ports)
{
    uop u = {.ports = ports,
             .only_port = -1,
             .kind = UOP_COMPUTE,
             .in_count = 1,
             .in = {unit},
             .out_count = 1,
             .max_latency = 1};
    if (second != UNIT_NONE)
        u.in[u.in_count++] = second;
    u.out[0] = (uop_out){unit, 1};
    return u;
}

int sim_prepare(sim *s, arena *a, const block *b, const dsb_layout *layout,
                const tacho_predict_options *options)
{
    s->b = b;
    s->layout = layout;
    s->insn_cached = layout->insn_cached;
    s->dsb_entries = layout->dsb_entries;
    s->dsb_first = layout->dsb_first;
    s->dsb_entry_count = layout->dsb_entry_count;
    s->lsd_unroll = layout->lsd_unroll;
    s->arch = b->arch;
    s->options = options;
    s->tally = NULL;
    s->trace = NULL;
    uint16_t alu = b->arch->port_policy == TACHO_PORTS_6 ? 0x23 : 0x63; /* p015, p0156 */
    s->sync_uop = synthetic_uop(UNIT_RSP, UNIT_NONE, alu);
    for (uint8_t r = 0; r < 4; r++)
        s->merge_uops[r] = synthetic_uop(UNIT_GPR + r, UNIT_HIGH8 + r, 0x22); /* p15 */
    ideal_uop(&s->sync_uop, options);
    for (int r = 0; r < 4; r++)
        ideal_uop(&s->merge_uops[r], options);
    s->track_memory = b->has_store && b->has_load && !options->no_memory_deps;
    s->track_lines = b->has_store && b->arch->paired_stores_same_line;
    s->any_throttle = s->any_fence = false;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        s->any_throttle |= b->insns[i].tp_cycles > 0;
        s->any_fence |= b->insns[i].load_fence || b->insns[i].store_fence;
    }
    s->retired_capacity = 5 * options->min_cycles + options->min_iterations + 16;
    s->retired = arena_alloc_raw(a, s->retired_capacity * sizeof *s->retired);
    s->tp_free = arena_alloc(a, b->insn_count * sizeof *s->tp_free);
    s->sync_before = arena_alloc(a, b->insn_count);
    if (!s->retired || !s->tp_free || !s->sync_before || prepare_lsd(s, a))
        return TACHO_ERR_MEMORY;
    return 0;
}

static void reset_scheduler(sim *s)
{
    scheduler *q = &s->sched;
    memset(q->wheel, 0xff, sizeof q->wheel);
    q->occupancy = 0;
    q->ready_ports = 0;
    q->divider_free = 0;
    q->dispatched_ports = q->dispatched_before = 0;
    q->ready_divider.head = q->ready_divider.tail = 0;
    for (int p = 0; p < TACHO_MAX_PORTS; p++)
        q->ready[p].head = q->ready[p].tail = 0;
}

static void reset_renamer(sim *s)
{
    renamer *rn = &s->rn;
    memset(rn, 0, sizeof *rn);
    for (int u = 0; u < UNIT_COUNT; u++)
        rn->rat[u] = (rat_entry){.seq = -1, .alias = -1};
    for (int t = 0; t < TEMP_COUNT; t++)
        rn->temps[t] = (rat_entry){.seq = -1, .alias = -1};
    rn->load_fence = rn->store_fence = rn->last_load = rn->last_store = -1;
    if (s->track_memory || s->track_lines)
        values_reset(s);
}

void sim_reset(sim *s)
{
    s->cycle = 0;
    s->run++;
    s->next_seq = 0;
    s->rob_head = s->rob_tail = 0;
    s->iterations = s->issued_iterations = 0;
    s->held_up = false;
    s->last_retirement = 0;
    memset(s->tp_free, 0, s->b->insn_count * sizeof *s->tp_free);
    reset_scheduler(s);
    reset_renamer(s);
    front_end *fe = &s->fe;
    fe->idq_head = fe->idq_count = 0;
    fe->ms = (sequencer){.active = false};
    fe->stack_offset = 0;
    fe->lsd_next = fe->lsd_iteration = 0;
    fe->pre.iq_head = 0;
    fe->pre.alone = fe->pre.prepared = false;
    fe->dsb_at = (code_point){0, 0};
    fe->dsb_position = 0;
    fe->dsb_delayed = false;
    fe->source = FROM_MITE;
    if (s->use_lsd)
        fe->source = FROM_LSD;
    else if (s->b->mode == TACHO_MODE_LOOP && s->insn_cached[0])
        fe->source = FROM_DSB;
    predecoder_start(s, &fe->pre, (code_point){0, 0});
}
