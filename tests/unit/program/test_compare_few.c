/* test_compare_few.c - verdicts on fewer blocks than the signed-rank test needs: on made-up samples of which
 * the truth is known, with noise of several kinds, and always the same seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "noise.h"
#include "tacho/compare.h"

enum {
    MOST_BLOCKS = 6,
    ROUNDS = 200
};
static tacho_error err;
static tacho_sample samples[4 * MOST_BLOCKS];

/* ---- noise, besides that of noise.h ---- */

static double none(double *state)
{
    return 0;
}

static double large_normal(double *state)
{
    return 0.5 * normal();
}

static double drift(double *state)
{
    *state += 0.2;
    return *state + 0.01 * normal();
}

static double walk(double *state)
{
    *state += 0.3 * normal();
    return *state;
}

/* That a run is in the other mode than the one before is as likely as suits a block best: 4 of 7. */
static double changing_modes(double *state)
{
    *state = uniform() < 4.0 / 7 ? !*state : *state;
    return *state * log(3) + 0.01 * normal();
}

typedef struct kind {
    const char *name;
    noise *next;
    double median;
} kind;
static const kind kinds[] = {{"normal, 1 %", small_normal, 0},
                             {"normal, 50 %", large_normal, 0},
                             {"heavy tails", heavy_tails, 0},
                             {"skewed", skewed, 0.5 * M_LN2},
                             {"drift", drift, NAN},
                             {"random walk", walk, NAN},
                             {"two modes", two_modes, NAN},
                             {"two modes, changing", changing_modes, NAN},
                             {"neighbours", neighbours, NAN}};

/* A B B A or B A A B by the toss of a coin, as tacho_compare does it. */
static void make(uint32_t blocks, double ratio, noise *of_a, noise *of_b)
{
    double state = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t first = uniform() < 0.5;
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t side = (i == 1 || i == 2) != first;
            double drawn = (side ? of_b : of_a)(&state);
            samples[4 * b + i] = (tacho_sample){exp(drawn) * (side ? ratio : 1), side, b, 0};
        }
    }
}

static tacho_judgement judge(uint32_t blocks, tacho_judge_options o)
{
    tacho_judgement j;
    o.resamples = 400;
    if (tacho_judge(samples, 4 * (size_t)blocks, false, &o, &j, &err))
        fail_msg("%s", err.message);
    tacho_judgement_free(&j);
    return j;
}

static bool is_found(const tacho_judgement *j)
{
    return j->verdict == TACHO_VERDICT_FASTER || j->verdict == TACHO_VERDICT_SLOWER;
}

/* ---- ---- */

static void test_few__the_same_program_is_seldom_found_different(void **state)
{
    const tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t blocks = 1; blocks <= 5; blocks++) {
            int alarms = 0;
            for (int round = 0; round < ROUNDS; round++) {
                make(blocks, 1, kinds[k].next, kinds[k].next);
                tacho_judgement j = judge(blocks, o);
                alarms += is_found(&j);
            }
            print_message("%s, %u blocks: %d false alarms of %d\n", kinds[k].name, blocks, alarms, ROUNDS);
            assert_in_range(alarms, 0, ROUNDS / 20);
        }
}

/* As tacho_compare does without --max-time when a minute is over: a look after each block, at a tenth of the
 * false alarms until there are enough. */
static void test_few__looking_after_each_block_makes_no_alarms(void **state)
{
    tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int alarms = 0;
        for (int round = 0; round < ROUNDS; round++) {
            tacho_judgement j = {0};
            make(MOST_BLOCKS, 1, kinds[k].next, kinds[k].next);
            for (uint32_t blocks = 1; blocks <= MOST_BLOCKS && !is_found(&j); blocks++) {
                o.confidence = blocks < MOST_BLOCKS ? 0.995 : 0.95;
                j = judge(blocks, o);
            }
            alarms += is_found(&j);
        }
        print_message("%s: %d false alarms of %d\n", kinds[k].name, alarms, ROUNDS);
        assert_in_range(alarms, 0, ROUNDS / 20);
    }
}

/* Medians are the same, and one side has no noise at all: worse than any two programs. */
static void test_few__unequal_noise_is_no_difference(void **state)
{
    const tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t blocks = 2; blocks <= 5 && !isnan(kinds[k].median); blocks++) {
            int alarms = 0;
            for (int round = 0; round < ROUNDS; round++) {
                make(blocks, exp(-kinds[k].median), none, kinds[k].next);
                tacho_judgement j = judge(blocks, o);
                alarms += is_found(&j);
            }
            print_message("%s, %u blocks: %d false alarms of %d\n", kinds[k].name, blocks, alarms, ROUNDS);
            assert_in_range(alarms, 0, ROUNDS / 20);
        }
}

/* What was "no verdict: too few blocks, 2 of the 6". */
static void test_few__several_times_is_found_with_two_blocks(void **state)
{
    const tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    int found = 0, within = 0;
    for (int round = 0; round < ROUNDS; round++) {
        bool slower = round % 2;
        make(2, slower ? 7.7 : 1 / 7.7, small_normal, small_normal);
        tacho_judgement j = judge(2, o);
        found += j.verdict == (slower ? TACHO_VERDICT_SLOWER : TACHO_VERDICT_FASTER);
        within += j.ratio_low <= (slower ? 7.7 : 1 / 7.7) && (slower ? 7.7 : 1 / 7.7) <= j.ratio_high;
        assert_true(j.by_separation && j.interesting && fabs(j.p_value - 2.0 / 70) < 1e-9);
        assert_true(j.ratio_low < j.ratio && j.ratio < j.ratio_high && j.confidence == 0.95);
        assert_true(isnan(j.detectable) && isnan(j.standard_error));
    }
    assert_int_equal(found, ROUNDS);
    assert_in_range(within, ROUNDS * 95 / 100, ROUNDS);
}

/* By numbers that can be checked by hand. */
static void test_few__the_interval_is_as_wide_as_the_runs_are_apart(void **state)
{
    static const double of_a[] = {1, 1.1, 1.2, 1.25}, of_b[] = {8, 9, 10, 12};
    tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    for (uint32_t i = 0, taken[2] = {0, 0}; i < 8; i++) {
        uint32_t side = i % 4 == 1 || i % 4 == 2, k = taken[side]++;
        samples[i] = (tacho_sample){(side ? of_b : of_a)[k], side, i / 4, 0};
    }
    tacho_judgement j = judge(2, o); /* B ranges over a factor of 1.5 */
    assert_int_equal(j.verdict, TACHO_VERDICT_SLOWER);
    assert_true(fabs(j.ratio_low - 8 / 1.25 / 1.5) < 1e-9 && fabs(j.ratio_high - 12 / 1.0 * 1.5) < 1e-9);
    assert_true(fabs(j.ratio - 9.5 / 1.15) < 1e-9 && fabs(j.nearest - 8 / 1.25) < 1e-9);
    o.higher_is_better = true;
    j = judge(2, o);
    assert_int_equal(j.verdict, TACHO_VERDICT_FASTER);
    o.confidence = 0.98; /* 2 / 70 is not enough */
    j = judge(2, o);
    assert_int_equal(j.verdict, TACHO_VERDICT_NONE);
    assert_true(isnan(j.ratio_low) && isnan(j.p_value) && isnan(j.nearest) && !j.by_separation);
    assert_int_equal(j.units_needed_apart, 3);
    samples[1].value = 1.25 * 1.5 * 1.09; /* and five thresholds are 10.4 % */
    o.confidence = 0.95;
    j = judge(2, o);
    assert_int_equal(j.verdict, TACHO_VERDICT_NONE);
    assert_int_equal(j.units_needed_apart, 2);
    o.threshold = 0.5;
    make(2, 7, none, none); /* less than five thresholds, of 50 %: 7.59 */
    j = judge(2, o);
    assert_int_equal(j.verdict, TACHO_VERDICT_NONE);
}

static void test_few__independent_samples_and_what_they_need(void **state)
{
    static const struct {
        double confidence;
        uint32_t blocks, samples; /* 2 / C(2m, m) of m samples a side */
    } needed[] = {{0.5, 1, 2}, {0.9, 2, 3}, {0.95, 2, 4}, {0.99, 3, 5}, {0.999, 4, 7}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
        tacho_judgement j;
        o.confidence = needed[i].confidence;
        make(4, 5, small_normal, small_normal);
        j = judge(4, o);
        assert_int_equal(j.units_needed_apart, needed[i].blocks);
        for (size_t s = 0; s < 16; s++)
            samples[s].block = TACHO_NO_BLOCK;
        j = judge(4, o);
        assert_int_equal(j.units_needed_apart, needed[i].samples);
        assert_int_equal(j.units, 8);
        assert_int_equal(j.verdict, TACHO_VERDICT_SLOWER);
    }
}

/* Two layouts say nothing of layouts in general. */
static void test_few__layouts_are_never_few_enough(void **state)
{
    tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    tacho_judgement j;
    make(5, 7.7, small_normal, small_normal);
    for (size_t i = 0; i < 20; i++)
        samples[i].layout = samples[i].block;
    if (tacho_judge(samples, 20, true, &o, &j, &err))
        fail_msg("%s", err.message);
    assert_int_equal(j.verdict, TACHO_VERDICT_NONE);
    assert_int_equal(j.units_needed_apart, 6);
    tacho_judgement_free(&j);
}

static void test_few__memory_may_run_out_anywhere(void **state)
{
    const tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    make(2, 7.7, small_normal, small_normal);
    for (unsigned long at = 1;; at++) {
        tacho_judgement j;
        tacho_mem_fail_at(at);
        int rc = tacho_judge(samples, 8, false, &o, &j, &err);
        tacho_mem_fail_at(0);
        if (!rc) {
            assert_int_equal(j.verdict, TACHO_VERDICT_SLOWER);
            tacho_judgement_free(&j);
            assert_true(at > 10);
            break;
        }
        assert_int_equal(rc, TACHO_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few__the_same_program_is_seldom_found_different),
        cmocka_unit_test(test_few__looking_after_each_block_makes_no_alarms),
        cmocka_unit_test(test_few__unequal_noise_is_no_difference),
        cmocka_unit_test(test_few__several_times_is_found_with_two_blocks),
        cmocka_unit_test(test_few__the_interval_is_as_wide_as_the_runs_are_apart),
        cmocka_unit_test(test_few__independent_samples_and_what_they_need),
        cmocka_unit_test(test_few__layouts_are_never_few_enough),
        cmocka_unit_test(test_few__memory_may_run_out_anywhere),
    };
    seed = 20261122;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
