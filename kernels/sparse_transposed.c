/* sparse_transposed.c - the transpose of a sparse matrix, in compressed rows, times a vector (sparse linear
 * algebra).
 *
 *   y_column(k) := y_column(k) + v_k x_i for start_i <= k < start_i+1
 *
 * Through memory: y_j, whenever the same column comes again; how far back depends on the data. */
#include "kernel.h"

#ifndef N
#define N 110
#endif
#define PER_ROW 10

KERNEL void sparse_transposed(int start[KERNEL_RESTRICT N + 1], int column[KERNEL_RESTRICT N * PER_ROW],
                              double v[KERNEL_RESTRICT N * PER_ROW], double x[KERNEL_RESTRICT N],
                              double y[KERNEL_RESTRICT N])
{
    for (int i = 0; i < N; i++)
        y[i] = 0;
    for (int i = 0; i < N; i++) {
        for (int k = start[i]; k < start[i + 1]; k++)
            y[column[k]] += v[k] * x[i];
    }
}

/* A band of 16 columns around the diagonal. */
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
        column[k] = (k / PER_ROW + column[k] % 16) % N;
    kernel_fill(v, N * PER_ROW, 2);
    kernel_fill(x, N, 3);
    kernel_start();
    sparse_transposed(start, column, v, x, y);
    kernel_stop();
    return kernel_result(y, N);
}
