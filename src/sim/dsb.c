/* dsb.c - the decoded stream buffer delivers µops; what it gives in a cycle is in block/dsb_layout.c. */
#include "sim/sim.h"

static void push_entry(sim *s, const dsb_entry *e)
{
    if (e->first_of_insn)
        idq_begin_insn(s, e->insn, FROM_DSB);
    idq_push(s, e->laminated, 0, FROM_DSB);
    if (e->microcode)
        sequencer_start(s, &s->prog.insns[e->insn], e->laminated + 1, s->arch->dsb_ms_stall_cycles, 0);
}

/* Past the cycle's entries; at a block that the DSB does not hold, delivery goes to the decoders. */
static void advance(sim *s, const dsb_group *g)
{
    front_end *fe = &s->fe;
    fe->dsb_position = g->next;
    fe->dsb_insn = s->dsb_entries[g->next].insn;
    if (!g->leaves)
        return;
    fe->source = FROM_MITE;
    if (!fe->pre.prepared)
        predecoder_start(s, &fe->pre, fe->dsb_insn);
}

void dsb_tick(sim *s)
{
    front_end *fe = &s->fe;
    dsb_group g = dsb_layout_group(s->layout, s->b, fe->dsb_position, fe->dsb_delayed);
    fe->dsb_delayed = g.delayed;
    uint32_t position = fe->dsb_position;
    for (uint32_t k = 0; k < g.count; k++) {
        push_entry(s, &s->dsb_entries[position++]);
        if (position == s->dsb_entry_count)
            position = 0;
    }
    advance(s, &g);
}
