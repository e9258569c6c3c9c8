/* several_blocks.c - whether code is one straight block, as the parts of the library that repeat it take it
 * to be, or the several blocks of a function or a compiler's whole file. */
#include "x86/decode/insn_flow.h"

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
