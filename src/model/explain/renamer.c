/* renamer.c - advice on what the renamer does with registers: merging AH..DH into their registers, and moves
 * that find no free slot to be eliminated with (uiCA paper, section 4.1.4). */
#include <stdio.h>

#include "model/explain/explain_internal.h"

static void find_high8_merge(subject *s, variant_list *out)
{
    tacho_arch *arch;
    variant *v = explain_add_noted(s, out, TACHO_NOTE_HIGH8_MERGE, &arch);
    if (v)
        v->options.ideal |= TACHO_IDEAL_HIGH8_MERGES;
}

/* Moves that can be eliminated on some cores, but are executed here. */
static bool is_executed_move(const subject *s, uint32_t i)
{
    const tacho_insn_report *r = s->p->instructions[i];
    tacho_form form;
    tacho_figures f;
    return r->uops_executed > 0 && r->insn->visible_count == 2 &&
           r->insn->operands[0].kind == TACHO_OPERAND_REG && r->insn->operands[1].kind == TACHO_OPERAND_REG &&
           !tacho_insndb_match(s->p->arch, r->insn, &form, &f) && f.base.uops == 0 && f.has_same_register;
}

static void find_move_elimination(subject *s, variant_list *out)
{
    tacho_arch *arch;
    uint32_t count;
    const uint32_t *insns = explain_find_insns(s, is_executed_move, &count);
    variant *v = count ? explain_add_arch(s, out, &arch) : NULL;
    if (!v)
        return;
    v->insns = insns;
    v->insn_count = count;
    if (arch->move_elim_slots_gpr)
        arch->move_elim_slots_gpr = TACHO_SLOTS_UNLIMITED;
    if (arch->move_elim_slots_simd)
        arch->move_elim_slots_simd = TACHO_SLOTS_UNLIMITED;
}

static void say_move_elimination(const subject *s, const variant *v, char *out, size_t size)
{
    char insns[EXPLAIN_INSNS_TEXT];
    snprintf(out, size,
             "always eliminating the move%s of %s (the %u slots for shared registers run out; overwrite "
             "copies, or what they are copied from, sooner)",
             v->insn_count == 1 ? "" : "s", explain_insns_text(v, insns, sizeof insns),
             s->p->instructions[v->insns[0]]->insn->operands[0].reg.class_ >= TACHO_REG_XMM
                 ? s->p->arch->move_elim_slots_simd
                 : s->p->arch->move_elim_slots_gpr);
}

ADVICE(high8_merge, COUNT, .find = find_high8_merge,
       .words = {"no write of ah, bh, ch or dh before ",
                 ", where it has to be merged into the whole register (a µop that is issued alone)"});
ADVICE(move_elimination, COUNT, .find = find_move_elimination, .say = say_move_elimination);
