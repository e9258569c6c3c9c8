/* insn.c - what other programs ask of an instruction. */
#include <stddef.h>
#include <stdlib.h>

#include "tacho/extension.h"
#include "x86/decode/insn_flow.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/mnemonic_list.h"
#include "x86/decode/ops.h"

tacho_insn *tacho_insn_new(void)
{
    return calloc(1, sizeof(tacho_insn));
}

void tacho_insn_free(tacho_insn *insn)
{
    free(insn);
}

bool tacho_insn_is(const tacho_insn *insn, tacho_insn_trait trait)
{
    static const uint16_t members[] = {
        [TACHO_INSN_BRANCH] = offsetof(tacho_insn, is_branch),
        [TACHO_INSN_CONDITIONAL] = offsetof(tacho_insn, is_conditional),
        [TACHO_INSN_CALL] = offsetof(tacho_insn, is_call),
        [TACHO_INSN_RET] = offsetof(tacho_insn, is_ret),
        [TACHO_INSN_NOP] = offsetof(tacho_insn, is_nop),
        [TACHO_INSN_SERIALIZING] = offsetof(tacho_insn, serializing),
        [TACHO_INSN_LOCK] = offsetof(tacho_insn, lock),
        [TACHO_INSN_REP] = offsetof(tacho_insn, rep),
        [TACHO_INSN_REPNE] = offsetof(tacho_insn, repne),
        [TACHO_INSN_LCP] = offsetof(tacho_insn, lcp),
        [TACHO_INSN_ZEROING] = offsetof(tacho_insn, zeroing),
        [TACHO_INSN_SAE] = offsetof(tacho_insn, sae),
        [TACHO_INSN_ROUNDING] = offsetof(tacho_insn, rounding),
    };
    return (size_t)trait < sizeof members / sizeof *members &&
           *(const bool *)((const char *)insn + members[trait]);
}

const uint8_t *tacho_insn_bytes(const tacho_insn *insn)
{
    return insn->bytes;
}

size_t tacho_insn_length(const tacho_insn *insn)
{
    return insn->length;
}

uint16_t tacho_insn_mnemonic(const tacho_insn *insn)
{
    return insn->mnemonic;
}

tacho_encoding tacho_insn_encoding(const tacho_insn *insn)
{
    return (tacho_encoding)insn->encoding;
}

unsigned tacho_insn_operand_size(const tacho_insn *insn)
{
    return insn->operand_size;
}

size_t tacho_insn_operand_count(const tacho_insn *insn)
{
    return insn->operand_count;
}

size_t tacho_insn_visible_count(const tacho_insn *insn)
{
    return insn->visible_count;
}

const tacho_operand *tacho_insn_operand(const tacho_insn *insn, size_t number)
{
    return number < insn->operand_count ? &insn->operands[number] : NULL;
}

unsigned tacho_insn_flags_read(const tacho_insn *insn)
{
    return insn->flags_read;
}

unsigned tacho_insn_flags_written(const tacho_insn *insn)
{
    return insn->flags_written;
}

unsigned tacho_insn_mask(const tacho_insn *insn)
{
    return insn->mask;
}

tacho_extension tacho_insn_extension(const tacho_insn *insn, size_t number)
{
    return number < sizeof insn->extensions ? (tacho_extension)insn->extensions[number]
                                            : TACHO_EXTENSION_NONE;
}

const tacho_insn *tacho_insn_at(const tacho_insn *first, size_t number)
{
    return first + number;
}

/* what an instruction does to the flow of control. */

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
