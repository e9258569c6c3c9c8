/* decoders.c - the decoders and the microcode sequencer. uiCA paper, section 4.1.1; doc/rooms/model.md. */
#include "model/sim/sim_trace.h"
#include "x86/insndb/tables.h"

void sequencer_start(sim *s, const front_insn *f, uint32_t first, uint32_t stall_before, uint32_t stall_after)
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
void sequencer_tick(sim *s)
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

/* Puts the decoders' share of an instruction into the µop queue; the rest goes to the sequencer. */
static void deliver(sim *s, uint32_t insn, const front_insn *f)
{
    if (s->trace)
        sim_trace_decoded(s);
    idq_begin_insn(s, insn, FROM_MITE);
    for (uint32_t l = 0; l < f->lam_decoded; l++)
        idq_push(s, f->lam_first + l, 0, FROM_MITE);
    if (f->uops_ms)
        sequencer_start(s, f, f->lam_first + f->lam_decoded, 1,
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
        deliver(s, insn, f);
        insn = decoded_next(s, f);
        p->iq_popped += taken;
        k += taken;
    }
}

/* One cycle of the decoders. */
void decoders_tick(sim *s)
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
