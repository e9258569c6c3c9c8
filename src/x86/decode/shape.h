/* shape.h - how long an instruction is and where its parts lie, without decoding it: enough to recognise one
 * that was decoded before and differs only in its displacement and immediate. */
#ifndef TACHO_DECODE_SHAPE_H
#define TACHO_DECODE_SHAPE_H

#include <stdbool.h>

#include "base/number.h"
#include "x86/decode/arithmetic.h"

typedef struct insn_shape {
    uint8_t length;
    uint8_t disp_offset,
        disp_bytes;    /* the displacement; 0 bytes: none, the offset then ends what is before */
    uint8_t imm_bytes; /* the immediate, at the end */
    bool imm_is_value; /* the immediate is a number; else it may decide what the instruction is */
} insn_shape;

enum {
    SHAPE_READ_BYTES = 16 /* readable at `bytes`, whatever the instruction's length */
};

/* @return false for what is not told here (EVEX, unusual prefixes, invalid ones). What is told of code that
 * is not a valid instruction means nothing. */
bool insn_shape_find(insn_shape *out, const uint8_t bytes[SHAPE_READ_BYTES]);

/* A number in 1 to 8 bytes of code, of which 8 can be read. */
static inline int64_t insn_shape_number(const uint8_t *bytes, unsigned size, bool with_sign)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value); /* little-endian, as the code is */
    return with_sign ? arith_sign_extend(value, 8 * size) : (int64_t)(value & lowest_bits(8 * size));
}

#endif
