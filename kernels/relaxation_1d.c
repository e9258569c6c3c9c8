/* relaxation_1d.c - Gauss and Seidel's iteration with three points, in floats (stencil in place).
 *
 *   x_i := (x_i-1 + x_i + x_i+1) / 3, x_i-1 already new; T times. The ends stay.
 *
 * Through memory: x_i-1 from the iteration before, unless the compiler keeps it in a register. */
#include "kernel.h"

#ifndef N
#define N 4000
#endif
#ifndef T
#define T 3
#endif

KERNEL void relaxation_1d(float x[KERNEL_RESTRICT N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            x[i] = 1 / 3.0f * (x[i - 1] + x[i] + x[i + 1]);
    }
}

int main(void)
{
    float *x = kernel_alloc(N * sizeof *x);
    kernel_fill(x, N, 1);
    kernel_start();
    relaxation_1d(x);
    kernel_stop();
    return kernel_result(x, N);
}
