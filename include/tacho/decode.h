/* decode.h - machine code as tacho sees it: one struct an instruction, no decoder library's types.
 *
 * A register is a class and a number; the class says which part of the architectural register is meant.
 *
 * Core: stable within a major version. */
#ifndef TACHO_DECODE_H
#define TACHO_DECODE_H

#include <stdbool.h>
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Register classes. Numbers are hardware encodings (RAX 0, RCX 1, RDX 2, RBX 3, RSP 4 ... R15 15). */
typedef enum tacho_reg_class {
    TACHO_REG_NONE = 0,
    TACHO_REG_R8L, /**< low byte: AL..R15B */
    TACHO_REG_R8H, /**< high byte: AH CH DH BH, numbered 0..3 like their full register */
    TACHO_REG_R16,
    TACHO_REG_R32,
    TACHO_REG_R64,
    TACHO_REG_XMM,
    TACHO_REG_YMM,
    TACHO_REG_ZMM,
    TACHO_REG_MM,
    TACHO_REG_ST,
    TACHO_REG_K,
    TACHO_REG_BND,
    TACHO_REG_SEG, /**< ES 0, CS 1, SS 2, DS 3, FS 4, GS 5 */
    TACHO_REG_CR,
    TACHO_REG_DR,
    TACHO_REG_TMM,
    TACHO_REG_RIP,
    TACHO_REG_FLAGS, /**< a renamed flag group: a tacho_flag_group bit index */
    TACHO_REG_OTHER, /**< MXCSR, X87CONTROL ...: a tacho_reg_other */
} tacho_reg_class;

/** Flags are renamed in two groups (pipeline model, section 6). */
typedef enum tacho_flag_group {
    TACHO_FLAG_C = 1,     /**< carry */
    TACHO_FLAG_SPAZO = 2, /**< sign, parity, auxiliary carry, zero, overflow */
} tacho_flag_group;

typedef enum tacho_reg_other {
    TACHO_OTHER_UNKNOWN = 0,
    TACHO_OTHER_MXCSR,
    TACHO_OTHER_X87CONTROL,
    TACHO_OTHER_X87STATUS,
    TACHO_OTHER_X87TAG,
    TACHO_OTHER_GDTR,
    TACHO_OTHER_IDTR,
    TACHO_OTHER_LDTR,
    TACHO_OTHER_TR,
    TACHO_OTHER_FSBASE,
    TACHO_OTHER_GSBASE,
    TACHO_OTHER_MSRS,
    TACHO_OTHER_TSC,
    TACHO_OTHER_TSCAUX,
    TACHO_OTHER_XCR0,
    TACHO_OTHER_SSP,
    TACHO_OTHER_PKRU,
    TACHO_OTHER_COUNT
} tacho_reg_other;

typedef struct tacho_reg {
    uint8_t class_; /**< a tacho_reg_class */
    uint8_t number;
} tacho_reg;

typedef enum tacho_operand_kind {
    TACHO_OPERAND_NONE = 0,
    TACHO_OPERAND_REG,
    TACHO_OPERAND_MEM,
    TACHO_OPERAND_AGEN, /**< an address that is computed but not accessed (LEA) */
    TACHO_OPERAND_IMM,
    TACHO_OPERAND_REL,   /**< branch displacement */
    TACHO_OPERAND_FLAGS, /**< the flags register (only in forms, see insndb.h) */
} tacho_operand_kind;

enum {
    TACHO_READ = 1,
    TACHO_WRITE = 2,
    TACHO_CONDITIONAL = 4
};

typedef enum tacho_visibility {
    TACHO_EXPLICIT = 0,   /**< encoded and written in assembly */
    TACHO_IMPLICIT = 1,   /**< written in assembly but fixed by the opcode (CL in SHL r, CL) */
    TACHO_SUPPRESSED = 2, /**< neither (RSP in PUSH) */
} tacho_visibility;

typedef struct tacho_mem {
    tacho_reg base, index, segment; /**< class TACHO_REG_NONE where absent; base RIP where RIP-relative.
                                         segment: only FS and GS (others do not matter in 64-bit mode) */
    uint8_t scale;                  /**< 1, 2, 4, 8; 0 without index */
    uint8_t disp_bytes;             /**< encoded size of the displacement: 0, 1, 4, 8 (before EVEX disp8*N) */
    bool vsib;                      /**< the index is a vector register */
    uint8_t broadcast;              /**< number of elements a loaded element is broadcast to; 0 none */
    int64_t disp;                   /**< effective displacement in bytes */
} tacho_mem;

typedef struct tacho_operand {
    uint8_t kind;              /**< a tacho_operand_kind */
    uint8_t access;            /**< TACHO_READ | TACHO_WRITE | TACHO_CONDITIONAL */
    uint8_t visibility;        /**< a tacho_visibility */
    uint8_t element_bits_log2; /**< log2 of the element width for memory broadcasts; 0 unknown */
    uint16_t width_bits;       /**< of the register, the memory access or the immediate as encoded */
    tacho_reg reg;
    tacho_mem mem; /**< for MEM and AGEN */
    int64_t imm;   /**< for IMM and REL: sign-extended value (REL: relative to the next instruction) */
} tacho_operand;

typedef enum tacho_encoding {
    TACHO_ENC_LEGACY = 0,
    TACHO_ENC_VEX,
    TACHO_ENC_EVEX,
    TACHO_ENC_OTHER, /**< 3DNow!, XOP, MVEX */
} tacho_encoding;

enum {
    TACHO_MAX_INSN_BYTES = 15,
    TACHO_MAX_OPERANDS = 10
};

/** One decoded instruction of 64-bit mode. What is in it is the library's own: see the functions below. */
typedef struct tacho_insn tacho_insn;

/** @return room for one instruction, or NULL when memory runs out */
TACHO_API tacho_insn *tacho_insn_new(void);
TACHO_API void tacho_insn_free(tacho_insn *insn);

/** Decodes one instruction at `bytes` (at most `size` bytes).
 *  @return 0, or TACHO_ERR_INPUT with err->offset = 0 when the bytes are not a valid 64-bit mode instruction.
 *  Does not allocate; thread-safe. */
TACHO_API int tacho_decode(tacho_insn *out, const uint8_t *bytes, size_t size, tacho_error *err);

/** What an instruction is, or has. */
typedef enum tacho_insn_trait {
    TACHO_INSN_BRANCH = 0,  /**< any near jump, conditional or not, also LOOP and JRCXZ; no call or return */
    TACHO_INSN_CONDITIONAL, /**< a conditional branch */
    TACHO_INSN_CALL,
    TACHO_INSN_RET,
    TACHO_INSN_NOP,         /**< NOP, also of several bytes (0F 1F) */
    TACHO_INSN_SERIALIZING, /**< LFENCE, CPUID, ...: waits until all older instructions have retired */
    TACHO_INSN_LOCK,        /**< a LOCK prefix in effect */
    TACHO_INSN_REP,         /**< F3 as a repeat prefix of a string instruction, or ignored */
    TACHO_INSN_REPNE,       /**< F2, likewise */
    TACHO_INSN_LCP,      /**< a length-changing prefix: 66h with a 16-bit immediate in place of a 32-bit one,
                              or an address-size prefix that changes the length */
    TACHO_INSN_ZEROING,  /**< EVEX.z */
    TACHO_INSN_SAE,      /**< {sae} or {er} in effect */
    TACHO_INSN_ROUNDING, /**< {er}: its own rounding in effect */
} tacho_insn_trait;
TACHO_API bool tacho_insn_is(const tacho_insn *insn, tacho_insn_trait trait);

/** Its bytes: as many as tacho_insn_length says, 1 to TACHO_MAX_INSN_BYTES; they live as long as it does. */
TACHO_API const uint8_t *tacho_insn_bytes(const tacho_insn *insn);
TACHO_API size_t tacho_insn_length(const tacho_insn *insn);
/** The decoder's number of the mnemonic, see tacho_mnemonic_name. */
TACHO_API uint16_t tacho_insn_mnemonic(const tacho_insn *insn);
TACHO_API tacho_encoding tacho_insn_encoding(const tacho_insn *insn);
/** Effective operand size in bits: 8, 16, 32 or 64. */
TACHO_API unsigned tacho_insn_operand_size(const tacho_insn *insn);
/** Operands, and those of them that assembly text shows: they come first, in Intel's order (an EVEX opmask
 *  only where it is not K0). */
TACHO_API size_t tacho_insn_operand_count(const tacho_insn *insn);
TACHO_API size_t tacho_insn_visible_count(const tacho_insn *insn);
/** @return the operand, which lives as long as the instruction; NULL for a number that it does not have */
TACHO_API const tacho_operand *tacho_insn_operand(const tacho_insn *insn, size_t number);
/** tacho_flag_group bits of flags that may be read, and written. */
TACHO_API unsigned tacho_insn_flags_read(const tacho_insn *insn);
TACHO_API unsigned tacho_insn_flags_written(const tacho_insn *insn);
/** Number of its EVEX opmask register; 0 none. */
TACHO_API unsigned tacho_insn_mask(const tacho_insn *insn);
/** The instruction that is `number` places behind the first one of an array (tacho_deps.insns). */
TACHO_API const tacho_insn *tacho_insn_at(const tacho_insn *first, size_t number);

typedef enum tacho_syntax {
    TACHO_SYNTAX_AUTO = 0, /**< of text that is read: AT&T unless it says .intel_syntax; else Intel */
    TACHO_SYNTAX_INTEL,
    TACHO_SYNTAX_ATT,
} tacho_syntax;

/** How the targets of branches and RIP-relative operands are written. */
typedef enum tacho_targets {
    TACHO_TARGETS_ABSOLUTE = 0, /**< as addresses */
    TACHO_TARGETS_RELATIVE,     /**< as offsets from the next instruction */
    TACHO_TARGETS_OF_BRANCHES,  /**< branch targets as addresses, RIP-relative operands as offsets */
} tacho_targets;

/** Writes the instruction to `out` (always terminated), in a way that the GNU assembler reads as this
 *  instruction; `address` is that of its first byte.
 *  @return 0; TACHO_ERR_INPUT for what is no instruction, TACHO_ERR_LIMIT when it does not fit,
 * TACHO_ERR_USAGE */
TACHO_API int tacho_insn_write(const tacho_insn *insn, tacho_syntax syntax, uint64_t address,
                               tacho_targets targets, char *out, size_t size);
/** The same in Intel syntax: targets are addresses, or with `relative` non-zero offsets. */
TACHO_API int tacho_insn_format(const tacho_insn *insn, uint64_t address, int relative, char *out,
                                size_t size);

/** One instruction or label of assembly text, and where its code lies. */
typedef struct tacho_typed {
    uint64_t address;    /**< in the section, as tacho_region.address */
    uint64_t line;       /**< 1-based */
    const char *text;    /**< as typed, white space made one space: "subq $-128, %rax", ".L3:"; NULL where one
                              instruction does not stand for itself: of a macro's argument */
    const char *comment; /**< at the end of the line, with what introduces it; NULL none */
    uint8_t syntax;      /**< a tacho_syntax, never AUTO */
    bool label;
} tacho_typed;

/** Where a part of the code lies: see tacho_predict_options.pieces. */
typedef struct tacho_piece {
    uint32_t code_offset; /**< of its first byte in the code; it goes on to the next piece's */
    uint64_t address;     /**< of that byte in memory */
} tacho_piece;

/** How reports and messages write the instructions of a piece of code. All is borrowed. */
typedef struct tacho_listing {
    tacho_syntax syntax;       /**< of what is disassembled; AUTO: Intel */
    bool as_typed;             /**< `typed`, where an instruction has it */
    bool with_comments;        /**< and its comment */
    uint64_t address;          /**< of the first byte of the code */
    const tacho_piece *pieces; /**< where its parts lie; NULL: it is contiguous */
    size_t piece_count;
    const tacho_typed *typed; /**< by address; NULL unknown */
    size_t typed_count;
} tacho_listing;

/** The address of a place in the code. */
TACHO_API uint64_t tacho_listing_address(const tacho_listing *listing, uint64_t code_offset);
/** What was typed for the instruction there; NULL unknown. */
TACHO_API const tacho_typed *tacho_listing_typed(const tacho_listing *listing, uint64_t code_offset);
/** Writes the instruction at `code_offset` as the listing says: what was typed, else as tacho_insn_write with
 *  TACHO_TARGETS_OF_BRANCHES. `listing` NULL: as tacho_insn_format, relative. @return as tacho_insn_write */
TACHO_API int tacho_listing_write(const tacho_listing *listing, const tacho_insn *insn, uint64_t code_offset,
                                  char *out, size_t size);

/** Upper-case mnemonic, for instance "ADD"; static storage. */
TACHO_API const char *tacho_mnemonic_name(uint16_t mnemonic);

/** Name such as "rax", "xmm3", "flags:C"; static storage. */
TACHO_API const char *tacho_reg_name(tacho_reg reg);

/** True when both name (parts of) the same architectural register: AL and RAX, XMM1 and ZMM1. */
TACHO_API bool tacho_reg_same_full(tacho_reg a, tacho_reg b);

#ifdef __cplusplus
}
#endif
#endif
