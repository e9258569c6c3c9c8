/* sparse_product.c - a sparse matrix, in compressed rows, times a vector (sparse linear algebra).
 *
 *   y_i := sum of v_k x_column(k) over start_i <= k < start_i+1
 *
 * Through memory: nothing; the sum is carried in a register, x is read by an index that is read. */
#include "kernel.h"

#ifndef N
#define N 110
#endif
#define PER_ROW 10

KERNEL void sparse_product(int start[KERNEL_RESTRICT N + 1], int column[KERNEL_RESTRICT N * PER_ROW],
                           double v[KERNEL_RESTRICT N * PER_ROW], double x[KERNEL_RESTRICT N],
                           double y[KERNEL_RESTRICT N])
{
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = start[i]; k < start[i + 1]; k++)
            sum += v[k] * x[column[k]];
        y[i] = sum;
    }
}

int main(void)
{
    int *start = kernel_alloc((N + 1) * sizeof *start);
    int *column = kernel_alloc(N * PER_ROW * sizeof *column);
    double *v = kernel_alloc(N * PER_ROW * sizeof *v);
    double *x = kernel_alloc(N * sizeof *x);
    double *y = kernel_alloc(N * sizeof *y);
    for (int i = 0; i <= N; i++)
        start[i] = i * PER_ROW;
    kernel_fill(column, N * PER_ROW, 1);
    for (int k = 0; k < N * PER_ROW; k++)
        column[k] %= N;
    kernel_fill(v, N * PER_ROW, 2);
    kernel_fill(x, N, 3);
    kernel_start();
    sparse_product(start, column, v, x, y);
    kernel_stop();
    return kernel_result(y, N);
}
