/* polynomial_product.c - product of two polynomials, modulo 2^32 (convolution that scatters).
 *
 *   c_i+j := c_i+j + a_i b_j
 *
 * Through memory: each c_k, from one i to the next, N - 1 iterations back. */
#include "kernel.h"

#ifndef M
#define M 150
#endif
#ifndef N
#define N 40
#endif

KERNEL void polynomial_product(unsigned a[KERNEL_RESTRICT M], unsigned b[KERNEL_RESTRICT N],
                               unsigned c[KERNEL_RESTRICT M + N - 1])
{
    for (int k = 0; k < M + N - 1; k++)
        c[k] = 0;
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            c[i + j] += a[i] * b[j];
    }
}

int main(void)
{
    unsigned *a = kernel_alloc(M * sizeof *a);
    unsigned *b = kernel_alloc(N * sizeof *b);
    unsigned *c = kernel_alloc((M + N - 1) * sizeof *c);
    for (unsigned i = 0; i < M; i++)
        a[i] = 3 * i + 1;
    for (unsigned j = 0; j < N; j++)
        b[j] = 40503u * j + 7;
    kernel_start();
    polynomial_product(a, b, c);
    kernel_stop();
    return kernel_result(c, M + N - 1);
}
