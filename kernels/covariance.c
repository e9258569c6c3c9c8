/* covariance.c - covariances of M quantities from N observations (data mining).
 *
 *   m_j := mean of x_.j,   x_ij := x_ij - m_j,   c_jk := c_kj := sum_i x_ij x_ik / (N - 1)
 *
 * Columns are walked, M doubles a step. Through memory: m_j and c_jk in every iteration of their sums, unless
 * the compiler keeps them in registers. */
#include "kernel.h"

#ifndef N
#define N 64
#endif
#ifndef M
#define M 24
#endif

KERNEL void covariance(double x[KERNEL_RESTRICT N][M], double c[KERNEL_RESTRICT M][M],
                       double m[KERNEL_RESTRICT M])
{
    for (int j = 0; j < M; j++) {
        m[j] = 0;
        for (int i = 0; i < N; i++)
            m[j] += x[i][j];
        m[j] /= N;
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++)
            x[i][j] -= m[j];
    }
    for (int j = 0; j < M; j++) {
        for (int k = j; k < M; k++) {
            c[j][k] = 0;
            for (int i = 0; i < N; i++)
                c[j][k] += x[i][j] * x[i][k];
            c[j][k] /= N - 1;
            c[k][j] = c[j][k];
        }
    }
}

int main(void)
{
    double(*x)[M] = kernel_alloc(N * sizeof *x);
    double(*c)[M] = kernel_alloc(M * sizeof *c);
    double *m = kernel_alloc(M * sizeof *m);
    kernel_fill(*x, N * M, 1);
    kernel_start();
    covariance(x, c, m);
    kernel_stop();
    return kernel_result(*c, M * M);
}
