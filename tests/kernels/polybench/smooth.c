/* smooth.c - a program in the manner of PolyBench, for kernels/polybench.h: sums of rows, then each row moved
 * towards its mean, in a tensor and a matrix. A helper array lives only while they are filled: it is not in
 * the working set. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <polybench.h>
#include "smooth.h"

static void init_array(int ni, int nj, DATA_TYPE POLYBENCH_2D(a, NI, NJ, ni, nj),
                       DATA_TYPE POLYBENCH_3D(t, 2, NI, NJ, 2, ni, nj))
{
    POLYBENCH_1D_ARRAY_DECL(weight, DATA_TYPE, NJ, nj);
    for (int j = 0; j < nj; j++)
        (*weight)[j] = j;
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++) {
            a[i][j] = (i + (*weight)[j]) / ni;
            t[0][i][j] = t[1][i][j] = (DATA_TYPE)(i * j % 7);
        }
    }
    POLYBENCH_FREE_ARRAY(weight);
}

static void print_array(int ni, int nj, DATA_TYPE POLYBENCH_2D(a, NI, NJ, ni, nj))
{
    POLYBENCH_DUMP_START;
    POLYBENCH_DUMP_BEGIN("a");
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            fprintf(POLYBENCH_DUMP_TARGET, DATA_PRINTF_MODIFIER, (double)a[i][j]);
    }
    POLYBENCH_DUMP_END("a");
    POLYBENCH_DUMP_FINISH;
}

static void kernel_smooth(int ni, int nj, DATA_TYPE POLYBENCH_2D(a, NI, NJ, ni, nj),
                          DATA_TYPE POLYBENCH_3D(t, 2, NI, NJ, 2, ni, nj),
                          DATA_TYPE POLYBENCH_1D(sum, NI, ni))
{
#pragma scop
    for (int i = 0; i < _PB_NI; i++) {
        sum[i] = 0;
        for (int j = 0; j < _PB_NJ; j++)
            sum[i] += a[i][j] + t[0][i][j] + t[1][i][j];
        for (int j = 0; j < _PB_NJ; j++)
            a[i][j] += (sum[i] / _PB_NJ - a[i][j]) / 2;
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int ni = NI;
    int nj = NJ;
    POLYBENCH_2D_ARRAY_DECL(a, DATA_TYPE, NI, NJ, ni, nj);
    POLYBENCH_3D_ARRAY_DECL(t, DATA_TYPE, 2, NI, NJ, 2, ni, nj);
    POLYBENCH_1D_ARRAY_DECL(sum, DATA_TYPE, NI, ni);
    init_array(ni, nj, POLYBENCH_ARRAY(a), POLYBENCH_ARRAY(t));
    polybench_start_instruments;
    kernel_smooth(ni, nj, POLYBENCH_ARRAY(a), POLYBENCH_ARRAY(t), POLYBENCH_ARRAY(sum));
    polybench_stop_instruments;
    polybench_print_instruments;
    polybench_prevent_dce(print_array(ni, nj, POLYBENCH_ARRAY(a)));
    POLYBENCH_FREE_ARRAY(a);
    POLYBENCH_FREE_ARRAY(t);
    POLYBENCH_FREE_ARRAY(sum);
    return 0;
}
