/* insn_flow.h - what an instruction does to the flow of control. */
#ifndef TACHO_DECODE_INSN_FLOW_H
#define TACHO_DECODE_INSN_FLOW_H

#include "base/private.h"
#include "x86/decode/insn_struct.h"

typedef enum insn_flow {
    FLOW_NEXT = 0,
    FLOW_CALL,
    FLOW_JUMP,
    FLOW_BRANCH, /* conditional */
    FLOW_INDIRECT,
    FLOW_RETURN,
    FLOW_STOP, /* UD2, HLT, INT3, a call that does not return: nothing follows */
} insn_flow;

/** @param target the distance of the target from the instruction's end where it is direct, else 0 */
TACHO_PRIVATE insn_flow tacho_insn_flow_of(const tacho_insn *insn, int64_t *target);

/** several_blocks.c: whether control can enter or leave the code elsewhere than at its start and its end. */
TACHO_PRIVATE bool tacho_has_several_blocks(const uint8_t *bytes, size_t size);

#endif
