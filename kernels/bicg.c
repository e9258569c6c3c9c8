/* bicg.c - the two products of a step of the biconjugate gradient method (dense linear algebra).
 *
 *   q := A p,   s := A^T r, in one walk over A
 *
 * Through memory: each s_j, once every row; q_i in every iteration, unless the compiler keeps it in a
 * register. */
#include "kernel.h"

#ifndef M
#define M 50
#endif
#ifndef N
#define N 52
#endif

KERNEL void bicg(double a[KERNEL_RESTRICT M][N], double p[KERNEL_RESTRICT N], double q[KERNEL_RESTRICT M],
                 double r[KERNEL_RESTRICT M], double s[KERNEL_RESTRICT N])
{
    for (int j = 0; j < N; j++)
        s[j] = 0;
    for (int i = 0; i < M; i++) {
        q[i] = 0;
        for (int j = 0; j < N; j++) {
            s[j] += r[i] * a[i][j];
            q[i] += a[i][j] * p[j];
        }
    }
}

int main(void)
{
    double(*a)[N] = kernel_alloc(M * sizeof *a);
    double *p = kernel_alloc(N * sizeof *p);
    double *q = kernel_alloc(M * sizeof *q);
    double *r = kernel_alloc(M * sizeof *r);
    double *s = kernel_alloc(N * sizeof *s);
    kernel_fill(*a, M * N, 1);
    kernel_fill(p, N, 2);
    kernel_fill(r, M, 3);
    kernel_start();
    bicg(a, p, q, r, s);
    kernel_stop();
    kernel_result(q, M);
    return kernel_result(s, N);
}
