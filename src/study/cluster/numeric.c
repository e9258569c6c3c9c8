/* numeric.c - exp, log, digamma and log gamma by textbook series: reduction of the argument, then Taylor's
 * or Stirling's series, whose coefficients are 1/n! and Bernoulli numbers. */
#include "study/cluster/lda.h"

#include <math.h>

#include "base/hash.h"

/* ln 2 in two parts: products of the first one with whole numbers below 2^20 are exact. */
static const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;

static double power_of_two(int n) /* -1022 to 1023 */
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

enum {
    EXP_TERMS = 12,
    LARGE = 10 /* from here on the asymptotic series are exact enough */
};

/* Coefficients of Taylor's series of exp after 1 + x: of even powers (1/2!, 1/4! ...) at odd places, of odd
 * ones (1/3!, 1/5! ...) before them. */
static const double exp_terms[EXP_TERMS] = {1.0 / 6,        1.0 / 2,       1.0 / 120,        1.0 / 24,
                                            1.0 / 5040,     1.0 / 720,     1.0 / 362880,     1.0 / 40320,
                                            1.0 / 39916800, 1.0 / 3628800, 1.0 / 6227020800, 1.0 / 479001600};

double numeric_exp(double x)
{
    if (!(x >= -708))
        return 0;
    if (x > 709)
        return HUGE_VAL;
    int n = (int)(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5));
    double r = x - n * ln2_high - n * ln2_low, square = r * r; /* |r| is at most ln 2 / 2 */
    double even = 0, odd = 0;                                  /* two sums at the same time */
    for (int i = EXP_TERMS - 1; i > 0; i -= 2) {
        even = (even + exp_terms[i]) * square;
        odd = (odd + exp_terms[i - 1]) * square;
    }
    return (1 + (even + (odd + 1) * r)) * power_of_two(n);
}

double numeric_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int n = (int)(bits >> 52 & 2047) - 1022;
    bits = (bits & 0xfffffffffffffu) | (uint64_t)1022 << 52;
    memcpy(&x, &bits, sizeof x); /* from 1/2 to 1 */
    if (x < 0.70710678118654752) {
        x *= 2;
        n--;
    }
    double s = (x - 1) / (x + 1), square = s * s, sum = 0; /* ln x = 2 artanh s; |s| is below 0.172 */
    for (int i = 23; i >= 3; i -= 2)
        sum = (sum + 1.0 / i) * square;
    return n * ln2_high + (n * ln2_low + 2 * s * sum + 2 * s);
}

/* Stirling's series of ln x - psi(x), with y = 1 / x^2, for x from LARGE on. */
#define DIGAMMA_SERIES(y)                                                                                    \
    ((y) * (1.0 / 12 -                                                                                       \
            (y) * (1.0 / 120 -                                                                               \
                   (y) * (1.0 / 252 - (y) * (1.0 / 240 - (y) * (1.0 / 132 - (y) * (691.0 / 32760 -           \
                                                                                   (y) * (1.0 / 12))))))))

double numeric_digamma(double x)
{
    double below = 0;
    for (; x < LARGE; x++) /* psi(x) = psi(x + 1) - 1 / x */
        below += 1 / x;
    double y = 1 / (x * x);
    return numeric_log(x) - 0.5 / x - DIGAMMA_SERIES(y) - below;
}

/* ---- two at a time ---- */

typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_bits __attribute__((vector_size(16)));

/* `x` where the mask is set, else 0. */
static pair masked(pair_bits mask, pair x)
{
    return (pair)(mask & (pair_bits)x);
}

/* As numeric_exp, of numbers below 700. */
static pair pair_exp(pair x)
{
    const pair round = {0x1.8p52, 0x1.8p52}; /* adding that leaves a whole number in the lowest bits */
    pair_bits large_enough = x >= -708.0;
    x = masked(large_enough, x);
    pair shifted = x * 1.4426950408889634 + round, n = shifted - round;
    pair r = x - n * ln2_high - n * ln2_low, square = r * r, even = {0, 0}, odd = {0, 0};
    for (int i = EXP_TERMS - 1; i > 0; i -= 2) {
        even = (even + exp_terms[i]) * square;
        odd = (odd + exp_terms[i - 1]) * square;
    }
    pair power = (pair)(((pair_bits)shifted + 1023) << 52);
    return masked(large_enough, (1 + (even + (odd + 1) * r)) * power);
}

static pair pair_exp_digamma(pair x)
{
    pair_bits small = x < (double)LARGE;
    pair below = {0, 0}, at = x;
    for (int i = 0; i < LARGE; i += 2, at += 2) /* psi(x) = psi(x + 1) - 1 / x, twice */
        below += (2 * at + 1) / (at * (at + 1));
    at = masked(small, at) + masked(~small, x);
    pair inverse = 1 / at, y = inverse * inverse;
    return at * pair_exp(-(masked(small, below) + 0.5 * inverse + DIGAMMA_SERIES(y)));
}

void numeric_exp_digamma(double *out, const double *x, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 1 < count; i += 2) {
        pair y = pair_exp_digamma((pair){x[i], x[i + 1]});
        out[i] = y[0];
        out[i + 1] = y[1];
    }
    if (i < count)
        out[i] = pair_exp_digamma((pair){x[i], 1})[0];
}

double numeric_log_gamma(double x)
{
    const double half_log_2pi = 0.91893853320467274;
    double product = 1;
    for (; x < LARGE; x++) /* gamma(x) = gamma(x + 1) / x */
        product *= x;
    double y = 1 / (x * x);
    double series =
        (1.0 / 12 -
         y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * (691.0 / 360360 -
                                                                                     y * (1.0 / 156))))))) /
        x;
    return (x - 0.5) * numeric_log(x) - x + half_log_2pi + series - numeric_log(product);
}

double numeric_gamma_variate(uint64_t *state, unsigned shape)
{
    double sum = 0;
    for (unsigned i = 0; i < shape; i++) /* of exponentially distributed ones */
        sum -= numeric_log(((double)(hash_next_random(state) >> 12) + 0.5) * 0x1p-52);
    return sum / shape;
}
