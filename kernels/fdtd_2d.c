/* fdtd_2d.c - Maxwell's equations in the plane by finite differences in time (stencil on staggered grids, in
 * place).
 *
 *   ey_ij := ey_ij - (hz_ij - hz_i-1,j) / 2,   ex_ij := ex_ij - (hz_ij - hz_i,j-1) / 2,
 *   hz_ij := hz_ij - 0.7 (ex_i,j+1 - ex_ij + ey_i+1,j - ey_ij); T times, with a source that drives the row
 * ey_0
 *
 * Through memory: only from one sweep to the next, farther than a processor looks. */
#include "kernel.h"

#ifndef N
#define N 30
#endif
#ifndef T
#define T 3
#endif

KERNEL void fdtd_2d(double ex[KERNEL_RESTRICT N][N], double ey[KERNEL_RESTRICT N][N],
                    double hz[KERNEL_RESTRICT N][N], double source[KERNEL_RESTRICT T])
{
    for (int t = 0; t < T; t++) {
        for (int j = 0; j < N; j++)
            ey[0][j] = source[t];
        for (int i = 1; i < N; i++) {
            for (int j = 0; j < N; j++)
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
        }
        for (int i = 0; i < N; i++) {
            for (int j = 1; j < N; j++)
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
        }
        for (int i = 0; i < N - 1; i++) {
            for (int j = 0; j < N - 1; j++)
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
        }
    }
}

int main(void)
{
    double(*ex)[N] = kernel_alloc(N * sizeof *ex);
    double(*ey)[N] = kernel_alloc(N * sizeof *ey);
    double(*hz)[N] = kernel_alloc(N * sizeof *hz);
    double *source = kernel_alloc(T * sizeof *source);
    kernel_fill(*ex, N * N, 1);
    kernel_fill(*ey, N * N, 2);
    kernel_fill(*hz, N * N, 3);
    kernel_fill(source, T, 4);
    kernel_start();
    fdtd_2d(ex, ey, hz, source);
    kernel_stop();
    return kernel_result(*hz, N * N);
}
