/* k_means.c - one step of Lloyd's algorithm, in floats (data mining).
 *
 *   each point goes to the nearest of K centres: n_k := how many came, s_k := their sum; then c_k := s_k /
 * n_k
 *
 * Through memory: n_k and s_k, whenever another point comes to the same centre; how far back depends on the
 * data. */
#include "kernel.h"

#ifndef P
#define P 300
#endif
#ifndef K
#define K 6
#endif
#define D 4

KERNEL void k_means(float x[KERNEL_RESTRICT P][D], float c[KERNEL_RESTRICT K][D],
                    float s[KERNEL_RESTRICT K][D], int n[KERNEL_RESTRICT K])
{
    for (int k = 0; k < K; k++) {
        n[k] = 0;
        for (int d = 0; d < D; d++)
            s[k][d] = 0;
    }
    for (int p = 0; p < P; p++) {
        int nearest = 0;
        float least = D;
        for (int k = 0; k < K; k++) {
            float distance = 0;
            for (int d = 0; d < D; d++)
                distance += (x[p][d] - c[k][d]) * (x[p][d] - c[k][d]);
            nearest = distance < least ? k : nearest;
            least = distance < least ? distance : least;
        }
        n[nearest]++;
        for (int d = 0; d < D; d++)
            s[nearest][d] += x[p][d];
    }
    for (int k = 0; k < K; k++) {
        for (int d = 0; d < D; d++)
            c[k][d] = n[k] ? s[k][d] / (float)n[k] : c[k][d];
    }
}

int main(void)
{
    float(*x)[D] = kernel_alloc(P * sizeof *x);
    float(*c)[D] = kernel_alloc(K * sizeof *c);
    float(*s)[D] = kernel_alloc(K * sizeof *s);
    int *n = kernel_alloc(K * sizeof *n);
    kernel_fill(*x, P * D, 1);
    kernel_fill(*c, K * D, 2);
    kernel_start();
    k_means(x, c, s, n);
    kernel_stop();
    return kernel_result(*c, K * D);
}
