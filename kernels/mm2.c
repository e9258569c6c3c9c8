/* mm2.c - two products of matrices, one after the other (dense linear algebra).
 *
 *   D := alpha (A B) C + beta D, by way of P = A B
 *
 * Both with the sum innermost: B and C are walked down their columns. Through memory: P, from the first
 * product to the second, farther than a processor looks. */
#include "kernel.h"

#ifndef N
#define N 24
#endif

KERNEL void mm2(double alpha, double beta, double a[KERNEL_RESTRICT N][N], double b[KERNEL_RESTRICT N][N],
                double c[KERNEL_RESTRICT N][N], double d[KERNEL_RESTRICT N][N],
                double p[KERNEL_RESTRICT N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            p[i][j] = alpha * sum;
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = beta * d[i][j];
            for (int k = 0; k < N; k++)
                sum += p[i][k] * c[k][j];
            d[i][j] = sum;
        }
    }
}

int main(void)
{
    double(*m[5])[N];
    for (unsigned k = 0; k < 5; k++) {
        m[k] = kernel_alloc(N * sizeof *m[k]);
        kernel_fill(*m[k], N * N, k);
    }
    kernel_start();
    mm2(1.5, 1.2, m[0], m[1], m[2], m[3], m[4]);
    kernel_stop();
    return kernel_result(*m[3], N * N);
}
