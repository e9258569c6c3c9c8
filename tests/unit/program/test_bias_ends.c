/* test_bias_ends.c - how a sweep ends: by the caller, with errors, with too few runs; and what curves say
 * that are made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/seconds.h"
#include "bias_sweeps.h"
#include "program/bias/bias_internal.h"

static int stop_after_100(const tacho_bias_progress *p, void *payload)
{
    (void)payload;
    return p->runs_done >= 100;
}

static void test_sweep__what_there_is_when_it_is_ended(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK | 1u << TACHO_BIAS_HEAP);
    o.step_bytes = 16;
    o.progress = stop_after_100;
    tacho_bias *b = sweep("none", "10000", "0", &o);
    assert_true(b->partial && b->factors[0].partial);
    assert_non_null(b->factors[1].missing);
    assert_true(isnan(b->factors[0].effect.value));
    uint32_t runs = 0;
    for (uint32_t i = 0; i < b->factors[0].point_count; i++)
        runs += b->factors[0].points[i].runs;
    assert_in_range(runs, 50, 100);
    tacho_bias_free(b);
}

static bool is_confirming(const tacho_bias_progress *p, uint32_t runs)
{
    return p->phase == TACHO_BIAS_CONFIRMING && p->runs_done >= runs;
}

/* Four places, so that 40 runs choose the slowest and the fastest; then come rounds of four. */
static int stop_after_some_rounds(const tacho_bias_progress *p, void *payload)
{
    uint32_t *phases = payload;
    *phases |= 1u << p->phase;
    assert_true(p->runs_all > 0 && (p->phase != TACHO_BIAS_SWEEPING || p->runs_done < p->runs_all));
    return is_confirming(p, 2 * 4 * 5 + 10 * 4);
}

static void assert_note(const tacho_bias_factor *f, const char *words)
{
    for (uint32_t i = 0; i < f->note_count; i++)
        if (strstr(f->notes[i], words))
            return;
    fail_msg("no note says '%s'", words);
}

static void test_confirm__is_told_and_says_when_rounds_are_missing(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    uint32_t phases = 0;
    o.step_bytes = 1024;
    o.progress = stop_after_some_rounds;
    o.payload = &phases;
    tacho_bias *b = sweep("none", "10000", "0", &o);
    const tacho_bias_factor *f = &b->factors[0];
    assert_int_equal(phases, 1u << TACHO_BIAS_SWEEPING | 1u << TACHO_BIAS_CONFIRMING);
    assert_true(b->partial && f->partial);
    assert_in_range(f->rounds, 9, 10);
    assert_true(isfinite(f->effect.value) && f->effect.low <= f->effect.value);
    assert_note(
        f, "of 25 rounds compare the slowest and the fastest place with usual ones, as the sweep was ended");
    tacho_bias_free(b);
}

static void test_confirm__says_when_time_was_short(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    o.step_bytes = 1024;
    o.max_seconds = 0.1;
    o.timeout_seconds = 60; /* of a run, however long others keep the processor from it */
    tacho_bias *b = sweep("none", "2000000", "0", &o);
    if (!b->factors[0].missing) {
        assert_in_range(b->factors[0].rounds, 0, 24);
        assert_note(&b->factors[0], "time did not allow for more (--max-time)");
    }
    tacho_bias_free(b);
}

/* What one factor needs is not taken from the others: each has its runs, where there are some for all. */
static void test_sweep__shares_its_time(void **state)
{
    (void)state;
    bias b = {.options = TACHO_BIAS_OPTIONS_INIT, .run_seconds = 1};
    bias_series series[3] = {{.count = 256}, {.count = 256}, {.count = 0}};
    b.until = seconds_now() + 300;
    assert_true(fabs(bias_time_for(&b, series, 3) - 150) < 1);
    series[1].count = 1; /* few runs: the rest is for the first */
    b.until = seconds_now() + 600;
    assert_true(fabs(bias_time_for(&b, series, 3) - (600 - 5 - CONFIRM_RUNS)) < 1);
    b.until = seconds_now() + 30; /* both want more */
    assert_true(fabs(bias_time_for(&b, series, 3) - 15) < 1);
    b.until = seconds_now() - 1;
    assert_true(bias_time_for(&b, series, 3) == 0);
}

static bool is_over(void *payload)
{
    (void)payload;
    return true;
}

/* Where nothing comes during a run, it is asked between runs. */
static void test_sweep__is_ended_between_runs(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    o.stop = is_over;
    tacho_bias *b = sweep("none", "10000", "0", &o);
    assert_true(b->partial);
    assert_non_null(b->factors[0].missing);
    tacho_bias_free(b);
}

static void test_confirm__few_runs_are_no_verdict(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    o.confidence = 0.5 + 0.4999999999; /* which 25 rounds do not give */
    o.step_bytes = 1024;
    tacho_bias *b = sweep("none", "10000", "0", &o);
    assert_true(isnan(b->factors[0].effect.value) && isnan(b->factors[0].gain.value));
    assert_false(b->factors[0].biased);
    assert_int_equal(b->factors[0].rounds, 25);
    assert_note(&b->factors[0], "25 rounds are too few");
    tacho_bias_free(b);
}

static void assert_error(char *what, int code, const char *words)
{
    char *argv[] = {probe, what, NULL};
    const tacho_command command = {.argv = argv};
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    tacho_bias *out = NULL;
    o.timeout_seconds = strcmp(what, "hang") ? 60 : 0.5;
    assert_int_equal(tacho_bias_sweep(&out, &command, &o, &err), code);
    if (!strstr(err.message, words))
        fail_msg("'%s' lacks '%s'", err.message, words);
}

static void test_sweep__commands_that_cannot_be_measured(void **state)
{
    (void)state;
    assert_error("crash", TACHO_ERR_FAILED, "signal 6");
    assert_error("fail", TACHO_ERR_FAILED, "ended with status");
    assert_error("hang", TACHO_ERR_INPUT, "time limit");
    assert_error("flaky", TACHO_ERR_FAILED, "ended with status");
    char *argv[] = {"/no/such/program", NULL}, *kept = probe;
    probe = argv[0];
    assert_error("none", TACHO_ERR_INPUT, "/no/such/program");
    probe = kept;
}

/* Without counters cycles follow from the clock of one core, which is not known where any may run it. */
static void test_sweep__a_metric_without_values_is_an_error(void **state)
{
    (void)state;
    char *argv[] = {probe, "none", "1000", NULL};
    const tacho_command command = {.argv = argv};
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    tacho_bias *out = NULL;
    o.step_bytes = 1024;
    o.metric = "cycles"; /* by default processor time would do */
    o.cpu = TACHO_CPU_ANY;
    int rc = tacho_bias_sweep(&out, &command, &o, &err);
    if (!rc) {
        assert_string_equal(out->clock, "perf");
        tacho_bias_free(out);
        return;
    }
    assert_int_equal(rc, TACHO_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "gave a value of cycles: the core's clock"));
}

static bias_series made_up(double *medians, uint32_t count, uint32_t period, uint64_t seed)
{
    for (uint32_t i = 0; i < count; i++)
        medians[i] = 10 + 0.01 * ((double)(hash_mix(seed + i) >> 40) / (1 << 24) - 0.5) +
                     (period && i % period == 3 ? 0.2 : 0);
    return (bias_series){.count = count, .medians = medians};
}

static void test_period__is_the_distance_of_the_spikes(void **state)
{
    (void)state;
    double medians[256];
    for (uint32_t period = 4; period <= 64; period *= 2) {
        bias_series s = made_up(medians, 256, period, period);
        assert_true(curve_period(&s) == period);
    }
}

static void test_period__noise_has_none(void **state)
{
    (void)state;
    double medians[256];
    for (uint64_t seed = 0; seed < 200; seed++) {
        bias_series s = made_up(medians, seed % 2 ? 256 : 16, 0, seed << 32);
        assert_true(isnan(curve_period(&s)));
    }
}

int main(int argc, char **argv)
{
    take_probe(argc, argv);
    need_layouts();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep__what_there_is_when_it_is_ended),
        cmocka_unit_test(test_confirm__is_told_and_says_when_rounds_are_missing),
        cmocka_unit_test(test_confirm__says_when_time_was_short),
        cmocka_unit_test(test_sweep__is_ended_between_runs),
        cmocka_unit_test(test_sweep__shares_its_time),
        cmocka_unit_test(test_confirm__few_runs_are_no_verdict),
        cmocka_unit_test(test_sweep__commands_that_cannot_be_measured),
        cmocka_unit_test(test_sweep__a_metric_without_values_is_an_error),
        cmocka_unit_test(test_period__is_the_distance_of_the_spikes),
        cmocka_unit_test(test_period__noise_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
