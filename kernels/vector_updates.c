/* vector_updates.c - a vector moved along several others, in floats (vector operations, as in BLAS level 1).
 *
 *   y := y + f_t x_t, for t = 1 to T
 *
 * Through memory: y_i from one t to the next, N iterations back. */
#include "kernel.h"

#ifndef N
#define N 80
#endif
#ifndef T
#define T 64
#endif

KERNEL void vector_updates(float f[KERNEL_RESTRICT T], float x[KERNEL_RESTRICT T][N],
                           float y[KERNEL_RESTRICT N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 0; i < N; i++)
            y[i] += f[t] * x[t][i];
    }
}

int main(void)
{
    float *f = kernel_alloc(T * sizeof *f);
    float(*x)[N] = kernel_alloc(T * sizeof *x);
    float *y = kernel_alloc(N * sizeof *y);
    kernel_fill(f, T, 1);
    kernel_fill(*x, T * N, 2);
    kernel_fill(y, N, 3);
    kernel_start();
    vector_updates(f, x, y);
    kernel_stop();
    return kernel_result(y, N);
}
