/* decode.c - the decoders and the microcode sequencer. uiCA paper, section 4.1.1; doc/INTERNALS. */
#include "sim/trace.h"

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
        sequencer_start(s, f, f->lam_first + f->lam_decoded, 1, 1);
}

static void pop_iq(predecoder *p, uint32_t next, uint32_t count)
{
    p->iq_first = next;
    p->iq_count -= count;
    p->iq_visible -= count;
    p->iq_popped += count;
}

/* After a branch (or the pair that it is in), the DSB takes over if it has what follows. The predecoder has
 * gone on to where the decoders will be needed after that. */
static void back_to_dsb(sim *s, uint32_t insn)
{
    front_end *fe = &s->fe;
    insn += s->prog.insns[insn].fused_with_next;
    if (!s->prog.insns[insn].to_dsb)
        return;
    fe->source = FROM_DSB;
    fe->dsb_insn = s->prog.insns[insn].following;
    fe->dsb_position = s->dsb_first[fe->dsb_insn];
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

/* One cycle of the decoders. */
void decoders_tick(sim *s)
{
    predecoder *p = &s->fe.pre;
    uint32_t taken = 0, simple_left = s->arch->decoders - 1u;
    bool watched = sim_is_watched(s);
    see_predecoded(p, s->cycle - s->arch->decode_latency_cycles);
    while (p->iq_visible) {
        uint32_t insn = p->iq_first;
        const front_insn *f = &s->prog.insns[insn];
        if (taken && (f->complex_decoder || simple_left == 0))
            break;
        if (f->fusible) {
            /* It might fuse: the next instruction must be visible. */
            if (p->iq_visible < 2 || (!s->arch->fusible_on_last_decoder && taken == s->arch->decoders - 1u))
                break;
        }
        if (taken)
            simple_left--;
        else if (f->complex_decoder && f->simple_decoders < simple_left)
            simple_left = f->simple_decoders;
        taken++;
        if (f->plain && !watched) {
            s->fe.idq[(s->fe.idq_head + s->fe.idq_count++) & (SIM_IDQ - 1)] = f->lam_first;
            pop_iq(p, f->fetched_next, 1);
            continue;
        }
        deliver(s, insn, f);
        if (f->fused_with_next)
            pop_iq(p, s->prog.insns[f->following].fetched_next, 2);
        else
            pop_iq(p, f->fetched_next, 1);
        if (s->fe.ms.active || f->branch || f->fused_with_next) {
            back_to_dsb(s, insn);
            break;
        }
    }
}
