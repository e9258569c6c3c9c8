/* test_compare.c - verdicts on made-up samples of which the truth is known, and comparisons of real commands
 * as far as they do not depend on how long those take. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "random.h"
#include "tacho/compare.h"

enum {
    MOST_BLOCKS = 200
};
static tacho_error err;
static tacho_sample samples[4 * MOST_BLOCKS];

/* Noise in which neighbours are alike: `memory` 0..1 of it stays from run to run; `steps` is what a run adds
 * to a random walk. */
typedef struct noise {
    double size, memory, steps, state, walk;
} noise;

static double next(noise *n)
{
    n->state = n->memory * n->state + sqrt(1 - n->memory * n->memory) * normal();
    n->walk += n->steps * normal();
    return exp(n->size * n->state + n->walk);
}

/* A B B A or B A A B by the toss of a coin, as tacho_compare does it. @return the number of samples */
static size_t make(size_t blocks, double ratio, noise n)
{
    size_t count = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t first = uniform() < 0.5;
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t side = (i == 1 || i == 2) != first;
            samples[count++] = (tacho_sample){0.01 * next(&n) * (side ? ratio : 1), side, b, 0};
        }
    }
    return count;
}

static tacho_judgement judge(size_t count, bool layouts, tacho_judge_options o)
{
    tacho_judgement j;
    if (tacho_judge(samples, count, layouts, &o, &j, &err))
        fail_msg("%s", err.message);
    return j;
}

static tacho_judge_options quick(void)
{
    tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    o.resamples = 400;
    return o;
}

static tacho_verdict verdict_of(size_t count, tacho_judge_options o)
{
    tacho_judgement j = judge(count, false, o);
    tacho_judgement_free(&j);
    return j.verdict;
}

/* ---- verdicts ---- */

static void test_judge__says_faster_and_slower_and_by_how_much(void **state)
{
    size_t n = make(20, 0.95, (noise){.size = 0.005});
    tacho_judgement j = judge(n, false, quick());
    assert_int_equal(j.verdict, TACHO_VERDICT_FASTER);
    assert_true(j.interesting && j.paired);
    assert_true(j.ratio_low < 0.95 && 0.95 < j.ratio_high && j.ratio_high < 1 && j.p_value < 0.05);
    assert_int_equal(j.blocks, 20);
    assert_int_equal(j.units, 20);
    tacho_judgement_free(&j);

    tacho_judge_options o = quick();
    o.higher_is_better = true;
    assert_int_equal(verdict_of(n, o), TACHO_VERDICT_SLOWER);
    make(20, 1.05, (noise){.size = 0.005});
    assert_int_equal(verdict_of(n, o), TACHO_VERDICT_FASTER);
    o.higher_is_better = false;
    assert_int_equal(verdict_of(n, o), TACHO_VERDICT_SLOWER);
}

static void test_judge__small_differences_are_found_but_not_interesting(void **state)
{
    size_t n = make(100, 1.01, (noise){.size = 0.005});
    tacho_judgement j = judge(n, false, quick());
    assert_int_equal(j.verdict, TACHO_VERDICT_SLOWER);
    assert_false(j.interesting);
    tacho_judgement_free(&j);
}

static void test_judge__too_few_blocks_have_no_verdict(void **state)
{
    for (size_t blocks = 1; blocks < 7; blocks++) {
        tacho_judgement j = judge(make(blocks, 1.1, (noise){.size = 0.001}), false, quick());
        assert_int_equal(j.units_needed, 6);
        assert_int_equal(j.verdict, blocks < 6 ? TACHO_VERDICT_NONE : TACHO_VERDICT_SLOWER);
        assert_true(isnan(j.ratio_low) == (blocks < 6) && isnan(j.p_value) == (blocks < 6));
        assert_true(fabs(j.ratio - 1.1) < 0.02);
        tacho_judgement_free(&j);
    }
}

/* Whether both kinds of noise are judged right: as often as `confidence` says, and a little more for luck. */
static void test_judge__false_alarms_are_as_rare_as_promised(void **state)
{
    static const noise kinds[] = {{.size = 0.01},
                                  {.size = 0.02, .memory = 0.95},
                                  {.size = 0.01, .memory = 0.6, .steps = 0.005},
                                  {.size = 0.001, .steps = 0.02}};
    for (size_t k = 0; k < 4; k++) {
        int alarms = 0;
        for (int round = 0; round < 400; round++) {
            size_t blocks = round % 2 ? 10 : 25;
            alarms += verdict_of(make(blocks, 1, kinds[k]), quick()) != TACHO_VERDICT_NO_DIFFERENCE;
        }
        print_message("noise %zu: %d false alarms of 400\n", k, alarms);
        assert_in_range(alarms, 0, 30); /* 20 are 5 % */
    }
}

/* As tacho_compare does: until the interval is narrow. That must not make alarms more frequent. */
static void test_judge__stopping_when_the_interval_is_narrow_makes_no_alarms(void **state)
{
    int alarms = 0;
    for (int round = 0; round < 200; round++) {
        make(100, 1, (noise){.size = 0.01, .memory = 0.5});
        for (size_t blocks = 10; blocks <= 100; blocks += blocks / 10 + 1) {
            tacho_judgement j = judge(4 * blocks, false, quick());
            bool over = (j.ratio_high - j.ratio_low) / 2 <= 0.005 || blocks + blocks / 10 + 1 > 100;
            alarms += over && j.verdict != TACHO_VERDICT_NO_DIFFERENCE;
            tacho_judgement_free(&j);
            if (over)
                break;
        }
    }
    print_message("%d false alarms of 200\n", alarms);
    assert_in_range(alarms, 0, 17); /* 10 are 5 % */
}

static void test_judge__finds_what_it_says_it_would_have_found(void **state)
{
    int found = 0, two_percent = 0;
    double least = 1, most = 0;
    for (int round = 0; round < 200; round++) {
        tacho_judgement j = judge(make(25, 1, (noise){.size = 0.01}), false, quick());
        double detectable = j.detectable;
        tacho_judgement_free(&j);
        least = fmin(least, detectable);
        most = fmax(most, detectable);
        found += verdict_of(make(25, 1 + detectable, (noise){.size = 0.01}), quick()) == TACHO_VERDICT_SLOWER;
        two_percent +=
            verdict_of(make(50, 1.02, (noise){.size = 0.02, .memory = 0.9}), quick()) == TACHO_VERDICT_SLOWER;
    }
    print_message("found: %d of 200; 2 %%: %d of 200; detectable %.4f to %.4f\n", found, two_percent, least,
                  most);
    assert_in_range(found, 180, 200); /* 95 % are 190 */
    assert_in_range(two_percent, 190, 200);
}

static void test_judge__what_a_block_has_in_common_cancels(void **state)
{
    size_t n = make(30, 1.02, (noise){.size = 0.002});
    for (size_t i = 0; i < n; i++)
        samples[i].value *= 1 + 0.3 * (double)(hash_mix(samples[i].block) >> 63); /* two clock rates */
    tacho_judgement j = judge(n, false, quick());
    assert_int_equal(j.verdict, TACHO_VERDICT_SLOWER);
    assert_true(j.ratio_high - j.ratio_low < 0.005 && fabs(j.ratio - 1.02) < 0.002);
    assert_true(j.sides[0].several_modes && j.sides[1].several_modes); /* and that is said */
    tacho_judgement_free(&j);
}

/* ---- samples that are not blocks ---- */

static void test_judge__independent_samples_have_the_rank_sum_test(void **state)
{
    size_t n = make(10, 1.1, (noise){.size = 0.01});
    for (size_t i = 0; i < n; i++)
        samples[i].block = TACHO_NO_BLOCK;
    tacho_judgement j = judge(n, false, quick());
    assert_false(j.paired);
    assert_int_equal(j.units, 20);
    assert_int_equal(j.verdict, TACHO_VERDICT_SLOWER);
    assert_true(j.ratio_low < 1.1 && 1.1 < j.ratio_high);
    tacho_judgement_free(&j);
}

static void test_judge__what_is_in_no_whole_block_is_shown_but_does_not_count(void **state)
{
    size_t n = make(12, 1.1, (noise){.size = 0.01});
    samples[0].value = NAN;
    for (size_t i = 4; i < 8; i++)
        samples[i].value = samples[i].side ? NAN : samples[i].value; /* a block without B */
    samples[n - 1].block = TACHO_NO_BLOCK;
    tacho_judgement j = judge(n, false, quick());
    assert_int_equal(j.blocks, 11);
    assert_int_equal(j.left_out, 3);
    assert_int_equal(j.sides[0].missing + j.sides[1].missing, 3);
    assert_int_equal(j.sides[0].values.count + j.sides[1].values.count, 45);
    tacho_judgement_free(&j);
    for (size_t i = 0; i < n; i++)
        samples[i].value = samples[i].side ? NAN : samples[i].value;
    j = judge(n, false, quick());
    assert_int_equal(j.verdict, TACHO_VERDICT_NONE);
    assert_true(isnan(j.ratio) && isnan(j.ratio_low) && isnan(j.detectable));
    tacho_judgement_free(&j);
}

/* ---- what is shown ---- */

static void test_judge__names_outliers_by_their_place(void **state)
{
    size_t n = make(20, 1, (noise){.size = 0.002});
    samples[7].value *= 3;
    samples[40].value *= 0.5;
    tacho_judgement j = judge(n, false, quick());
    int far = 0;
    for (size_t i = 0; i < j.outlier_count; i++)
        far += j.outliers[i].far && (j.outliers[i].sample == 7 || j.outliers[i].sample == 40);
    assert_int_equal(far, 2);
    assert_int_equal(j.verdict, TACHO_VERDICT_NO_DIFFERENCE);
    assert_true(j.sides[0].values.count + j.sides[1].values.count == n); /* none is dropped */
    tacho_judgement_free(&j);
}

static void test_judge__sees_drift_and_its_size(void **state)
{
    size_t n = make(40, 1, (noise){.size = 0.002});
    tacho_judgement j = judge(n, false, quick());
    assert_false(j.drifts);
    tacho_judgement_free(&j);
    for (size_t i = 0; i < n; i++)
        samples[i].value *= 1 + 0.1 * (double)i / (double)n;
    j = judge(n, false, quick());
    assert_true(j.drifts && fabs(j.drift_change - 0.074) < 0.006 && j.drift_rho > 0.9);
    assert_int_equal(j.verdict, TACHO_VERDICT_NO_DIFFERENCE);
    tacho_judgement_free(&j);
}

static void test_judge__sees_modes_where_there_are_and_how_far_apart(void **state)
{
    size_t n = make(40, 1, (noise){.size = 0.002});
    tacho_judgement j = judge(n, false, quick());
    assert_false(j.sides[0].several_modes || j.sides[1].several_modes);
    tacho_judgement_free(&j);
    for (size_t i = 0; i < n; i++)
        if (samples[i].side && i % 3 == 0)
            samples[i].value *= 1.2;
    j = judge(n, false, quick());
    assert_true(j.sides[1].several_modes && !j.sides[0].several_modes);
    assert_true(fabs(j.sides[1].group_high / j.sides[1].group_low - 1.2) < 0.01);
    assert_true(fabs(j.sides[1].group_high_share - 1.0 / 3) < 0.1);
    tacho_judgement_free(&j);
}

static void test_judge__steps_limit_what_can_be_seen_and_are_no_modes(void **state)
{
    size_t n = make(40, 1, (noise){.size = 0.02});
    for (size_t i = 0; i < n; i++)
        samples[i].value = round(samples[i].value * 4000) / 4000; /* 2.5 % */
    tacho_judgement j = judge(n, false, quick());
    assert_true(j.step > 0.02 && j.step < 0.03 && j.detectable >= j.step);
    assert_false(j.sides[0].several_modes);
    tacho_judgement_free(&j);
    n = make(40, 1, (noise){.size = 0.02});
    j = judge(n, false, quick());
    assert_true(j.step == 0);
    tacho_judgement_free(&j);
}

/* ---- layouts ---- */

static size_t make_layouts(double ratio, double spread, double common)
{
    size_t n = make(40, ratio, (noise){.size = 0.002});
    for (size_t i = 0; i < n; i++) {
        uint32_t layout = samples[i].layout = samples[i].block % 10;
        double own = layout % 2 ? 1 : -1;
        samples[i].value *= (1 + common * own) * (samples[i].side ? 1 + spread * own : 1);
    }
    return n;
}

static void test_layouts__are_the_units_of_the_verdict(void **state)
{
    tacho_judgement j = judge(make_layouts(1.05, 0, 0.05), true, quick());
    assert_int_equal(j.units, 10);
    assert_int_equal(j.blocks, 40);
    assert_int_equal(j.layout_count, 10);
    assert_int_equal(j.layouts[3].blocks, 4);
    assert_int_equal(j.verdict, TACHO_VERDICT_SLOWER);
    assert_true(fabs(j.layouts[3].ratio - 1.05) < 0.005);
    assert_true(j.sides[0].layout_share > 0.9 && j.layouts_p > 0.01 && !j.depends_on_layout);
    tacho_judgement_free(&j);
}

static void test_layouts__a_difference_that_depends_on_them_is_no_difference(void **state)
{
    size_t n = make_layouts(1, 0.03, 0);
    tacho_judgement j = judge(n, true, quick());
    assert_int_equal(j.verdict, TACHO_VERDICT_NO_DIFFERENCE);
    assert_true(j.depends_on_layout && j.layouts_p < 0.01);
    assert_true(j.sides[0].layout_share < 0.3 && j.sides[1].layout_share > 0.8);
    tacho_judgement_free(&j);
    samples[1].layout++;
    tacho_judge_options o = quick();
    assert_int_equal(tacho_judge(samples, n, true, &o, &j, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "two layouts"));
}

/* ---- wrong usage, little memory ---- */

static void test_judge__refuses_what_it_cannot_judge(void **state)
{
    tacho_judgement j;
    tacho_judge_options o = quick();
    size_t n = make(10, 1, (noise){.size = 0.01});
    assert_int_equal(tacho_judge(samples, 0, false, &o, &j, &err), TACHO_ERR_USAGE);
    o.confidence = 1;
    assert_int_equal(tacho_judge(samples, n, false, &o, &j, &err), TACHO_ERR_USAGE);
    o = quick();
    o.size = 3;
    assert_int_equal(tacho_judge(samples, n, false, &o, &j, &err), TACHO_ERR_USAGE);
    o = quick();
    samples[6].value = 0;
    assert_int_equal(tacho_judge(samples, n, false, &o, &j, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "sample 7"));
    static const double extreme[] = {INFINITY, 1e200, 1e-200}; /* their ratios would be no numbers */
    for (size_t i = 0; i < sizeof extreme / sizeof *extreme; i++) {
        samples[6].value = extreme[i];
        assert_int_equal(tacho_judge(samples, n, false, &o, &j, &err), TACHO_ERR_INPUT);
    }
}

static void test_judge__memory_may_run_out_anywhere(void **state)
{
    size_t n = make_layouts(1, 0.03, 0);
    samples[5].value *= 4;
    tacho_judge_options o = quick();
    for (unsigned long at = 1;; at++) {
        tacho_judgement j;
        tacho_mem_fail_at(at);
        int rc = tacho_judge(samples, n, true, &o, &j, &err);
        tacho_mem_fail_at(0);
        if (!rc) {
            tacho_judgement_free(&j);
            assert_true(at > 10);
            break;
        }
        assert_int_equal(rc, TACHO_ERR_MEMORY);
    }
}

/* ---- commands ---- */

static tacho_compare_options fixed(uint32_t runs)
{
    tacho_compare_options o = TACHO_COMPARE_OPTIONS_INIT;
    o.runs = runs;
    o.judge.resamples = 400;
    return o;
}

static char *const shell_true[] = {"sh", "-c", "exit 0", NULL};
static char *const shell_false[] = {"sh", "-c", "exit 7", NULL};
static char *const shell_says[] = {"sh", "-c", "echo time 12.5 ms; echo done", NULL};

static void test_compare__blocks_have_both_sides_twice_and_in_both_orders(void **state)
{
    const tacho_command commands[2] = {{.argv = shell_true}, {.argv = shell_true}};
    tacho_compare_options o = fixed(39);
    tacho_compare_result r;
    int orders[2] = {0, 0};
    if (tacho_compare(commands, &o, &r, &err))
        fail_msg("%s", err.message);
    assert_int_equal(r.run_count, 80); /* whole blocks */
    assert_int_equal(r.end, TACHO_COMPARE_RUNS);
    for (size_t i = 0; i < 80; i += 4) {
        const tacho_compare_run *b = &r.runs[i];
        assert_int_equal(b[0].side, b[3].side);
        assert_int_equal(b[1].side, b[2].side);
        assert_int_equal(b[0].side, !b[1].side);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(b[k].block, i / 4);
        orders[b[0].side]++;
    }
    assert_true(orders[0] > 2 && orders[1] > 2);
    assert_int_equal(r.judgement.blocks, 20);
    assert_int_not_equal(r.judgement.verdict, TACHO_VERDICT_NONE);
    tacho_compare_free(&r);
}

static void test_compare__takes_a_number_from_the_output(void **state)
{
    const tacho_command commands[2] = {{.argv = shell_says}, {.argv = shell_says}};
    tacho_compare_options o = fixed(12);
    tacho_compare_result r;
    o.pattern = "^time ([0-9.]+) ms$";
    o.unit = "ms";
    if (tacho_compare(commands, &o, &r, &err))
        fail_msg("%s", err.message);
    assert_string_equal(r.metrics[r.metric].name, "value");
    assert_string_equal(r.metrics[r.metric].unit, "ms");
    assert_true(r.values[r.metric] == 12.5 && r.metrics[r.metric].median[1] == 12.5);
    assert_true(r.judgement.ratio == 1 && r.judgement.verdict == TACHO_VERDICT_NO_DIFFERENCE);
    tacho_compare_free(&r);
}

static void test_compare__a_run_that_fails_ends_it_unless_that_is_ignored(void **state)
{
    const tacho_command commands[2] = {{.argv = shell_true}, {.argv = shell_false}};
    tacho_compare_options o = fixed(2);
    tacho_compare_result r;
    assert_int_equal(tacho_compare(commands, &o, &r, &err), TACHO_ERR_FAILED);
    assert_non_null(strstr(err.message, "B (sh -c exit 7) ended with status 7"));
    o.ignore_failure = true;
    if (tacho_compare(commands, &o, &r, &err))
        fail_msg("%s", err.message);
    assert_int_equal(r.failed, 2);
    assert_int_equal(r.run_count, 4);
    tacho_compare_free(&r);
}

static int stop_after_six(const tacho_compare_progress *p, void *payload)
{
    return p->runs >= 6;
}

static void test_compare__what_was_interrupted_is_judged_without_the_last_block(void **state)
{
    const tacho_command commands[2] = {{.argv = shell_true}, {.argv = shell_true}};
    tacho_compare_options o = fixed(100);
    tacho_compare_result r;
    o.progress = stop_after_six;
    if (tacho_compare(commands, &o, &r, &err))
        fail_msg("%s", err.message);
    assert_int_equal(r.end, TACHO_COMPARE_STOPPED);
    assert_int_equal(r.run_count, 6);
    assert_int_equal(r.runs[3].block, 0);
    assert_int_equal(r.runs[4].block, TACHO_NO_BLOCK);
    assert_int_equal(r.judgement.blocks, 1);
    assert_int_equal(r.judgement.left_out, 2);
    assert_int_equal(r.judgement.verdict, TACHO_VERDICT_NONE);
    tacho_compare_free(&r);
}

static void test_compare__refuses_options_that_make_no_sense(void **state)
{
    const tacho_command commands[2] = {{.argv = shell_true}, {.argv = shell_true}};
    tacho_compare_result r;
    tacho_compare_options o = fixed(2);
    o.layouts = 3;
    assert_int_equal(tacho_compare(commands, &o, &r, &err), TACHO_ERR_USAGE);
    assert_non_null(strstr(err.message, "at least 6"));
    o = fixed(2);
    o.pattern = "no group";
    assert_int_equal(tacho_compare(commands, &o, &r, &err), TACHO_ERR_USAGE);
    o.pattern = "(";
    assert_int_equal(tacho_compare(commands, &o, &r, &err), TACHO_ERR_USAGE);
    o = fixed(2);
    o.metric = "value";
    assert_int_equal(tacho_compare(commands, &o, &r, &err), TACHO_ERR_USAGE);
    o = fixed(2);
    o.judge.confidence = 0.1;
    assert_int_equal(tacho_compare(commands, &o, &r, &err), TACHO_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge__says_faster_and_slower_and_by_how_much),
        cmocka_unit_test(test_judge__small_differences_are_found_but_not_interesting),
        cmocka_unit_test(test_judge__too_few_blocks_have_no_verdict),
        cmocka_unit_test(test_judge__false_alarms_are_as_rare_as_promised),
        cmocka_unit_test(test_judge__stopping_when_the_interval_is_narrow_makes_no_alarms),
        cmocka_unit_test(test_judge__finds_what_it_says_it_would_have_found),
        cmocka_unit_test(test_judge__what_a_block_has_in_common_cancels),
        cmocka_unit_test(test_judge__independent_samples_have_the_rank_sum_test),
        cmocka_unit_test(test_judge__what_is_in_no_whole_block_is_shown_but_does_not_count),
        cmocka_unit_test(test_judge__names_outliers_by_their_place),
        cmocka_unit_test(test_judge__sees_drift_and_its_size),
        cmocka_unit_test(test_judge__sees_modes_where_there_are_and_how_far_apart),
        cmocka_unit_test(test_judge__steps_limit_what_can_be_seen_and_are_no_modes),
        cmocka_unit_test(test_layouts__are_the_units_of_the_verdict),
        cmocka_unit_test(test_layouts__a_difference_that_depends_on_them_is_no_difference),
        cmocka_unit_test(test_judge__refuses_what_it_cannot_judge),
        cmocka_unit_test(test_judge__memory_may_run_out_anywhere),
        cmocka_unit_test(test_compare__blocks_have_both_sides_twice_and_in_both_orders),
        cmocka_unit_test(test_compare__takes_a_number_from_the_output),
        cmocka_unit_test(test_compare__a_run_that_fails_ends_it_unless_that_is_ignored),
        cmocka_unit_test(test_compare__what_was_interrupted_is_judged_without_the_last_block),
        cmocka_unit_test(test_compare__refuses_options_that_make_no_sense),
    };
    seed = 20261121;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
