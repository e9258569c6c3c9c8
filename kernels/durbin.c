/* durbin.c - Levinson and Durbin's recursion for Yule and Walker's equations (solver).
 *
 *   T y = -r, T the symmetric Toeplitz matrix of 1, r_0, r_1, ...: with the solution y of order k,
 *   f := -(r_k + sum_i<k r_k-1-i y_i) / e,   e := e (1 - f^2),   y_i := y_i + f y_k-1-i,   y_k := f
 *
 * Through memory: the solution, from one order to the next by way of a second vector. */
#include "kernel.h"

#ifndef N
#define N 80
#endif

KERNEL void durbin(double r[KERNEL_RESTRICT N], double y[KERNEL_RESTRICT N], double z[KERNEL_RESTRICT N])
{
    double error = 1;
    for (int k = 0; k < N; k++) {
        double sum = r[k];
        for (int i = 0; i < k; i++)
            sum += r[k - 1 - i] * y[i];
        double f = -sum / error;
        error *= 1 - f * f;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + f * y[k - 1 - i];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = f;
    }
}

/* Correlations that sum up to less than a half: the matrix is positive definite. */
int main(void)
{
    double *r = kernel_alloc(N * sizeof *r);
    double *y = kernel_alloc(N * sizeof *y);
    double *z = kernel_alloc(N * sizeof *z);
    for (int i = 0; i < N; i++)
        r[i] = 0.45 / ((i + 2) * (i + 2));
    kernel_start();
    durbin(r, y, z);
    kernel_stop();
    return kernel_result(y, N);
}
