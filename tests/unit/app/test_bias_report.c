/* test_bias_report.c - what a verdict on made-up figures shows: the one that it rests on, in every format. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "app/report/report_bias.h"
#include "study/bias/bias_internal.h"

static const double threshold = 0.02;
static const tacho_estimate none = {1.002, 0.994, 1.008}, small = {1.015, 1.012, 1.019},
                            unsure = {1.04, 0.98, 1.09}, clear = {1.055, 1.047, 1.061},
                            large = {1.2, 1.18, 1.22};

static tacho_bias_factor judged(tacho_estimate loss, tacho_estimate gain)
{
    tacho_bias_factor f = {0};
    bias_no_verdict(&f);
    bias_give_verdict(&f, threshold, loss, gain, (tacho_estimate){1.057, 1.049, 1.064});
    return f;
}

static void assert_shown(tacho_estimate loss, tacho_estimate gain, bool biased, bool is_gain)
{
    const tacho_bias_factor f = judged(loss, gain);
    const tacho_estimate e = is_gain ? gain : loss;
    assert_int_equal(f.biased, biased);
    assert_true(f.effect.value == e.value && f.effect.low == e.low && f.effect.high == e.high);
    assert_string_equal(tacho_bias_effect_name(&f), is_gain ? "usual_to_fastest" : "slowest_to_usual");
    assert_true(f.loss.value == loss.value && f.loss.low == loss.low && f.loss.high == loss.high);
    assert_true(f.gain.value == gain.value && f.gain.low == gain.low && f.gain.high == gain.high);
    assert_true(f.spread.value == 1.057 && f.spread.low == 1.049 && f.spread.high == 1.064);
    if (f.biased)
        assert_true(f.effect.low > 1 && f.effect.value >= 1 + threshold);
}

static void test_verdict__shows_what_it_rests_on(void **state)
{
    (void)state;
    assert_shown(none, clear, true, true); /* was "biased, effect 1.002 (0.994 to 1.008)" */
    assert_shown(clear, none, true, false);
    assert_shown(clear, large, true, true);
    assert_shown(large, clear, true, false);
    assert_shown(unsure, small, false, false);
    assert_shown(large, unsure, true, false);
    assert_shown(clear, (tacho_estimate){1.3, 0.9, 1.6}, true, false); /* the larger one is not sure */
    assert_shown(none, small, false, true);
    assert_shown(none, none, false, false);
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
    tacho_bias_factor f[2] = {judged(none, clear), {.kind = TACHO_BIAS_STACK, .name = "stack"}};
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
    assert_has(&text, "  code           1.055  1.047 to 1.061    usual/fastest   0.4 %  biased");
    assert_has(&text, "  stack              -  -                 -               0.4 %  -");
    assert_has(&text, "slowest      +16 bytes: 1.002 times what is usual, 95 % interval 0.994 to 1.008\n");
    assert_has(&text, "fastest      +0 bytes: usual places take 1.055 times as long, 1.047 to 1.061;");
    assert_has(&text, "1.057 times, 1.049 to 1.064\n");
    tacho_str_clear(&text);
    report_bias_csv(&text, &r);
    assert_has(&text, "name,effect,low,high,biased,period_bytes,cause,gain,");
    assert_has(&text, "\ncode,1.055,1.047,1.061,true,");
    assert_has(&text, ",usual_to_fastest,1.002,0.994,1.008,1.057,1.049,1.064\n");
    assert_has(&text, "\nstack,,,,,,,");
    tacho_str_free(&text);
    json_t *json = report_bias_json(&r), *factors = json_object_get(json, "factors");
    json_t *code = json_array_get(factors, 0), *stack = json_array_get(factors, 1);
    assert_true(json_real_value(json_object_get(code, "effect")) == 1.055);
    assert_true(json_real_value(json_object_get(code, "low")) == 1.047);
    assert_true(json_real_value(json_object_get(code, "high")) == 1.061);
    assert_true(json_is_true(json_object_get(code, "biased")));
    assert_string_equal(json_string_value(json_object_get(code, "effect_of")), "usual_to_fastest");
    assert_true(json_real_value(json_object_get(code, "loss")) == 1.002);
    assert_true(json_real_value(json_object_get(code, "spread_high")) == 1.064);
    const char *const null[] = {"effect", "low", "high", "biased", "effect_of", "loss", "gain", "spread"};
    for (size_t i = 0; i < sizeof null / sizeof *null; i++)
        assert_true(json_is_null(json_object_get(stack, null[i])));
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdict__shows_what_it_rests_on),
        cmocka_unit_test(test_reports__have_the_figure_that_makes_it_biased),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
