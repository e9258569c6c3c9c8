/* regs.h - kinds of registers. */
#ifndef TACHO_DECODE_REGS_H
#define TACHO_DECODE_REGS_H

#include "x86/decode/insn_struct.h"

/* Numbers of general registers. */
enum {
    RAX,
    RCX,
    RDX,
    RBX,
    RSP,
    RBP,
    RSI,
    RDI
};

/* A general register, or a part of one. */
static inline bool reg_is_general(tacho_reg r)
{
    return r.class_ >= TACHO_REG_R8L && r.class_ <= TACHO_REG_R64;
}

static inline bool reg_is_vector(tacho_reg r)
{
    return r.class_ >= TACHO_REG_XMM && r.class_ <= TACHO_REG_ZMM;
}

static inline bool reg_is_same(tacho_reg a, tacho_reg b)
{
    return a.class_ == b.class_ && a.number == b.number;
}

/* The class of the whole register. MMn is in an x87 register, but in which STn depends on the stack's top,
 * which is not known here. */
static inline int reg_file(tacho_reg r)
{
    return reg_is_general(r) ? TACHO_REG_R64 : reg_is_vector(r) ? TACHO_REG_ZMM : r.class_;
}

/* As tacho_reg_same_full. */
static inline bool reg_is_same_full(tacho_reg a, tacho_reg b)
{
    return a.class_ != TACHO_REG_NONE && reg_file(a) == reg_file(b) && a.number == b.number;
}

/* The operand is the register, or a part of it. */
static inline bool operand_is_reg(const tacho_operand *o, tacho_reg r)
{
    return o->kind == TACHO_OPERAND_REG && reg_is_same_full(o->reg, r);
}

/* The register, or a part of it, is in the operand's address. */
static inline bool operand_is_addressed_by(const tacho_operand *o, tacho_reg r)
{
    return (o->kind == TACHO_OPERAND_MEM || o->kind == TACHO_OPERAND_AGEN) &&
           (reg_is_same_full(o->mem.base, r) || reg_is_same_full(o->mem.index, r));
}

static inline bool operands_are_one_reg(const tacho_operand *a, const tacho_operand *b)
{
    return a->kind == TACHO_OPERAND_REG && b->kind == TACHO_OPERAND_REG && reg_is_same(a->reg, b->reg);
}

/* Their addresses differ by their displacements alone. */
static inline bool mem_is_beside(const tacho_mem *a, const tacho_mem *b)
{
    return reg_is_same(a->base, b->base) && reg_is_same(a->index, b->index) && a->scale == b->scale &&
           reg_is_same(a->segment, b->segment);
}

static inline bool insn_writes_reg(const tacho_insn *insn, tacho_reg reg)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (operand_is_reg(&insn->operands[i], reg) && (insn->operands[i].access & TACHO_WRITE))
            return true;
    return false;
}

static inline bool insn_accesses_memory(const tacho_insn *insn, int access)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM && (insn->operands[i].access & access))
            return true;
    return false;
}

/* One of the operands that are written out is a vector register. */
static inline bool insn_names_vector_reg(const tacho_insn *insn)
{
    for (int i = 0; i < insn->visible_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && reg_is_vector(insn->operands[i].reg))
            return true;
    return false;
}

/* What addresses are made of. */
typedef struct address_registers {
    uint64_t gpr[16], next; /* the address of the next instruction: what RIP stands for */
    uint64_t fs_base, gs_base;
} address_registers;

/* The address of an operand in memory (whose index is no vector register) from the registers as they are
 * before the instruction: what is pushed lies below the stack pointer. */
TACHO_PRIVATE uint64_t tacho_operand_address(const tacho_operand *o, const address_registers *r);

/* The general registers that the instruction reads or writes, wholly or in part, named or not: bit n for
 * number n. */
TACHO_PRIVATE uint16_t tacho_insn_general_registers(const tacho_insn *insn);

enum {
    NO_FREE_REGISTER = 0xff
};

/* The number of a general register that is not in `used`, to count a loop's iterations with; never RSP. The
 * order is that of the loops of the uiCA paper's benchmarks as far as these show it: R10 to R15, R8, R9; then
 * RAX first and RBP before RBX. */
TACHO_PRIVATE uint8_t tacho_free_general_register(uint16_t used);

#endif
