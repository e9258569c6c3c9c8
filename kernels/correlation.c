/* correlation.c - coefficients of correlation of M quantities from N observations (data mining).
 *
 *   x_ij := (x_ij - mean_j) / (sqrt(N) deviation_j),   r_jk := r_kj := sum_i x_ij x_ik
 *
 * By rows: means, deviations and products are updated for all quantities at each observation. Through memory:
 * each of those sums, once an observation. */
#include "kernel.h"
#include <math.h>

#ifndef N
#define N 64
#endif
#ifndef M
#define M 24
#endif

KERNEL void correlation(double x[KERNEL_RESTRICT N][M], double r[KERNEL_RESTRICT M][M],
                        double mean[KERNEL_RESTRICT M], double deviation[KERNEL_RESTRICT M])
{
    for (int j = 0; j < M; j++) {
        mean[j] = deviation[j] = 0;
        for (int k = 0; k < M; k++)
            r[j][k] = 0;
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++)
            mean[j] += x[i][j] / N;
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++) {
            x[i][j] -= mean[j];
            deviation[j] += x[i][j] * x[i][j];
        }
    }
    for (int j = 0; j < M; j++)
        deviation[j] = sqrt(deviation[j]);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++)
            x[i][j] /= deviation[j];
        for (int j = 0; j < M; j++) {
            for (int k = 0; k <= j; k++)
                r[j][k] += x[i][j] * x[i][k];
        }
    }
    for (int j = 0; j < M; j++) {
        for (int k = 0; k < j; k++)
            r[k][j] = r[j][k];
    }
}

int main(void)
{
    double(*x)[M] = kernel_alloc(N * sizeof *x);
    double(*r)[M] = kernel_alloc(M * sizeof *r);
    double *mean = kernel_alloc(M * sizeof *mean);
    double *deviation = kernel_alloc(M * sizeof *deviation);
    kernel_fill(*x, N * M, 1);
    kernel_start();
    correlation(x, r, mean, deviation);
    kernel_stop();
    return kernel_result(*r, M * M);
}
