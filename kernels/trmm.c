/* trmm.c - product with a triangular matrix, in place (dense linear algebra).
 *
 *   B := alpha A B, A upper triangular with ones on its diagonal:   b_ij := alpha (b_ij + sum_k>i a_ik b_kj)
 *
 * Row i needs only rows below it, which are still the old ones. Through memory: each b_ij, once every k. */
#include "kernel.h"

#ifndef M
#define M 36
#endif
#ifndef N
#define N 36
#endif

KERNEL void trmm(double alpha, double a[KERNEL_RESTRICT M][M], double b[KERNEL_RESTRICT M][N])
{
    for (int i = 0; i < M; i++) {
        for (int k = i + 1; k < M; k++) {
            for (int j = 0; j < N; j++)
                b[i][j] += a[i][k] * b[k][j];
        }
        for (int j = 0; j < N; j++)
            b[i][j] *= alpha;
    }
}

int main(void)
{
    double(*a)[M] = kernel_alloc(M * sizeof *a);
    double(*b)[N] = kernel_alloc(M * sizeof *b);
    kernel_fill(*a, M * M, 1);
    kernel_fill(*b, M * N, 2);
    kernel_start();
    trmm(1.5, a, b);
    kernel_stop();
    return kernel_result(*b, M * N);
}
