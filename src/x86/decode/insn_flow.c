/* insn_flow.c - what an instruction does to the flow of control. */
#include "x86/decode/insn_flow.h"

#include <string.h>

insn_flow tacho_insn_flow_of(const tacho_insn *insn, int64_t *target)
{
    const char *name = tacho_mnemonic_name(insn->mnemonic);
    const tacho_operand *op = &insn->operands[0];
    *target = op->kind == TACHO_OPERAND_REL ? op->imm : 0;
    if (insn->is_call)
        return FLOW_CALL;
    if (insn->is_ret || !strncmp(name, "IRET", 4) || !strncmp(name, "SYSRET", 6) || !strcmp(name, "SYSEXIT"))
        return FLOW_RETURN;
    if (insn->is_conditional)
        return FLOW_BRANCH;
    if (insn->is_branch)
        return op->kind == TACHO_OPERAND_REL ? FLOW_JUMP : FLOW_INDIRECT;
    if (!strcmp(name, "JMP"))
        return FLOW_INDIRECT; /* far */
    if (!strcmp(name, "UD2") || !strcmp(name, "UD1") || !strcmp(name, "UD0") || !strcmp(name, "HLT") ||
        !strcmp(name, "INT3"))
        return FLOW_STOP;
    return FLOW_NEXT;
}
