/* regs.c - identity of registers, and which an instruction uses. */
#include "x86/decode/regs.h"

bool tacho_reg_same_full(tacho_reg a, tacho_reg b)
{
    return reg_is_same_full(a, b);
}

static uint16_t bit_of(tacho_reg reg)
{
    return reg_is_general(reg) ? (uint16_t)(1u << reg.number) : 0;
}

static uint64_t value_of(tacho_reg reg, const address_registers *r)
{
    switch (reg.class_) {
    case TACHO_REG_R64:
        return r->gpr[reg.number & 15];
    case TACHO_REG_R32:
        return (uint32_t)r->gpr[reg.number & 15];
    case TACHO_REG_RIP:
        return r->next;
    default:
        return 0;
    }
}

uint64_t tacho_operand_address(const tacho_operand *o, const address_registers *r)
{
    enum {
        FS = 4
    };
    const tacho_mem *m = &o->mem;
    uint64_t address = value_of(m->base, r) + value_of(m->index, r) * m->scale + (uint64_t)m->disp;
    if (m->base.class_ == TACHO_REG_R32 || m->index.class_ == TACHO_REG_R32)
        address = (uint32_t)address;
    if (m->segment.class_ == TACHO_REG_SEG)
        address += m->segment.number == FS ? r->fs_base : r->gs_base;
    bool pushed = o->visibility == TACHO_SUPPRESSED && (o->access & TACHO_WRITE) &&
                  m->base.class_ == TACHO_REG_R64 && m->base.number == RSP;
    return pushed ? address - o->width_bits / 8u : address;
}

uint16_t tacho_insn_general_registers(const tacho_insn *insn)
{
    uint16_t used = 0;
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        if (o->kind == TACHO_OPERAND_REG)
            used |= bit_of(o->reg);
        if (o->kind == TACHO_OPERAND_MEM || o->kind == TACHO_OPERAND_AGEN)
            used |= (uint16_t)(bit_of(o->mem.base) | bit_of(o->mem.index));
    }
    return used;
}

uint8_t tacho_free_general_register(uint16_t used)
{
    static const uint8_t order[] = {10, 11, 12, 13, 14, 15, 8, 9, 0, 1, 2, 5, 3, 6, 7};
    for (size_t i = 0; i < sizeof order; i++)
        if (!(used >> order[i] & 1))
            return order[i];
    return NO_FREE_REGISTER;
}
