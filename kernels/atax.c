/* atax.c - a matrix and its transpose, one after the other, times a vector (dense linear algebra).
 *
 *   y := A^T (A x),   t_i := sum_j a_ij x_j,   y_j := sum_i a_ij t_i
 *
 * Both sums use a row while it is at hand. Through memory: each y_j, once every row. */
#include "kernel.h"

#ifndef M
#define M 48
#endif
#ifndef N
#define N 56
#endif

KERNEL void atax(double a[KERNEL_RESTRICT M][N], double x[KERNEL_RESTRICT N], double y[KERNEL_RESTRICT N])
{
    for (int j = 0; j < N; j++)
        y[j] = 0;
    for (int i = 0; i < M; i++) {
        double t = 0;
        for (int j = 0; j < N; j++)
            t += a[i][j] * x[j];
        for (int j = 0; j < N; j++)
            y[j] += a[i][j] * t;
    }
}

int main(void)
{
    double(*a)[N] = kernel_alloc(M * sizeof *a);
    double *x = kernel_alloc(N * sizeof *x);
    double *y = kernel_alloc(N * sizeof *y);
    kernel_fill(*a, M * N, 1);
    kernel_fill(x, N, 2);
    kernel_start();
    atax(a, x, y);
    kernel_stop();
    return kernel_result(y, N);
}
