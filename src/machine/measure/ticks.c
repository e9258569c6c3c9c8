/* ticks.c - the timed pieces of code. Each is a loop whose counter is not on the chain that takes the time.
 */
#include "machine/measure/ticks.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)
/* The body `count` times, all of it `loops` times. */
#define REPEATED(count, body)                                                                                \
    ".p2align 6\n1:\n\t.rept " STRING(count) "\n\t" body "\n\t.endr\n\tdec %[loops]\n\tjnz 1b"

uint64_t ticks_of_imuls(uint64_t loops)
{
    uint64_t x = 3, start = ticks_now();
    _Static_assert(TICKS_IMULS == 200, "the number in the assembly text");
    __asm__ volatile(REPEATED(200, "imul %[x], %[x]") : [x] "+r"(x), [loops] "+r"(loops) : : "cc");
    return ticks_now() - start;
}

uint64_t ticks_of_adds(uint64_t loops)
{
    uint64_t x = 3, y = 5, start = ticks_now();
    _Static_assert(TICKS_ADDS == 600, "the number in the assembly text");
    __asm__ volatile(REPEATED(600, "add %[y], %[x]") : [x] "+r"(x), [loops] "+r"(loops) : [y] "r"(y) : "cc");
    return ticks_now() - start;
}
