/* insn_flow.c - what an instruction does to the flow of control. */
#include "x86/decode/insn_flow.h"

#include "x86/decode/mnemonic_list.h"
#include "x86/decode/ops.h"

insn_flow tacho_insn_flow_of(const tacho_insn *insn, int64_t *target)
{
    const uint16_t m = insn->mnemonic;
    const tacho_operand *op = &insn->operands[0];
    *target = op->kind == TACHO_OPERAND_REL ? op->imm : 0;
    if (insn->is_call)
        return FLOW_CALL;
    if (insn->is_ret || IN_LIST(m, ZYDIS_MNEMONIC_IRET, ZYDIS_MNEMONIC_IRETD, ZYDIS_MNEMONIC_IRETQ,
                                ZYDIS_MNEMONIC_SYSRET, ZYDIS_MNEMONIC_SYSEXIT))
        return FLOW_RETURN;
    if (insn->is_conditional)
        return FLOW_BRANCH;
    if (insn->is_branch)
        return op->kind == TACHO_OPERAND_REL ? FLOW_JUMP : FLOW_INDIRECT;
    if (m == ZYDIS_MNEMONIC_JMP)
        return FLOW_INDIRECT; /* far */
    if (insn_is(insn, INSN_UNDEFINED) || IN_LIST(m, ZYDIS_MNEMONIC_HLT, ZYDIS_MNEMONIC_INT3))
        return FLOW_STOP;
    return FLOW_NEXT;
}
