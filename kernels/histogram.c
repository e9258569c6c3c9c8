/* histogram.c - how often each value occurs (counting, integers).
 *
 *   h_b := number of i with x_i = b, for all 256 values of a byte
 *
 * Through memory: h_b, whenever a value comes again; how far back depends on the data (here 1, 2 and up: half
 * of the bytes are from 16 values). */
#include "kernel.h"

#ifndef N
#define N 12000
#endif

KERNEL void histogram(int h[KERNEL_RESTRICT 256], unsigned char x[KERNEL_RESTRICT N])
{
    for (int b = 0; b < 256; b++)
        h[b] = 0;
    for (int i = 0; i < N; i++)
        h[x[i]]++;
}

int main(void)
{
    int *h = kernel_alloc(256 * sizeof *h);
    unsigned char *x = kernel_alloc(N);
    kernel_fill(x, N, 1);
    for (int i = 0; i < N; i++) {
        if (x[i] % 2)
            x[i] %= 32;
    }
    kernel_start();
    histogram(h, x);
    kernel_stop();
    return kernel_result(h, 256);
}
