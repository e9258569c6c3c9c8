/* floats.h - arithmetic of floating point with SSE and AVX: what is computed, and of which numbers. */
#ifndef TACHO_DECODE_FLOATS_H
#define TACHO_DECODE_FLOATS_H

#include "base/private.h"
#include "x86/decode/insn_struct.h"

typedef enum float_operation {
    FLOAT_NOT = 0, /* something else: also moves, comparisons, and what approximates */
    FLOAT_ADD,     /* also subtractions, and horizontal ones */
    FLOAT_MULTIPLY,
    FLOAT_DIVIDE,
    FLOAT_ROOT,
    FLOAT_FUSED, /* a product and a sum */
    FLOAT_CONVERT
} float_operation;

typedef enum float_kind {
    FLOAT_SS = 0,
    FLOAT_SD,
    FLOAT_PS,
    FLOAT_PD
} float_kind;

typedef struct float_arithmetic {
    uint8_t operation;     /* a float_operation */
    uint8_t reads, writes; /* each a float_kind */
} float_arithmetic;

/** What an instruction computes. */
TACHO_PRIVATE float_arithmetic tacho_insn_floats(const tacho_insn *insn);

/** Whether vector units take its operands for floats: arithmetic, logic of floats, conversions, and scalar
 * moves from register to register; not shuffles and blends (28 instructions measured on Zen 3). Comparisons,
 * rounding and dot products are taken for arithmetic, unmeasured. */
bool insn_is_of_floats(const tacho_insn *insn);

#endif
