/* number.h - small arithmetic. */
#ifndef TACHO_BASE_NUMBER_H
#define TACHO_BASE_NUMBER_H

#include <stdint.h>

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline int32_t max_i32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Of two numbers of which neither is negative; that of 0 and n is n. */
static inline int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* A number with so many ones, at most 64, from the lowest bit on. */
static inline uint64_t lowest_bits(unsigned count)
{
    return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

/* Ones among the lowest 16 bits, the others being 0; a processor's own instruction for it may be missing. */
static inline uint32_t bits_in_16(uint32_t x)
{
    x -= x >> 1 & 0x5555;
    x = (x & 0x3333) + (x >> 2 & 0x3333);
    x = (x + (x >> 4)) & 0x0f0f;
    return (x + (x >> 8)) & 31;
}

#endif
