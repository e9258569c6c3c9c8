/* operations.h - how much arithmetic an instruction does, and on what. */
#ifndef TACHO_DECODE_OPERATIONS_H
#define TACHO_DECODE_OPERATIONS_H

#include "base/private.h"
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

#endif
