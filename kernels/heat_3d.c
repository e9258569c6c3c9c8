/* heat_3d.c - the heat equation in space, explicit steps (stencil, from one grid into another).
 *
 *   b := a + (d_xx a + d_yy a + d_zz a) / 8 with second differences d, and the same back into a; T times
 *
 * The boundary stays. Through memory: only from one sweep to the next, farther than a processor looks. */
#include "kernel.h"

#ifndef N
#define N 11
#endif
#ifndef T
#define T 3
#endif

static inline double step(double from[N][N][N], int i, int j, int k)
{
    double middle = from[i][j][k];
    double x = from[i + 1][j][k] - 2 * middle + from[i - 1][j][k];
    double y = from[i][j + 1][k] - 2 * middle + from[i][j - 1][k];
    double z = from[i][j][k + 1] - 2 * middle + from[i][j][k - 1];
    return middle + 0.125 * x + 0.125 * y + 0.125 * z;
}

KERNEL void heat_3d(double a[KERNEL_RESTRICT N][N][N], double b[KERNEL_RESTRICT N][N][N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++) {
                for (int k = 1; k < N - 1; k++)
                    b[i][j][k] = step(a, i, j, k);
            }
        }
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++) {
                for (int k = 1; k < N - 1; k++)
                    a[i][j][k] = step(b, i, j, k);
            }
        }
    }
}

int main(void)
{
    double(*a)[N][N] = kernel_alloc(N * sizeof *a);
    double(*b)[N][N] = kernel_alloc(N * sizeof *b);
    kernel_fill(**a, N * N * N, 1);
    kernel_fill(**b, N * N * N, 1);
    kernel_start();
    heat_3d(a, b);
    kernel_stop();
    return kernel_result(**a, N * N * N);
}
