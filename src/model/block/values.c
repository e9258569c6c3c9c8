/* values.c - which instructions compute a value that can be followed from register to register, so that
 * addresses of loads and stores can be compared (seeds: staticdeps): moves and integer arithmetic of 32 and
 * 64 bits, as x86/decode/arithmetic.h computes them. Everything else gives a fresh, unknown value. */
#include "model/block/block.h"
#include "x86/decode/regs.h"
#include "x86/decode/written.h"

static bool tracked_gpr(const tacho_operand *op)
{
    return op->kind == TACHO_OPERAND_REG && reg_is_general(op->reg);
}

const tacho_operand *block_value_immediate(const tacho_insn *insn)
{
    for (int i = insn->visible_count < 3 ? insn->visible_count : 3; i-- > 0;)
        if (insn->operands[i].kind == TACHO_OPERAND_IMM)
            return &insn->operands[i];
    return NULL;
}

/* Of a source: a register whose low bits it takes, an immediate, or (`memory`) what a load brings. */
static bool take_source(block_insn *bi, const tacho_operand *o, bool memory)
{
    bi->value_source_width = (uint8_t)(o->width_bits / 8);
    if (o->kind == TACHO_OPERAND_IMM)
        return true;
    if (o->kind == TACHO_OPERAND_MEM)
        return memory && o->width_bits <= 64;
    if (!tracked_gpr(o) || o->reg.class_ == TACHO_REG_R8H)
        return false;
    bi->value_source = o->reg.number & 15;
    return true;
}

/* A register of 32 or 64 bits; writing a smaller one would keep the rest. */
static bool take_target(block_insn *bi, const tacho_operand *o)
{
    bi->value_width = (uint8_t)(o->width_bits / 8);
    if (!tracked_gpr(o) || o->width_bits < 32)
        return false;
    bi->value_target = o->reg.number & 15;
    return true;
}

/* What lies in memory is changed; a shift by 1 does not write that out. */
static uint8_t modified(block_insn *bi)
{
    const tacho_insn *insn = bi->insn;
    bi->value_width = bi->value_source_width = (uint8_t)(insn->operands[0].width_bits / 8);
    if (insn->visible_count == 1 && bi->value_kind >= OP_SHL)
        bi->value_imm = 1;
    if (insn->visible_count == 2 && !take_source(bi, &insn->operands[1], false))
        return VALUE_NONE;
    return insn->visible_count <= 2 && insn->operands[0].width_bits <= 64 ? VALUE_MODIFY : VALUE_NONE;
}

/* EAX or AX extended, in place. */
static uint8_t widened(block_insn *bi)
{
    bi->value_kind = OP_SIGNED;
    bi->value_target = bi->value_source = 0;
    bi->value_width = bi->insn->operand_size / 8;
    bi->value_source_width = bi->value_width / 2;
    return VALUE_ONE;
}

/* Of one source, which can be the target itself. What moves store is noted, too. */
static uint8_t of_one(block_insn *bi)
{
    const tacho_insn *insn = bi->insn;
    const tacho_operand *target = &insn->operands[0];
    bool to_memory = target->kind == TACHO_OPERAND_MEM;
    if (to_memory && bi->value_kind != OP_MOVE)
        return insn->visible_count == 1 ? modified(bi) : VALUE_NONE;
    if (!to_memory && !take_target(bi, target))
        return VALUE_UNKNOWN;
    if (!take_source(bi, &insn->operands[insn->visible_count > 1], !to_memory))
        return to_memory ? VALUE_NONE : VALUE_UNKNOWN;
    return VALUE_ONE;
}

/* Of two sources: the target and another one (a shift by 1 does not write it out), or two others. */
static uint8_t of_two(block_insn *bi)
{
    const tacho_insn *insn = bi->insn;
    const tacho_operand *o = insn->operands;
    if (o->kind == TACHO_OPERAND_MEM)
        return bi->written_gprs ? VALUE_UNKNOWN : modified(bi);
    if (!take_target(bi, o))
        return VALUE_UNKNOWN;
    bi->value_first = bi->value_target;
    if (insn->visible_count == 1 && bi->value_kind >= OP_SHL) {
        bi->value_imm = 1;
        return VALUE_TWO;
    }
    if (insn->visible_count == 2)
        return take_source(bi, &o[1], true) ? VALUE_TWO : VALUE_UNKNOWN;
    if (insn->visible_count != 3 || !tracked_gpr(&o[1]))
        return VALUE_UNKNOWN;
    bi->value_first = o[1].reg.number & 15;
    return take_source(bi, &o[2], false) ? VALUE_TWO : VALUE_UNKNOWN;
}

static uint8_t of_stack(block_insn *bi, bool push)
{
    const tacho_operand *o = &bi->insn->operands[0];
    bi->value_width = (uint8_t)(o->width_bits / 8);
    uint8_t reg = tracked_gpr(o) && o->width_bits == 64 ? o->reg.number & 15 : UNIT_NONE;
    if (push)
        bi->value_source = reg;
    else
        bi->value_target = reg;
    if (!push && tracked_gpr(o) && reg == UNIT_NONE)
        return VALUE_UNKNOWN;
    return push ? VALUE_PUSH : VALUE_POP;
}

static uint8_t of_kind(block_insn *bi)
{
    const tacho_insn *insn = bi->insn;
    uint8_t unknown = bi->written_gprs || bi->stack_delta ? VALUE_UNKNOWN : VALUE_NONE;
    unsigned kind = bi->value_kind;
    if (kind == OP_WIDEN && insn->operand_size >= 32)
        return widened(bi);
    if (!insn->visible_count)
        return unknown;
    if (kind == OP_PUSH || kind == OP_POP)
        return of_stack(bi, kind == OP_PUSH);
    if (kind == OP_LEA && take_target(bi, &insn->operands[0])) {
        bi->value_disp = insn->operands[1].mem.disp;
        return VALUE_LEA;
    }
    if (kind == OP_XCHG && take_target(bi, &insn->operands[0]) && take_source(bi, &insn->operands[1], false))
        return VALUE_EXCHANGE;
    if (kind >= OP_MOVE && kind <= OP_LAST1 && kind != OP_LEA)
        return of_one(bi);
    if (kind >= OP_ADD && kind <= OP_LAST2 && (kind != OP_IMUL || insn->visible_count > 1))
        return of_two(bi);
    return unknown;
}

void block_value_semantics(block_insn *bi)
{
    const tacho_insn *insn = bi->insn;
    bi->value_target = bi->value_first = bi->value_source = UNIT_NONE;
    const tacho_operand *imm = block_value_immediate(insn);
    bi->value_imm = imm ? imm->imm : 0;
    bi->written_gprs = tacho_insn_general_written(insn);
    if (bi->stack_delta)
        bi->written_gprs &= (uint16_t) ~(1u << UNIT_RSP);
    bi->value_kind = insn->operation;
    bi->value_op = of_kind(bi);
}
