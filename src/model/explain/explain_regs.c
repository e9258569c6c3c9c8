/* explain_regs.c - what instructions read and write, as far as changing their order or registers needs it. */
#include "model/explain/explain_internal.h"

bool insn_reads_reg(const tacho_insn *insn, tacho_reg reg)
{
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        /* a write of 8 or 16 bits keeps the rest, and so does one that may not happen */
        bool keeps = (o->access & TACHO_CONDITIONAL) || o->width_bits < 32;
        if ((operand_is_reg(o, reg) && (keeps || (o->access & TACHO_READ))) ||
            operand_is_addressed_by(o, reg))
            return true;
    }
    return false;
}

bool explain_flags_used(const subject *s, uint32_t i)
{
    uint32_t count = (uint32_t)s->p->instruction_count;
    uint8_t pending = insn_at(s, i)->flags_written;
    for (uint32_t k = 1; pending && k <= count; k++) {
        const tacho_insn *next = insn_at(s, (i + k) % count);
        if (next->flags_read & pending)
            return true;
        pending &= (uint8_t)~next->flags_written;
    }
    return false;
}

static bool is_used(const subject *s, tacho_reg reg)
{
    for (size_t i = 0; i < s->p->instruction_count; i++)
        if (insn_reads_reg(insn_at(s, i), reg) || insn_writes_reg(insn_at(s, i), reg))
            return true;
    return false;
}

uint32_t explain_free_registers(const subject *s, tacho_reg like, uint8_t *out, uint32_t wanted)
{
    uint32_t n = 0;
    for (uint8_t k = 0; k < 16 && n < wanted; k++) {
        tacho_reg reg = {like.class_, k};
        if (!(reg_is_general(like) && k == 4) && !is_used(s, reg))
            out[n++] = k;
    }
    return n;
}
