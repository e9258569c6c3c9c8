/* transpose.c - a square matrix transposed in place, in ints (data movement).
 *
 *   a_ij <-> a_ji for j < i
 *
 * Through memory: nothing; each element is read and written once. */
#include "kernel.h"

#ifndef N
#define N 72
#endif

KERNEL void transpose(int a[KERNEL_RESTRICT N][N])
{
    for (int i = 1; i < N; i++) {
        for (int j = 0; j < i; j++) {
            int kept = a[i][j];
            a[i][j] = a[j][i];
            a[j][i] = kept;
        }
    }
}

int main(void)
{
    int(*a)[N] = kernel_alloc(N * sizeof *a);
    kernel_fill(*a, N * N, 1);
    kernel_start();
    transpose(a);
    kernel_stop();
    return kernel_result(*a, N * N);
}
