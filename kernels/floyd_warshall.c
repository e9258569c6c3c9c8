/* floyd_warshall.c - lengths of all shortest paths, in ints (dynamic programming).
 *
 *   d_ij := min(d_ij, d_ik + d_kj), for one k after the other
 *
 * Through memory: d_ij from one k to the next; d_ik, which a compiler that knows less reads again in every
 * iteration. */
#include "kernel.h"

#ifndef N
#define N 30
#endif

KERNEL void floyd_warshall(int d[KERNEL_RESTRICT N][N])
{
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                int by_way = d[i][k] + d[k][j];
                d[i][j] = by_way < d[i][j] ? by_way : d[i][j];
            }
        }
    }
}

int main(void)
{
    int(*d)[N] = kernel_alloc(N * sizeof *d);
    kernel_fill(*d, N * N, 1);
    for (int i = 0; i < N; i++)
        d[i][i] = 0;
    kernel_start();
    floyd_warshall(d);
    kernel_stop();
    return kernel_result(*d, N * N);
}
