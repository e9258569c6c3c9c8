/* trisolv.c - forward substitution (solver).
 *
 *   L x = b:   x_i := (b_i - sum_j<i l_ij x_j) / l_ii
 *
 * Through memory: x_i-1, the last term of the next sum; x_i in every iteration, unless the compiler keeps it
 * in a register. */
#include "kernel.h"

#ifndef N
#define N 52
#endif

KERNEL void trisolv(double l[KERNEL_RESTRICT N][N], double b[KERNEL_RESTRICT N], double x[KERNEL_RESTRICT N])
{
    for (int i = 0; i < N; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] /= l[i][i];
    }
}

int main(void)
{
    double(*l)[N] = kernel_alloc(N * sizeof *l);
    double *b = kernel_alloc(N * sizeof *b);
    double *x = kernel_alloc(N * sizeof *x);
    kernel_fill(*l, N * N, 1);
    kernel_fill(b, N, 2);
    for (int i = 0; i < N; i++)
        l[i][i] += N;
    kernel_start();
    trisolv(l, b, x);
    kernel_stop();
    return kernel_result(x, N);
}
