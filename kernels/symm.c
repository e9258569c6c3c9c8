/* symm.c - product with a symmetric matrix of which only the lower triangle is read (dense linear algebra).
 *
 *   C := alpha A B + beta C, where a_ik = a_ki
 *
 * An element below the diagonal serves twice: it takes row k of B to row i of C, and row i of B to row k of
 * C. Through memory: the elements of row i of C, once every k. */
#include "kernel.h"

#ifndef M
#define M 26
#endif
#ifndef N
#define N 26
#endif

KERNEL void symm(double alpha, double beta, double c[KERNEL_RESTRICT M][N], double a[KERNEL_RESTRICT M][M],
                 double b[KERNEL_RESTRICT M][N])
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            c[i][j] = beta * c[i][j] + alpha * a[i][i] * b[i][j];
        for (int k = 0; k < i; k++) {
            double f = alpha * a[i][k];
            for (int j = 0; j < N; j++) {
                c[i][j] += f * b[k][j];
                c[k][j] += f * b[i][j];
            }
        }
    }
}

int main(void)
{
    double(*a)[M] = kernel_alloc(M * sizeof *a);
    double(*b)[N] = kernel_alloc(M * sizeof *b);
    double(*c)[N] = kernel_alloc(M * sizeof *c);
    kernel_fill(*a, M * M, 1);
    kernel_fill(*b, M * N, 2);
    kernel_fill(*c, M * N, 3);
    kernel_start();
    symm(1.5, 1.2, c, a, b);
    kernel_stop();
    return kernel_result(*c, M * N);
}
