/* decode.c - the decoders and the microcode sequencer. uiCA paper, section 4.1.1; doc/INTERNALS. */
#include "sim/trace.h"

void sequencer_start(sim *s, uint32_t insn, uint32_t first, uint32_t end, uint32_t stall_before,
                     uint32_t stall_after)
{
    s->fe.ms = (sequencer){.active = true,
                           .stall_before = stall_before,
                           .stall_after = stall_after,
                           .insn = insn,
                           .next = first,
                           .end = end};
    uint32_t slots = end - first;
    uint32_t uops = s->prog.insns[insn].uops_ms;
    s->fe.ms.blank = uops > slots ? uops - slots : 0;
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
static void deliver(sim *s, const iq_entry *e, const front_insn *f)
{
    uint32_t insn = e->insn;
    if (s->trace)
        sim_trace_decoded(s, e);
    idq_begin_insn(s, insn, FROM_MITE);
    for (uint32_t l = 0; l < f->lam_decoded; l++)
        idq_push(s, f->lam_first + l, 0, FROM_MITE);
    if (f->uops_ms)
        sequencer_start(s, insn, f->lam_first + f->lam_decoded, f->lam_first + f->lam_count, 1, 1);
}

/* After a branch (or the pair that it is in), the DSB takes over if it has what follows. The predecoder has
 * gone on to where the decoders will be needed after that. */
static void back_to_dsb(sim *s, uint32_t insn)
{
    front_end *fe = &s->fe;
    insn += s->prog.insns[insn].fused_with_next;
    if (!dsb_takes_over_after(s, insn))
        return;
    fe->source = FROM_DSB;
    fe->dsb_insn = sim_following(s, insn);
    fe->dsb_position = s->dsb_first[fe->dsb_insn];
    fe->pre.prepared = true;
}

/* One cycle of the decoders. */
void decoders_tick(sim *s)
{
    predecoder *p = &s->fe.pre;
    uint32_t taken = 0, simple_left = s->arch->decoders - 1u;
    int32_t visible = s->cycle - s->arch->decode_latency_cycles;
    while (p->iq_count) {
        const iq_entry *e = &p->iq[p->iq_head];
        const front_insn *f = &s->prog.insns[e->insn];
        if (e->predecoded > visible || (taken && (f->complex_decoder || simple_left == 0)))
            break;
        if (f->fusible) {
            /* It might fuse: the next instruction must be visible. */
            if (p->iq_count < 2 || p->iq[(p->iq_head + 1) & (SIM_IQ - 1)].predecoded > visible)
                break;
            if (!s->arch->fusible_on_last_decoder && taken == s->arch->decoders - 1u)
                break;
        }
        if (taken)
            simple_left--;
        else if (f->complex_decoder && f->simple_decoders < simple_left)
            simple_left = f->simple_decoders;
        taken++;
        if (f->plain && !s->trace) {
            idq_push(s, f->lam_first, 0, FROM_MITE);
            p->iq_head = (p->iq_head + 1) & (SIM_IQ - 1);
            p->iq_count--;
            continue;
        }
        uint32_t insn = e->insn, instructions = 1u + f->fused_with_next;
        deliver(s, e, f);
        p->iq_head = (p->iq_head + instructions) & (SIM_IQ - 1);
        p->iq_count -= instructions;
        if (s->fe.ms.active || f->branch || f->fused_with_next) {
            back_to_dsb(s, insn);
            break;
        }
    }
}
