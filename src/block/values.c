/* values.c - which instructions compute a value that can be followed from register to register, so that
 * addresses of loads and stores can be compared (seeds: staticdeps). Everything not listed gives a fresh,
 * unknown value. */
#include "decode/regs.h"
#include "block/block.h"

#include <string.h>

static const struct {
    const char *mnemonic;
    uint8_t op;
} semantics[] = {
    {"MOV", VALUE_MOV}, {"ADD", VALUE_ADD},       {"SUB", VALUE_SUB}, {"INC", VALUE_INC},
    {"DEC", VALUE_DEC}, {"LEA", VALUE_LEA},       {"AND", VALUE_AND}, {"OR", VALUE_OR},
    {"XOR", VALUE_XOR}, {"SHL", VALUE_SHL},       {"SHR", VALUE_SHR}, {"PUSH", VALUE_PUSH},
    {"POP", VALUE_POP}, {"MOVSXD", VALUE_MOVSXD},
};

static bool tracked_gpr(const tacho_operand *op)
{
    return op->kind == TACHO_OPERAND_REG && reg_is_general(op->reg);
}

static uint16_t written_gprs(const tacho_insn *insn)
{
    uint16_t mask = 0;
    for (int i = 0; i < insn->operand_count; i++)
        if (tracked_gpr(&insn->operands[i]) && (insn->operands[i].access & TACHO_WRITE))
            mask |= (uint16_t)(1u << (insn->operands[i].reg.number & 15));
    return mask;
}

int64_t block_value_immediate(const tacho_insn *insn)
{
    for (int i = insn->visible_count < 2 ? insn->visible_count : 2; i-- > 0;)
        if (insn->operands[i].kind == TACHO_OPERAND_IMM)
            return insn->operands[i].imm;
    return 0;
}

void block_value_semantics(block_insn *bi)
{
    const tacho_insn *insn = bi->insn;
    bi->value_target = bi->value_source = UNIT_NONE;
    bi->value_imm = block_value_immediate(insn);
    bi->written_gprs = written_gprs(insn);
    if (bi->stack_delta)
        bi->written_gprs &= (uint16_t) ~(1u << UNIT_RSP);
    bi->value_op = bi->written_gprs || bi->stack_delta ? VALUE_UNKNOWN : VALUE_NONE;
    const char *name = tacho_mnemonic_name(insn->mnemonic);
    for (size_t i = 0; i < sizeof semantics / sizeof *semantics; i++)
        if (name[0] == semantics[i].mnemonic[0] && !strcmp(name, semantics[i].mnemonic))
            bi->value_op = semantics[i].op;
    if (bi->value_op <= VALUE_NONE)
        return;
    if (insn->visible_count == 0) {
        bi->value_op = VALUE_UNKNOWN;
        return;
    }
    const tacho_operand *target = &insn->operands[0];
    const tacho_operand *source = insn->visible_count > 1 ? &insn->operands[1] : NULL;
    if (source && source->kind == TACHO_OPERAND_AGEN)
        bi->value_disp = source->mem.disp;
    bi->value_width = (uint8_t)(target->width_bits / 8);
    if (tracked_gpr(target)) {
        bi->value_target = target->reg.number & 15;
        if (target->width_bits < 32)
            bi->value_op = bi->stack_delta ? bi->value_op : VALUE_UNKNOWN;
    }
    if (source && tracked_gpr(source) && source->width_bits >= 32)
        bi->value_source = source->reg.number & 15;
    if (bi->value_op == VALUE_PUSH) {
        bi->value_source = bi->value_target;
        bi->value_target = UNIT_NONE;
    }
    if (source && source->kind == TACHO_OPERAND_REG && bi->value_source == UNIT_NONE)
        bi->value_op = VALUE_UNKNOWN; /* from a vector, segment or partial register */
}
