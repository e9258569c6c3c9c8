/* ticks.c - the timed pieces of code. Each is a loop whose counter is not on the chain that takes the time.
 */
#include "machine/doctor/ticks.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)
/* The body `count` times, all of it `loops` times. */
#define REPEATED(count, body)                                                                                \
    ".p2align 6\n1:\n\t.rept " STRING(count) "\n\t" body "\n\t.endr\n\tdec %[loops]\n\tjnz 1b"

uint64_t doctor_time_imul(uint64_t loops)
{
    uint64_t x = 3, start = doctor_ticks();
    _Static_assert(DOCTOR_IMULS == 200, "the number in the assembly text");
    __asm__ volatile(REPEATED(200, "imul %[x], %[x]") : [x] "+r"(x), [loops] "+r"(loops) : : "cc");
    return doctor_ticks() - start;
}

uint64_t doctor_time_add(uint64_t loops)
{
    uint64_t x = 3, y = 5, start = doctor_ticks();
    _Static_assert(DOCTOR_ADDS == 600, "the number in the assembly text");
    __asm__ volatile(REPEATED(600, "add %[y], %[x]") : [x] "+r"(x), [loops] "+r"(loops) : [y] "r"(y) : "cc");
    return doctor_ticks() - start;
}

uint64_t doctor_time_nops(uint64_t loops)
{
    uint64_t start = doctor_ticks();
    _Static_assert(DOCTOR_NOPS == 2000, "the number in the assembly text");
    __asm__ volatile(REPEATED(2000, ".byte 0x90") : [loops] "+r"(loops) : : "cc");
    return doctor_ticks() - start;
}

uint64_t doctor_time_chase(uint64_t loops, void *const *at)
{
    uint64_t start = doctor_ticks();
    _Static_assert(DOCTOR_LOADS == 40, "the number in the assembly text");
    __asm__ volatile(REPEATED(40, "mov (%[at]), %[at]")
                     : [at] "+r"(at), [loops] "+r"(loops)
                     :
                     : "cc", "memory");
    return doctor_ticks() - start;
}
