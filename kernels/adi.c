/* adi.c - the heat equation in the plane by alternating directions, Peaceman and Rachford's scheme (stencil
 * and solver).
 *
 *   (1 - h d_yy) v = (1 + h d_xx) u,   then   (1 - h d_xx) u = (1 + h d_yy) v; T times. The boundary stays.
 *
 * Each line is a system with three diagonals: p_j := h m, q_j := (right side + h q_j-1) m with
 * m = 1 / (1 + 2 h - h p_j-1), and back v_j := p_j v_j+1 + q_j. Through memory: p_j-1, q_j-1 and v_j+1,
 * unless the compiler keeps them in registers. */
#include "kernel.h"

#ifndef N
#define N 34
#endif
#ifndef T
#define T 2
#endif

KERNEL void adi(double h, double u[KERNEL_RESTRICT N][N], double v[KERNEL_RESTRICT N][N],
                double p[KERNEL_RESTRICT N], double q[KERNEL_RESTRICT N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++) {
            p[0] = 0;
            q[0] = v[i][0];
            for (int j = 1; j < N - 1; j++) {
                double m = 1 / (1 + 2 * h - h * p[j - 1]);
                double right = u[i][j] + h * (u[i - 1][j] - 2 * u[i][j] + u[i + 1][j]);
                p[j] = h * m;
                q[j] = (right + h * q[j - 1]) * m;
            }
            for (int j = N - 2; j > 0; j--)
                v[i][j] = p[j] * v[i][j + 1] + q[j];
        }
        for (int j = 1; j < N - 1; j++) {
            p[0] = 0;
            q[0] = u[0][j];
            for (int i = 1; i < N - 1; i++) {
                double m = 1 / (1 + 2 * h - h * p[i - 1]);
                double right = v[i][j] + h * (v[i][j - 1] - 2 * v[i][j] + v[i][j + 1]);
                p[i] = h * m;
                q[i] = (right + h * q[i - 1]) * m;
            }
            for (int i = N - 2; i > 0; i--)
                u[i][j] = p[i] * u[i + 1][j] + q[i];
        }
    }
}

int main(void)
{
    double(*u)[N] = kernel_alloc(N * sizeof *u);
    double(*v)[N] = kernel_alloc(N * sizeof *v);
    double *p = kernel_alloc(N * sizeof *p);
    double *q = kernel_alloc(N * sizeof *q);
    kernel_fill(*u, N * N, 1);
    kernel_fill(*v, N * N, 1);
    kernel_start();
    adi(0.4, u, v, p, q);
    kernel_stop();
    return kernel_result(*u, N * N);
}
