/* arithmetic.h - what integer instructions compute. `op` is one of ops.h; widths are in bits. Results may
 * have bits above the width. */
#ifndef TACHO_DECODE_ARITHMETIC_H
#define TACHO_DECODE_ARITHMETIC_H

#include <stdint.h>

static inline int64_t arith_sign_extend(uint64_t bits, unsigned width)
{
    return width >= 64 ? (int64_t)bits : (int64_t)(bits << (64 - width)) >> (64 - width);
}
/** Shifts and rotations. */
uint64_t arith_shift(unsigned op, uint64_t a, unsigned count, unsigned width);
/** Of one source of `source_width`. */
uint64_t arith_one(unsigned op, uint64_t a, unsigned width, unsigned source_width);
/** Of two sources. */
uint64_t arith_two(unsigned op, uint64_t a, uint64_t b, unsigned width);
/** SHLD and SHRD. */
uint64_t arith_double_shift(unsigned op, uint64_t a, uint64_t b, unsigned count, unsigned width);

#endif
