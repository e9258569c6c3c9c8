/* horner_columns.c - a polynomial at many places at once, coefficient after coefficient, in doubles
 * (evaluation).
 *
 *   p_i := p_i x_i + c_d for all i, for d = D - 1 to 0, from p_i = c_D
 *
 * Through memory: p_i from one coefficient to the next, N iterations back. */
#include "kernel.h"

#ifndef N
#define N 64
#endif
#ifndef D
#define D 60
#endif

KERNEL void horner_columns(double c[KERNEL_RESTRICT D + 1], double x[KERNEL_RESTRICT N],
                           double p[KERNEL_RESTRICT N])
{
    for (int i = 0; i < N; i++)
        p[i] = c[D];
    for (int d = D - 1; d >= 0; d--) {
        for (int i = 0; i < N; i++)
            p[i] = p[i] * x[i] + c[d];
    }
}

int main(void)
{
    double *c = kernel_alloc((D + 1) * sizeof *c);
    double *x = kernel_alloc(N * sizeof *x);
    double *p = kernel_alloc(N * sizeof *p);
    kernel_fill(c, D + 1, 1);
    kernel_fill(x, N, 2);
    kernel_start();
    horner_columns(c, x, p);
    kernel_stop();
    return kernel_result(p, N);
}
