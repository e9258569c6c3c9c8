/* integral_image.c - sums over all rectangles that begin in a corner, in place, in ints (stencil in place).
 *
 *   s_ij := a_ij + s_i-1,j + s_i,j-1 - s_i-1,j-1
 *
 * Through memory: s_i,j-1 from the iteration before, unless the compiler keeps it in a register; the row
 * above, N - 1 and N iterations back. */
#include "kernel.h"

#ifndef N
#define N 64
#endif

KERNEL void integral_image(int s[KERNEL_RESTRICT N][N])
{
    for (int i = 1; i < N; i++) {
        for (int j = 1; j < N; j++)
            s[i][j] += s[i - 1][j] + s[i][j - 1] - s[i - 1][j - 1];
    }
}

int main(void)
{
    int(*s)[N] = kernel_alloc(N * sizeof *s);
    kernel_fill(*s, N * N, 1);
    for (int i = 0; i < N; i++)
        s[0][i] = s[i][0] = 0;
    kernel_start();
    integral_image(s);
    kernel_stop();
    return kernel_result(*s, N * N);
}
