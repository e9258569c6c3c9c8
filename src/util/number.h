/* number.h - small arithmetic. */
#ifndef TACHO_UTIL_NUMBER_H
#define TACHO_UTIL_NUMBER_H

#include <stdint.h>

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

#endif
