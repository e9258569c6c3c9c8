/* fft.c - fast Fourier transform with radix 2, in place (transform).
 *
 *   for m = N/2, N/4, ... 1, in each piece of 2 m:   (x_i, x_i+m) := (x_i + x_i+m, w^(i N / 2 m) (x_i -
 * x_i+m)), with w = exp(-2 pi sqrt(-1) / N); the result is in the order of reversed bits
 *
 * Through memory: the elements from one m to the next, in the last ones few iterations back. */
#include "kernel.h"
#include <math.h>

#ifndef N
#define N 512
#endif

KERNEL void fft(double re[KERNEL_RESTRICT N], double im[KERNEL_RESTRICT N], double c[KERNEL_RESTRICT N / 2],
                double s[KERNEL_RESTRICT N / 2])
{
    for (int m = N / 2, turns = 1; m > 0; m /= 2, turns *= 2) {
        for (int from = 0; from < N; from += 2 * m) {
            for (int i = 0; i < m; i++) {
                int a = from + i, b = a + m;
                double x = re[a] - re[b], y = im[a] - im[b];
                re[a] += re[b];
                im[a] += im[b];
                re[b] = x * c[i * turns] - y * s[i * turns];
                im[b] = x * s[i * turns] + y * c[i * turns];
            }
        }
    }
}

int main(void)
{
    double *re = kernel_alloc(N * sizeof *re);
    double *im = kernel_alloc(N * sizeof *im);
    double *c = kernel_alloc(N / 2 * sizeof *c);
    double *s = kernel_alloc(N / 2 * sizeof *s);
    kernel_fill(re, N, 1);
    kernel_fill(im, N, 2);
    for (int i = 0; i < N / 2; i++) {
        c[i] = cos(-2 * 3.14159265358979323846 * i / N);
        s[i] = sin(-2 * 3.14159265358979323846 * i / N);
    }
    kernel_start();
    fft(re, im, c, s);
    kernel_stop();
    kernel_result(re, N);
    return kernel_result(im, N);
}
