/* mm3.c - product of two products of matrices (dense linear algebra).
 *
 *   G := (A B) (C D), by way of E = A B and F = C D
 *
 * A sum into an element of the result: the compiler may keep it in a register only if it knows that the
 * arrays are different ones. Through memory: where it does not, each element in every iteration. */
#include "kernel.h"

#ifndef N
#define N 20
#endif

KERNEL void mm3(double a[KERNEL_RESTRICT N][N], double b[KERNEL_RESTRICT N][N],
                double c[KERNEL_RESTRICT N][N], double d[KERNEL_RESTRICT N][N],
                double e[KERNEL_RESTRICT N][N], double f[KERNEL_RESTRICT N][N],
                double g[KERNEL_RESTRICT N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            e[i][j] = 0;
            for (int k = 0; k < N; k++)
                e[i][j] += a[i][k] * b[k][j];
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            f[i][j] = 0;
            for (int k = 0; k < N; k++)
                f[i][j] += c[i][k] * d[k][j];
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            g[i][j] = 0;
            for (int k = 0; k < N; k++)
                g[i][j] += e[i][k] * f[k][j];
        }
    }
}

int main(void)
{
    double(*m[7])[N];
    for (unsigned k = 0; k < 7; k++) {
        m[k] = kernel_alloc(N * sizeof *m[k]);
        kernel_fill(*m[k], N * N, k);
    }
    kernel_start();
    mm3(m[0], m[1], m[2], m[3], m[4], m[5], m[6]);
    kernel_stop();
    return kernel_result(*m[6], N * N);
}
