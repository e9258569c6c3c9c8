/* costs_numbers.c - arithmetic with subnormal numbers: operations that do not wait for each other, and
 * chains of them. */
#include <math.h>

#include "machine/costs/costs.h"

enum {
    ITERATIONS = 20000
};

typedef struct numbers {
    double a, b;
} numbers;

/* Operations of `a` and `b`. */
#define ALONE(name, operation)                                                                               \
    static void name(void *payload, uint64_t iterations)                                                     \
    {                                                                                                        \
        const numbers *n = payload;                                                                          \
        for (uint64_t i = 0; i < iterations; i++)                                                            \
            __asm__ volatile(operation : : "x"(n->a), "x"(n->b) : "xmm4");                                   \
    }
/* The result is the next one's `a`. */
#define CHAIN(name, operation)                                                                               \
    static void name(void *payload, uint64_t iterations)                                                     \
    {                                                                                                        \
        const numbers *n = payload;                                                                          \
        double a = n->a;                                                                                     \
        for (uint64_t i = 0; i < iterations; i++)                                                            \
            __asm__ volatile(operation : "+x"(a) : "x"(n->b));                                               \
    }

ALONE(add, "movapd %0, %%xmm4\n addsd %1, %%xmm4")
CHAIN(add_chain, "addsd %1, %0")
ALONE(multiply, "movapd %0, %%xmm4\n mulsd %1, %%xmm4")
CHAIN(multiply_chain, "mulsd %1, %0")
ALONE(divide, "movapd %0, %%xmm4\n divsd %1, %%xmm4")
CHAIN(divide_chain, "divsd %1, %0")
ALONE(root, "pxor %%xmm4, %%xmm4\n sqrtsd %0, %%xmm4")
ALONE(fused, "vxorpd %%xmm4, %%xmm4, %%xmm4\n vfmadd231sd %0, %1, %%xmm4")
CHAIN(fused_chain, "vfmadd213sd %0, %1, %0")
ALONE(convert, "pxor %%xmm4, %%xmm4\n cvtsd2ss %0, %%xmm4")

cost costs_time_subnormal(cost_arithmetic a)
{
    static const struct {
        void (*alone)(void *, uint64_t), (*chain)(void *, uint64_t);
        numbers slow, usual;
    } rows[COST_ARITHMETICS] = {
        [COST_ADD] = {add, add_chain, {1e-310, 0}, {1.5, 0}},
        [COST_MULTIPLY] = {multiply, multiply_chain, {1e-310, 1}, {1.5, 1}},
        [COST_DIVIDE] = {divide, divide_chain, {1e-310, 1}, {1.5, 1}},
        [COST_ROOT] = {root, NULL, {1e-310, 1}, {1.5, 1}},
        [COST_FUSED] = {fused, fused_chain, {1e-310, 0}, {1.5, 0}},
        [COST_CONVERT] = {convert, NULL, {1e-40, 0}, {1.5, 0}},
    };
    numbers slow = rows[a].slow, usual = rows[a].usual;
    if (a == COST_FUSED && !__builtin_cpu_supports("fma"))
        return (cost){NAN, NAN};
    double more = costs_more(costs_time(rows[a].alone, &usual, ITERATIONS),
                             costs_time(rows[a].alone, &slow, ITERATIONS));
    if (!rows[a].chain)
        return (cost){more, more};
    double chain = costs_more(costs_time(rows[a].chain, &usual, ITERATIONS),
                              costs_time(rows[a].chain, &slow, ITERATIONS));
    return (cost){fmin(more, chain), fmax(more, chain)};
}
