/* edit_distance.c - Levenshtein's distance of two texts, the whole table, in ints (dynamic programming).
 *
 *   d_ij := min(d_i-1,j + 1, d_i,j-1 + 1, d_i-1,j-1 + [a_i /= b_j])
 *
 * Through memory: d_i,j-1 from the iteration before, unless the compiler keeps it in a register; the row
 * above, N - 1 and N iterations back. */
#include "kernel.h"

#ifndef N
#define N 64
#endif

KERNEL void edit_distance(unsigned char a[KERNEL_RESTRICT N], unsigned char b[KERNEL_RESTRICT N],
                          int d[KERNEL_RESTRICT N + 1][N + 1])
{
    for (int j = 0; j <= N; j++)
        d[0][j] = j;
    for (int i = 1; i <= N; i++) {
        d[i][0] = i;
        for (int j = 1; j <= N; j++) {
            int other = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            int gone = d[i - 1][j] + 1;
            int come = d[i][j - 1] + 1;
            int best = other < gone ? other : gone;
            d[i][j] = best < come ? best : come;
        }
    }
}

int main(void)
{
    unsigned char *a = kernel_alloc(N);
    unsigned char *b = kernel_alloc(N);
    int(*d)[N + 1] = kernel_alloc((N + 1) * sizeof *d);
    kernel_fill(a, N, 1);
    kernel_fill(b, N, 2);
    kernel_fill(*d, (N + 1) * (N + 1), 3);
    for (int i = 0; i < N; i++) {
        a[i] %= 4;
        b[i] %= 4;
    }
    kernel_start();
    edit_distance(a, b, d);
    kernel_stop();
    return kernel_result(*d, (N + 1) * (N + 1));
}
