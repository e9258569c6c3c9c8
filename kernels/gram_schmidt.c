/* gram_schmidt.c - orthogonal columns by Gram and Schmidt, in the modified order (solver).
 *
 *   A = Q R:   r_kk := |a_k|,   q_k := a_k / r_kk,   r_kj := q_k a_j,   a_j := a_j - q_k r_kj for j > k
 *
 * Columns are walked, N doubles a step. Through memory: r_kj in every iteration of its sum, unless the
 * compiler keeps it in a register; the column from its update to the next dot product. */
#include "kernel.h"
#include <math.h>

#ifndef M
#define M 32
#endif
#ifndef N
#define N 26
#endif

KERNEL void gram_schmidt(double a[KERNEL_RESTRICT M][N], double q[KERNEL_RESTRICT M][N],
                         double r[KERNEL_RESTRICT N][N])
{
    for (int k = 0; k < N; k++) {
        double square = 0;
        for (int i = 0; i < M; i++)
            square += a[i][k] * a[i][k];
        r[k][k] = sqrt(square);
        for (int i = 0; i < M; i++)
            q[i][k] = a[i][k] / r[k][k];
        for (int j = k + 1; j < N; j++) {
            r[k][j] = 0;
            for (int i = 0; i < M; i++)
                r[k][j] += q[i][k] * a[i][j];
            for (int i = 0; i < M; i++)
                a[i][j] -= q[i][k] * r[k][j];
        }
    }
}

int main(void)
{
    double(*a)[N] = kernel_alloc(M * sizeof *a);
    double(*q)[N] = kernel_alloc(M * sizeof *q);
    double(*r)[N] = kernel_alloc(N * sizeof *r);
    kernel_fill(*a, M * N, 1);
    for (int i = 0; i < N; i++) {
        a[i][i] += 4;
        for (int j = 0; j < N; j++)
            r[i][j] = 0;
    }
    kernel_start();
    gram_schmidt(a, q, r);
    kernel_stop();
    kernel_result(*q, M * N);
    return kernel_result(*r, N * N);
}
