/* test_bias_judged.c - what a sweep says of times that are made up: whole sweeps, of which only the runs and
 * the look into them are replaced (the linker's --wrap), so that each figure is known before and no
 * processor, and no neighbour on it, has a part in it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bias/window.h"
#include "bias_sweeps.h"
#include "util/hash.h"
#include "util/mem.h"

/* The program: what a run of it takes in each layout. */
static struct {
    double more, less; /* at the slow place and at the fast one, relative to a usual one */
    double noise;      /* a run is by up to so much slower or faster */
    double slowed;     /* by a neighbour, so much, in ... */
    uint32_t from, to; /* ... these runs */
    uint32_t steps;    /* places of a page: where the slow one comes again */
    bool on_heap;
    uint64_t seed;
    uint32_t runs;
} made_up;

enum {
    SLOW_PLACE = 5,
    FAST_PLACE = 9
};

static uint32_t place_of(const tacho_layout *l)
{
    uint32_t moved = made_up.on_heap ? l->heap_bytes : l->stack_bytes + l->environment_bytes;
    return moved % 4096 / (4096 / made_up.steps);
}

int __wrap_tacho_trials_run(tacho_trials *t, const tacho_command *command, const tacho_layout *layout,
                            tacho_trial *out, tacho_error *error);
int __wrap_tacho_trials_run(tacho_trials *t, const tacho_command *command, const tacho_layout *layout,
                            tacho_trial *out, tacho_error *error)
{
    uint32_t run = made_up.runs++, place = place_of(layout);
    double seconds = 0.01, chance = (double)(hash_mix(made_up.seed + run) >> 40) / (1 << 23) - 1;
    seconds *= place == SLOW_PLACE ? 1 + made_up.more : place == FAST_PLACE ? 1 - made_up.less : 1;
    seconds *= run >= made_up.from && run < made_up.to ? 1 + made_up.slowed : 1;
    seconds *= 1 + made_up.noise * chance;
    *out = (tacho_trial){.elapsed_seconds = seconds, .cpu_seconds = seconds, .cycles = seconds * 1e9};
    (void)t, (void)command, (void)error;
    return 0;
}

/* What is seen when its instructions are executed one by one: 100,000, at the slow place with more of these.
 */
static struct {
    uint64_t aliased, lines, pages;
} seen;

int __wrap_window_observe(bias *b, const bias_place *place, observation *out);
int __wrap_window_observe(bias *b, const bias_place *place, observation *out)
{
    bool slow = place_of(&place->layout) == SLOW_PLACE;
    (void)b;
    *out = (observation){.executed = 100000, .windows = 250};
    out->aliased = slow ? seen.aliased : 0;
    out->line_crossings = slow ? seen.lines : 100;
    out->page_crossings = slow ? seen.pages : 0;
    if (!out->aliased)
        return 0;
    out->pairs = tacho_mem_zalloc(1, sizeof *out->pairs);
    assert_non_null(out->pairs);
    out->pairs[out->pair_count++] = (seen_pair){.store = 0x401000,
                                                .load = 0x401010,
                                                .store_address = 0x404030,
                                                .load_address = 0x7ffc0030,
                                                .count = seen.aliased,
                                                .windows = 200};
    return 0;
}

static int reset(void **state)
{
    (void)state;
    memset(&made_up, 0, sizeof made_up);
    memset(&seen, 0, sizeof seen);
    made_up.noise = 0.01;
    made_up.steps = 32;
    return 0;
}

static tacho_bias *judge(uint32_t factors, bool why)
{
    tacho_bias_options o = options(factors);
    o.why = why;
    return sweep("made-up", "0", "0", &o);
}

static void assert_between(double value, double low, double high)
{
    if (!(value >= low && value <= high))
        fail_msg("%g is not between %g and %g", value, low, high);
}

static void assert_nothing(const tacho_bias_factor *f)
{
    assert_false(f->biased);
    assert_between(f->effect, 0.99, 1.01);
    assert_true(isnan(f->period_bytes));
    assert_int_equal(count_spikes(f), 0);
}

static void assert_slow_place(const tacho_bias_factor *f, double effect)
{
    assert_true(f->biased);
    assert_between(f->effect, effect * 0.99, effect * 1.01);
    assert_between(f->low, effect * 0.98, f->effect);
    assert_between(f->high, f->effect, effect * 1.02);
    assert_true(f->points[f->slow].spike);
    assert_int_equal(count_spikes(f), 1);
    assert_true(f->period_bytes == 4096);
    assert_int_equal(f->rounds, 25);
}

/* The sizes from a few percent to what 4K aliasing costs on top on cores that have it (1.58 on Cascade Lake),
 * where a test of a real run once wanted less than 1.32. */
static void test_judged__a_slow_place_with_its_effect_and_period(void **state)
{
    (void)state;
    const double sizes[] = {0.05, 0.25, 0.58, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        made_up.more = sizes[i];
        tacho_bias *b = judge(1u << TACHO_BIAS_STACK, false);
        assert_int_equal(b->factor_count, 1);
        assert_int_equal(b->factors[0].point_count, 32);
        assert_int_equal(b->factors[0].slow, SLOW_PLACE);
        assert_slow_place(&b->factors[0], 1 + sizes[i]);
        assert_false(b->partial);
        tacho_bias_free(b);
    }
}

/* The stack's place follows from the environment's size; the heap's does not. */
static void test_judged__one_factor_has_it_and_the_other_has_not(void **state)
{
    (void)state;
    made_up.more = 0.25;
    tacho_bias *b = judge(1u << TACHO_BIAS_ENVIRONMENT | 1u << TACHO_BIAS_HEAP, false);
    assert_int_equal(b->factor_count, 2);
    assert_int_equal(b->factors[0].kind, TACHO_BIAS_ENVIRONMENT);
    assert_slow_place(&b->factors[0], 1.25);
    assert_nothing(&b->factors[1]);
    tacho_bias_free(b);
    made_up.on_heap = true;
    b = judge(1u << TACHO_BIAS_ENVIRONMENT | 1u << TACHO_BIAS_HEAP, false);
    assert_nothing(&b->factors[0]);
    assert_slow_place(&b->factors[1], 1.25);
    tacho_bias_free(b);
}

/* Of 40 sweeps of a program that does not depend on its layout, none. */
static void test_judged__noise_is_no_bias(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        made_up.seed = seed << 32;
        tacho_bias *b = judge(1u << TACHO_BIAS_STACK, false);
        assert_nothing(&b->factors[0]);
        tacho_bias_free(b);
    }
}

static void test_judged__a_fast_place_is_a_gain(void **state)
{
    (void)state;
    made_up.less = 0.2;
    tacho_bias *b = judge(1u << TACHO_BIAS_STACK, false);
    const tacho_bias_factor *f = &b->factors[0];
    assert_true(f->biased);
    assert_int_equal(f->fast, FAST_PLACE);
    assert_between(f->gain, 1.24, 1.26);
    assert_true(f->gain_low > 1.23 && f->gain_low <= f->gain && f->gain <= f->gain_high);
    assert_between(f->effect, 0.99, 1.01);
    tacho_bias_free(b);
}

/* 64 of the sweep's runs, and some 80 that find the furthest, come before the rounds that decide. */
static void test_judged__what_a_neighbour_does_for_a_while_is_no_bias(void **state)
{
    (void)state;
    made_up.slowed = 0.4;
    for (uint32_t from = 0; from < 240; from += 8) {
        made_up.runs = 0;
        made_up.from = from;
        made_up.to = from + 12;
        made_up.more = 0;
        tacho_bias *b = judge(1u << TACHO_BIAS_STACK, false);
        assert_nothing(&b->factors[0]);
        tacho_bias_free(b);
        made_up.runs = 0;
        made_up.more = 0.25;
        b = judge(1u << TACHO_BIAS_STACK, false);
        assert_true(b->factors[0].biased);
        assert_int_equal(b->factors[0].slow, SLOW_PLACE);
        assert_between(b->factors[0].effect, 1.23, 1.27);
        tacho_bias_free(b);
    }
}

static void test_judged__a_period_within_the_curve(void **state)
{
    (void)state;
    made_up.more = 0.25;
    made_up.steps = 32;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    o.span_bytes = 4 * 4096;
    o.step_bytes = 128;
    tacho_bias *b = sweep("made-up", "0", "0", &o);
    const tacho_bias_factor *f = &b->factors[0];
    assert_int_equal(f->point_count, 128);
    assert_int_equal(f->slow % 32, SLOW_PLACE);
    assert_true(f->period_bytes == 4096);
    assert_int_equal(count_spikes(f), 4);
    tacho_bias_free(b);
}

/* ---- causes ---- */

static const tacho_bias_factor *explain(tacho_bias **out)
{
    made_up.more = 0.25;
    *out = judge(1u << TACHO_BIAS_STACK, true);
    assert_slow_place(&(*out)->factors[0], 1.25);
    assert_true((*out)->factors[0].why.looked);
    return &(*out)->factors[0];
}

/* Moving on costs what a usual place does: four fifths. */
static void test_judged__aliasing_and_the_advice_against_it(void **state)
{
    (void)state;
    tacho_bias *b;
    seen.aliased = 9000;
    const tacho_bias_factor *f = explain(&b);
    assert_int_equal(f->cause, TACHO_BIAS_ALIASING);
    assert_int_equal(f->why.pair_count, 1);
    assert_int_equal(f->why.pairs[0].store_address, 0x404030);
    assert_between(f->why.pairs[0].slow, 90, 90);
    assert_between(f->why.pairs[0].fast, 0, 0);
    assert_non_null(f->advice.sentence);
    assert_true(f->advice.helps);
    assert_between(f->advice.ratio, 0.79, 0.81);
    assert_true(f->advice.low <= f->advice.ratio && f->advice.ratio <= f->advice.high &&
                f->advice.high < 0.82);
    tacho_bias_free(b);
}

static void test_judged__what_crosses(void **state)
{
    (void)state;
    tacho_bias *b;
    seen.lines = 12000;
    const tacho_bias_factor *f = explain(&b);
    assert_int_equal(f->cause, TACHO_BIAS_LINE_CROSSING);
    assert_between(f->why.line_slow, 120, 120);
    assert_between(f->why.line_fast, 1, 1);
    assert_true(f->advice.helps);
    tacho_bias_free(b);
    seen.pages = 2000;
    f = explain(&b);
    assert_int_equal(f->cause, TACHO_BIAS_PAGE_CROSSING);
    tacho_bias_free(b);
}

/* More rounds without any reason in memory or code: that is not known, and there is nothing to be advised. */
static void test_judged__may_be_unknown(void **state)
{
    (void)state;
    tacho_bias *b;
    seen.lines = 100; /* as many as at the fast place */
    const tacho_bias_factor *f = explain(&b);
    assert_int_equal(f->cause, TACHO_BIAS_UNKNOWN);
    assert_null(f->advice.sentence);
    tacho_bias_free(b);
}

int main(void)
{
    char none[] = "made-up";
    probe = none;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_judged__a_slow_place_with_its_effect_and_period, reset),
        cmocka_unit_test_setup(test_judged__one_factor_has_it_and_the_other_has_not, reset),
        cmocka_unit_test_setup(test_judged__noise_is_no_bias, reset),
        cmocka_unit_test_setup(test_judged__a_fast_place_is_a_gain, reset),
        cmocka_unit_test_setup(test_judged__what_a_neighbour_does_for_a_while_is_no_bias, reset),
        cmocka_unit_test_setup(test_judged__a_period_within_the_curve, reset),
        cmocka_unit_test_setup(test_judged__aliasing_and_the_advice_against_it, reset),
        cmocka_unit_test_setup(test_judged__what_crosses, reset),
        cmocka_unit_test_setup(test_judged__may_be_unknown, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
