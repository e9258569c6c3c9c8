/* doitgen.c - the last index of a tensor, transformed by a matrix, in place (dense linear algebra;
 * multiresolution analysis).
 *
 *   a_rqp := sum_s a_rqs c_sp, by way of one row of sums
 *
 * Through memory: each sum, once every s. */
#include "kernel.h"

#ifndef R
#define R 10
#endif
#ifndef Q
#define Q 12
#endif
#ifndef P
#define P 16
#endif

KERNEL void doitgen(double a[KERNEL_RESTRICT R][Q][P], double c[KERNEL_RESTRICT P][P],
                    double sum[KERNEL_RESTRICT P])
{
    for (int r = 0; r < R; r++) {
        for (int q = 0; q < Q; q++) {
            for (int p = 0; p < P; p++)
                sum[p] = 0;
            for (int s = 0; s < P; s++) {
                for (int p = 0; p < P; p++)
                    sum[p] += a[r][q][s] * c[s][p];
            }
            for (int p = 0; p < P; p++)
                a[r][q][p] = sum[p];
        }
    }
}

int main(void)
{
    double(*a)[Q][P] = kernel_alloc(R * sizeof *a);
    double(*c)[P] = kernel_alloc(P * sizeof *c);
    double *sum = kernel_alloc(P * sizeof *sum);
    kernel_fill(**a, R * Q * P, 1);
    kernel_fill(*c, P * P, 2);
    kernel_start();
    doitgen(a, c, sum);
    kernel_stop();
    return kernel_result(**a, R * Q * P);
}
