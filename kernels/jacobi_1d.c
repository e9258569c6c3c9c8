/* jacobi_1d.c - Jacobi's iteration with three points (stencil, from one line into another).
 *
 *   b_i := (a_i-1 + a_i + a_i+1) / 3, and the same back into a; T times. The ends stay.
 *
 * Through memory: only from one sweep to the next, farther than a processor looks. */
#include "kernel.h"

#ifndef N
#define N 1000
#endif
#ifndef T
#define T 8
#endif

KERNEL void jacobi_1d(double a[KERNEL_RESTRICT N], double b[KERNEL_RESTRICT N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            b[i] = 1 / 3.0 * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < N - 1; i++)
            a[i] = 1 / 3.0 * (b[i - 1] + b[i] + b[i + 1]);
    }
}

int main(void)
{
    double *a = kernel_alloc(N * sizeof *a);
    double *b = kernel_alloc(N * sizeof *b);
    kernel_fill(a, N, 1);
    kernel_fill(b, N, 1);
    kernel_start();
    jacobi_1d(a, b);
    kernel_stop();
    return kernel_result(a, N);
}
