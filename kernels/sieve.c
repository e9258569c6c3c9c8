/* sieve.c - Eratosthenes's sieve, in bytes (number theory).
 *
 *   c_m := 1 for m = p^2, p^2 + p, ... < N, for every p with p^2 < N and c_p = 0: what stays 0 is prime
 *
 * Through memory: c_p, written long before it is read. */
#include "kernel.h"

#ifndef N
#define N 16000
#endif

KERNEL void sieve(unsigned char c[KERNEL_RESTRICT N])
{
    for (int m = 0; m < N; m++)
        c[m] = m < 2;
    for (int p = 2; p * p < N; p++) {
        if (c[p])
            continue;
        for (int m = p * p; m < N; m += p)
            c[m] = 1;
    }
}

int main(void)
{
    unsigned char *c = kernel_alloc(N);
    kernel_fill(c, N, 1);
    kernel_start();
    sieve(c);
    kernel_stop();
    return kernel_result(c, N);
}
