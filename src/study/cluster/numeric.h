/* numeric.h - the functions that variational Bayes needs, with the same result on every machine: only
 * additions, multiplications and divisions of doubles (IEEE 754), in a fixed order, and no C library's own.
 */
#ifndef TACHO_CLUSTER_NUMERIC_H
#define TACHO_CLUSTER_NUMERIC_H

#include <stdint.h>

/* Relative errors are below 1e-14, or absolute ones where the result is near 0. */

/* 0 below -708, infinity above 709. */
double numeric_exp(double x);
/* x positive and normal. */
double numeric_log(double x);
/* The derivative of the logarithm of the gamma function; x positive. */
double numeric_digamma(double x);
/* exp(digamma(x)) of each, sooner; `out` may be `x`. */
void numeric_exp_digamma(double *out, const double *x, uint32_t count);
/* The logarithm of the gamma function; x positive. */
double numeric_log_gamma(double x);

/* Gamma-distributed with a whole shape and the mean 1 (scale 1 / shape); by hash_next_random(state). */
double numeric_gamma_variate(uint64_t *state, unsigned shape);

#endif
