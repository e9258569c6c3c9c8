/* lu_solve.c - a system of equations by decomposition and two substitutions (solver).
 *
 *   A = L U by dot products (Crout's order), L y = b downwards, U x = y upwards
 *
 * Through memory: elements of a row that the next dot products of the same row read; y_i-1 and x_i+1. */
#include "kernel.h"

#ifndef N
#define N 36
#endif

KERNEL void lu_solve(double a[KERNEL_RESTRICT N][N], double b[KERNEL_RESTRICT N], double x[KERNEL_RESTRICT N],
                     double y[KERNEL_RESTRICT N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            int terms = j < i ? j : i;
            double rest = a[i][j];
            for (int k = 0; k < terms; k++)
                rest -= a[i][k] * a[k][j];
            a[i][j] = j < i ? rest / a[j][j] : rest;
        }
    }
    for (int i = 0; i < N; i++) {
        double rest = b[i];
        for (int j = 0; j < i; j++)
            rest -= a[i][j] * y[j];
        y[i] = rest;
    }
    for (int i = N - 1; i >= 0; i--) {
        double rest = y[i];
        for (int j = i + 1; j < N; j++)
            rest -= a[i][j] * x[j];
        x[i] = rest / a[i][i];
    }
}

int main(void)
{
    double(*a)[N] = kernel_alloc(N * sizeof *a);
    double *b = kernel_alloc(N * sizeof *b);
    double *x = kernel_alloc(N * sizeof *x);
    double *y = kernel_alloc(N * sizeof *y);
    kernel_fill(*a, N * N, 1);
    kernel_fill(b, N, 2);
    for (int i = 0; i < N; i++)
        a[i][i] += N;
    kernel_start();
    lu_solve(a, b, x, y);
    kernel_stop();
    kernel_result(*a, N * N);
    return kernel_result(x, N);
}
