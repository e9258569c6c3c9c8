/* common_subsequence.c - length of the longest common subsequence of two texts, one row, in ints (dynamic
 * programming).
 *
 *   l_ij := l_i-1,j-1 + 1 where a_i = b_j, else max(l_i-1,j, l_i,j-1); row i in the place of row i - 1
 *
 * Through memory: l_j-1 from the iteration before, unless the compiler keeps it in a register; the row
 * before, N iterations back. */
#include "kernel.h"

#ifndef M
#define M 120
#endif
#ifndef N
#define N 100
#endif

KERNEL void common_subsequence(unsigned char a[KERNEL_RESTRICT M], unsigned char b[KERNEL_RESTRICT N],
                               int l[KERNEL_RESTRICT N + 1])
{
    for (int j = 0; j <= N; j++)
        l[j] = 0;
    for (int i = 0; i < M; i++) {
        int diagonal = 0;
        for (int j = 1; j <= N; j++) {
            int above = l[j];
            int longer = l[j - 1] > above ? l[j - 1] : above;
            int match = diagonal + (a[i] == b[j - 1]);
            l[j] = match > longer ? match : longer;
            diagonal = above;
        }
    }
}

int main(void)
{
    unsigned char *a = kernel_alloc(M);
    unsigned char *b = kernel_alloc(N);
    int *l = kernel_alloc((N + 1) * sizeof *l);
    kernel_fill(a, M, 1);
    kernel_fill(b, N, 2);
    for (int i = 0; i < M; i++)
        a[i] %= 4;
    for (int j = 0; j < N; j++)
        b[j] %= 4;
    kernel_start();
    common_subsequence(a, b, l);
    kernel_stop();
    return kernel_result(l, N + 1);
}
