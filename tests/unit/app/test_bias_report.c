/* test_bias_report.c - what a verdict on made-up figures shows: the one that it rests on, in every format. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "app/report/compare/report_compare.h"
#include "program/bias/bias_internal.h"

static const double threshold = 0.02;
static const tacho_estimate none = {1.002, 0.994, 1.008}, small = {1.015, 1.012, 1.019},
                            unsure = {1.04, 0.98, 1.09}, clear = {1.055, 1.047, 1.061},
                            large = {1.2, 1.18, 1.22};

static tacho_bias_factor judged(tacho_estimate spread)
{
    tacho_bias_factor f = {0};
    bias_no_verdict(&f);
    bias_give_verdict(&f, threshold, none, clear, spread);
    return f;
}

static void assert_shown(tacho_estimate spread, bool biased)
{
    const tacho_bias_factor f = judged(spread);
    assert_int_equal(f.biased, biased);
    assert_true(f.effect.value == spread.value && f.effect.low == spread.low && f.effect.high == spread.high);
    assert_true(f.spread.value == spread.value && f.spread.low == spread.low && f.spread.high == spread.high);
    assert_string_equal(tacho_bias_effect_name(&f), "slowest_to_fastest");
    assert_true(f.loss.value == none.value && f.loss.low == none.low && f.loss.high == none.high);
    assert_true(f.gain.value == clear.value && f.gain.low == clear.low && f.gain.high == clear.high);
}

static void test_verdict__shows_what_it_rests_on(void **state)
{
    (void)state;
    assert_shown(none, false);
    assert_shown(small, false);
    assert_shown(unsure, false);
    assert_shown(clear, true);
    assert_shown(large, true);
}

static tacho_bias_point points[] = {
    {.position = 0, .label = "+0 bytes", .value = 1, .ratio = 1, .runs = 5},
    {.position = 16, .label = "+16 bytes", .value = 1, .ratio = 1, .runs = 5}};
static char *argv[] = {"program", NULL};

static void assert_has(const tacho_str *text, const char *words)
{
    assert_false(text->failed);
    if (!strstr(text->data, words))
        fail_msg("'%s' is not in:\n%s", words, text->data);
}

static void test_reports__have_the_figure_that_makes_it_biased(void **state)
{
    (void)state;
    tacho_bias_factor f[2] = {judged((tacho_estimate){1.057, 1.049, 1.064}),
                              {.kind = TACHO_BIAS_STACK, .name = "stack"}};
    f[0].kind = TACHO_BIAS_CODE;
    f[0].name = "code";
    f[0].points = f[1].points = points;
    f[0].point_count = f[1].point_count = 2;
    f[0].slow = 1;
    f[0].step_bytes = 16;
    f[0].median = 1;
    f[0].noise = f[1].noise = 0.004;
    bias_no_verdict(&f[1]);
    const tacho_bias b = {
        .factors = f, .factor_count = 2, .metric = "cpu", .metric_unit = "s", .clock = "perf"};
    const report_bias r = {&b, argv, 0.95};
    tacho_str text = {0};
    report_bias_text(&text, &r, false);
    assert_has(&text, "  code                   1.057  1.049 to 1.064     0.4 %  biased");
    assert_has(&text, "  stack                      -  -                  0.4 %  -");
    assert_has(&text, "slowest      +16 bytes: 1.002 times what is usual, 95 % interval 0.994 to 1.008\n");
    assert_has(&text, "fastest      +0 bytes: usual places take 1.055 times as long, 1.047 to 1.061\n");
    tacho_str_clear(&text);
    report_bias_csv(&text, &r);
    assert_has(&text, "name,effect,low,high,biased,period_bytes,cause,gain,");
    assert_has(&text, "\ncode,1.057,1.049,1.064,true,");
    assert_has(&text, ",slowest_to_fastest,1.002,0.994,1.008,1.057,1.049,1.064\n");
    assert_has(&text, "\nstack,,,,,,,");
    tacho_str_free(&text);
    json_t *json = report_bias_json(&r), *factors = json_object_get(json, "factors");
    json_t *code = json_array_get(factors, 0), *stack = json_array_get(factors, 1);
    assert_true(json_real_value(json_object_get(code, "effect")) == 1.057);
    assert_true(json_real_value(json_object_get(code, "low")) == 1.049);
    assert_true(json_real_value(json_object_get(code, "high")) == 1.064);
    assert_true(json_is_true(json_object_get(code, "biased")));
    assert_string_equal(json_string_value(json_object_get(code, "effect_of")), "slowest_to_fastest");
    assert_true(json_real_value(json_object_get(code, "loss")) == 1.002);
    assert_true(json_real_value(json_object_get(code, "spread_high")) == 1.064);
    const char *const null[] = {"effect", "low", "high", "biased", "effect_of", "loss", "gain", "spread"};
    for (size_t i = 0; i < sizeof null / sizeof *null; i++)
        assert_true(json_is_null(json_object_get(stack, null[i])));
    json_decref(json);
}

/* Of a cause that was looked for: what is not known is null, or not there. */
static void test_reports__have_the_cause(void **state)
{
    (void)state;
    tacho_bias_factor f = judged((tacho_estimate){1.057, 1.049, 1.064});
    f.name = "buffers";
    f.points = points;
    f.point_count = 2;
    f.step_bytes = 16;
    f.cause = TACHO_BIAS_TLB;
    f.why = (tacho_bias_why){.looked = true,
                             .sentence = "pages",
                             .tlb_slow = 176.4,
                             .tlb_fast = 1,
                             .set_slow = NAN,
                             .set_fast = NAN,
                             .tlb_sets = 1,
                             .tlb_ways = 96,
                             .hot_bytes = 30,
                             .hot_slow = 64,
                             .hot_fast = 64,
                             .predicted_slow = NAN,
                             .predicted_fast = NAN,
                             .missing = {.assembly = "mov rdx, [rdx]", .symbol = "walk", .offset = 16},
                             .missing_per_1000 = 170};
    const tacho_bias b = {
        .factors = &f, .factor_count = 1, .metric = "cpu", .metric_unit = "s", .clock = "perf"};
    const report_bias r = {&b, argv, 0.95};
    tacho_str text = {0};
    report_bias_text(&text, &r, false);
    assert_has(&text, "  TLB\n");
    assert_has(&text, "most         mov rdx, [rdx] at walk+0x10: 170.0 of them\n");
    tacho_str_free(&text);
    json_t *json = report_bias_json(&r), *factor = json_array_get(json_object_get(json, "factors"), 0);
    json_t *why = json_object_get(factor, "why"), *loop = json_object_get(why, "hot_loop");
    assert_string_equal(json_string_value(json_object_get(factor, "cause")), "tlb");
    assert_true(json_real_value(json_object_get(json_object_get(why, "tlb_misses_per_1000"), "slow")) ==
                176.4);
    assert_int_equal(json_integer_value(json_object_get(why, "tlb_ways")), 96);
    assert_true(json_is_null(json_object_get(loop, "limit_slow")));
    assert_true(json_is_null(json_object_get(loop, "limit_fast")));
    assert_true(json_real_value(json_object_get(json_object_get(why, "missing"), "slow_per_1000")) == 170);
    assert_true(json_is_null(json_object_get(why, "set_conflicts_per_1000")));
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdict__shows_what_it_rests_on),
        cmocka_unit_test(test_reports__have_the_figure_that_makes_it_biased),
        cmocka_unit_test(test_reports__have_the_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
