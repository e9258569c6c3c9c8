/* deps_mnemonics.c - which instructions are understood, and as what. */
#include "base/mem.h"
#include "model/deps/deps_steps.h"
#include "x86/decode/decode_names.h"
#include "x86/decode/regs.h"

int semantics_make(semantics *s)
{
    s->op_of = tacho_mem_zalloc(tacho_gen_mnemonic_count, 1);
    if (s->op_of)
        ops_of_mnemonics(s->op_of);
    return s->op_of ? 0 : -1;
}

void semantics_free(semantics *s)
{
    tacho_mem_free(s->op_of);
    s->op_of = NULL;
}

unsigned semantics_op(const semantics *s, const tacho_insn *insn)
{
    unsigned op = s->op_of[insn->mnemonic];
    /* "MOVSD" and "CMPSD" are two instructions each. */
    if (op == OP_MOVSD && !insn_names_vector_reg(insn))
        return OP_STRING;
    return op == OP_SCAN && insn_names_vector_reg(insn) ? OP_NONE : op;
}

static bool same_operands(const tacho_insn *insn, int a, int b)
{
    const tacho_operand *x = &insn->operands[a], *y = &insn->operands[b];
    return x->kind == TACHO_OPERAND_REG && y->kind == TACHO_OPERAND_REG && x->reg.class_ == y->reg.class_ &&
           x->reg.number == y->reg.number;
}

bool semantics_waits_for_nothing(const semantics *s, const tacho_insn *insn)
{
    int last = insn->visible_count - 1;
    if (last < 1 || !same_operands(insn, last - 1, last))
        return false;
    const tacho_operand *to = &insn->operands[0];
    switch (semantics_op(s, insn)) {
    case OP_XOR:
    case OP_SUB:
        return last == 1 && to->width_bits >= 32;
    case OP_VXOR:
    case OP_VSUB:
    case OP_VZERO:
        return last <= 2 && to->reg.class_ != TACHO_REG_K;
    case OP_VONES:
        return last <= 2 && reg_is_vector(to->reg);
    default:
        return false;
    }
}
