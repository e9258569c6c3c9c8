/* convolution_1d.c - a signal through a filter of finite length, in floats (filter).
 *
 *   y_i := sum_k h_k x_i+k
 *
 * Through memory: nothing; the sum is carried in a register. */
#include "kernel.h"

#ifndef N
#define N 1500
#endif
#ifndef K
#define K 9
#endif

KERNEL void convolution_1d(float h[KERNEL_RESTRICT K], float x[KERNEL_RESTRICT N + K - 1],
                           float y[KERNEL_RESTRICT N])
{
    for (int i = 0; i < N; i++) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += h[k] * x[i + k];
        y[i] = sum;
    }
}

int main(void)
{
    float *h = kernel_alloc(K * sizeof *h);
    float *x = kernel_alloc((N + K - 1) * sizeof *x);
    float *y = kernel_alloc(N * sizeof *y);
    kernel_fill(h, K, 1);
    kernel_fill(x, N + K - 1, 2);
    kernel_start();
    convolution_1d(h, x, y);
    kernel_stop();
    return kernel_result(y, N);
}
