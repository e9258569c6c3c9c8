/* instantiate.h - instructions made from a description: mnemonic, operands, what of the encoding matters. */
#ifndef TACHO_DECODE_INSTANTIATE_H
#define TACHO_DECODE_INSTANTIATE_H

#include "base/private.h"
#include "x86/decode/insn_struct.h"

enum {
    INSN_ANY_OPCODE = -1,
    INSN_MAX_WANTED = 5
};

/** What is wanted. Of an operand count: kind, width_bits (memory: 0 tries all), reg, imm, and of `mem` base,
 *  index, scale, disp, vsib, broadcast. */
typedef struct insn_wanted {
    uint16_t mnemonic;
    uint8_t encoding;     /**< a tacho_encoding */
    uint8_t operand_size; /**< 16 or 64 where the operands do not tell; else 0 */
    int16_t opcode;       /**< the primary opcode byte, or INSN_ANY_OPCODE */
    bool lock, rep, repne, zeroing, sae, rounding;
    uint8_t operand_count;
    tacho_operand operands[INSN_MAX_WANTED]; /**< visible ones in Intel order */
} insn_wanted;

/** Whether the decoded instruction is one that the caller can use. */
typedef bool (*insn_accept)(const tacho_insn *insn, void *payload);

/** Makes encodings of what is wanted until `accept` takes one, as decoded again from its bytes.
 *  @return false when there is no such instruction. Does not allocate; thread-safe. */
TACHO_PRIVATE bool tacho_insn_instantiate(tacho_insn *out, const insn_wanted *wanted, insn_accept accept,
                                          void *payload);

#endif
