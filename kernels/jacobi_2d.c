/* jacobi_2d.c - Jacobi's iteration with the star of five points (stencil, from one grid into another).
 *
 *   b_ij := (a_ij + a_i,j-1 + a_i,j+1 + a_i-1,j + a_i+1,j) / 5, and the same back into a; T times
 *
 * The boundary stays. Through memory: only from one sweep to the next, farther than a processor looks. */
#include "kernel.h"

#ifndef N
#define N 34
#endif
#ifndef T
#define T 4
#endif

KERNEL void jacobi_2d(double a[KERNEL_RESTRICT N][N], double b[KERNEL_RESTRICT N][N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++)
                b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
        }
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++)
                a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i - 1][j] + b[i + 1][j]);
        }
    }
}

int main(void)
{
    double(*a)[N] = kernel_alloc(N * sizeof *a);
    double(*b)[N] = kernel_alloc(N * sizeof *b);
    kernel_fill(*a, N * N, 1);
    kernel_fill(*b, N * N, 1);
    kernel_start();
    jacobi_2d(a, b);
    kernel_stop();
    return kernel_result(*a, N * N);
}
