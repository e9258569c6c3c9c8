/* key.h - what tells instruction forms apart, packed in 64 bits, and its readable name.
 *
 * A key is a mnemonic, up to five visible operand kinds, one attribute of the encoding and, for mnemonics
 * with two encodings of the same operands, the primary opcode byte. The name says the same in text:
 * "ADD_01 (R64, R64)", "VADDPS_ER_Z (ZMM, K, ZMM, ZMM)", "LEA_B_I_D8 (R64)". Suffixes in this order:
 * address shape, opcode, EVEX, ER or SAE, Z; or one of LOCK, REPE, REPNE, R0 (ModRM.rm 0-3), R4 (4-7),
 * W (operand size 16), O64 (REX.W). EVEX is named only where a VEX form has the same operands. */
#ifndef TACHO_INSNDB_KEY_H
#define TACHO_INSNDB_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/private.h"
#include "x86/decode/insn_struct.h"

typedef enum form_kind {
    KIND_NONE = 0,
    /* registers of a class, in the order of tacho_reg_class */
    KIND_R8L,
    KIND_R8H,
    KIND_R16,
    KIND_R32,
    KIND_R64,
    KIND_XMM,
    KIND_YMM,
    KIND_ZMM,
    KIND_MM,
    KIND_ST,
    KIND_K,
    KIND_BND,
    KIND_SEG,
    KIND_CR,
    KIND_DR,
    KIND_TMM,
    /* one register, fixed by the opcode */
    KIND_AL,
    KIND_AX,
    KIND_EAX,
    KIND_RAX,
    KIND_CL,
    KIND_DX,
    KIND_XMM0,
    KIND_FS,
    KIND_GS,
    KIND_ST0,
    /* immediates; 0 is an 8-bit immediate with that value, 1 is fixed by the opcode */
    KIND_I8,
    KIND_I16,
    KIND_I32,
    KIND_I64,
    KIND_ZERO,
    KIND_ONE,
    KIND_REL8,
    KIND_REL32,
    /* memory; M: of any or no particular width */
    KIND_M,
    KIND_M8,
    KIND_M16,
    KIND_M32,
    KIND_M64,
    KIND_M80,
    KIND_M128,
    KIND_M256,
    KIND_M512,
    KIND_M16_1TO2,
    KIND_M16_1TO4,
    KIND_M16_1TO8,
    KIND_M16_1TO16,
    KIND_M16_1TO32,
    KIND_M32_1TO2,
    KIND_M32_1TO4,
    KIND_M32_1TO8,
    KIND_M32_1TO16,
    KIND_M64_1TO2,
    KIND_M64_1TO4,
    KIND_M64_1TO8,
    KIND_VSIB_XMM,
    KIND_VSIB_YMM,
    KIND_VSIB_ZMM,
    KIND_MOFFS8,
    KIND_MOFFS16,
    KIND_MOFFS32,
    KIND_MOFFS64,
    /* addresses that are only computed; named in the mnemonic's suffix. KIND_AGEN + shape */
    KIND_AGEN,
    KIND_AGEN_LAST = KIND_AGEN + 31,
    KIND_COUNT
} form_kind;
_Static_assert(KIND_COUNT <= 128, "seven bits a kind");

/* Shape of an address: bits. */
enum {
    SHAPE_BASE = 1,
    SHAPE_INDEX = 2,
    SHAPE_SCALED = 4, /* with SHAPE_INDEX */
    SHAPE_D8 = 8,
    SHAPE_D32 = 16,
    SHAPE_RIP = SHAPE_SCALED | SHAPE_D32, /* otherwise impossible: scaled without index */
};

typedef enum form_attr {
    ATTR_NONE = 0,
    ATTR_LOCK,
    ATTR_REPE,
    ATTR_REPNE,
    ATTR_RM_LOW,
    ATTR_RM_HIGH,
    ATTR_WORD,
    ATTR_O64,
    ATTR_VECTOR = 8, /* plus the next four */
    ATTR_EVEX = 1,
    ATTR_ZEROING = 2,
    ATTR_SAE = 4,
    ATTR_ER = 8,
} form_attr;

enum {
    KEY_MAX_KINDS = 5,
    KEY_NO_OPCODE = -1
};

typedef struct form_key {
    uint16_t mnemonic;
    int16_t opcode; /* or KEY_NO_OPCODE */
    uint8_t attr;
    uint8_t kind_count;
    uint8_t kinds[KEY_MAX_KINDS];
} form_key;

uint64_t tacho_key_pack(const form_key *key);
form_key tacho_key_unpack(uint64_t packed);
/** The key's name; length as snprintf. */
int tacho_key_name(const form_key *key, char *out, size_t size);
/** Reads a name; uops.info's names of forms are understood too. @return false with a reason. */
bool tacho_key_parse(form_key *out, const char *name, char *why, size_t why_size);

/** Name of a kind, such as "M64_1to8"; empty for AGEN. */
const char *tacho_kind_name(form_kind kind);
TACHO_PRIVATE bool tacho_kind_is_memory(form_kind kind);
/** Register class (and number, where fixed) of a register kind; class NONE for others. */
TACHO_PRIVATE tacho_reg tacho_kind_reg(form_kind kind, bool *fixed);
/** Width in bits; 0 unknown. */
TACHO_PRIVATE uint16_t tacho_kind_width(form_kind kind);
/** The less specific kind that may stand for it: RAX for R64, 0 for I8, M64 for M; or KIND_NONE. */
form_kind tacho_kind_general(form_kind kind);

/** The key of a form of the tables, which are numbered as tacho_form_get says. */
TACHO_PRIVATE form_key tacho_form_key(uint32_t form);
/** The form with that key; negative: there is none. */
int64_t form_of_key(uint64_t key);
/** How the form is encoded, a tacho_encoding. */
TACHO_PRIVATE uint8_t tacho_form_encoding(uint32_t form);
/** The form that a decoded instruction has on whatever microarchitecture; negative if none fits. */
TACHO_PRIVATE int64_t tacho_form_match(const tacho_insn *insn);

static inline uint32_t tacho_key_hash(uint64_t packed)
{
    /* the mnemonic is in the upper bits, which a multiplication alone would not carry down */
    packed ^= packed >> 31;
    return (uint32_t)((packed * 0x9E3779B97F4A7C15u) >> 40);
}

#endif
