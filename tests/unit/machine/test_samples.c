/* test_samples.c - statistics of samples of times: rank tests against enumeration, the dip against a search
 * over all functions with one mode, intervals against made-up samples of known ratio. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random.h"
#include "tacho/stats.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

/* ---- rank tests ---- */

/* The rank of numbers[i] by its definition. */
static double naive_rank(const double *numbers, size_t n, size_t i)
{
    double rank = 0.5;
    for (size_t k = 0; k < n; k++)
        rank += numbers[k] < numbers[i] ? 1 : numbers[k] == numbers[i] ? 0.5 : 0;
    return rank;
}

/* All signs that the differences could have had. */
static double naive_signed_rank(const double *d, size_t count)
{
    double sizes[16], ranks[16], seen = 0, most = 0;
    size_t n = 0, far = 0;
    for (size_t i = 0; i < count; i++)
        if (d[i] != 0)
            sizes[n++] = fabs(d[i]);
    for (size_t i = 0; i < n; i++)
        most += ranks[i] = naive_rank(sizes, n, i);
    for (size_t i = 0, k = 0; i < count; i++)
        if (d[i] != 0)
            seen += d[i] > 0 ? ranks[k++] : (k++, 0);
    for (size_t signs = 0; signs < (size_t)1 << n; signs++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += signs >> i & 1 ? ranks[i] : 0;
        far += fabs(sum - most / 2) >= fabs(seen - most / 2) - 1e-9;
    }
    return (double)far / (double)((size_t)1 << n);
}

static void test_signed_rank__is_what_counting_all_signs_gives(void **state)
{
    double d[12], p;
    for (int round = 0; round < 300; round++) {
        size_t n = (size_t)(uniform() * 13);
        bool ties = round % 2;
        for (size_t i = 0; i < n; i++)
            d[i] = ties ? floor(uniform() * 7) - 3 : normal() + 0.7;
        assert_int_equal(tacho_signed_rank(d, n, &p), 0);
        assert_near(p, naive_signed_rank(d, n));
    }
}

static void test_signed_rank__six_differences_of_one_sign_are_one_in_thirty_two(void **state)
{
    const double d[] = {1, 2, 3, 4, 5, 6};
    double p;
    assert_int_equal(tacho_signed_rank(d, 6, &p), 0);
    assert_near(p, 2.0 / 64);
    assert_int_equal(tacho_signed_rank(d, 5, &p), 0);
    assert_near(p, 2.0 / 32);
    assert_int_equal(tacho_signed_rank(d, 0, &p), 0);
    assert_near(p, 1);
}

static void test_signed_rank__many_and_few_agree_where_they_meet(void **state)
{
    double d[TACHO_SIGNED_RANK_EXACT + 1], few, many;
    for (int ties = 0; ties < 2; ties++) {
        for (size_t i = 0; i < TACHO_SIGNED_RANK_EXACT; i++)
            d[i] = ties ? floor(normal() * 4) + 1.5 : normal() + 0.2;
        d[TACHO_SIGNED_RANK_EXACT] = 1e-9; /* the lowest rank of all: it changes next to nothing */
        tacho_signed_rank(d, TACHO_SIGNED_RANK_EXACT, &few);
        tacho_signed_rank(d, TACHO_SIGNED_RANK_EXACT + 1, &many);
        assert_true(fabs(few - many) < 0.01 + 0.1 * few);
    }
}

/* All ways to choose which of the numbers are the first sample's. */
static double naive_rank_sum(const double *all, size_t a_count, size_t count)
{
    double mean = (double)a_count * ((double)count + 1) / 2, seen = 0;
    size_t far = 0, ways = 0;
    for (size_t i = 0; i < a_count; i++)
        seen += naive_rank(all, count, i);
    for (size_t chosen = 0; chosen < (size_t)1 << count; chosen++) {
        double sum = 0;
        if ((size_t)__builtin_popcountll(chosen) != a_count)
            continue;
        for (size_t i = 0; i < count; i++)
            sum += chosen >> i & 1 ? naive_rank(all, count, i) : 0;
        ways++;
        far += fabs(sum - mean) >= fabs(seen - mean) - 1e-9;
    }
    return (double)far / (double)ways;
}

static void test_rank_sum__is_what_counting_all_choices_gives(void **state)
{
    double all[10], p;
    for (int round = 0; round < 60; round++) {
        size_t a = 1 + (size_t)(uniform() * 5), b = 1 + (size_t)(uniform() * 5);
        for (size_t i = 0; i < a + b; i++)
            all[i] = round % 2 ? floor(uniform() * 5) : normal() + (i < a ? 0.5 : 0);
        assert_int_equal(tacho_rank_sum(all, a, all + a, b, &p), 0);
        assert_near(p, naive_rank_sum(all, a, a + b));
    }
    assert_int_equal(tacho_rank_sum(all, 0, all, 4, &p), 0);
    assert_near(p, 1);
}

static void test_rank_sum__many_and_few_agree_where_they_meet(void **state)
{
    double a[30], b[31], few, many;
    for (int ties = 0; ties < 2; ties++) {
        for (int i = 0; i < 31; i++) {
            if (i < 30)
                a[i] = ties ? floor(normal() * 3) : normal();
            b[i] = (ties ? floor(normal() * 3) : normal()) + 0.3;
        }
        b[30] = 0.15;
        tacho_rank_sum(a, 30, b, 30, &few);
        tacho_rank_sum(a, 30, b, 31, &many);
        assert_true(fabs(few - many) < 0.03 + 0.1 * few);
    }
}

/* ---- rank correlation, distributions ---- */

static void test_spearman__knows_order_and_its_absence(void **state)
{
    double x[100], y[100], rho, p;
    size_t low = 0;
    for (int i = 0; i < 100; i++) {
        x[i] = i;
        y[i] = exp(0.1 * i);
    }
    assert_int_equal(tacho_spearman(x, y, 100, &rho, &p), 0);
    assert_near(rho, 1);
    assert_true(p < 1e-9);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 100; i++)
            y[i] = floor(normal() * 5);
        tacho_spearman(x, y, 100, &rho, &p);
        low += p < 0.05;
    }
    assert_in_range(low, 2, 22);
    memset(y, 0, sizeof y);
    assert_int_equal(tacho_spearman(x, y, 100, &rho, &p), 0);
    assert_true(isnan(rho) && isnan(p));
}

static void test_normal__quantile_is_the_inverse(void **state)
{
    assert_near(tacho_normal_below(0), 0.5);
    assert_true(fabs(tacho_normal_quantile(0.975) - 1.959963985) < 1e-8);
    for (double share = 1e-9; share < 1; share = share * 1.7 + 1e-4)
        assert_near(tacho_normal_below(tacho_normal_quantile(share)), share);
    assert_true(isnan(tacho_normal_quantile(0)) && isnan(tacho_normal_quantile(1)));
    assert_true(fabs(tacho_student_quantile(0.975, 5) / 2.5706 - 1) < 0.005);
    assert_true(fabs(tacho_student_quantile(0.95, 24) / 1.7109 - 1) < 0.001);
}

static void test_distribution__leaves_out_what_is_no_number(void **state)
{
    const double values[] = {5, NAN, 1, 2, 100, 3, 4};
    tacho_distribution d;
    assert_int_equal(tacho_distribution_compute(values, 7, &d), 0);
    assert_int_equal(d.count, 6);
    assert_near(d.min, 1);
    assert_near(d.q1, 2.25);
    assert_near(d.median, 3.5);
    assert_near(d.q3, 4.75);
    assert_near(d.max, 100);
    assert_near(d.mad, 1.5);
    assert_int_equal(tacho_distribution_compute(values, 0, &d), 0);
    assert_true(d.count == 0 && isnan(d.median) && isnan(d.mad));
}

/* ---- the dip ---- */

/* Whether some function with its mode at x[m] stays within `d` of the distribution function at all the
 * numbers (all different): convex before, concave after, and free to jump at the mode. By linear conditions
 * that are checked one by one: a convex function within the band exists if no line from an upper end through
 * a later lower end passes above a still later upper end; and what it must reach at the mode must not be
 * above what the other half can. */
static bool fits_with_mode_at(const double *x, size_t n, size_t m, double d)
{
    double least = 0, most = 1; /* that the left half must reach at the mode, that the right one can */
    double count = (double)n;
    for (size_t i = 0; i < m; i++)
        for (size_t j = i + 1; j < m; j++) {
            double from = (double)i / count + d, slope = ((double)(j + 1) / count - d - from) / (x[j] - x[i]);
            for (size_t k = j; k < m; k++)
                if (from + slope * (x[k] - x[i]) > (double)k / count + d + 1e-12)
                    return false;
            least = fmax(least, from + slope * (x[m] - x[i]));
        }
    for (size_t i = n - 1; i > m; i--)
        for (size_t j = i - 1; j > m; j--) {
            double from = (double)(i + 1) / count - d,
                   slope = (from - ((double)j / count + d)) / (x[i] - x[j]);
            for (size_t k = j; k > m; k--)
                if (from - slope * (x[i] - x[k]) < (double)(k + 1) / count - d - 1e-12)
                    return false;
            most = fmin(most, from - slope * (x[i] - x[m]));
        }
    if (d < 0.5 / count)
        return false; /* each number but the mode */
    for (size_t i = 0; i < m; i++)
        least = fmax(least, (double)(i + 1) / count - d);
    for (size_t i = n - 1; i > m; i--)
        most = fmin(most, (double)i / count + d);
    return least <= most + 1e-12 && least <= (double)m / count + d + 1e-12 &&
           most >= (double)(m + 1) / count - d - 1e-12;
}

static double naive_dip(const double *x, size_t n)
{
    double low = 0, high = 0.5;
    for (int i = 0; i < 50; i++) {
        double d = (low + high) / 2;
        bool fits = false;
        for (size_t m = 0; m < n && !fits; m++)
            fits = fits_with_mode_at(x, n, m, d);
        if (fits)
            high = d;
        else
            low = d;
    }
    return high;
}

static void test_dip__is_the_distance_from_the_nearest_function_with_one_mode(void **state)
{
    double x[24], dip;
    for (int round = 0; round < 300; round++) {
        size_t n = 2 + (size_t)(uniform() * 22);
        for (size_t i = 0; i < n; i++)
            x[i] = round % 3 == 0 ? uniform() : normal() + (round % 3 == 1 && uniform() < 0.5 ? 6 : 0);
        qsort(x, n, sizeof *x, ascending);
        assert_int_equal(tacho_dip(x, n, &dip), 0);
        double naive = naive_dip(x, n);
        if (fabs(dip - naive) > 1e-9)
            fail_msg("round %d: %zu numbers: %.9g, by search %.9g", round, n, dip * (double)n,
                     naive * (double)n);
    }
}

static void test_dip__of_equally_spaced_numbers_is_the_least_there_is(void **state)
{
    double x[100], dip;
    for (size_t n = 1; n <= 100; n++) {
        for (size_t i = 0; i < n; i++)
            x[i] = (double)i;
        assert_int_equal(tacho_dip(x, n, &dip), 0);
        assert_near(dip, 0.5 / (double)n);
    }
}

static void test_dip__of_two_far_points_is_a_quarter(void **state)
{
    double x[100], dip, p;
    for (int i = 0; i < 100; i++)
        x[i] = i < 50 ? 1 : 2;
    assert_int_equal(tacho_dip(x, 100, &dip), 0);
    assert_near(dip, 0.25);
    assert_int_equal(tacho_dip_p(dip, 100, 1, &p), 0);
    assert_true(p < 0.002);
}

static void test_dip__finds_two_modes_and_is_content_with_one(void **state)
{
    double x[80], dip, p;
    int found = 0, uniforms = 0, normals = 0;
    for (int round = 0; round < 60; round++)
        for (int kind = 0; kind < 3; kind++) {
            for (int i = 0; i < 80; i++)
                x[i] = kind == 0 ? uniform() : normal() + (kind == 2 && i % 3 == 0 ? 6 : 0);
            qsort(x, 80, sizeof *x, ascending);
            assert_int_equal(tacho_dip(x, 80, &dip), 0);
            assert_int_equal(tacho_dip_p(dip, 80, 1, &p), 0);
            *(kind == 0 ? &uniforms : kind == 1 ? &normals : &found) += p < 0.05;
        }
    assert_in_range(uniforms, 0, 8); /* 3 are expected */
    assert_in_range(normals, 0, 1);
    assert_in_range(found, 57, 60);
}

/* ---- the ratio of medians ---- */

/* Blocks of two values of each side. `common`: spread of what all of a block have in common. */
static size_t make_blocks(tacho_sided_value *out, size_t blocks, double ratio, double common, int shape)
{
    size_t n = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        double level = exp(common * normal());
        for (uint32_t i = 0; i < 4; i++) {
            double noise = shape == 0 ? normal() : -log(uniform());
            out[n++] = (tacho_sided_value){level * exp(0.01 * noise) * (i % 2 ? ratio : 1), i % 2, b};
        }
    }
    return n;
}

/* In how many of 400 made-up comparisons the 95 % interval holds the ratio. */
static int coverage(size_t blocks, double common, int shape)
{
    static tacho_sided_value values[4 * 100];
    tacho_median_ratio r;
    tacho_error err;
    int holds = 0;
    for (int round = 0; round < 400; round++) {
        size_t n = make_blocks(values, blocks, 1.05, common, shape);
        if (tacho_median_ratio_compute(values, n, true, 0.95, 500, 1, &r, &err))
            fail_msg("%s", err.message);
        holds += r.ratio.low <= 1.05 && 1.05 <= r.ratio.high;
    }
    return holds;
}

static void test_ratio__intervals_hold_as_often_as_they_say(void **state)
{
    static const size_t blocks[] = {6, 10, 30, 100};
    static const double common[] = {0, 0.005, 0.03};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            for (int shape = 0; shape < 2; shape++) {
                int holds = coverage(blocks[i], common[k], shape);
                print_message("%3zu blocks, common %.3f, shape %d: %.1f %%\n", blocks[i], common[k], shape,
                              holds / 4.0);
                assert_in_range(holds, 360, 400); /* 90 to 100 % */
            }
}

static void test_ratio__is_that_of_the_medians(void **state)
{
    const tacho_sided_value v[] = {{3, 0, 0}, {1, 0, 0},  {2, 0, 1},  {10, 1, 1}, {4, 1, 0},
                                   {8, 1, 2}, {50, 0, 2}, {20, 1, 2}, {6, 1, 2}};
    tacho_median_ratio r;
    tacho_error err;
    assert_int_equal(tacho_median_ratio_compute(v, 9, true, 0.95, 200, 1, &r, &err), 0);
    assert_near(r.ratio.value, 8 / 2.5);
    assert_true(r.ratio.low <= r.ratio.value && r.ratio.value <= r.ratio.high);
    assert_int_equal(tacho_median_ratio_compute(v, 5, true, 0.95, 200, 1, &r, &err), 0);
    assert_near(r.ratio.value, 7 / 2.0);
    assert_true(isnan(r.ratio.low) && isnan(r.ratio.high) && isnan(r.standard_error)); /* two units */
}

static void test_ratio__refuses_what_has_no_ratio(void **state)
{
    tacho_sided_value v[] = {{3, 0, 0}, {0, 1, 0}};
    tacho_median_ratio r;
    tacho_error err;
    assert_int_equal(tacho_median_ratio_compute(v, 2, true, 0.95, 200, 1, &r, &err), TACHO_ERR_USAGE);
    v[1].value = 2;
    assert_int_equal(tacho_median_ratio_compute(v, 1, true, 0.95, 200, 1, &r, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_median_ratio_compute(v, 2, true, 1, 200, 1, &r, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_median_ratio_compute(v, 2, true, 0.95, 0, 1, &r, &err), TACHO_ERR_USAGE);
    v[1].unit = 2;
    assert_int_equal(tacho_median_ratio_compute(v, 2, true, 0.95, 200, 1, &r, &err), TACHO_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signed_rank__is_what_counting_all_signs_gives),
        cmocka_unit_test(test_signed_rank__six_differences_of_one_sign_are_one_in_thirty_two),
        cmocka_unit_test(test_signed_rank__many_and_few_agree_where_they_meet),
        cmocka_unit_test(test_rank_sum__is_what_counting_all_choices_gives),
        cmocka_unit_test(test_rank_sum__many_and_few_agree_where_they_meet),
        cmocka_unit_test(test_spearman__knows_order_and_its_absence),
        cmocka_unit_test(test_normal__quantile_is_the_inverse),
        cmocka_unit_test(test_distribution__leaves_out_what_is_no_number),
        cmocka_unit_test(test_dip__is_the_distance_from_the_nearest_function_with_one_mode),
        cmocka_unit_test(test_dip__of_equally_spaced_numbers_is_the_least_there_is),
        cmocka_unit_test(test_dip__of_two_far_points_is_a_quarter),
        cmocka_unit_test(test_dip__finds_two_modes_and_is_content_with_one),
        cmocka_unit_test(test_ratio__intervals_hold_as_often_as_they_say),
        cmocka_unit_test(test_ratio__is_that_of_the_medians),
        cmocka_unit_test(test_ratio__refuses_what_has_no_ratio),
    };
    seed = 20261121;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
