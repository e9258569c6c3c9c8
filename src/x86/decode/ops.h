/* ops.h - what instructions do to numbers, in kinds. */
#ifndef TACHO_DECODE_OPS_H
#define TACHO_DECODE_OPS_H

#include <stdint.h>

enum {
    OP_NONE = 0, /* not understood: what it writes is unknown */
    /* the first operand from the last one */
    OP_MOVE,
    OP_SIGNED,
    OP_LEA,
    OP_INC,
    OP_DEC,
    OP_NEG,
    OP_NOT,
    OP_BSWAP,
    OP_MOVBE,
    OP_BLSI,
    OP_BLSR,
    OP_BLSMSK,
    OP_POPCNT,
    OP_TZCNT,
    OP_LZCNT,
    OP_LAST1 = OP_LZCNT,
    /* from two: the first itself and the second, or the second and the third */
    OP_ADD,
    OP_SUB,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_ANDN,
    OP_IMUL,
    OP_BZHI,
    OP_BEXTR,
    OP_PEXT,
    OP_PDEP,
    OP_SHL,
    OP_SHR,
    OP_SAR,
    OP_ROL,
    OP_ROR,
    OP_LAST2 = OP_ROR,
    OP_SHLD,
    OP_SHRD,
    OP_MUL,
    OP_MULX,
    OP_XCHG,
    OP_XADD,
    OP_PUSH,
    OP_PUSHF,
    OP_POP,
    OP_POPF,
    OP_ENTER,
    OP_LEAVE,
    OP_RET,
    OP_FIRST_STACK = OP_PUSH,
    OP_LAST_STACK = OP_RET,
    OP_SYSCALL,
    OP_STRING, /* MOVS, STOS, LODS */
    OP_SCAN,   /* SCAS, CMPS */
    OP_BACKWARDS,
    OP_FORWARDS,
    OP_CHOOSE, /* CMOVcc */
    OP_SET,    /* SETcc */
    OP_ADC,
    OP_SBB,
    OP_CMP, /* these write flags alone */
    OP_TEST,
    OP_BT,
    OP_WIDEN,  /* CBW, CWDE, CDQE */
    OP_SPREAD, /* CWD, CDQ, CQO */
    OP_LOOP,   /* LOOP, LOOPE, LOOPNE: what they do to RCX or ECX */
    /* vector registers, from here on */
    OP_VECTOR, /* all of a register */
    OP_SCALAR, /* MOVQ, MOVD */
    OP_MOVSD,
    OP_LOW,
    OP_HIGH,
    OP_UNPACK, /* low halves of two */
    OP_DUP,
    OP_BROADCAST,
    OP_INSERT,
    OP_EXTRACT,
    OP_VXOR,
    OP_VAND,
    OP_VOR,
    OP_VANDN,
    OP_VADD,
    OP_VSUB,
    OP_VZERO, /* 0 where both sources are one register; else not followed */
    OP_VONES  /* the same with all bits set */
};

/** The kind of instructions with this mnemonic; "MOVSD" is OP_MOVSD, the vector instruction. */
unsigned op_of_mnemonic(uint16_t mnemonic);
/** The kinds of all tacho_gen_mnemonic_count mnemonics, where `ops` is zero. */
void ops_of_mnemonics(uint8_t *ops);

#endif
