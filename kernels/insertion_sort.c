/* insertion_sort.c - sorting by insertion, in ints (sorting).
 *
 *   x_0 <= ... <= x_i-1 are in order; x_i moves down past all that are greater, and these up by one
 *
 * Through memory: each x_j that was moved, read by the next insertion. The length of a move depends on the
 * data. */
#include "kernel.h"

#ifndef N
#define N 200
#endif

KERNEL void insertion_sort(int x[KERNEL_RESTRICT N])
{
    for (int i = 1; i < N; i++) {
        int moving = x[i];
        int j = i;
        for (; j > 0 && x[j - 1] > moving; j--)
            x[j] = x[j - 1];
        x[j] = moving;
    }
}

int main(void)
{
    int *x = kernel_alloc(N * sizeof *x);
    kernel_fill(x, N, 1);
    kernel_start();
    insertion_sort(x);
    kernel_stop();
    return kernel_result(x, N);
}
