/* arithmetic.c - what integer instructions compute, of numbers of a given width (Intel SDM, volume 2). */
#include "x86/decode/arithmetic.h"

#include "base/number.h"
#include "x86/decode/ops.h"

uint64_t arith_shift(unsigned op, uint64_t a, unsigned count, unsigned width)
{
    count &= width == 64 ? 63 : 31;
    if (op == OP_ROL || op == OP_ROR) {
        count %= width;
        if (op == OP_ROR && count)
            count = width - count;
        return count ? a << count | (a & lowest_bits(width)) >> (width - count) : a;
    }
    if (op == OP_SHL)
        return count < 64 ? a << count : 0;
    return op == OP_SHR ? (a & lowest_bits(width)) >> count
                        : (uint64_t)(arith_sign_extend(a, width) >> (count < width ? count : width - 1));
}

static uint64_t extract_bits(uint64_t a, uint64_t mask)
{
    uint64_t out = 0;
    for (unsigned at = 0; mask; mask &= mask - 1, at++)
        out |= (a >> __builtin_ctzll(mask) & 1) << at;
    return out;
}

static uint64_t deposit_bits(uint64_t a, uint64_t mask)
{
    uint64_t out = 0;
    for (; mask; mask &= mask - 1, a >>= 1)
        out |= (a & 1) << __builtin_ctzll(mask);
    return out;
}

static uint64_t bswap(uint64_t a, unsigned width)
{
    uint64_t out = 0;
    for (unsigned at = 0; at < width; at += 8)
        out |= (a >> at & 0xff) << (width - 8 - at);
    return out;
}

static uint64_t count_bits(unsigned op, uint64_t a, unsigned width)
{
    a &= lowest_bits(width);
    unsigned n = 0;
    if (op == OP_POPCNT)
        for (; a; a &= a - 1)
            n++;
    else
        while (n < width && !(a >> (op == OP_TZCNT ? n : width - 1 - n) & 1))
            n++;
    return n;
}

/* Of one source. */
uint64_t arith_one(unsigned op, uint64_t a, unsigned width, unsigned source_width)
{
    switch (op) {
    case OP_SIGNED:
        return (uint64_t)arith_sign_extend(a, source_width);
    case OP_INC:
        return a + 1;
    case OP_DEC:
        return a - 1;
    case OP_NEG:
        return -a;
    case OP_NOT:
        return ~a;
    case OP_BSWAP:
    case OP_MOVBE:
        return bswap(a, width);
    case OP_BLSI:
        return a & -a;
    case OP_BLSR:
        return a & (a - 1);
    case OP_BLSMSK:
        return a ^ (a - 1);
    case OP_POPCNT:
    case OP_TZCNT:
    case OP_LZCNT:
        return count_bits(op, a, width);
    default: /* moves, LEA */
        return a;
    }
}

/* Of two. */
uint64_t arith_two(unsigned op, uint64_t a, uint64_t b, unsigned width)
{
    unsigned start = (unsigned)b & 0xff, length = (unsigned)(b >> 8) & 0xff;
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_AND:
        return a & b;
    case OP_OR:
        return a | b;
    case OP_XOR:
        return a ^ b;
    case OP_ANDN:
        return ~a & b;
    case OP_IMUL:
        return a * b;
    case OP_BZHI:
        return start < width ? a & lowest_bits(start) : a;
    case OP_BEXTR:
        return start < width ? (a & lowest_bits(width)) >> start & lowest_bits(length) : 0;
    case OP_PEXT:
        return extract_bits(a, b & lowest_bits(width));
    case OP_PDEP:
        return deposit_bits(a, b & lowest_bits(width));
    default:
        return arith_shift(op, a, (unsigned)b, width);
    }
}

uint64_t arith_double_shift(unsigned op, uint64_t a, uint64_t b, unsigned count, unsigned width)
{
    count &= width == 64 ? 63 : 31;
    if (!count || count >= width)
        return a;
    return op == OP_SHLD ? a << count | (b & lowest_bits(width)) >> (width - count)
                         : (a & lowest_bits(width)) >> count | b << (width - count);
}
