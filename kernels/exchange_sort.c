/* exchange_sort.c - sorting by exchange of neighbours, without branches, in ints (sorting).
 *
 *   (x_i, x_i+1) := (min, max) for i = 0, 1, ... up to the part that is in order; N times
 *
 * Through memory: x_i+1, read again by the next exchange, unless the compiler keeps it in a register; the
 * whole array from one pass to the next. */
#include "kernel.h"

#ifndef N
#define N 120
#endif

KERNEL void exchange_sort(int x[KERNEL_RESTRICT N])
{
    for (int end = N - 1; end > 0; end--) {
        for (int i = 0; i < end; i++) {
            int a = x[i], b = x[i + 1];
            x[i] = a < b ? a : b;
            x[i + 1] = a < b ? b : a;
        }
    }
}

int main(void)
{
    int *x = kernel_alloc(N * sizeof *x);
    kernel_fill(x, N, 1);
    kernel_start();
    exchange_sort(x);
    kernel_stop();
    return kernel_result(x, N);
}
