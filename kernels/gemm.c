/* gemm.c - product of matrices, added to a matrix (dense linear algebra, as in BLAS level 3).
 *
 *   C := alpha A B + beta C,   c_ij := beta c_ij + alpha sum_k a_ik b_kj
 *
 * The order i, k, j goes along the rows of B and C. Through memory: each element of the row of C, once every
 * k. */
#include "kernel.h"

#ifndef N
#define N 26
#endif

KERNEL void gemm(double alpha, double beta, double c[KERNEL_RESTRICT N][N], double a[KERNEL_RESTRICT N][N],
                 double b[KERNEL_RESTRICT N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            c[i][j] *= beta;
        for (int k = 0; k < N; k++) {
            for (int j = 0; j < N; j++)
                c[i][j] += alpha * a[i][k] * b[k][j];
        }
    }
}

int main(void)
{
    double(*a)[N] = kernel_alloc(N * sizeof *a);
    double(*b)[N] = kernel_alloc(N * sizeof *b);
    double(*c)[N] = kernel_alloc(N * sizeof *c);
    kernel_fill(*a, N * N, 1);
    kernel_fill(*b, N * N, 2);
    kernel_fill(*c, N * N, 3);
    kernel_start();
    gemm(1.5, 1.2, c, a, b);
    kernel_stop();
    return kernel_result(*c, N * N);
}
