/* ops.h - what an instruction is, for all who ask: its operation, one number that the decoder puts into
 * tacho_insn.operation, and the families that its mnemonic belongs to. Above x86 nobody compares names
 * (tests/mnemonics.py sees to it): what is missing here is added here. */
#ifndef TACHO_DECODE_OPS_H
#define TACHO_DECODE_OPS_H

#include "x86/decode/insn_struct.h"

enum {
    OP_NONE = 0, /* none of these */
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
    /* what these write is not followed */
    OP_IF, /* Jcc: the condition is in the low four bits of the opcode, as of CMOVcc and SETcc */
    OP_DIV,
    OP_IDIV,
    OP_ADCX,
    OP_ADOX,
    OP_BIT_SCAN,   /* BSF, BSR */
    OP_BIT_CHANGE, /* BTS, BTR, BTC */
    OP_CMPXCHG,
    OP_ROTATE_CARRY, /* RCL, RCR */
    OP_LFENCE,
    OP_SFENCE,
    OP_MFENCE,
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

/* The conditions of OP_IF, OP_SET and OP_CHOOSE, in the opcode; an odd one is the contrary of the one before.
 */
enum {
    IF_BELOW = 2,
    IF_NOT_BELOW,
    IF_ZERO,
    IF_NOT_ZERO,
    IF_NOT_ABOVE,
    IF_ABOVE,
    IF_SIGN,
    IF_NOT_SIGN,
    IF_LESS = 12,
    IF_NOT_LESS,
    IF_NOT_GREATER,
    IF_GREATER
};
static inline unsigned insn_condition(const tacho_insn *insn)
{
    return insn->opcode & 15;
}

/* Families, each a bit: of mnemonics that somebody wants to know together. */
enum {
    INSN_MOVES = 1 << 0,           /* MOV and all whose names begin so, or with VMOV */
    INSN_PREFETCHES = 1 << 1,      /* name an address, but read nothing from there */
    INSN_GATHERS = 1 << 2,         /* elements from several addresses, or scatters them */
    INSN_DIVIDES = 1 << 3,         /* quotients and square roots, of all kinds of numbers */
    INSN_RECIPROCAL_ROOT = 1 << 4, /* approximations */
    INSN_COMPARES_FLOATS = 1 << 5, /* with the result in the flags */
    INSN_WAITS = 1 << 6,           /* what a loop that waits for somebody has in it */
    INSN_LEAVES = 1 << 7,          /* for the kernel, or to another privilege level */
    INSN_UNDEFINED = 1 << 8,       /* by intent */
    INSN_MERGES = 1 << 9, /* one number into a vector register, whose upper part stays: mostly not wanted */
    /* Of arithmetic: whether the order over the iterations of a loop can be changed (of floating point, up to
     * rounding), ... */
    INSN_REDUCES = 1 << 10,
    INSN_SUMS = 1 << 11,        /* ... adding and subtracting */
    INSN_FLOATS = 1 << 12,      /* ... of floating point */
    INSN_FUSES = 1 << 13,       /* ... a product and a sum */
    INSN_ORDERED = 1 << 14,     /* ... with three operands, the last two of which cannot be exchanged */
    INSN_SERIALIZES = 1 << 15,  /* MOV to control and debug registers does too: tacho_insn.serializing */
    INSN_PAST_CACHES = 1 << 16, /* non-temporal stores */
};

/** The families of a mnemonic. */
TACHO_PRIVATE uint32_t tacho_mnemonic_families(uint16_t mnemonic);
/** Its operation; "MOVSD" is OP_MOVSD, the vector instruction, "CMPSD" is OP_SCAN. */
TACHO_PRIVATE uint8_t tacho_mnemonic_operation(uint16_t mnemonic);
/** That of an instruction; for the decoder, which keeps it. */
uint8_t operation_of(const tacho_insn *insn);

/** Whether it is of one of these families. */
static inline bool insn_is(const tacho_insn *insn, unsigned families)
{
    return tacho_mnemonic_families(insn->mnemonic) & families;
}

#endif
