/* regs.c - what instructions read and write, as far as changing their order or registers needs it. */
#include <string.h>

#include "explain/explain.h"

bool insn_reads_reg(const tacho_insn *insn, tacho_reg reg)
{
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        /* a write of 8 or 16 bits keeps the rest, and so does one that may not happen */
        bool keeps = (o->access & TACHO_CONDITIONAL) || o->width_bits < 32;
        if (o->kind == TACHO_OPERAND_REG && (keeps || (o->access & TACHO_READ)) &&
            tacho_reg_same_full(o->reg, reg))
            return true;
        if ((o->kind == TACHO_OPERAND_MEM || o->kind == TACHO_OPERAND_AGEN) &&
            (tacho_reg_same_full(o->mem.base, reg) || tacho_reg_same_full(o->mem.index, reg)))
            return true;
    }
    return false;
}

bool insn_writes_reg(const tacho_insn *insn, tacho_reg reg)
{
    for (int i = 0; i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_REG && (o->access & TACHO_WRITE) && tacho_reg_same_full(o->reg, reg))
            return true;
    }
    return false;
}

bool insn_accesses_memory(const tacho_insn *insn, int access)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM && (insn->operands[i].access & access))
            return true;
    return false;
}

bool insn_is(const tacho_insn *insn, const char *const *names)
{
    const char *name = tacho_mnemonic_name(insn->mnemonic);
    for (; *names; names++)
        if (!strcmp(*names, name))
            return true;
    return false;
}
