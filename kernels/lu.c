/* lu.c - Gauss's elimination without pivots, in place (solver).
 *
 *   A = L U, by rank-one updates:   a_ik := a_ik / a_kk,   a_ij := a_ij - a_ik a_kj for i, j > k
 *
 * Through memory: a_ij from one k to the next, near the end close enough for a processor. */
#include "kernel.h"

#ifndef N
#define N 36
#endif

KERNEL void lu(double a[KERNEL_RESTRICT N][N])
{
    for (int k = 0; k < N; k++) {
        for (int i = k + 1; i < N; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < N; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
    }
}

int main(void)
{
    double(*a)[N] = kernel_alloc(N * sizeof *a);
    kernel_fill(*a, N * N, 1);
    for (int i = 0; i < N; i++)
        a[i][i] += N;
    kernel_start();
    lu(a);
    kernel_stop();
    return kernel_result(*a, N * N);
}
