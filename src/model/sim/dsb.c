/* dsb.c - the decoded stream buffer delivers µops; what it gives in a cycle is in model/block/dsb_layout.c.
 */
#include "model/sim/sim.h"

/* Microcode that takes the sequencer more than a cycle delays what follows it. */
static void start_microcode(sim *s, const front_insn *f, uint32_t first)
{
    bool longer = f->uops_ms > s->arch->ms_width;
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

void dsb_tick(sim *s)
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
    fe->dsb_delayed = c->group.delayed;
    push_group(s, position, &c->group, c->has_stack);
    advance(s, &c->group);
}
