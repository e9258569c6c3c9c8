/* recursive_filter.c - smoothing of an image by recursive filters, in floats (filter, in the manner of
 * Deriche).
 *
 *   along a line   y_i := a x_i + b y_i-1 + c y_i-2   forwards, z the same backwards, result y + z - a x;
 * rows, then columns
 *
 * Through memory: y_i-1 and y_i-2 (z_i+1 and z_i+2) unless the compiler keeps them in registers; in the
 * columns N and 2 N elements apart. */
#include "kernel.h"

#ifndef N
#define N 44
#endif

KERNEL void recursive_filter(float a, float b, float c, float x[KERNEL_RESTRICT N][N],
                             float y[KERNEL_RESTRICT N][N], float z[KERNEL_RESTRICT N][N])
{
    for (int i = 0; i < N; i++) {
        y[i][0] = a * x[i][0];
        y[i][1] = a * x[i][1] + b * y[i][0];
        for (int j = 2; j < N; j++)
            y[i][j] = a * x[i][j] + b * y[i][j - 1] + c * y[i][j - 2];
        z[i][N - 1] = a * x[i][N - 1];
        z[i][N - 2] = a * x[i][N - 2] + b * z[i][N - 1];
        for (int j = N - 3; j >= 0; j--)
            z[i][j] = a * x[i][j] + b * z[i][j + 1] + c * z[i][j + 2];
        for (int j = 0; j < N; j++)
            x[i][j] = y[i][j] + z[i][j] - a * x[i][j];
    }
    for (int j = 0; j < N; j++) {
        y[0][j] = a * x[0][j];
        y[1][j] = a * x[1][j] + b * y[0][j];
        z[N - 1][j] = a * x[N - 1][j];
        z[N - 2][j] = a * x[N - 2][j] + b * z[N - 1][j];
    }
    for (int i = 2; i < N; i++) {
        for (int j = 0; j < N; j++)
            y[i][j] = a * x[i][j] + b * y[i - 1][j] + c * y[i - 2][j];
    }
    for (int i = N - 3; i >= 0; i--) {
        for (int j = 0; j < N; j++)
            z[i][j] = a * x[i][j] + b * z[i + 1][j] + c * z[i + 2][j];
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            x[i][j] = y[i][j] + z[i][j] - a * x[i][j];
    }
}

int main(void)
{
    float(*x)[N] = kernel_alloc(N * sizeof *x);
    float(*y)[N] = kernel_alloc(N * sizeof *y);
    float(*z)[N] = kernel_alloc(N * sizeof *z);
    kernel_fill(*x, N * N, 1);
    kernel_fill(*y, N * N, 2);
    kernel_fill(*z, N * N, 3);
    kernel_start();
    recursive_filter(0.25f, 0.6f, -0.1f, x, y, z);
    kernel_stop();
    return kernel_result(*x, N * N);
}
