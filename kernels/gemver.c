/* gemver.c - two updates of rank one, then two products with the matrix (dense linear algebra).
 *
 *   A := A + u v^T + s w^T,   x := z + beta A^T y,   r := alpha A x
 *
 * Through memory: each x_j, once every row. */
#include "kernel.h"

#ifndef N
#define N 48
#endif

KERNEL void gemver(double alpha, double beta, double a[KERNEL_RESTRICT N][N], double u[KERNEL_RESTRICT N],
                   double v[KERNEL_RESTRICT N], double s[KERNEL_RESTRICT N], double w[KERNEL_RESTRICT N],
                   double x[KERNEL_RESTRICT N], double y[KERNEL_RESTRICT N], double z[KERNEL_RESTRICT N],
                   double r[KERNEL_RESTRICT N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            a[i][j] += u[i] * v[j] + s[i] * w[j];
    }
    for (int j = 0; j < N; j++)
        x[j] = z[j];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            x[j] += beta * a[i][j] * y[i];
    }
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += a[i][j] * x[j];
        r[i] = alpha * sum;
    }
}

int main(void)
{
    double(*a)[N] = kernel_alloc(N * sizeof *a);
    double *v[8];
    for (unsigned k = 0; k < 8; k++) {
        v[k] = kernel_alloc(N * sizeof *v[k]);
        kernel_fill(v[k], N, k);
    }
    kernel_fill(*a, N * N, 8);
    kernel_start();
    gemver(1.5, 1.2, a, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
    kernel_stop();
    return kernel_result(v[7], N);
}
