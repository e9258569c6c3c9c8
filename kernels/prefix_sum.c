/* prefix_sum.c - running sums in place (recurrence).
 *
 *   x_i := x_0 + ... + x_i, that is x_i := x_i + x_i-1; T times, so that the t-th has the binomials of order
 * t as weights
 *
 * Through memory: x_i-1 from the iteration before, unless a compiler keeps it in a register. */
#include "kernel.h"

#ifndef N
#define N 2000
#endif
#ifndef T
#define T 6
#endif

KERNEL void prefix_sum(double x[KERNEL_RESTRICT N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N; i++)
            x[i] += x[i - 1];
    }
}

int main(void)
{
    double *x = kernel_alloc(N * sizeof *x);
    kernel_fill(x, N, 1);
    kernel_start();
    prefix_sum(x);
    kernel_stop();
    return kernel_result(x, N);
}
