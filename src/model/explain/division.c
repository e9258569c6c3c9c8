/* division.c - advice on divisions that are wider than their operands: DIV by a 64-bit register where the
 * code before it shows that the upper halves of RAX and the divisor are zero, and RDX is. The 32-bit division
 * then has the same quotient and remainder, and its results are zero-extended as well. */
#include "model/explain/explain_internal.h"
#include "x86/decode/encode.h"
#include "x86/decode/ops.h"

/* The last instruction before `at`, in the same iteration, that writes the register; NULL without one. */
static const tacho_insn *writer_before(const subject *s, uint32_t at, tacho_reg reg)
{
    while (at-- > 0)
        if (insn_writes_reg(insn_at(s, at), reg))
            return insn_at(s, at);
    return NULL;
}

/* It leaves the upper half zero: a 32-bit write that always happens. */
static bool zero_extends(const tacho_insn *insn, tacho_reg reg)
{
    for (int i = 0; insn && i < insn->operand_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (operand_is_reg(o, reg) && (o->access & TACHO_WRITE))
            return o->reg.class_ == TACHO_REG_R32 && !(o->access & TACHO_CONDITIONAL);
    }
    return false;
}

static bool zeroes(const tacho_insn *insn, tacho_reg reg)
{
    return insn && insn->operation == OP_XOR && zero_extends(insn, reg) &&
           operands_are_one_reg(&insn->operands[0], &insn->operands[1]);
}

static bool is_too_wide(const subject *s, uint32_t i)
{
    const tacho_reg rax = {TACHO_REG_R64, 0}, rdx = {TACHO_REG_R64, 2};
    const tacho_insn *insn = insn_at(s, i);
    const tacho_operand *divisor = &insn->operands[0];
    return insn->operation == OP_DIV && insn->operand_size == 64 && divisor->kind == TACHO_OPERAND_REG &&
           zeroes(writer_before(s, i, rdx), rdx) && zero_extends(writer_before(s, i, rax), rax) &&
           zero_extends(writer_before(s, i, divisor->reg), divisor->reg);
}

ADVICE(narrow_division, COUNT, .wanted = is_too_wide, .rewrite = encode_with_32_bits,
       .words = {"a 32-bit division in ", ", whose operands have no more bits"});
