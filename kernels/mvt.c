/* mvt.c - a matrix, and its transpose, times a vector (dense linear algebra).
 *
 *   x := x + A u,   y := y + A^T v
 *
 * The second product walks down the columns, N doubles a step. Through memory: x_i and y_i in every
 * iteration, unless the compiler keeps them in a register. */
#include "kernel.h"

#ifndef N
#define N 48
#endif

KERNEL void mvt(double a[KERNEL_RESTRICT N][N], double u[KERNEL_RESTRICT N], double v[KERNEL_RESTRICT N],
                double x[KERNEL_RESTRICT N], double y[KERNEL_RESTRICT N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            x[i] += a[i][j] * u[j];
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            y[i] += a[j][i] * v[j];
    }
}

int main(void)
{
    double(*a)[N] = kernel_alloc(N * sizeof *a);
    double *v[4];
    for (unsigned k = 0; k < 4; k++) {
        v[k] = kernel_alloc(N * sizeof *v[k]);
        kernel_fill(v[k], N, k);
    }
    kernel_fill(*a, N * N, 4);
    kernel_start();
    mvt(a, v[0], v[1], v[2], v[3]);
    kernel_stop();
    kernel_result(v[2], N);
    return kernel_result(v[3], N);
}
