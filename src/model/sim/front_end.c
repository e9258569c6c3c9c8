/* front_end.c - predecoder, decoders, microcode sequencer, DSB and LSD, and the µop queue that they fill. */
#include "model/sim/inner_loop.h"
#include "model/sim/sim_trace.h"
#include "x86/arch/tables.h"

/* ---- µop queue and LSD ---- */

static void idq_note(sim *s, uint32_t lam, delivery_source source)
{
    const lam_op *l = &s->prog.lams[lam];
    if (s->trace)
        sim_trace_queued(s, source);
    if (l->insn < s->b->insn_count && tally_counts(s->tally, s->fe.iterations))
        s->tally->insns[l->insn].delivered[source]++;
    s->fe.iterations += (l->flags & LAM_ITERATION_END) != 0;
}

static inline void idq_push(sim *s, uint32_t lam, idq_entry flags, delivery_source source)
{
    front_end *fe = &s->fe;
    fe->idq[(fe->idq_head + fe->idq_count++) & (SIM_IDQ - 1)] = lam | flags;
    if (sim_is_watched(s))
        idq_note(s, lam, source);
}

/* Consecutive µops of code that does not touch the stack, when nobody looks. */
static inline void idq_push_run(sim *s, uint32_t lam, uint32_t count)
{
    front_end *fe = &s->fe;
    uint32_t at = (fe->idq_head + fe->idq_count) & (SIM_IDQ - 1);
    fe->idq_count += count;
    if (count <= LAM_RUN && at <= SIM_IDQ - LAM_RUN) { /* too many do no harm */
        memcpy(&fe->idq[at], &s->prog.run[lam], LAM_RUN * sizeof *fe->idq);
        return;
    }
    for (; count--; at = (at + 1) & (SIM_IDQ - 1)) {
        fe->idq[at] = lam;
        lam = lam + 1 == s->prog.lam_count ? 0 : lam + 1;
    }
}

static void synchronise_stack(sim *s, uint32_t insn, idq_entry flags, delivery_source source)
{
    idq_push(s, s->prog.lam_sync, flags, source);
    s->sync_before[insn] = true;
    s->fe.stack_offset = 0;
    s->fe.stack_moved = false;
}

/* Who uses RSP itself needs the offset added first; and it must stay small. */
static void idq_stack(sim *s, uint32_t insn, delivery_source source)
{
    const front_insn *f = &s->prog.insns[insn];
    front_end *fe = &s->fe;
    if (f->uses_rsp &&
        (f->always_syncs || (s->arch->stack_sync_when_moved ? fe->stack_moved : fe->stack_offset != 0)))
        synchronise_stack(s, insn, s->arch->stack_sync_with_next ? IDQ_WITH_NEXT : 0, source);
    fe->stack_offset += f->stack_delta;
    fe->stack_moved |= f->stack_delta != 0;
    if (fe->stack_offset > s->arch->stack_offset_most || fe->stack_offset < -s->arch->stack_offset_most)
        synchronise_stack(s, insn, 0, source);
    if (f->resets_stack) {
        fe->stack_offset = 0;
        fe->stack_moved = false;
    }
}

/* The stack engine keeps push and pop's changes of RSP aside; to be called before an instruction's µops. */
static inline void idq_begin_insn(sim *s, uint32_t insn, delivery_source source)
{
    if (s->prog.insns[insn].has_stack && s->b->has_stack)
        idq_stack(s, insn, source);
}

/* The last µop of the loop comes from the LSD: its flags. */
static idq_entry end_lsd_iteration(sim *s)
{
    front_end *fe = &s->fe;
    fe->lsd_iteration = fe->lsd_iteration + 1 == s->layout->lsd_unroll ? 0 : fe->lsd_iteration + 1;
    return fe->lsd_iteration == 0 && !s->ideal_front_end ? IDQ_ENDS_GROUP : 0;
}

static void lsd_tick(sim *s)
{
    front_end *fe = &s->fe;
    const uint32_t count = s->prog.lam_count;
    const bool slowly = s->b->has_stack || sim_is_watched(s);
    for (uint32_t n = 0; n < 2u * s->arch->issue_width && fe->idq_count < s->arch->idq_entries; n++) {
        const lam_op *l = &s->prog.lams[fe->lsd_next];
        if (slowly && (l->flags & LAM_FIRST))
            idq_begin_insn(s, l->insn, FROM_LSD);
        const bool last = fe->lsd_next + 1 == count;
        const idq_entry flags = last ? end_lsd_iteration(s) : 0;
        if (slowly)
            idq_push(s, fe->lsd_next, flags, FROM_LSD);
        else
            fe->idq[(fe->idq_head + fe->idq_count++) & (SIM_IDQ - 1)] = fe->lsd_next | flags;
        fe->lsd_next = last ? 0 : fe->lsd_next + 1;
    }
}

/* ---- predecoder ---- */

/* The predecoder: blocks of 16 bytes of code (Golden Cove: 32) become instructions in the instruction queue.
 * uiCA paper, section 4.1.1. Left out: instruction cache misses. Taken branches cost nothing by themselves,
 * except predecode_taken_cycles.
 *
 * The queue holds consecutive instructions, in the order in which the predecoder goes through the code. So it
 * is stored as its first instruction, a number, and how many came in which cycle. What a block of code yields
 * depends on the instruction with which it begins and on where that lies, and is remembered. */

void predecoder_start(sim *s, predecoder *p, uint32_t insn)
{
    p->next = p->iq_first = insn;
    p->offset = (int32_t)(s->b->insns[insn].address % s->arch->predecode_block_bytes);
    p->has_block = false;
    p->crossing = false;
    p->pending = 0;
    p->stall = 0;
    p->cycles_in_block = 0;
    p->iq_count = p->iq_visible = p->group_count = 0;
    p->iq_pushed = p->iq_popped = 0;
}

/* Goes through the instructions that end in the block, the first of which begins at p->offset. */
static fetched_block fetch(const sim *s, const predecoder *p)
{
    int32_t bytes = s->arch->predecode_block_bytes, offset = p->offset;
    fetched_block out = {.known = true};
    uint32_t insn = p->next;
    while (!out.left) {
        const front_insn *f = &s->prog.insns[insn];
        if (offset + f->length > bytes) {
            if (offset < bytes)
                out.lcps += f->lcp; /* starts here, ends in the next block */
            break;
        }
        out.count++;
        out.lcps += f->lcp && offset >= 0;
        offset += f->length;
        out.left = f->leaves;
        insn = f->fetched_next;
    }
    out.next = (uint16_t)insn;
    out.offset = (int8_t)(out.left ? (int32_t)(s->b->insns[insn].address % (uint32_t)bytes) : offset);
    return out;
}

/* The cycles before a block that does not follow from the one before. */
static uint32_t cycles_to_block(const sim *s, const predecoder *p)
{
    return s->b->insns[(p->next ? p->next : s->b->insn_count) - 1].jumps ? s->arch->predecode_taken_cycles
                                                                         : 0;
}

static void fetch_block(sim *s, predecoder *p)
{
    int32_t bytes = s->arch->predecode_block_bytes;
    if (p->has_block)
        p->offset -= bytes;
    else
        p->stall += cycles_to_block(s, p);
    fetched_block now, *f = &now;
    if (s->prog.fetched)
        f = &s->prog.fetched[p->next * (uint32_t)(bytes + FETCHED_BEFORE) +
                             (uint32_t)(p->offset + FETCHED_BEFORE)];
    if (f == &now || !f->known)
        *f = fetch(s, p);
    p->next = f->next;
    p->offset = f->offset;
    p->has_block = !f->left; /* the target's block is fetched afresh */
    p->pending += f->count;
    if (f->lcps) {
        /* Slow length decoding, partly hidden behind extra cycles that the previous block took. */
        uint32_t hidden = p->cycles_in_block > 1 ? p->cycles_in_block - 1 : 0;
        uint32_t penalty = f->lcps * (uint32_t)s->arch->lcp_penalty_cycles;
        p->stall += penalty > hidden ? penalty - hidden : 0;
    }
    p->cycles_in_block = 0;
}

/* The next instruction starts in this block with its opcode byte, but ends in the next one. */
static bool opcode_in_block(const sim *s, const predecoder *p)
{
    return p->has_block &&
           p->offset + s->prog.insns[p->next].opcode_offset < (int32_t)s->arch->predecode_block_bytes;
}

/* Puts pending instructions into the queue; returns how many. */
static uint32_t predecode(sim *s, predecoder *p)
{
    uint32_t count = s->arch->predecode_width < p->pending ? s->arch->predecode_width : p->pending;
    if (!count)
        return 0;
    if (s->trace)
        for (uint32_t k = 0; k < count; k++)
            p->times[p->iq_pushed++ & (SIM_IQ - 1)] = s->cycle;
    p->groups[(p->group_head + p->group_count++) & (SIM_IQ - 1)] = (iq_group){s->cycle, count};
    p->pending -= count;
    p->iq_count += count;
    return count;
}

static void predecoder_tick(sim *s, predecoder *p)
{
    if (p->stall) {
        p->stall--;
        return;
    }
    if (p->iq_count + s->arch->predecode_width > s->arch->iq_entries)
        return;
    if (p->crossing) {
        p->crossing = false;
        p->cycles_in_block++;
        return;
    }
    if (p->pending == 0) {
        fetch_block(s, p);
        if (p->stall) {
            p->stall--;
            return;
        }
    }
    uint32_t done = predecode(s, p);
    p->cycles_in_block++;
    p->crossing = p->pending == 0 && done == s->arch->predecode_width && opcode_in_block(s, p);
}

/* ---- decoders and microcode sequencer ---- */

/* The decoders and the microcode sequencer. uiCA paper, section 4.1.1; doc/rooms/model.md. */

static void sequencer_start(sim *s, const front_insn *f, uint32_t first, uint32_t stall_before,
                            uint32_t stall_after)
{
    uint32_t end = f->lam_first + f->lam_count, slots = end - first;
    s->fe.ms = (sequencer){.active = true,
                           .stall_before = stall_before,
                           .stall_after = stall_after,
                           .next = first,
                           .end = end,
                           .blank = f->uops_ms > slots ? f->uops_ms - slots : 0};
}

/* One cycle of the sequencer. It ends after its last µop and the stall that follows. */
static void sequencer_tick(sim *s)
{
    sequencer *ms = &s->fe.ms;
    if (ms->stall_before) {
        ms->stall_before--;
        ms->active = ms->stall_before || ms->next < ms->end || ms->blank;
        return;
    }
    for (uint32_t n = 0; n < s->arch->ms_width; n++) {
        if (ms->next < ms->end) {
            idq_push(s, ms->next++, 0, FROM_MS);
        } else if (ms->blank) {
            ms->blank--;
        } else {
            break;
        }
    }
    if (ms->next < ms->end || ms->blank)
        return;
    ms->stall_before = ms->stall_after;
    ms->active = ms->stall_after > 0;
    ms->stall_after = 0;
}

/* Where microcode waits at the renamer (ms_own_groups), it is there with the instruction's first µop. */
static void sequencer_goes_on(sim *s, const front_insn *f, uint32_t first)
{
    sequencer_start(s, f, first, 0, 0);
    sequencer_tick(s);
}

/* Puts the decoders' share of an instruction into the µop queue; the rest goes to the sequencer. */
static void deliver_insn(sim *s, uint32_t insn, const front_insn *f)
{
    if (s->trace)
        sim_trace_decoded(s);
    idq_begin_insn(s, insn, FROM_MITE);
    for (uint32_t l = 0; l < f->lam_decoded; l++)
        idq_push(s, f->lam_first + l, 0, FROM_MITE);
    const uint32_t rest = f->lam_first + f->lam_decoded;
    if (f->uops_ms && s->arch->ms_own_groups)
        sequencer_goes_on(s, f, rest);
    else if (f->uops_ms)
        sequencer_start(s, f, rest, 1,
                        1u + (f->uops_ms > s->arch->ms_width ? s->arch->decoders_ms_long_cycles : 0));
}

/* After a branch (or a fused pair with one) the DSB takes over if it has what follows. The predecoder has
 * meanwhile gone on to where the decoders will be needed next. */
static void back_to_dsb(sim *s, uint32_t insn)
{
    front_end *fe = &s->fe;
    insn += s->prog.insns[insn].fused_with_next;
    if (!s->prog.insns[insn].to_dsb)
        return;
    fe->source = FROM_DSB;
    fe->dsb_insn = s->prog.insns[insn].following;
    fe->dsb_position = s->layout->dsb_first[fe->dsb_insn];
    fe->pre.prepared = true;
}

static void see_predecoded(predecoder *p, int32_t until)
{
    while (p->group_count && p->groups[p->group_head].cycle <= until) {
        p->iq_visible += p->groups[p->group_head].count;
        p->group_head = (p->group_head + 1) & (SIM_IQ - 1);
        p->group_count--;
    }
}

/* The instruction that the decoders look at after this one, or after the pair that it begins. */
static uint32_t decoded_next(const sim *s, const front_insn *f)
{
    return f->fused_with_next ? s->prog.insns[f->following].fetched_next : f->fetched_next;
}

/* What the decoders take, of the instructions from `insn` on of which so many are visible. */
static decode_group group_at(const sim *s, uint32_t insn, uint32_t visible)
{
    uint32_t taken = 0, simple_left = s->arch->decoders - 1u;
    decode_group g = {.next = (uint16_t)insn, .known = true};
    while (g.insns < visible && !g.ends_here) {
        const front_insn *f = &s->prog.insns[g.next];
        if (taken && (f->complex_decoder || simple_left == 0 || g.uops + f->lam_decoded > GEN_MAX_DECODED))
            break;
        /* It might fuse: the next instruction must be visible. */
        if (f->fusible && (visible - g.insns < 2u ||
                           (!s->arch->fusible_on_last_decoder && taken == s->arch->decoders - 1u)))
            break;
        if (taken)
            simple_left--;
        else if (f->complex_decoder && f->simple_decoders < simple_left)
            simple_left = f->simple_decoders;
        taken++;
        g.last = g.next;
        g.next = (uint16_t)decoded_next(s, f);
        g.insns = (uint8_t)(g.insns + 1 + f->fused_with_next);
        g.uops = (uint16_t)(g.uops + f->lam_decoded);
        g.microcode = f->uops_ms > 0;
        g.has_stack |= f->has_stack;
        g.ends_here = f->uops_ms || f->branch || f->fused_with_next || f->to_dsb;
    }
    return g;
}

/* The same, remembered. No more instructions are looked at than there are decoders, and one. */
static const decode_group *find_group(sim *s, decode_group *now)
{
    const predecoder *p = &s->fe.pre;
    uint32_t most = s->arch->decoders + 1u, visible = p->iq_visible < most ? p->iq_visible : most;
    decode_group *g = s->prog.decoded ? &s->prog.decoded[p->iq_first * (most + 1) + visible] : now;
    if (g == now || !g->known)
        *g = group_at(s, p->iq_first, visible);
    return g;
}

static void deliver_each(sim *s, predecoder *p, const decode_group *g)
{
    uint32_t insn = p->iq_first;
    for (uint32_t k = 0; k < g->insns;) {
        const front_insn *f = &s->prog.insns[insn];
        uint32_t taken = 1u + f->fused_with_next;
        deliver_insn(s, insn, f);
        insn = decoded_next(s, f);
        p->iq_popped += taken;
        k += taken;
    }
}

/* One cycle of the decoders. */
static void decoders_tick(sim *s)
{
    predecoder *p = &s->fe.pre;
    decode_group now;
    see_predecoded(p, s->cycle - s->arch->decode_latency_cycles);
    if (!p->iq_visible)
        return;
    const decode_group *g = find_group(s, &now);
    if (g->has_stack || g->microcode || sim_is_watched(s))
        deliver_each(s, p, g);
    else
        idq_push_run(s, s->prog.insns[p->iq_first].lam_first, g->uops);
    p->iq_first = g->next;
    p->iq_count -= g->insns;
    p->iq_visible -= g->insns;
    if (g->ends_here)
        back_to_dsb(s, g->last);
}

/* ---- DSB ---- */

/* The decoded stream buffer delivers µops; what it gives in a cycle is in model/block/dsb_layout.c. */

/* Microcode that takes the sequencer more than a cycle delays what follows it. */
static void start_microcode(sim *s, const front_insn *f, uint32_t first)
{
    bool longer = f->uops_ms > s->arch->ms_width;
    if (s->arch->ms_own_groups)
        sequencer_goes_on(s, f, first);
    else
        sequencer_start(s, f, first, s->arch->dsb_ms_stall_cycles, longer ? s->arch->dsb_ms_long_cycles : 0);
}

static void push_entry(sim *s, const dsb_entry *e)
{
    if (e->first_of_insn)
        idq_begin_insn(s, e->insn, FROM_DSB);
    idq_push(s, e->laminated, 0, FROM_DSB);
    if (e->microcode)
        start_microcode(s, &s->prog.insns[e->insn], e->laminated + 1);
}

static void push_each(sim *s, uint32_t position, uint32_t count)
{
    while (count--) {
        push_entry(s, &s->layout->dsb_entries[position++]);
        if (position == s->layout->dsb_entry_count)
            position = 0;
    }
}

/* Past the cycle's entries; at a block that the DSB does not hold, delivery goes to the decoders. */
static void advance(sim *s, const dsb_group *g)
{
    front_end *fe = &s->fe;
    fe->dsb_position = g->next;
    fe->dsb_insn = s->layout->dsb_entries[g->next].insn;
    if (!g->leaves)
        return;
    fe->source = FROM_MITE;
    if (!fe->pre.prepared)
        predecoder_start(s, &fe->pre, fe->dsb_insn);
}

/* Whether an instruction that begins among these entries moves the stack or uses RSP. */
static bool has_stack(const sim *s, uint32_t position, uint32_t count)
{
    bool found = false;
    for (; count && s->b->has_stack; count--) {
        const dsb_entry *e = &s->layout->dsb_entries[position];
        found |= e->first_of_insn && s->prog.insns[e->insn].has_stack;
        position = position + 1 == s->layout->dsb_entry_count ? 0 : position + 1;
    }
    return found;
}

static void push_group(sim *s, uint32_t position, const dsb_group *g, bool stack)
{
    if (stack || g->microcode || sim_is_watched(s))
        push_each(s, position, g->count);
    else
        idq_push_run(s, s->layout->dsb_entries[position].laminated, g->count);
}

static void rows_tick(sim *s)
{
    const dsb_layout *l = s->layout;
    front_end *fe = &s->fe;
    if (l->tape_count) {
        const dsb_row_cycle *c = &l->tape[fe->tape_next++];
        if (fe->tape_next == l->tape_count)
            fe->tape_next = l->tape_again;
        push_group(s, c->first, &c->group, s->b->has_stack);
        return;
    }
    const dsb_row_cycle c = dsb_rows_cycle(&fe->rows, l, s->b);
    push_group(s, c.first, &c.group, s->b->has_stack);
}

/* Of a cycle's entries those whose bytes have come: a line a cycle, and what is left of the one before. */
static dsb_group come(sim *s, uint32_t position, dsb_group g)
{
    const uint32_t line = s->arch->dsb_block_bytes;
    uint32_t left = s->fe.dsb_bytes + line;
    for (uint32_t k = 0; k < g.count; k++) {
        const dsb_entry *e = &s->layout->dsb_entries[position];
        const uint32_t bytes = e->first_of_insn ? dsb_layout_bytes(s->b, e->insn) : 0;
        if (bytes > left && k) {
            g = (dsb_group){.next = position, .count = k};
            break;
        }
        left -= min_u32(bytes, left);
        position = position + 1 == s->layout->dsb_entry_count ? 0 : position + 1;
    }
    s->fe.dsb_bytes = min_u32(left, line - 1);
    return g;
}

static void dsb_tick(sim *s)
{
    front_end *fe = &s->fe;
    if (s->arch->dsb_rows) {
        rows_tick(s);
        return;
    }
    uint32_t position = fe->dsb_position;
    dsb_cycle *c = &s->prog.dsb_cycles[2 * position + fe->dsb_delayed];
    if (!c->known) {
        c->group = dsb_layout_group(s->layout, s->b, position, fe->dsb_delayed);
        c->has_stack = has_stack(s, position, c->group.count);
        c->known = true;
    }
    const dsb_group g = s->layout->by_bytes ? come(s, position, c->group) : c->group;
    fe->dsb_delayed = g.delayed;
    push_group(s, position, &g, c->has_stack);
    advance(s, &g);
}

/* ---- a cycle ---- */

static void mite_tick(sim *s)
{
    front_end *fe = &s->fe;
    predecoder_tick(s, &fe->pre);
    decoders_tick(s);
}

void front_end_tick(sim *s)
{
    front_end *fe = &s->fe;
    if (s->tally)
        account_delivery(s);
    if (fe->idq_count + s->arch->dsb_width > s->arch->idq_entries && fe->source != FROM_LSD)
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
