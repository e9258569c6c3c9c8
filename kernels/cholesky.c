/* cholesky.c - Cholesky's decomposition, in place (solver).
 *
 *   A = L L^T:   l_ij := (a_ij - sum_k<j l_ik l_jk) / l_jj for j < i,   l_ii := sqrt(a_ii - sum_k<i l_ik^2)
 *
 * Through memory: a_ij in every iteration of its sum, unless the compiler keeps it in a register; elements of
 * the row that the next sums read. */
#include "kernel.h"
#include <math.h>

#ifndef N
#define N 40
#endif

KERNEL void cholesky(double a[KERNEL_RESTRICT N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
        for (int k = 0; k < i; k++)
            a[i][i] -= a[i][k] * a[i][k];
        a[i][i] = sqrt(a[i][i]);
    }
}

/* Symmetric, with a diagonal that outweighs its row: positive definite. */
int main(void)
{
    double(*a)[N] = kernel_alloc(N * sizeof *a);
    kernel_fill(*a, N * N, 1);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++)
            a[j][i] = a[i][j];
        a[i][i] += N;
    }
    kernel_start();
    cholesky(a);
    kernel_stop();
    return kernel_result(*a, N * N);
}
