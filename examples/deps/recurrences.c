/* recurrences.c - loops whose steps depend on each other through memory, for tacho deps --run:
 *     cc -O2 -o recurrences recurrences.c && tacho deps --run -o report.txt -- ./recurrences comb
 * comb: a comb filter, y[i] = x[i] + y[i - 8] / 2; fir: each sample is added to 16 outputs; seidel:
 * Gauss-Seidel steps on a plane; bands: forward substitution with a band matrix. */
#include <stdio.h>
#include <string.h>

enum {
    SAMPLES = 4096,
    TAPS = 16,
    SIDE = 24,
    ROUNDS = 10
};

static double x[SAMPLES + TAPS], y[SAMPLES + TAPS], plane[SIDE][SIDE], taps[TAPS], band[SAMPLES][4];

__attribute__((noinline)) static void comb(double *out, const double *in)
{
    for (int i = 8; i < SAMPLES; i++)
        out[i] = in[i] + out[i - 8] / 2;
}

__attribute__((noinline)) static void fir(double *restrict out, const double *restrict in,
                                          const double *restrict tap)
{
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < TAPS; k++)
            out[i + k] += in[i] * tap[k];
}

__attribute__((noinline)) static void seidel(void)
{
    for (int i = 1; i < SIDE - 1; i++)
        for (int k = 1; k < SIDE - 1; k++)
            plane[i][k] =
                (plane[i - 1][k] + plane[i][k - 1] + plane[i][k] + plane[i][k + 1] + plane[i + 1][k]) / 5;
}

__attribute__((noinline)) static void bands(double *out, const double *in)
{
    for (int i = 4; i < SAMPLES; i++)
        out[i] = in[i] - band[i][0] * out[i - 1] - band[i][1] * out[i - 2] - band[i][2] * out[i - 4];
}

static void fill(void)
{
    for (int i = 0; i < SAMPLES; i++) {
        x[i] = i % 17;
        for (int k = 0; k < 4; k++)
            band[i][k] = 0.1 * k;
    }
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            plane[i][k] = i * k % 7;
    for (int k = 0; k < TAPS; k++)
        taps[k] = 1.0 / (k + 1);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "comb";
    fill();
    for (int round = 0; round < ROUNDS; round++) {
        if (!strcmp(which, "comb"))
            comb(y, x);
        else if (!strcmp(which, "fir"))
            fir(y, x, taps);
        else if (!strcmp(which, "seidel"))
            seidel();
        else if (!strcmp(which, "bands"))
            bands(y, x);
        else
            return 2;
    }
    printf("%g\n", y[SAMPLES - 1] + plane[SIDE / 2][SIDE / 2]);
    return 0;
}
