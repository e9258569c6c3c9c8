/* operations.h - how much arithmetic an instruction does, and on what. */
#ifndef TACHO_DECODE_OPERATIONS_H
#define TACHO_DECODE_OPERATIONS_H

#include "x86/decode/insn_struct.h"

/** Arithmetic of one execution. */
typedef struct insn_operations {
    double count; /* of each lane one; of a fused product and sum two, as of each element of a sum of
                     products; 0: it moves, compares, chooses or converts */
    uint8_t element_bytes;
    bool floats;
} insn_operations;

/** Of whole numbers also what computes addresses: an instruction does not tell. */
TACHO_PRIVATE insn_operations tacho_insn_operations(const tacho_insn *insn);

/** The operand that a vector instruction of three sources reads last: what a fused product is added to, what
 * it changes, or a mask. -1: it has no three. */
int insn_third_source(const tacho_insn *insn);

/* ---- how wide the numbers are that a vector instruction computes with ---- */

/** In bytes; 0: the instruction does not say. Of gathers and scatters, `read` is that of the indices. */
typedef struct element_widths {
    uint8_t read, written;
    bool passes; /* it puts elements elsewhere as they are, whatever their width */
    bool one;    /* what it loads or stores, if that is up to 8 bytes, is one element */
} element_widths;

element_widths insn_element_widths(const tacho_insn *insn);

/* ---- arithmetic of floating point with SSE and AVX: what is computed, and of which numbers ---- */

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
