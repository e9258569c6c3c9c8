/* linear_recurrence.c - a linear recurrence of first order with coefficients that vary, in place
 * (recurrence).
 *
 *   x_i := x_i + a_i x_i-1; T times
 *
 * Through memory: x_i-1 from the iteration before, unless the compiler keeps it in a register. */
#include "kernel.h"

#ifndef N
#define N 1400
#endif
#ifndef T
#define T 4
#endif

KERNEL void linear_recurrence(double a[KERNEL_RESTRICT N], double x[KERNEL_RESTRICT N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N; i++)
            x[i] += a[i] * x[i - 1];
    }
}

int main(void)
{
    double *a = kernel_alloc(N * sizeof *a);
    double *x = kernel_alloc(N * sizeof *x);
    kernel_fill(a, N, 1);
    kernel_fill(x, N, 2);
    for (int i = 0; i < N; i++)
        a[i] /= 2;
    kernel_start();
    linear_recurrence(a, x);
    kernel_stop();
    return kernel_result(x, N);
}
