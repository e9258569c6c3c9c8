/* wave_1d.c - the wave equation on a string, all times kept (stencil, each row from the two before).
 *
 *   u_t+1,i := 2 u_t,i - u_t-1,i + c (u_t,i-1 - 2 u_t,i + u_t,i+1). The ends stay 0.
 *
 * Through memory: the row before, N - 3 to N - 1 iterations back, and the one before that, 2 N - 4 back: near
 * enough for a processor to have both in flight. */
#include "kernel.h"

#ifndef N
#define N 24
#endif
#ifndef T
#define T 120
#endif

KERNEL void wave_1d(double c, double u[KERNEL_RESTRICT T][N])
{
    for (int t = 1; t < T - 1; t++) {
        for (int i = 1; i < N - 1; i++)
            u[t + 1][i] = 2 * u[t][i] - u[t - 1][i] + c * (u[t][i - 1] - 2 * u[t][i] + u[t][i + 1]);
    }
}

int main(void)
{
    double(*u)[N] = kernel_alloc(T * sizeof *u);
    kernel_fill(*u, T * N, 1);
    for (int t = 0; t < T; t++)
        u[t][0] = u[t][N - 1] = 0;
    kernel_start();
    wave_1d(0.25, u);
    kernel_stop();
    return kernel_result(*u, T * N);
}
