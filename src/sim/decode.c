/* decode.c - the decoders and the microcode sequencer. uiCA paper, section 4.1.1; doc/INTERNALS. */
#include "sim/trace.h"

void sequencer_start(sim *s, uint32_t insn, uint32_t iteration, uint32_t first, uint32_t end,
                     uint32_t stall_before, uint32_t stall_after)
{
    s->fe.ms = (sequencer){.active = true,
                           .stall_before = stall_before,
                           .stall_after = stall_after,
                           .insn = insn,
                           .iteration = iteration,
                           .next = first,
                           .end = end};
    uint32_t slots = end - first;
    uint32_t uops = s->b->insns[insn].uops_ms;
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
    uint32_t last = s->b->insns[ms->insn].laminated_first + s->b->insns[ms->insn].laminated_count;
    for (uint32_t n = 0; n < s->arch->ms_width; n++) {
        if (ms->next < ms->end) {
            idq_push(s, ms->next, ms->insn, ms->iteration, ms->next + 1 == last ? IDQ_LAST : 0, FROM_MS);
            ms->next++;
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
static void deliver(sim *s, const iq_entry *e)
{
    const block_insn *bi = &s->b->insns[e->at.insn];
    uint32_t first = bi->laminated_first, end = first + bi->laminated_count;
    uint32_t mine = bi->uops_ms && bi->uops_mite < bi->laminated_count ? bi->uops_mite : bi->laminated_count;
    if (s->trace)
        sim_trace_decoded(s, e);
    idq_begin_insn(s, e->at.insn, e->at.iteration, FROM_MITE);
    for (uint32_t l = first; l < first + mine; l++) {
        uint8_t flags = (l == first ? IDQ_FIRST_OF_INSN : 0) | (l + 1 == end ? IDQ_LAST : 0);
        idq_push(s, l, e->at.insn, e->at.iteration, flags, FROM_MITE);
    }
    if (bi->uops_ms)
        sequencer_start(s, e->at.insn, e->at.iteration, first + mine, end, 1, 1);
}

static void pop_iq(predecoder *p, uint32_t n)
{
    p->iq_head = (p->iq_head + n) & (SIM_IQ - 1);
    p->iq_count -= n;
}

/* After a branch (or the pair that it is in), the DSB takes over if it has what follows. The predecoder has
 * gone on to where the decoders will be needed after that. */
static void back_to_dsb(sim *s, code_point at)
{
    front_end *fe = &s->fe;
    at.insn += s->b->insns[at.insn].fused_with_next;
    if (!dsb_takes_over_after(s, at))
        return;
    fe->source = FROM_DSB;
    fe->dsb_at = sim_following(s, at);
    fe->dsb_position = s->dsb_first[fe->dsb_at.insn];
    fe->pre.prepared = true;
}

/* One cycle of the decoders. Returns how many instructions they took (a fused pair counts once). */
uint32_t decoders_tick(sim *s)
{
    predecoder *p = &s->fe.pre;
    uint32_t taken = 0, simple_left = s->arch->decoders - 1u;
    while (p->iq_count) {
        const iq_entry e = p->iq[p->iq_head];
        const block_insn *bi = &s->b->insns[e.at.insn];
        if (e.predecoded + s->arch->decode_latency_cycles > s->cycle)
            break;
        if (taken && (bi->complex_decoder || simple_left == 0))
            break;
        if (bi->fusible) {
            /* It might fuse: the next instruction must be visible. */
            if (p->iq_count < 2)
                break;
            const iq_entry *next = &p->iq[(p->iq_head + 1) & (SIM_IQ - 1)];
            if (next->predecoded + s->arch->decode_latency_cycles > s->cycle)
                break;
            if (!s->arch->fusible_on_last_decoder && taken == s->arch->decoders - 1u)
                break;
        }
        if (taken)
            simple_left--;
        else if (bi->complex_decoder && bi->simple_decoders < simple_left)
            simple_left = bi->simple_decoders;
        deliver(s, &e);
        pop_iq(p, bi->fused_with_next ? 2 : 1);
        taken++;
        if (s->fe.ms.active || bi->is_branch || bi->fused_with_next) {
            back_to_dsb(s, e.at);
            break;
        }
    }
    return taken;
}
