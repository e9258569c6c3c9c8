/* syr2k.c - symmetric product of two matrices, lower triangle (dense linear algebra).
 *
 *   C := alpha (A B^T + B A^T) + beta C,   c_ij := beta c_ij + alpha sum_k (a_ik b_jk + b_ik a_jk) for j <= i
 *
 * As M updates of rank two; A and B are walked down their columns. Through memory: each c_ij, once every k.
 */
#include "kernel.h"

#ifndef N
#define N 30
#endif
#ifndef M
#define M 26
#endif

KERNEL void syr2k(double alpha, double beta, double c[KERNEL_RESTRICT N][N], double a[KERNEL_RESTRICT N][M],
                  double b[KERNEL_RESTRICT N][M])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++)
            c[i][j] *= beta;
        for (int k = 0; k < M; k++) {
            for (int j = 0; j <= i; j++)
                c[i][j] += alpha * (a[i][k] * b[j][k] + b[i][k] * a[j][k]);
        }
    }
}

int main(void)
{
    double(*a)[M] = kernel_alloc(N * sizeof *a);
    double(*b)[M] = kernel_alloc(N * sizeof *b);
    double(*c)[N] = kernel_alloc(N * sizeof *c);
    kernel_fill(*a, N * M, 1);
    kernel_fill(*b, N * M, 2);
    kernel_fill(*c, N * N, 3);
    kernel_start();
    syr2k(1.5, 1.2, c, a, b);
    kernel_stop();
    return kernel_result(*c, N * N);
}
