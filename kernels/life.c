/* life.c - generations of Conway's game of life, in bytes (stencil, from one grid into another).
 *
 *   alive then, if alive are 3 of the 8 neighbours, or 2 and itself; T times there and back. The boundary is
 * dead.
 *
 * Through memory: only from one generation to the next, farther than a processor looks. */
#include "kernel.h"

#ifndef N
#define N 66
#endif
#ifndef T
#define T 1
#endif

static inline unsigned char next(unsigned char from[N][N], int i, int j)
{
    int around = from[i - 1][j - 1] + from[i - 1][j] + from[i - 1][j + 1] + from[i][j - 1] + from[i][j + 1] +
                 from[i + 1][j - 1] + from[i + 1][j] + from[i + 1][j + 1];
    return (around == 3) | ((around == 2) & from[i][j]);
}

KERNEL void life(unsigned char a[KERNEL_RESTRICT N][N], unsigned char b[KERNEL_RESTRICT N][N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++)
                b[i][j] = next(a, i, j);
        }
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++)
                a[i][j] = next(b, i, j);
        }
    }
}

int main(void)
{
    unsigned char(*a)[N] = kernel_alloc(N * sizeof *a);
    unsigned char(*b)[N] = kernel_alloc(N * sizeof *b);
    kernel_fill(*a, N * N, 1);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            int inside = i > 0 && j > 0 && i < N - 1 && j < N - 1;
            a[i][j] = inside && a[i][j] < 90;
            b[i][j] = 0;
        }
    }
    kernel_start();
    life(a, b);
    kernel_stop();
    return kernel_result(*a, N * N);
}
