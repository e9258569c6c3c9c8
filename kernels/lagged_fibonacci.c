/* lagged_fibonacci.c - a generator of random numbers, modulo 2^32 (recurrence).
 *
 *   x_i := x_i-5 + x_i-17
 *
 * Through memory: 5 and 17 iterations back, too far for a compiler to keep in registers. */
#include "kernel.h"

#ifndef N
#define N 6000
#endif

KERNEL void lagged_fibonacci(unsigned x[KERNEL_RESTRICT N])
{
    for (int i = 17; i < N; i++)
        x[i] = x[i - 5] + x[i - 17];
}

int main(void)
{
    unsigned *x = kernel_alloc(N * sizeof *x);
    for (unsigned i = 0; i < N; i++)
        x[i] = i < 17 ? 2654435761u * (i + 1) : 0;
    kernel_start();
    lagged_fibonacci(x);
    kernel_stop();
    return kernel_result(x, N);
}
