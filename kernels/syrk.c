/* syrk.c - product of a matrix with its own transpose, lower triangle (dense linear algebra).
 *
 *   C := alpha A A^T + beta C,   c_ij := beta c_ij + alpha sum_k a_ik a_jk for j <= i
 *
 * Each element is a dot product of two rows. Through memory: nothing; the sum is carried in a register. */
#include "kernel.h"

#ifndef N
#define N 36
#endif
#ifndef M
#define M 40
#endif

KERNEL void syrk(double alpha, double beta, double c[KERNEL_RESTRICT N][N], double a[KERNEL_RESTRICT N][M])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < M; k++)
                sum += a[i][k] * a[j][k];
            c[i][j] = beta * c[i][j] + alpha * sum;
        }
    }
}

int main(void)
{
    double(*a)[M] = kernel_alloc(N * sizeof *a);
    double(*c)[N] = kernel_alloc(N * sizeof *c);
    kernel_fill(*a, N * M, 1);
    kernel_fill(*c, N * N, 2);
    kernel_start();
    syrk(1.5, 1.2, c, a);
    kernel_stop();
    return kernel_result(*c, N * N);
}
