/* n_body.c - accelerations of bodies that attract each other (simulation).
 *
 *   a_i := sum_j m_j (x_j - x_i) / (|x_j - x_i|^2 + e^2)^(3/2), in space
 *
 * Through memory: nothing; sums are carried in registers, the square root and the division are most of the
 * work. */
#include "kernel.h"
#include <math.h>

#ifndef N
#define N 48
#endif

KERNEL void n_body(double e, double m[KERNEL_RESTRICT N], double x[KERNEL_RESTRICT N][3],
                   double a[KERNEL_RESTRICT N][3])
{
    for (int i = 0; i < N; i++) {
        double ax = 0, ay = 0, az = 0;
        for (int j = 0; j < N; j++) {
            double dx = x[j][0] - x[i][0], dy = x[j][1] - x[i][1], dz = x[j][2] - x[i][2];
            double square = dx * dx + dy * dy + dz * dz + e * e;
            double f = m[j] / (square * sqrt(square));
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        a[i][0] = ax;
        a[i][1] = ay;
        a[i][2] = az;
    }
}

int main(void)
{
    double *m = kernel_alloc(N * sizeof *m);
    double(*x)[3] = kernel_alloc(N * sizeof *x);
    double(*a)[3] = kernel_alloc(N * sizeof *a);
    kernel_fill(m, N, 1);
    kernel_fill(*x, 3 * N, 2);
    kernel_start();
    n_body(0.1, m, x, a);
    kernel_stop();
    return kernel_result(*a, 3 * N);
}
