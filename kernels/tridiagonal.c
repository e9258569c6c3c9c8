/* tridiagonal.c - Thomas's algorithm for three diagonals (solver).
 *
 *   l_i x_i-1 + d_i x_i + u_i x_i+1 = b_i:   m := 1 / (d_i - l_i p_i-1),   p_i := u_i m,   q_i := (b_i - l_i
 * q_i-1) m, and upwards   x_i := q_i - p_i x_i+1, in the place of q
 *
 * Through memory: p_i-1 and q_i-1 downwards, x_i+1 upwards, unless the compiler keeps them in registers. */
#include "kernel.h"

#ifndef N
#define N 480
#endif

KERNEL void tridiagonal(double l[KERNEL_RESTRICT N], double d[KERNEL_RESTRICT N], double u[KERNEL_RESTRICT N],
                        double b[KERNEL_RESTRICT N], double p[KERNEL_RESTRICT N], double q[KERNEL_RESTRICT N])
{
    p[0] = u[0] / d[0];
    q[0] = b[0] / d[0];
    for (int i = 1; i < N; i++) {
        double m = 1 / (d[i] - l[i] * p[i - 1]);
        p[i] = u[i] * m;
        q[i] = (b[i] - l[i] * q[i - 1]) * m;
    }
    for (int i = N - 2; i >= 0; i--)
        q[i] -= p[i] * q[i + 1];
}

int main(void)
{
    double *v[6];
    for (unsigned k = 0; k < 6; k++) {
        v[k] = kernel_alloc(N * sizeof *v[k]);
        kernel_fill(v[k], N, k);
    }
    for (int i = 0; i < N; i++)
        v[1][i] += 2.5;
    kernel_start();
    tridiagonal(v[0], v[1], v[2], v[3], v[4], v[5]);
    kernel_stop();
    return kernel_result(v[5], N);
}
