/* test_stats.c - Kendall's tau against its definition, quantiles, scores and their intervals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "study/stats/ranks.h"
#include "tacho/stats.h"

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

/* By the definition: every pair looked at. */
static double naive_tau(const double *x, const double *y, size_t n)
{
    double agree = 0, x_pairs = 0, y_pairs = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            int a = (x[i] > x[j]) - (x[i] < x[j]), b = (y[i] > y[j]) - (y[i] < y[j]);
            agree += a * b;
            x_pairs += a != 0;
            y_pairs += b != 0;
        }
    return x_pairs > 0 && y_pairs > 0 ? agree / sqrt(x_pairs * y_pairs) : NAN;
}

static uint64_t seed = 20261121;
static uint64_t random_below(uint64_t n)
{
    return hash_mix(seed++) % n;
}

/* `values`: different ones, so the fewer the more ties. */
static void random_rankings(double *x, double *y, size_t n, uint64_t values)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)random_below(values) / 8;
        y[i] = random_below(3) ? x[i] + (double)random_below(4) / 8 : (double)random_below(values) / 8;
    }
}

static void test_kendall__agrees_with_the_definition_with_and_without_ties(void **state)
{
    double x[200], y[200], tau;
    for (int round = 0; round < 600; round++) {
        size_t n = (size_t)random_below(200);
        random_rankings(x, y, n, round % 3 == 0 ? 2 : round % 3 == 1 ? 20 : 1000000);
        double expected = naive_tau(x, y, n);
        assert_int_equal(tacho_kendall_tau_b(x, y, n, &tau), 0);
        if (isnan(expected))
            assert_true(isnan(tau));
        else
            assert_near(tau, expected);
    }
}

static void test_kendall__weights_are_repetitions(void **state)
{
    double x[60], y[60], all_x[240], all_y[240];
    uint32_t weights[60];
    for (int round = 0; round < 200; round++) {
        kendall k;
        size_t n = 0;
        random_rankings(x, y, 60, round % 2 ? 10 : 100000);
        for (size_t i = 0; i < 60; i++) {
            weights[i] = (uint32_t)random_below(4);
            for (uint32_t w = 0; w < weights[i]; w++, n++) {
                all_x[n] = x[i];
                all_y[n] = y[i];
            }
        }
        assert_int_equal(kendall_prepare(&k, x, y, 60), 0);
        assert_near(kendall_tau_b(&k, weights), naive_tau(all_x, all_y, n));
        assert_near(kendall_tau_b(&k, NULL), naive_tau(x, y, 60));
        kendall_free(&k);
    }
}

static void test_kendall__known_values(void **state)
{
    const double up[] = {1, 2, 3, 4}, down[] = {4, 3, 2, 1}, same[] = {1, 1, 1, 1}, tied[] = {1, 2, 2, 3};
    double tau;
    tacho_kendall_tau_b(up, up, 4, &tau);
    assert_near(tau, 1);
    tacho_kendall_tau_b(up, down, 4, &tau);
    assert_near(tau, -1);
    tacho_kendall_tau_b(up, tied, 4, &tau);
    assert_near(tau, 5 / sqrt(6 * 5));
    tacho_kendall_tau_b(up, same, 4, &tau);
    assert_true(isnan(tau));
    tacho_kendall_tau_b(up, up, 1, &tau);
    assert_true(isnan(tau));
}

static void test_kendall__a_million_pairs(void **state)
{
    enum {
        N = 1000000
    };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), tau;
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)i;
        y[i] = (double)(i ^ 1); /* each pair of neighbours exchanged */
    }
    assert_int_equal(tacho_kendall_tau_b(x, y, N, &tau), 0);
    double pairs = (double)N * (N - 1) / 2;
    assert_near(tau, (pairs - N) / pairs);
    free(x);
    free(y);
}

static void test_quantile__interpolates(void **state)
{
    const double numbers[] = {1, 2, 4, 8};
    assert_near(tacho_quantile(numbers, 4, 0), 1);
    assert_near(tacho_quantile(numbers, 4, 0.25), 1.75);
    assert_near(tacho_quantile(numbers, 4, 0.5), 3);
    assert_near(tacho_quantile(numbers, 4, 0.75), 5);
    assert_near(tacho_quantile(numbers, 4, 1), 8);
    assert_near(tacho_quantile(numbers, 1, 0.3), 1);
    assert_true(isnan(tacho_quantile(numbers, 0, 0.5)));
    assert_true(isnan(tacho_quantile(numbers, 4, 1.5)));
}

static void test_score__by_hand(void **state)
{
    const double measured[] = {1, 2, 4, 10, 5}, predicted[] = {1, 3, 3, 10.1, NAN};
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    tacho_score s;
    tacho_error err;
    o.resamples = 0;
    assert_int_equal(tacho_score_compute(measured, predicted, 5, &o, &s, &err), 0);
    assert_int_equal(s.count, 4);
    assert_int_equal(s.failures, 1);
    assert_near(s.mape.value, (0 + 0.5 + 0.25 + 0.01) / 4);
    assert_near(s.median.value, 0.13);
    assert_near(s.q1.value, 0.0075);
    assert_near(s.q3.value, 0.3125);
    assert_near(s.worst, 0.5);
    assert_near(s.bias, (0 + 0.5 - 0.25 + 0.01) / 4);
    assert_near(s.within_1, 0.5);
    assert_near(s.within_5, 0.5);
    assert_near(s.within_10, 0.5);
    assert_near(s.kendall_tau.value, 5 / sqrt(6 * 5));
    assert_true(isnan(s.mape.low) && isnan(s.kendall_tau.high));
}

static void test_score__nothing_predicted_is_no_number(void **state)
{
    const double measured[] = {1, 2}, predicted[] = {NAN, NAN};
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    tacho_score s;
    tacho_error err;
    assert_int_equal(tacho_score_compute(measured, predicted, 2, &o, &s, &err), 0);
    assert_int_equal(s.count, 0);
    assert_int_equal(s.failures, 2);
    assert_true(isnan(s.mape.value) && isnan(s.median.value) && isnan(s.kendall_tau.value) &&
                isnan(s.worst) && isnan(s.within_5));
    assert_int_equal(tacho_score_compute(measured, predicted, 0, &o, &s, &err), 0);
    assert_int_equal(s.count + s.failures, 0);
}

static void test_score__tau_does_not_rank_what_is_not_resolved(void **state)
{
    const double measured[] = {1.001, 1.002, 2}, predicted[] = {1.002, 1.001, 2};
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    tacho_score s;
    tacho_error err;
    assert_int_equal(tacho_score_compute(measured, predicted, 3, &o, &s, &err), 0);
    assert_near(s.kendall_tau.value, 1 / 3.0);
    o.tau_step = 0.02;
    assert_int_equal(tacho_score_compute(measured, predicted, 3, &o, &s, &err), 0);
    assert_near(s.kendall_tau.value, 1);
    assert_near(s.worst, 0.001 / 1.001);
}

/* 400 blocks; errors are exponential around 5 %. */
enum {
    MANY = 400
};
static void many(double *measured, double *predicted)
{
    for (size_t i = 0; i < MANY; i++) {
        double u = ((double)random_below(1 << 20) + 0.5) / (1 << 20);
        measured[i] = 0.5 + (double)random_below(1000) / 100;
        predicted[i] = measured[i] * (1 + 0.05 * -log(u));
    }
}

/* Against resampling as one would write it down. */
static void test_score__intervals_are_those_of_plain_resampling(void **state)
{
    double measured[MANY], predicted[MANY], m[MANY], p[MANY];
    double mape[200], tau[200], median[200];
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT, plain = TACHO_SCORE_OPTIONS_INIT;
    tacho_score s, one;
    tacho_error err;
    many(measured, predicted);
    o.resamples = 200;
    o.seed = 7;
    plain.resamples = 0;
    for (uint32_t r = 0; r < 200; r++) {
        uint64_t stream = hash_mix(hash_mix(7) ^ r);
        for (uint64_t i = 0; i < MANY; i++) {
            uint64_t pick = (hash_mix(stream + i) >> 32) * MANY >> 32;
            m[i] = measured[pick];
            p[i] = predicted[pick];
        }
        assert_int_equal(tacho_score_compute(m, p, MANY, &plain, &one, &err), 0);
        mape[r] = one.mape.value;
        tau[r] = naive_tau(m, p, MANY);
        median[r] = one.median.value;
    }
    assert_int_equal(tacho_score_compute(measured, predicted, MANY, &o, &s, &err), 0);
    const struct {
        double *values;
        tacho_estimate estimate;
    } figures[] = {{mape, s.mape}, {tau, s.kendall_tau}, {median, s.median}};
    for (size_t f = 0; f < 3; f++) {
        for (size_t i = 0; i < 200; i++) /* a simple sort */
            for (size_t j = 0; j < i; j++)
                if (figures[f].values[j] > figures[f].values[i]) {
                    double t = figures[f].values[i];
                    figures[f].values[i] = figures[f].values[j];
                    figures[f].values[j] = t;
                }
        assert_near(figures[f].estimate.low, tacho_quantile(figures[f].values, 200, 0.025));
        assert_near(figures[f].estimate.high, tacho_quantile(figures[f].values, 200, 0.975));
    }
}

/* The mean of the errors is 5 % by construction: of 95 % intervals about 95 % hold it. */
static void test_score__intervals_hold_the_truth_as_often_as_they_say(void **state)
{
    double measured[MANY], predicted[MANY];
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    tacho_score s;
    tacho_error err;
    int inside = 0;
    o.resamples = 200;
    seed = 1; /* the same numbers in every run */
    for (int round = 0; round < 200; round++) {
        many(measured, predicted);
        assert_int_equal(tacho_score_compute(measured, predicted, MANY, &o, &s, &err), 0);
        inside += s.mape.low <= 0.05 && 0.05 <= s.mape.high;
        assert_true(s.mape.low < s.mape.value && s.mape.value < s.mape.high);
    }
    assert_in_range(inside, 180, 198);
}

static void test_score__few_blocks_have_no_intervals(void **state)
{
    const double measured[] = {1, 2, 3}, predicted[] = {1, 2, 4};
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    tacho_score s;
    tacho_error err;
    assert_int_equal(tacho_score_compute(measured, predicted, 3, &o, &s, &err), 0);
    assert_near(s.mape.value, 1 / 9.0);
    assert_true(isnan(s.mape.low) && isnan(s.mape.high));
}

static void test_score__refuses_what_has_no_error(void **state)
{
    const double good[] = {1, 2}, zero[] = {1, 0}, negative[] = {-1, 1}, nan[] = {1, NAN},
                 inf[] = {1, INFINITY};
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT, bad;
    tacho_score s;
    tacho_error err;
    assert_int_equal(tacho_score_compute(zero, good, 2, &o, &s, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_score_compute(negative, good, 2, &o, &s, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_score_compute(nan, good, 2, &o, &s, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_score_compute(inf, good, 2, &o, &s, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_score_compute(good, inf, 2, &o, &s, &err), TACHO_ERR_USAGE);
    bad = o;
    bad.confidence = 1;
    assert_int_equal(tacho_score_compute(good, good, 2, &bad, &s, &err), TACHO_ERR_USAGE);
    bad = o;
    bad.resamples = TACHO_MAX_RESAMPLES + 1;
    assert_int_equal(tacho_score_compute(good, good, 2, &bad, &s, &err), TACHO_ERR_USAGE);
    bad = o;
    bad.tau_step = NAN;
    assert_int_equal(tacho_score_compute(good, good, 2, &bad, &s, &err), TACHO_ERR_USAGE);
    bad = o;
    bad.size = 1;
    assert_int_equal(tacho_score_compute(good, good, 2, &bad, &s, &err), TACHO_ERR_USAGE);
}

static void test_score__out_of_memory_anywhere(void **state)
{
    double measured[20], predicted[20];
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    tacho_score s;
    tacho_error err;
    int result = TACHO_ERR_MEMORY;
    o.resamples = 10;
    for (int i = 0; i < 20; i++) {
        measured[i] = i + 1;
        predicted[i] = i + 1.5;
    }
    for (unsigned long n = 1; result; n++) {
        tacho_mem_fail_at(n);
        result = tacho_score_compute(measured, predicted, 20, &o, &s, &err);
        tacho_mem_fail_at(0);
        assert_true(result == 0 || result == TACHO_ERR_MEMORY);
        assert_true(n < 40);
    }
}

static void test_correlation__of_lines_curves_and_constants(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5}, line[] = {3, 5, 7, 9, 11}, down[] = {1, 0, -7, -8, -900};
    const double same[] = {4, 4, 4, 4, 4}, gap[] = {1, 2, NAN, 4, 5};
    assert_near(tacho_pearson(x, line, 5), 1);
    assert_true(isnan(tacho_pearson(x, same, 5)) && isnan(tacho_pearson(same, x, 5)));
    assert_true(isnan(tacho_pearson(x, gap, 5)) && isnan(tacho_pearson(x, x, 0)));
    assert_near(tacho_pearson(x, (const double[]){1, 3, 2, 5, 4}, 5), 0.8);
    assert_true(tacho_pearson(x, down, 5) > -0.8 && tacho_pearson(x, down, 5) < 0);
}

/* For 6 and 25 numbers the binomial distribution gives the 1st and 6th, the 8th and 18th; for 5 nothing. */
static void test_median__interval_is_between_two_of_them(void **state)
{
    (void)state;
    double x[2000];
    for (int i = 0; i < 2000; i++)
        x[i] = i + 1;
    tacho_estimate e = tacho_median_interval(x, 6, 0.95);
    assert_true(e.value == 3.5 && e.low == 1 && e.high == 6);
    e = tacho_median_interval(x, 25, 0.95);
    assert_true(e.value == 13 && e.low == 8 && e.high == 18);
    e = tacho_median_interval(x, 5, 0.95);
    assert_true(e.value == 3 && isnan(e.low) && isnan(e.high));
    e = tacho_median_interval(x, 0, 0.95);
    assert_true(isnan(e.value) && isnan(e.low));
    e = tacho_median_interval(x, 999, 0.95);
    tacho_estimate more = tacho_median_interval(x, 1001, 0.95);
    assert_true(fabs((more.high - more.low) - (e.high - e.low)) <= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kendall__agrees_with_the_definition_with_and_without_ties),
        cmocka_unit_test(test_kendall__weights_are_repetitions),
        cmocka_unit_test(test_kendall__known_values),
        cmocka_unit_test(test_kendall__a_million_pairs),
        cmocka_unit_test(test_quantile__interpolates),
        cmocka_unit_test(test_score__by_hand),
        cmocka_unit_test(test_score__nothing_predicted_is_no_number),
        cmocka_unit_test(test_score__tau_does_not_rank_what_is_not_resolved),
        cmocka_unit_test(test_score__intervals_are_those_of_plain_resampling),
        cmocka_unit_test(test_score__intervals_hold_the_truth_as_often_as_they_say),
        cmocka_unit_test(test_score__few_blocks_have_no_intervals),
        cmocka_unit_test(test_score__refuses_what_has_no_error),
        cmocka_unit_test(test_score__out_of_memory_anywhere),
        cmocka_unit_test(test_correlation__of_lines_curves_and_constants),
        cmocka_unit_test(test_median__interval_is_between_two_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
