/* test_eval_diff.c - two versions of a predictor: what becomes of blocks, which rows are about the same
 * block, figures of both and of their difference. */
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
#include "tacho/eval_diff.h"

static tacho_error err;

/* Old and new prediction (NaN: failed; -1: no row), measurement (NaN: none), and what it is. */
typedef struct row {
    const char *hex;
    double old, new, measured;
    tacho_diff_kind kind;
} row;

static tacho_diff *filled(const row *rows, size_t count)
{
    tacho_diff *d = tacho_diff_new();
    assert_non_null(d);
    for (size_t i = 0; i < count; i++)
        if (!(rows[i].old < 0))
            assert_int_equal(tacho_diff_predict(d, TACHO_DIFF_OLD, rows[i].hex, rows[i].old, "why old", &err),
                             0);
    for (size_t i = 0; i < count; i++)
        if (!(rows[i].new < 0))
            assert_int_equal(tacho_diff_predict(d, TACHO_DIFF_NEW, rows[i].hex, rows[i].new, "why new", &err),
                             0);
    for (size_t i = 0; i < count; i++)
        if (!isnan(rows[i].measured))
            assert_int_equal(tacho_diff_measure(d, rows[i].hex, rows[i].measured, &err), 0);
    return d;
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static void test_diff__says_what_became_of_each_block(void **state)
{
    static const row rows[] = {
        {"00", 2, 2, 3, TACHO_DIFF_UNCHANGED},  {"01", 2, 2.002, 3, TACHO_DIFF_UNCHANGED},
        {"02", 2, 2.003, 3, TACHO_DIFF_BETTER}, {"03", 2, 4, 2.5, TACHO_DIFF_WORSE},
        {"04", 2, 4, 3, TACHO_DIFF_CHANGED}, /* as far as before, on the other side */
        {"05", 2, 4, NAN, TACHO_DIFF_CHANGED},  {"06", 2, NAN, 2, TACHO_DIFF_LOST},
        {"07", NAN, 2, 2, TACHO_DIFF_GAINED},   {"08", NAN, NAN, 2, TACHO_DIFF_FAILED},
        {"09", 2, -1, 2, TACHO_DIFF_REMOVED},   {"0a", -1, 3, 2, TACHO_DIFF_ADDED},
        {"0b", 0, 0, 1, TACHO_DIFF_UNCHANGED},  {"0c", 4, 3, 2, TACHO_DIFF_BETTER},
        {"0d", NAN, -1, 2, TACHO_DIFF_REMOVED},
    };
    enum {
        ROWS = sizeof rows / sizeof *rows
    };
    tacho_diff *d = filled(rows, ROWS);
    tacho_diff_options o = TACHO_DIFF_OPTIONS_INIT;
    assert_int_equal(tacho_diff_score(d, &o, &err), 0);
    const tacho_diff_result *r = tacho_diff_view(d);
    size_t counts[TACHO_DIFF_KIND_COUNT] = {0};
    assert_int_equal(r->block_count, ROWS);
    for (size_t i = 0; i < r->block_count; i++)
        for (size_t k = 0; k < ROWS; k++)
            if (!strcmp(rows[k].hex, r->blocks[i].hex)) {
                assert_string_equal(tacho_diff_kind_name(r->blocks[i].kind),
                                    tacho_diff_kind_name(rows[k].kind));
                counts[rows[k].kind]++;
            }
    assert_memory_equal(counts, r->counts, sizeof counts);
    assert_int_equal(r->measured, 13);
    assert_int_equal(r->higher, 4);
    assert_int_equal(r->lower, 1);
    assert_string_equal(r->blocks[6].message[TACHO_DIFF_NEW], "why new");
    assert_string_equal(r->blocks[6].message[TACHO_DIFF_OLD], "");
    /* Common: 00 to 04, 0b, 0c. */
    assert_int_equal(r->common[TACHO_DIFF_OLD].count, 7);
    assert_int_equal(r->common[TACHO_DIFF_NEW].failures, 0);
    assert_int_equal(r->all[TACHO_DIFF_OLD].count, 9);
    assert_int_equal(r->all[TACHO_DIFF_OLD].failures, 3);
    assert_int_equal(r->all[TACHO_DIFF_NEW].count, 9);
    assert_int_equal(r->all[TACHO_DIFF_NEW].failures, 2);
    assert_near(r->difference.mape.value,
                r->common[TACHO_DIFF_NEW].mape.value - r->common[TACHO_DIFF_OLD].mape.value);
    assert_near(r->common[TACHO_DIFF_OLD].mape.value, (1. / 3 + 1. / 3 + 1. / 3 + 0.2 + 1. / 3 + 1 + 1) / 7);
    tacho_diff_free(d);
}

static void test_diff__lists_the_largest_changes_first(void **state)
{
    static const row rows[] = {{"00", 1, 2, 4, 0}, {"01", 1, 4, 4, 0},   {"02", 1, 3, 4, 0},
                               {"03", 4, 2, 4, 0}, {"04", 1, 2, NAN, 0}, {"05", 3, 1, NAN, 0}};
    tacho_diff *d = filled(rows, 6);
    tacho_diff_options o = TACHO_DIFF_OPTIONS_INIT;
    o.largest = 2;
    assert_int_equal(tacho_diff_score(d, &o, &err), 0);
    const tacho_diff_result *r = tacho_diff_view(d);
    assert_int_equal(r->largest_count[TACHO_DIFF_BETTER], 2);
    assert_int_equal(r->largest[TACHO_DIFF_BETTER][0], 1);
    assert_int_equal(r->largest[TACHO_DIFF_BETTER][1], 2);
    assert_int_equal(r->largest_count[TACHO_DIFF_WORSE], 1);
    assert_int_equal(r->largest[TACHO_DIFF_WORSE][0], 3);
    assert_int_equal(r->largest[TACHO_DIFF_CHANGED][0], 5);
    assert_int_equal(r->largest[TACHO_DIFF_CHANGED][1], 4);
    assert_near(r->blocks[5].change, -2. / 3);
    assert_near(r->blocks[1].change, -0.75);
    assert_int_equal(r->largest_count[TACHO_DIFF_UNCHANGED], 0);
    tacho_diff_free(d);
}

/* The k-th row with some code is about the k-th block with it, on either side. */
static void test_diff__pairs_rows_with_the_same_code_in_order(void **state)
{
    tacho_diff *d = tacho_diff_new();
    tacho_diff_options o = TACHO_DIFF_OPTIONS_INIT;
    for (int i = 0; i < 3; i++)
        tacho_diff_predict(d, TACHO_DIFF_OLD, "ab", 1 + i, NULL, &err);
    tacho_diff_predict(d, TACHO_DIFF_OLD, "cd", 9, NULL, &err);
    for (int i = 0; i < 5; i++)
        tacho_diff_predict(d, TACHO_DIFF_NEW, i % 2 ? "AB" : "ab", 11 + i, NULL, &err);
    assert_int_equal(tacho_diff_measure(d, "aB", 1, &err), 0);
    assert_int_equal(tacho_diff_measure(d, "ab", 2, &err), 0);
    assert_int_equal(tacho_diff_measure(d, "ff", 7, &err), 0);
    assert_int_equal(tacho_diff_measure(d, "cd", 7, &err), 0);
    assert_int_equal(tacho_diff_measure(d, "cd", 8, &err), 0);
    assert_int_equal(tacho_diff_measure(d, "cd", 0, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_diff_measure(d, "cd", NAN, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_diff_score(d, &o, &err), 0);
    const tacho_diff_result *r = tacho_diff_view(d);
    assert_int_equal(r->block_count, 6);
    for (int i = 0; i < 3; i++) {
        assert_true(r->blocks[i].cycles[0] == 1 + i && r->blocks[i].cycles[1] == 11 + i);
        assert_true(r->blocks[i].measured == (i ? 2 : 1));
    }
    assert_true(r->blocks[3].measured == 7 && r->blocks[3].kind == TACHO_DIFF_REMOVED);
    for (int i = 4; i < 6; i++) {
        assert_int_equal(r->blocks[i].kind, TACHO_DIFF_ADDED);
        assert_true(r->blocks[i].cycles[1] == 10 + i && r->blocks[i].measured == 2);
    }
    assert_int_equal(r->unused, 2);
    tacho_diff_free(d);
}

/* A constant step for the better: the paired interval knows it although blocks differ much among each other.
 */
static void test_diff__paired_intervals_are_those_of_the_difference(void **state)
{
    enum {
        BLOCKS = 400
    };
    tacho_diff *d = tacho_diff_new();
    char hex[16];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < BLOCKS; i++) {
            double error = (double)(hash_mix((uint64_t)i) % 1000) / 1000; /* 0..1 */
            snprintf(hex, sizeof hex, "%06x", i);
            tacho_diff_predict(d, side, hex, 8 * (1.1 + error - (side ? 0.05 : 0)), NULL, &err);
        }
    for (int i = 0; i < BLOCKS; i++) {
        snprintf(hex, sizeof hex, "%06x", i);
        tacho_diff_measure(d, hex, 8, &err);
    }
    tacho_diff_options o = TACHO_DIFF_OPTIONS_INIT;
    o.score.resamples = 200;
    assert_int_equal(tacho_diff_score(d, &o, &err), 0);
    tacho_diff_result alone = *tacho_diff_view(d);
    assert_int_equal(alone.counts[TACHO_DIFF_BETTER], BLOCKS);
    assert_near(alone.difference.mape.value, -0.05);
    assert_true(fabs(alone.difference.mape.low + 0.05) < 1e-9 &&
                fabs(alone.difference.mape.high + 0.05) < 1e-9);
    assert_true(alone.common[0].mape.high - alone.common[0].mape.low > 0.02);
    assert_true(isnan(alone.difference.kendall_tau.value)); /* all measurements are equal */
    o.threads = 4;
    assert_int_equal(tacho_diff_score(d, &o, &err), 0);
    assert_memory_equal(&alone.difference, &tacho_diff_view(d)->difference, sizeof alone.difference);
    assert_memory_equal(alone.common, tacho_diff_view(d)->common, sizeof alone.common);
    assert_memory_equal(alone.common, alone.all, sizeof alone.all); /* they are the same blocks */
    tacho_diff_free(d);
}

static void test_compare__is_the_difference_of_the_scores(void **state)
{
    enum {
        PAIRS = 300
    };
    double measured[PAIRS], a[PAIRS], b[PAIRS];
    for (uint64_t i = 0; i < PAIRS; i++) {
        measured[i] = 1 + (double)(hash_mix(i) % 64) / 8;
        a[i] = measured[i] + (double)(hash_mix(i + 1000) % 16) / 8;
        b[i] = measured[i] + (double)(hash_mix(i + 2000) % 8) / 8;
    }
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    tacho_score of_a, of_b;
    tacho_score_difference difference;
    o.resamples = 300;
    o.tau_step = 0.25;
    assert_int_equal(tacho_score_compute(measured, a, PAIRS, &o, &of_a, &err), 0);
    assert_int_equal(tacho_score_compute(measured, b, PAIRS, &o, &of_b, &err), 0);
    assert_int_equal(tacho_score_compare(measured, a, b, PAIRS, &o, &difference, &err), 0);
    assert_near(difference.mape.value, of_b.mape.value - of_a.mape.value);
    assert_near(difference.kendall_tau.value, of_b.kendall_tau.value - of_a.kendall_tau.value);
    assert_true(difference.mape.low < difference.mape.value && difference.mape.value < difference.mape.high);
    assert_true(difference.mape.high < 0 && difference.kendall_tau.low > 0);
    /* Never above what both together can vary by. */
    assert_true(difference.mape.high - difference.mape.low <=
                of_a.mape.high - of_a.mape.low + of_b.mape.high - of_b.mape.low);
    /* Where one has no prediction, both are not looked at. */
    a[0] = b[1] = NAN;
    assert_int_equal(tacho_score_compare(measured, a, b, PAIRS, &o, &difference, &err), 0);
    assert_int_equal(difference.count, PAIRS - 2);
    assert_int_equal(tacho_score_compute(measured + 2, a + 2, PAIRS - 2, &o, &of_a, &err), 0);
    assert_int_equal(tacho_score_compute(measured + 2, b + 2, PAIRS - 2, &o, &of_b, &err), 0);
    assert_near(difference.mape.value, of_b.mape.value - of_a.mape.value);
    measured[5] = 0;
    assert_int_equal(tacho_score_compare(measured, a, b, PAIRS, &o, &difference, &err), TACHO_ERR_USAGE);
}

static void test_diff__nothing_is_nothing(void **state)
{
    tacho_diff *d = tacho_diff_new();
    tacho_diff_options o = TACHO_DIFF_OPTIONS_INIT;
    assert_int_equal(tacho_diff_score(d, &o, &err), 0);
    assert_int_equal(tacho_diff_view(d)->block_count, 0);
    assert_true(isnan(tacho_diff_view(d)->difference.mape.value));
    assert_true(isnan(tacho_diff_view(d)->common[0].mape.value));
    o.tolerance = 2;
    assert_int_equal(tacho_diff_score(d, &o, &err), TACHO_ERR_USAGE);
    o.tolerance = 0;
    o.score.confidence = 1;
    assert_int_equal(tacho_diff_score(d, &o, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_diff_predict(d, 2, "90", 1, NULL, &err), TACHO_ERR_USAGE);
    tacho_diff_free(d);
}

static int all_of_it(const tacho_diff_options *o)
{
    tacho_diff *d = tacho_diff_new();
    int result = d ? 0 : TACHO_ERR_MEMORY;
    for (int side = 0; side < 2 && !result; side++)
        for (int i = 0; i < 600 && !result; i++) {
            char hex[16];
            snprintf(hex, sizeof hex, "%04x", i);
            result = tacho_diff_predict(d, side, hex, i + side, "m", &err);
            if (!result && side)
                result = tacho_diff_measure(d, hex, 5, &err);
        }
    if (!result)
        result = tacho_diff_score(d, o, &err);
    tacho_diff_free(d);
    return result;
}

static void test_diff__runs_out_of_memory(void **state)
{
    tacho_diff_options o = TACHO_DIFF_OPTIONS_INIT;
    o.score.resamples = 10;
    for (unsigned long n = 1;; n++) {
        tacho_mem_fail_at(n);
        int result = all_of_it(&o);
        tacho_mem_fail_at(0);
        if (!result) {
            assert_true(n > 10);
            break;
        }
        assert_int_equal(result, TACHO_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diff__says_what_became_of_each_block),
        cmocka_unit_test(test_diff__lists_the_largest_changes_first),
        cmocka_unit_test(test_diff__pairs_rows_with_the_same_code_in_order),
        cmocka_unit_test(test_diff__paired_intervals_are_those_of_the_difference),
        cmocka_unit_test(test_compare__is_the_difference_of_the_scores),
        cmocka_unit_test(test_diff__nothing_is_nothing),
        cmocka_unit_test(test_diff__runs_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
