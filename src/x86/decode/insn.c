/* insn.c - what other programs ask of an instruction. */
#include <stdio.h>

#include "base/names.h"
#include "base/search.h"
#include "tacho/extension.h"
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

GIVES(const uint8_t *, tacho_insn_bytes, tacho_insn, bytes)
GIVES(size_t, tacho_insn_length, tacho_insn, length)
GIVES(uint16_t, tacho_insn_mnemonic, tacho_insn, mnemonic)
GIVES(tacho_encoding, tacho_insn_encoding, tacho_insn, encoding)
GIVES(unsigned, tacho_insn_operand_size, tacho_insn, operand_size)
GIVES(size_t, tacho_insn_operand_count, tacho_insn, operand_count)
GIVES(size_t, tacho_insn_visible_count, tacho_insn, visible_count)

const tacho_operand *tacho_insn_operand(const tacho_insn *insn, size_t number)
{
    return number < insn->operand_count ? &insn->operands[number] : NULL;
}

GIVES(unsigned, tacho_insn_flags_read, tacho_insn, flags_read)
GIVES(unsigned, tacho_insn_flags_written, tacho_insn, flags_written)
GIVES(unsigned, tacho_insn_mask, tacho_insn, mask)

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
    *target = insn->visible_count && op->kind == TACHO_OPERAND_REL ? op->imm : 0;
    if (insn->is_call)
        return FLOW_CALL;
    if (insn->is_ret || IN_LIST(m, IRET, IRETD, IRETQ, SYSRET, SYSEXIT))
        return FLOW_RETURN;
    if (insn->is_conditional)
        return FLOW_BRANCH;
    if (insn->is_branch)
        return op->kind == TACHO_OPERAND_REL ? FLOW_JUMP : FLOW_INDIRECT;
    if (m == ZYDIS_MNEMONIC_JMP)
        return FLOW_INDIRECT; /* far */
    if (insn_is(insn, INSN_UNDEFINED) || IN_LIST(m, HLT, INT3))
        return FLOW_STOP;
    return FLOW_NEXT;
}

/* Whether code is one straight block, as the parts of the library that repeat it take it
 * to be, or the several blocks of a function or a compiler's whole file. */

/* Nothing but what fills up the space behind a function. */
static bool is_padding(const uint8_t *bytes, size_t at, size_t size)
{
    tacho_insn insn;
    for (; at < size; at += insn.length) {
        int64_t distance;
        if (tacho_decode(&insn, bytes + at, size - at, NULL) ||
            (!insn.is_nop && tacho_insn_flow_of(&insn, &distance) != FLOW_STOP))
            return false;
    }
    return true;
}

/* Whether another block begins because of the instruction that ends at `next`. */
static bool divides(const tacho_insn *insn, const uint8_t *bytes, size_t next, size_t size)
{
    int64_t distance;
    switch (tacho_insn_flow_of(insn, &distance)) {
    case FLOW_BRANCH:
    case FLOW_JUMP: {
        int64_t target = (int64_t)next + distance;
        bool inside = target > 0 && target < (int64_t)next - insn->length;
        bool goes_on = tacho_insn_flow_of(insn, &distance) == FLOW_BRANCH && next < size;
        return inside || goes_on || !is_padding(bytes, next, size);
    }
    case FLOW_INDIRECT:
    case FLOW_RETURN:
        return !is_padding(bytes, next, size);
    default:
        return false;
    }
}

bool tacho_has_several_blocks(const uint8_t *bytes, size_t size)
{
    tacho_insn insn;
    for (size_t at = 0; at < size; at += insn.length) {
        if (tacho_decode(&insn, bytes + at, size - at, NULL))
            return false;
        if (divides(&insn, bytes, at + insn.length, size))
            return true;
    }
    return false;
}

/* Instructions as their author wrote them, or else disassembled. */

uint64_t tacho_listing_address(const tacho_listing *l, uint64_t code_offset)
{
    size_t n = l->piece_count;
    while (n > 0 && l->pieces[n - 1].code_offset > code_offset)
        n--;
    return n ? l->pieces[n - 1].address + (code_offset - l->pieces[n - 1].code_offset)
             : l->address + code_offset;
}

const tacho_typed *tacho_listing_typed(const tacho_listing *l, uint64_t code_offset)
{
    uint64_t address = tacho_listing_address(l, code_offset);
    size_t i = tacho_count_below(l->typed, l->typed_count, sizeof *l->typed, address);
    while (i < l->typed_count && l->typed[i].address == address && l->typed[i].label)
        i++;
    return i < l->typed_count && l->typed[i].address == address ? &l->typed[i] : NULL;
}

int tacho_listing_write(const tacho_listing *l, const tacho_insn *insn, uint64_t code_offset, char *out,
                        size_t size)
{
    if (!l)
        return tacho_insn_format(insn, 0, 1, out, size);
    const tacho_typed *t = l->as_typed ? tacho_listing_typed(l, code_offset) : NULL;
    if (!t || !t->text)
        return tacho_insn_write(insn, l->syntax, tacho_listing_address(l, code_offset),
                                TACHO_TARGETS_OF_BRANCHES, out, size);
    bool comment = l->with_comments && t->comment;
    int n = snprintf(out, size, "%s%s%s", t->text, comment ? "  " : "", comment ? t->comment : "");
    return n >= 0 && (size_t)n < size ? TACHO_OK : TACHO_ERR_LIMIT;
}
