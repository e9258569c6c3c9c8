/* test_bias.c - sweeps of a program whose time depends on its layout by its own doing, and curves made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bias/window.h"
#include "tacho/stats.h"
#include "util/hash.h"
#include "util/mem.h"

static char *probe;
static tacho_error err;

static tacho_bias *sweep(char *what, char *rounds, const tacho_bias_options *o)
{
    char *argv[] = {probe, what, rounds, NULL};
    const tacho_command command = {.argv = argv};
    tacho_bias *out = NULL;
    if (tacho_bias_sweep(&out, &command, o, &err))
        fail_msg("%s", err.message);
    return out;
}

static tacho_bias_options options(uint32_t factors)
{
    tacho_bias_options o = TACHO_BIAS_OPTIONS_INIT;
    o.factors = factors;
    o.passes = 3;
    o.step_bytes = 64;
    o.metric = "cpu"; /* which is there also where the core's clock cannot be found */
    o.why = false;
    return o;
}

/* The only place of 64 comes again a page later. */
static void assert_pages(const tacho_bias_factor *f)
{
    if (f->period_bytes != 4096)
        fail_msg("%s: period %g, effect %g", f->name, f->period_bytes, f->effect);
}

static uint32_t count_spikes(const tacho_bias_factor *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->point_count; i++)
        count += f->points[i].spike;
    return count;
}

/* What a fourth more rounds make of a run that has other work, too. */
static void assert_found(const tacho_bias_factor *f)
{
    if (f->missing)
        fail_msg("%s", f->missing);
    assert_true(f->biased);
    assert_true(f->effect > 1.15 && f->effect < 1.32);
    assert_true(f->low <= f->effect && f->effect <= f->high && f->low > 1.05);
    assert_true(f->points[f->slow].spike);
    assert_in_range(count_spikes(f), 1, 3);
}

static void test_stack__a_slow_place_is_found_with_its_period(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    tacho_bias *b = sweep("stack", "5000000", &o);
    assert_int_equal(b->factor_count, 1);
    assert_int_equal(b->factors[0].point_count, 64);
    assert_found(&b->factors[0]);
    assert_pages(&b->factors[0]);
    assert_false(b->partial);
    tacho_bias_free(b);
}

/* The stack's place follows from the environment's size; the heap's and the mappings' do not. */
static void test_environment__moves_the_stack_and_nothing_else(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_ENVIRONMENT | 1u << TACHO_BIAS_HEAP);
    o.seed = 7;
    tacho_bias *b = sweep("stack", "5000000", &o);
    assert_int_equal(b->factor_count, 2);
    assert_int_equal(b->factors[0].kind, TACHO_BIAS_ENVIRONMENT);
    assert_found(&b->factors[0]);
    assert_pages(&b->factors[0]);
    assert_false(b->factors[1].biased);
    assert_true(isnan(b->factors[1].period_bytes));
    assert_int_equal(count_spikes(&b->factors[1]), 0);
    tacho_bias_free(b);
}

static void test_heap_and_mappings__each_finds_its_own(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_HEAP);
    tacho_bias *b = sweep("heap", "5000000", &o);
    assert_found(&b->factors[0]);
    assert_pages(&b->factors[0]);
    tacho_bias_free(b);
    o.factors = 1u << TACHO_BIAS_MAPPINGS;
    b = sweep("mapped", "5000000", &o);
    assert_int_equal(b->factors[0].point_count, 64);
    assert_found(&b->factors[0]);
    tacho_bias_free(b);
}

static void test_buffers__every_other_large_allocation_moves(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_BUFFERS);
    tacho_bias *b = sweep("buffers", "5000000", &o);
    assert_found(&b->factors[0]);
    assert_true(b->factors[0].points[b->factors[0].slow].position == 5 * 64);
    assert_pages(&b->factors[0]);
    tacho_bias_free(b);
}

/* Its path is on the stack twice, so that half the length moves the stack by as much. */
static void test_argument_and_directory__move_the_stack(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_ARGUMENT | 1u << TACHO_BIAS_DIRECTORY);
    o.passes = 2;
    o.step_bytes = 16;
    o.span_bytes = 256;
    tacho_bias *b = sweep("none", "1000000", &o);
    assert_int_equal(b->factors[0].point_count, 8);
    assert_int_equal(b->factors[1].point_count, 16);
    for (uint32_t f = 0; f < 2; f++)
        for (uint32_t i = 0; i < b->factors[f].point_count; i++)
            assert_true(b->factors[f].points[i].position == 16.0 * i);
    tacho_bias_free(b);
}

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
    tacho_bias *b = sweep("none", "10000", &o);
    assert_true(b->partial && b->factors[0].partial);
    assert_non_null(b->factors[1].missing);
    assert_true(isnan(b->factors[0].effect));
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
    tacho_bias *b = sweep("none", "10000", &o);
    const tacho_bias_factor *f = &b->factors[0];
    assert_int_equal(phases, 1u << TACHO_BIAS_SWEEPING | 1u << TACHO_BIAS_CONFIRMING);
    assert_true(b->partial && f->partial);
    assert_in_range(f->rounds, 9, 10);
    assert_true(isfinite(f->effect) && f->low <= f->effect);
    assert_note(f,
                "of 25 rounds of the slowest and the fastest place with usual ones, as the sweep was ended");
    tacho_bias_free(b);
}

/* Where time is over, as many as 30 runs are made all the same. */
static void test_confirm__says_when_time_was_short(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    o.step_bytes = 1024;
    o.max_seconds = 0.1;
    tacho_bias *b = sweep("none", "2000000", &o);
    if (!b->factors[0].missing) {
        assert_in_range(b->factors[0].rounds, 1, 24);
        assert_note(&b->factors[0], "time did not allow for more (--max-time)");
    }
    tacho_bias_free(b);
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
    tacho_bias *b = sweep("none", "10000", &o);
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
    tacho_bias *b = sweep("none", "10000", &o);
    assert_true(isnan(b->factors[0].effect) && isnan(b->factors[0].gain));
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
    assert_error("crash", TACHO_ERR_INPUT, "signal 6");
    assert_error("hang", TACHO_ERR_INPUT, "time limit");
    assert_error("flaky", TACHO_ERR_INPUT, "ended with status");
    char *argv[] = {"/no/such/program", NULL}, *kept = probe;
    probe = argv[0];
    assert_error("none", TACHO_ERR_INPUT, "/no/such/program");
    probe = kept;
}

/* ---- why ---- */

static void assert_pair(const tacho_bias_factor *f)
{
    assert_true(f->biased);
    assert_int_equal(f->cause, TACHO_BIAS_ALIASING);
    assert_true(f->why.pair_count >= 1);
    const tacho_bias_pair *p = &f->why.pairs[0];
    assert_string_equal(p->store.symbol, "aliased");
    assert_string_equal(p->store.source, "aliased.c");
    assert_int_equal(p->store.line, 1000);
    assert_string_equal(p->load.source, "aliased.c");
    assert_int_equal(p->load.line, 2000);
    assert_int_equal(p->store_address % 4096, 19 * 16);
    assert_int_equal(p->load_address % 4096, 19 * 16);
    assert_true(p->store_address != p->load_address);
    /* One in some nine instructions of the loop; short runs are mostly their start and end. */
    assert_true(p->slow > 20 && p->fast < 1);
}

/* The pair is there in one of 256 layouts; its instructions are named, and moving on helps. */
static void test_why__names_the_store_and_the_load(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    o.why = true;
    o.step_bytes = 16;
    o.passes = 2;
    tacho_bias *b = sweep("aliased", "5000000", &o);
    assert_found(&b->factors[0]);
    assert_pair(&b->factors[0]);
    const tacho_bias_advice *a = &b->factors[0].advice;
    assert_non_null(a->sentence);
    assert_true(a->helps && a->ratio > 0.7 && a->ratio < 0.9 && a->high < 1);
    tacho_bias_free(b);
}

static void test_why__looks_into_threads_and_processes(void **state)
{
    (void)state;
    char *where[] = {"thread", "process"};
    for (int i = 0; i < 2; i++) {
        tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
        o.why = true;
        o.step_bytes = 16;
        o.passes = 2;
        tacho_bias *b = sweep(where[i], "2000000", &o);
        assert_pair(&b->factors[0]);
        tacho_bias_free(b);
    }
}

/* A task that is stepped may wait for a child, which is stopped when it is born. */
static void test_window__what_waits_for_its_children_goes_on(void **state)
{
    (void)state;
    extern char **environ;
    char *argv[] = {probe, "spawn", "100000", NULL};
    const bias_place place = {.layout = {.fixed = true, .padded = true}, .command = {.argv = argv}};
    bias b = {.options = TACHO_BIAS_OPTIONS_INIT, .environment = environ, .err = &err};
    observation seen = {0};
    b.run_seconds = 0.05;
    b.result.cpu = TACHO_CPU_ANY;
    assert_int_equal(window_observe(&b, &place, &seen), 0);
    assert_true(seen.windows >= 3 && seen.executed > seen.windows);
    observation_free(&seen);
}

static void test_window__without_memory_is_an_error(void **state)
{
    (void)state;
    extern char **environ;
    char *argv[] = {probe, "none", "1000", NULL};
    const bias_place place = {.layout = {.fixed = true, .padded = true}, .command = {.argv = argv}};
    bias b = {.options = TACHO_BIAS_OPTIONS_INIT, .environment = environ, .err = &err};
    observation seen = {0};
    b.result.cpu = TACHO_CPU_ANY;
    tacho_mem_fail_at(1);
    int rc = window_observe(&b, &place, &seen);
    tacho_mem_fail_at(0);
    assert_int_equal(rc, TACHO_ERR_MEMORY);
    observation_free(&seen);
}

static void test_why__lines_that_are_crossed(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    o.why = true;
    o.step_bytes = 16;
    o.span_bytes = 512;
    tacho_bias *b = sweep("crossing", "5000000", &o);
    const tacho_bias_factor *f = &b->factors[0];
    assert_true(f->biased);
    assert_int_equal(f->cause, TACHO_BIAS_LINE_CROSSING);
    assert_true(f->why.line_slow > 20 && f->why.line_fast < 5);
    assert_true(f->period_bytes == 64);
    assert_true(f->advice.helps);
    tacho_bias_free(b);
}

/* More rounds without any reason in memory or code: that is not known. */
static void test_why__may_be_unknown(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    o.why = true;
    tacho_bias *b = sweep("stack", "5000000", &o);
    assert_found(&b->factors[0]);
    assert_int_equal(b->factors[0].cause, TACHO_BIAS_UNKNOWN);
    assert_null(b->factors[0].advice.sentence);
    tacho_bias_free(b);
}

/* ---- curves that are made up ---- */

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
    probe = argc > 1 ? argv[1] : "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack__a_slow_place_is_found_with_its_period),
        cmocka_unit_test(test_environment__moves_the_stack_and_nothing_else),
        cmocka_unit_test(test_heap_and_mappings__each_finds_its_own),
        cmocka_unit_test(test_buffers__every_other_large_allocation_moves),
        cmocka_unit_test(test_why__names_the_store_and_the_load),
        cmocka_unit_test(test_why__looks_into_threads_and_processes),
        cmocka_unit_test(test_window__what_waits_for_its_children_goes_on),
        cmocka_unit_test(test_window__without_memory_is_an_error),
        cmocka_unit_test(test_why__lines_that_are_crossed),
        cmocka_unit_test(test_why__may_be_unknown),
        cmocka_unit_test(test_argument_and_directory__move_the_stack),
        cmocka_unit_test(test_sweep__what_there_is_when_it_is_ended),
        cmocka_unit_test(test_sweep__is_ended_between_runs),
        cmocka_unit_test(test_confirm__is_told_and_says_when_rounds_are_missing),
        cmocka_unit_test(test_confirm__says_when_time_was_short),
        cmocka_unit_test(test_confirm__few_runs_are_no_verdict),
        cmocka_unit_test(test_sweep__commands_that_cannot_be_measured),
        cmocka_unit_test(test_period__is_the_distance_of_the_spikes),
        cmocka_unit_test(test_period__noise_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
