/* gesummv.c - two matrices times one vector, added (dense linear algebra).
 *
 *   y := alpha A x + beta B x
 *
 * Through memory: nothing; two sums are carried in registers. */
#include "kernel.h"

#ifndef N
#define N 36
#endif

KERNEL void gesummv(double alpha, double beta, double a[KERNEL_RESTRICT N][N], double b[KERNEL_RESTRICT N][N],
                    double x[KERNEL_RESTRICT N], double y[KERNEL_RESTRICT N])
{
    for (int i = 0; i < N; i++) {
        double from_a = 0, from_b = 0;
        for (int j = 0; j < N; j++) {
            from_a += a[i][j] * x[j];
            from_b += b[i][j] * x[j];
        }
        y[i] = alpha * from_a + beta * from_b;
    }
}

int main(void)
{
    double(*a)[N] = kernel_alloc(N * sizeof *a);
    double(*b)[N] = kernel_alloc(N * sizeof *b);
    double *x = kernel_alloc(N * sizeof *x);
    double *y = kernel_alloc(N * sizeof *y);
    kernel_fill(*a, N * N, 1);
    kernel_fill(*b, N * N, 2);
    kernel_fill(x, N, 3);
    kernel_start();
    gesummv(1.5, 1.2, a, b, x, y);
    kernel_stop();
    return kernel_result(y, N);
}
