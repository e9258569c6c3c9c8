/* conjugate_gradient.c - steps of the method of conjugate gradients on a dense matrix (solver).
 *
 *   q := A p,   f := r r / p q,   x := x + f p,   r := r - f q,   p := r + (r r / old r r) p; T times
 *
 * Through memory: the vectors, from one step to the next. */
#include "kernel.h"

#ifndef N
#define N 48
#endif
#ifndef T
#define T 3
#endif

KERNEL void conjugate_gradient(double a[KERNEL_RESTRICT N][N], double x[KERNEL_RESTRICT N],
                               double r[KERNEL_RESTRICT N], double p[KERNEL_RESTRICT N],
                               double q[KERNEL_RESTRICT N])
{
    double square = 0;
    for (int i = 0; i < N; i++)
        square += r[i] * r[i];
    for (int t = 0; t < T; t++) {
        double along = 0;
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += a[i][j] * p[j];
            q[i] = sum;
            along += sum * p[i];
        }
        double f = square / along, before = square;
        square = 0;
        for (int i = 0; i < N; i++) {
            x[i] += f * p[i];
            r[i] -= f * q[i];
            square += r[i] * r[i];
        }
        for (int i = 0; i < N; i++)
            p[i] = r[i] + square / before * p[i];
    }
}

/* Symmetric and positive definite; x = 0 and so r = p = the right side. */
int main(void)
{
    double(*a)[N] = kernel_alloc(N * sizeof *a);
    double *x = kernel_alloc(N * sizeof *x);
    double *r = kernel_alloc(N * sizeof *r);
    double *p = kernel_alloc(N * sizeof *p);
    double *q = kernel_alloc(N * sizeof *q);
    kernel_fill(*a, N * N, 1);
    kernel_fill(r, N, 2);
    kernel_fill(p, N, 2);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++)
            a[j][i] = a[i][j];
        a[i][i] += N;
        x[i] = 0;
    }
    kernel_start();
    conjugate_gradient(a, x, r, p, q);
    kernel_stop();
    return kernel_result(x, N);
}
