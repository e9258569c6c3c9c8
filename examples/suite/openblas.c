/* openblas.c - what numerical programs ask of a BLAS, in both precisions, at sizes that are multiples of no
 * block. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    N = 150,
    LENGTH = 20011
};

static double random_number(void)
{
    return rand() / (double)RAND_MAX - 0.5;
}

int main(void)
{
    double *a = malloc(N * N * sizeof *a), *b = malloc(N * N * sizeof *b), *c = calloc(N * N, sizeof *c);
    double *x = malloc(LENGTH * sizeof *x), *y = malloc(LENGTH * sizeof *y);
    float *fa = malloc(N * N * sizeof *fa), *fb = malloc(N * N * sizeof *fb), *fc = calloc(N * N, sizeof *fc);
    float *fx = malloc(LENGTH * sizeof *fx), *fy = malloc(LENGTH * sizeof *fy);
    if (!a || !b || !c || !x || !y || !fa || !fb || !fc || !fx || !fy)
        return 1;
    for (int i = 0; i < N * N; i++) {
        a[i] = random_number() + (i % (N + 1) ? 0 : N); /* a heavy diagonal */
        b[i] = random_number();
        fa[i] = (float)a[i];
        fb[i] = (float)b[i];
    }
    for (int i = 0; i < LENGTH; i++) {
        x[i] = y[i] = random_number();
        fx[i] = fy[i] = (float)x[i];
    }
    for (int t = 0; t < 4; t++) {
        enum CBLAS_TRANSPOSE ta = t & 1 ? CblasTrans : CblasNoTrans, tb = t & 2 ? CblasTrans : CblasNoTrans;
        cblas_dgemm(CblasRowMajor, ta, tb, N, N, N, 1.5, a, N, b, N, 0.5, c, N);
        cblas_sgemm(CblasRowMajor, ta, tb, N, N, N, 1.5f, fa, N, fb, N, 0.5f, fc, N);
        cblas_dgemv(CblasRowMajor, ta, N, N, 1.1, a, N, x, 1, 0.1, y, 1);
        cblas_sgemv(CblasRowMajor, ta, N, N, 1.1f, fa, N, fx, 1, 0.1f, fy, 1);
        cblas_dsyrk(CblasRowMajor, CblasLower, ta, N, N, 1, a, N, 0.5, c, N);
        cblas_dtrsm(CblasRowMajor, CblasLeft, t & 2 ? CblasUpper : CblasLower, ta, CblasNonUnit, N, N, 1, a,
                    N, b, N);
        cblas_strsm(CblasRowMajor, CblasRight, CblasLower, ta, CblasUnit, N, N, 1, fa, N, fb, N);
        cblas_dtrmv(CblasRowMajor, CblasUpper, ta, CblasNonUnit, N, a, N, x, 1);
        cblas_dsymv(CblasRowMajor, t & 1 ? CblasUpper : CblasLower, N, 1, a, N, x, 1, 0.5, y, 1);
    }
    cblas_dger(CblasRowMajor, N, N, 0.1, x, 1, y, 1, c, N);
    cblas_daxpy(LENGTH, 0.3, x, 1, y, 1);
    cblas_saxpy(LENGTH, 0.3f, fx, 1, fy, 1);
    cblas_dscal(LENGTH, 1.01, x, 1);
    cblas_sscal(LENGTH / 3, 1.01f, fx, 3);
    cblas_drot(LENGTH, x, 1, y, 1, 0.8, 0.6);
    cblas_dswap(LENGTH, x, 1, y, 1);
    cblas_dcopy(LENGTH / 2, x, 2, y, 1);
    double sum = cblas_ddot(LENGTH, x, 1, y, 1) + (double)cblas_sdot(LENGTH, fx, 1, fy, 1) +
                 cblas_dnrm2(LENGTH, x, 1) + cblas_dasum(LENGTH, y, 1) + (double)cblas_isamax(LENGTH, fx, 1);
    printf("%g %g %g\n", sum, c[N], (double)fc[N]);
    return 0;
}
