/* horner.c - a polynomial at many places, in floats (evaluation).
 *
 *   p_i := c_0 + x_i (c_1 + x_i (c_2 + ... + x_i c_D)), from within
 *
 * Through memory: nothing; the value is carried in a register. */
#include "kernel.h"

#ifndef N
#define N 1000
#endif
#ifndef D
#define D 12
#endif

KERNEL void horner(float c[KERNEL_RESTRICT D + 1], float x[KERNEL_RESTRICT N], float p[KERNEL_RESTRICT N])
{
    for (int i = 0; i < N; i++) {
        float value = c[D];
        for (int d = D - 1; d >= 0; d--)
            value = value * x[i] + c[d];
        p[i] = value;
    }
}

int main(void)
{
    float *c = kernel_alloc((D + 1) * sizeof *c);
    float *x = kernel_alloc(N * sizeof *x);
    float *p = kernel_alloc(N * sizeof *p);
    kernel_fill(c, D + 1, 1);
    kernel_fill(x, N, 2);
    kernel_fill(p, N, 3);
    kernel_start();
    horner(c, x, p);
    kernel_stop();
    return kernel_result(p, N);
}
