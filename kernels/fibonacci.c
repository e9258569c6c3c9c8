/* fibonacci.c - table of Fibonacci's numbers modulo 2^32 (recurrence).
 *
 *   f_i := f_i-1 + f_i-2
 *
 * Through memory: f_i-1 and f_i-2, one and two iterations back, unless the compiler keeps them in registers.
 */
#include "kernel.h"

#ifndef N
#define N 6000
#endif

KERNEL void fibonacci(unsigned f[KERNEL_RESTRICT N])
{
    for (int i = 2; i < N; i++)
        f[i] = f[i - 1] + f[i - 2];
}

int main(void)
{
    unsigned *f = kernel_alloc(N * sizeof *f);
    for (int i = 0; i < N; i++)
        f[i] = i == 1;
    kernel_start();
    fibonacci(f);
    kernel_stop();
    return kernel_result(f, N);
}
