/* seidel_2d.c - Gauss and Seidel's iteration with the square of nine points (stencil in place).
 *
 *   a_ij := mean of the nine values around a_ij, four of them already new; T times. The boundary stays.
 *
 * Through memory: a_i,j-1 from the iteration before, unless the compiler keeps it in a register; the row
 * above, N - 3 to N - 1 iterations back. */
#include "kernel.h"

#ifndef N
#define N 48
#endif
#ifndef T
#define T 2
#endif

KERNEL void seidel_2d(double a[KERNEL_RESTRICT N][N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++) {
                double above = a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1];
                double level = a[i][j - 1] + a[i][j] + a[i][j + 1];
                double below = a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1];
                a[i][j] = (above + level + below) / 9;
            }
        }
    }
}

int main(void)
{
    double(*a)[N] = kernel_alloc(N * sizeof *a);
    kernel_fill(*a, N * N, 1);
    kernel_start();
    seidel_2d(a);
    kernel_stop();
    return kernel_result(*a, N * N);
}
