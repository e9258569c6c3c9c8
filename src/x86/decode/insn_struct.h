/* insn_struct.h - what is in a tacho_insn: a plain value, copied freely. Other programs see it by the
 * functions of tacho/decode.h only. */
#ifndef TACHO_INSN_STRUCT_H
#define TACHO_INSN_STRUCT_H

#include <stdint.h>

#include "base/private.h"
#include "tacho/decode.h"

struct tacho_insn {
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    uint8_t length;        /**< bytes, 1..15 */
    uint8_t opcode_offset; /**< offset of the primary (last) opcode byte, after prefixes and escape bytes */
    uint8_t operation;     /**< what the library itself takes it for; these numbers may change */
    uint16_t mnemonic;     /**< the decoder's mnemonic number; see tacho_mnemonic_name */
    uint8_t opcode;        /**< the primary opcode byte */
    uint8_t encoding;      /**< a tacho_encoding */
    uint8_t operand_size;  /**< effective operand size in bits: 8, 16, 32, 64 */
    uint8_t flags_read;    /**< tacho_flag_group bits that may be read */
    uint8_t flags_written; /**< tacho_flag_group bits that may be written */
    uint8_t mask;          /**< EVEX opmask register number, 0 none */
    uint8_t modrm_rm;      /**< ModRM.rm & 7; 0 without ModRM */
    bool zeroing;          /**< EVEX.z */
    bool sae;              /**< {sae} or {er} in effect */
    bool rounding;         /**< {er}: embedded rounding in effect */
    bool lock;             /**< LOCK prefix present and effective */
    bool rep, repne;       /**< F3 / F2 present as a repeat prefix of a string instruction, or ignored */
    bool lcp;              /**< length-changing prefix: 66h with a 16-bit immediate in place of a 32-bit one,
                                or an address-size prefix that changes the length */
    bool is_branch;        /**< any near jump, conditional or not, incl. LOOP/JRCXZ; not CALL/RET */
    bool is_conditional;   /**< a conditional branch */
    bool is_call, is_ret;
    bool is_nop;           /**< NOP or multi-byte NOP (0F 1F) */
    bool serializing;      /**< LFENCE, CPUID, ...: waits until all older instructions have retired */
    uint8_t operand_count; /**< all operands */
    uint8_t visible_count; /**< the first visible_count operands are explicit or implicit, in Intel order;
                                an EVEX opmask is among them only when it is not K0 */
    uint8_t imm_bytes;     /**< encoded size of the (first) immediate, 0 none */
    uint8_t extensions[2]; /**< extensions of the instruction set that it needs, each a tacho_extension
                                (extension.h); TACHO_EXTENSION_NONE: no more than x86-64 */
    bool else_another;     /**< where they are missing, the same bytes are another instruction, which every
                                core has: TZCNT is BSF there, LZCNT is BSR */
    tacho_operand operands[TACHO_MAX_OPERANDS];
};

/* Where in an instruction's bytes its displacement and immediate are, for those that decode many
 * instructions that differ in nothing else. */
typedef struct decode_places {
    uint8_t disp_offset, disp_bytes; /* 0 bytes: none */
    uint8_t imm_offset, imm_bytes;
    bool imm_signed; /* extended with its sign */
    bool two_imms;
} decode_places;

/* As tacho_decode. */
TACHO_PRIVATE int tacho_decode_with_places(tacho_insn *out, decode_places *places, const uint8_t *bytes,
                                           size_t size, tacho_error *err);

/* What an instruction does to the flow of control. */
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

/** Whether control can enter or leave the code elsewhere than at its start and its end. */
TACHO_PRIVATE bool tacho_has_several_blocks(const uint8_t *bytes, size_t size);

#endif
