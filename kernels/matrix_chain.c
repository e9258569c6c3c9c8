/* matrix_chain.c - fewest multiplications for a product of many matrices, in ints (dynamic programming).
 *
 *   m_ij := min over i <= k < j of m_ik + m_k+1,j + p_i p_k+1 p_j+1, for pieces i..j, short ones first;
 *   matrix i is p_i by p_i+1
 *
 * Through memory: elements of the row and the column that shorter pieces wrote, one diagonal back and more.
 */
#include "kernel.h"

#ifndef N
#define N 44
#endif

KERNEL void matrix_chain(int p[KERNEL_RESTRICT N + 1], int m[KERNEL_RESTRICT N][N])
{
    for (int i = 0; i < N; i++)
        m[i][i] = 0;
    for (int length = 1; length < N; length++) {
        for (int i = 0; i + length < N; i++) {
            int j = i + length;
            int best = m[i + 1][j] + p[i] * p[i + 1] * p[j + 1];
            for (int k = i + 1; k < j; k++) {
                int cost = m[i][k] + m[k + 1][j] + p[i] * p[k + 1] * p[j + 1];
                best = cost < best ? cost : best;
            }
            m[i][j] = best;
        }
    }
}

int main(void)
{
    int *p = kernel_alloc((N + 1) * sizeof *p);
    int(*m)[N] = kernel_alloc(N * sizeof *m);
    kernel_fill(p, N + 1, 1);
    for (int i = 0; i <= N; i++)
        p[i] = p[i] % 100 + 1;
    for (int i = 0; i < N * N; i++)
        m[i / N][i % N] = 0;
    kernel_start();
    matrix_chain(p, m);
    kernel_stop();
    return kernel_result(*m, N * N);
}
