/* encode.h - instructions made from others, for what-if code. Each function writes at most
 * TACHO_MAX_INSN_BYTES to `out` and returns how many, or 0 where there is no such instruction. */
#ifndef TACHO_DECODE_ENCODE_H
#define TACHO_DECODE_ENCODE_H

#include "x86/decode/insn_struct.h"

/** The same instruction with register number `to` wherever an explicit operand is (or an address uses) the
 *  register that `from` names. 0 also where an operand that is not encoded is that register. */
uint8_t encode_renamed(const tacho_insn *insn, tacho_reg from, uint8_t to, uint8_t *out);
/** A zeroing idiom: xor r32, r32 for general registers, xorps or (with `vex`) vxorps for vector registers. */
uint8_t encode_zeroing(tacho_reg reg, bool vex, uint8_t *out);
/** MOVZX to 32 bits in place of a MOV to 8 (low) or 16 bits, from a register or memory. */
uint8_t encode_widened_move(const tacho_insn *mov, uint8_t *out);
/** The same instruction with a register of number `to` in place of its (explicit) memory operand: a general
 * one of the operand's size, or a vector register where the other operands are. Scalar loads and stores of
 * vector registers become moves of whole registers. */
uint8_t encode_register_for_memory(const tacho_insn *insn, uint8_t to, uint8_t *out);
/** The same instruction with no index in its address and the same length. */
uint8_t encode_without_index(const tacho_insn *insn, uint8_t *out);
/** A 64-bit instruction with its REX.W prefix cleared, of the same length. */
uint8_t encode_with_32_bits(const tacho_insn *insn, uint8_t *out);

/** DEC of a 64-bit general register. */
TACHO_PRIVATE uint8_t tacho_encode_dec(uint8_t reg, uint8_t *out);
/** JNZ to `distance` bytes before its own first byte (0 to 2^31 - 7), as short as can be. */
TACHO_PRIVATE uint8_t tacho_encode_jnz_back(uint32_t distance, uint8_t *out);

/* ---- instructions made from a description: mnemonic, operands, what of the encoding matters ---- */

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
