/* nussinov.c - largest number of base pairs of a folded RNA, Nussinov's recursion, in ints (dynamic
 * programming).
 *
 *   t_ij := max(t_i+1,j-1 + [i pairs with j], max over i <= k < j of t_ik + t_k+1,j), for pieces i..j, short
 * ones first
 *
 * Through memory: t_i,j-1 and older elements of the row, read by the next maxima of the row. */
#include "kernel.h"

#ifndef N
#define N 48
#endif

KERNEL void nussinov(unsigned char base[KERNEL_RESTRICT N], int t[KERNEL_RESTRICT N][N])
{
    for (int i = N - 2; i >= 0; i--) {
        for (int j = i + 1; j < N; j++) {
            int inside = i + 1 <= j - 1 ? t[i + 1][j - 1] : 0;
            int best = inside + (base[i] + base[j] == 3);
            for (int k = i; k < j; k++) {
                int sum = t[i][k] + t[k + 1][j];
                best = sum > best ? sum : best;
            }
            t[i][j] = best;
        }
    }
}

/* Bases 0 to 3; those that add up to 3 pair. */
int main(void)
{
    unsigned char *base = kernel_alloc(N);
    int(*t)[N] = kernel_alloc(N * sizeof *t);
    kernel_fill(base, N, 1);
    for (int i = 0; i < N; i++) {
        base[i] %= 4;
        for (int j = 0; j < N; j++)
            t[i][j] = 0;
    }
    kernel_start();
    nussinov(base, t);
    kernel_stop();
    return kernel_result(*t, N * N);
}
