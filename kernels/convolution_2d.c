/* convolution_2d.c - an image of bytes through a filter of 3 by 3 whole numbers (filter).
 *
 *   y_ij := (sum_kl h_kl x_i+k,j+l) / 16
 *
 * Through memory: nothing. */
#include "kernel.h"

#ifndef N
#define N 60
#endif

KERNEL void convolution_2d(int h[KERNEL_RESTRICT 3][3], unsigned char x[KERNEL_RESTRICT N + 2][N + 2],
                           int y[KERNEL_RESTRICT N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < 3; k++)
                sum += h[k][0] * x[i + k][j] + h[k][1] * x[i + k][j + 1] + h[k][2] * x[i + k][j + 2];
            y[i][j] = sum >> 4;
        }
    }
}

/* The binomials of order 2: 1 2 1, 2 4 2, 1 2 1. */
int main(void)
{
    int(*h)[3] = kernel_alloc(3 * sizeof *h);
    unsigned char(*x)[N + 2] = kernel_alloc((N + 2) * sizeof *x);
    int(*y)[N] = kernel_alloc(N * sizeof *y);
    for (int i = 0; i < 9; i++)
        h[i / 3][i % 3] = (1 + (i / 3 == 1)) * (1 + (i % 3 == 1));
    kernel_fill(*x, (N + 2) * (N + 2), 1);
    kernel_start();
    convolution_2d(h, x, y);
    kernel_stop();
    return kernel_result(*y, N * N);
}
