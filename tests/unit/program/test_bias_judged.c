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

#include "base/hash.h"
#include "base/mem.h"
#include "bias_sweeps.h"
#include "program/bias/window.h"

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
    int64_t faults, major_faults, waits, forced; /* that the slow place has more */
    double waiting;                              /* seconds of them, which are no processor time */
    bool no_cycles;                              /* the core's clock is never steady */
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
    bool slow = place == SLOW_PLACE;
    *out = (tacho_trial){.elapsed_seconds = seconds + (slow ? made_up.waiting : 0),
                         .cpu_seconds = seconds,
                         .cycles = made_up.no_cycles ? NAN : seconds * 1e9,
                         .page_faults = 100 + (slow ? made_up.faults + made_up.major_faults : 0),
                         .major_faults = slow ? made_up.major_faults : 0,
                         .switches_voluntary = 1 + (slow ? made_up.waits + made_up.major_faults : 0),
                         .switches_forced = slow ? made_up.forced : 0};
    (void)t, (void)command, (void)error;
    return 0;
}

double __wrap_counted_fault_seconds(void);
double __wrap_counted_fault_seconds(void)
{
    return 1e-6;
}

/* What is seen when its instructions are executed one by one: 100,000, at the slow place with more of these.
 */
static struct {
    uint64_t aliased, lines, pages, line_misses, page_misses;
    bool no_sizes; /* of the caches */
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
    out->line_misses = slow ? seen.line_misses : 300;
    out->page_misses = slow ? seen.page_misses : 100;
    if (!seen.no_sizes) {
        out->line_sets = 64;
        out->line_ways = 12;
        out->page_sets = 1;
        out->page_ways = 96;
    }
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
    assert_between(f->effect.value, 0.99, 1.01);
    assert_true(isnan(f->period_bytes));
    assert_int_equal(count_spikes(f), 0);
}

static void assert_slow_place(const tacho_bias_factor *f, double effect)
{
    assert_true(f->biased);
    assert_between(f->effect.value, effect * 0.99, effect * 1.01);
    assert_between(f->effect.low, effect * 0.98, f->effect.value);
    assert_between(f->effect.high, f->effect.value, effect * 1.02);
    assert_true(f->effect.value == f->spread.value && f->effect.low == f->spread.low);
    assert_between(f->loss.value, effect * 0.99, effect * 1.01);
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

/* By default in cycles; where the clock is never steady, as beside busy neighbours, in processor time, which
 * is said. Who asks for cycles gets them or an error. */
static void test_judged__without_a_steady_clock_in_processor_time(void **state)
{
    (void)state;
    made_up.more = 0.25;
    for (int steady = 0; steady < 2; steady++) {
        tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
        o.metric = NULL;
        made_up.no_cycles = !steady;
        tacho_bias *b = sweep("made-up", "0", "0", &o);
        assert_string_equal(b->metric, steady ? "cycles" : "cpu");
        assert_string_equal(b->metric_unit, steady ? "cycles" : "s");
        assert_slow_place(&b->factors[0], 1.25);
        bool said = false;
        for (size_t i = 0; i < b->note_count; i++)
            said |= strstr(b->notes[i], "in processor time, not in cycles") != NULL;
        assert_int_equal(said, !steady);
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
    assert_between(f->gain.value, 1.24, 1.26);
    assert_true(f->gain.low > 1.23 && f->gain.low <= f->gain.value && f->gain.value <= f->gain.high);
    assert_between(f->loss.value, 0.99, 1.01);
    assert_between(f->spread.value, 1.24, 1.26);
    assert_true(f->effect.value == f->spread.value); /* what it is biased for */
    assert_true(f->effect.low == f->spread.low && f->effect.high == f->spread.high);
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
        assert_between(b->factors[0].effect.value, 1.23, 1.27);
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

static void test_judged__what_a_cache_and_the_tlb_throw_out(void **state)
{
    (void)state;
    tacho_bias *b;
    seen.line_misses = 9000;
    const tacho_bias_factor *f = explain(&b);
    assert_int_equal(f->cause, TACHO_BIAS_SET_CONFLICTS);
    assert_between(f->why.set_slow, 90, 90);
    assert_between(f->why.set_fast, 3, 3);
    assert_int_equal(f->why.cache_ways, 12);
    assert_non_null(strstr(f->why.sentence, "64 sets of 12 lines"));
    assert_true(f->advice.helps);
    tacho_bias_free(b);
    seen.page_misses = 11000; /* more, but each costs less */
    f = explain(&b);
    assert_int_equal(f->cause, TACHO_BIAS_SET_CONFLICTS);
    tacho_bias_free(b);
    seen.page_misses = 20000;
    f = explain(&b);
    assert_int_equal(f->cause, TACHO_BIAS_TLB);
    assert_between(f->why.tlb_slow, 200, 200);
    assert_non_null(strstr(f->why.sentence, "96 entries, 96 ways"));
    tacho_bias_free(b);
    seen.line_misses = 400; /* hardly more than at the fast place */
    seen.page_misses = 200;
    f = explain(&b);
    assert_int_equal(f->cause, TACHO_BIAS_UNKNOWN);
    tacho_bias_free(b);
    seen.line_misses = seen.page_misses = 20000;
    seen.no_sizes = true;
    f = explain(&b);
    assert_int_equal(f->cause, TACHO_BIAS_UNKNOWN);
    assert_true(isnan(f->why.set_slow) && isnan(f->why.tlb_fast));
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

/* ---- causes that the system counts ---- */

static const tacho_bias_factor *explain_by(tacho_bias **out, const char *metric)
{
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    o.why = true;
    o.metric = metric;
    made_up.noise = 0;
    *out = sweep("made-up", "0", "0", &o);
    assert_true((*out)->factors[0].biased);
    return &(*out)->factors[0];
}

/* A quarter of 10 ms more, and of 1,700 faults more each has 1.47 us, where one takes 1: 68 %. What takes
 * longer is interrupted more often; that is not it. */
static void test_judged__page_faults_are_a_cause(void **state)
{
    static const char *const metrics[] = {"cpu", "elapsed", "cycles"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        tacho_bias *b;
        made_up.more = 0.25;
        made_up.faults = 1700;
        made_up.forced = 40;
        seen.aliased = 9000; /* nobody looks there */
        const tacho_bias_factor *f = explain_by(&b, metrics[i]);
        const tacho_bias_counted *c = &f->why.counted;
        assert_int_equal(f->cause, TACHO_BIAS_PAGE_FAULTS);
        assert_string_equal(tacho_bias_cause_name(f->cause), "page_faults");
        assert_string_equal(c->counter, "page-faults");
        assert_true(c->slow == 1800 && c->fast == 100 && c->known_seconds == 1e-6 && !c->waits);
        assert_between(c->pearson, 0.999, 1);
        assert_between(c->more_seconds, 0.00249999, 0.00250001);
        assert_between(c->each_seconds, 0.0025 / 1700 * 0.9999, 0.0025 / 1700 * 1.0001);
        assert_non_null(strstr(f->why.sentence, "1800 page faults a run, 100 in the fast layout"));
        assert_non_null(strstr(f->why.sentence, "(correlation 1.00)"));
        assert_non_null(
            strstr(f->why.sentence, "1.00 µs that one takes here they account for 68 % of the 2.5 ms"));
        assert_false(f->why.looked);
        assert_non_null(f->advice.sentence);
        assert_true(f->advice.helps);
        assert_between(f->advice.ratio, 0.79, 0.81);
        tacho_bias_free(b);
    }
}

/* Each would have taken 25 us, or 25 ns: then it is something else, however well they go together. */
static void test_judged__page_faults_that_explain_too_little_or_too_much_are_none(void **state)
{
    static const int64_t faults[] = {100, 800, 5100, 100000};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        tacho_bias *b;
        made_up.more = 0.25;
        made_up.faults = faults[i];
        const tacho_bias_factor *f = explain_by(&b, "cpu");
        assert_int_equal(f->cause, TACHO_BIAS_UNKNOWN);
        assert_null(f->why.counted.counter);
        assert_true(f->why.looked);
        tacho_bias_free(b);
    }
    made_up.faults = 900; /* and these are just enough */
    tacho_bias *b;
    assert_int_equal(explain_by(&b, "cpu")->cause, TACHO_BIAS_PAGE_FAULTS);
    tacho_bias_free(b);
}

/* The time is real time, and none of the processor's. */
static void test_judged__waiting_is_a_cause_of_elapsed_time(void **state)
{
    tacho_bias *b;
    (void)state;
    made_up.waits = 20;
    made_up.waiting = 0.004;
    const tacho_bias_factor *f = explain_by(&b, "elapsed");
    assert_int_equal(f->cause, TACHO_BIAS_WAITING);
    assert_string_equal(f->why.counted.counter, "voluntary-switches");
    assert_true(f->why.counted.waits && isnan(f->why.counted.known_seconds));
    assert_between(f->why.counted.each_seconds, 0.000199999, 0.000200001);
    assert_non_null(strstr(f->why.sentence, "21 times that the program waits a run, 1 in the fast layout"));
    tacho_bias_free(b);

    made_up.waits = 0;
    made_up.major_faults = 4; /* each of which is a wait, too */
    f = explain_by(&b, "elapsed");
    assert_int_equal(f->cause, TACHO_BIAS_MAJOR_FAULTS);
    assert_between(f->why.counted.each_seconds, 0.000999999, 0.001000001);
    assert_null(f->advice.sentence);
    tacho_bias_free(b);

    made_up.waiting = 0;
    made_up.more = 0.4; /* of the processor's time: they wait for nothing */
    f = explain_by(&b, "elapsed");
    assert_int_equal(f->cause, TACHO_BIAS_UNKNOWN);
    tacho_bias_free(b);
}

int main(void)
{
    char none[] = "made-up";
    probe = none;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_judged__a_slow_place_with_its_effect_and_period, reset),
        cmocka_unit_test_setup(test_judged__without_a_steady_clock_in_processor_time, reset),
        cmocka_unit_test_setup(test_judged__one_factor_has_it_and_the_other_has_not, reset),
        cmocka_unit_test_setup(test_judged__noise_is_no_bias, reset),
        cmocka_unit_test_setup(test_judged__a_fast_place_is_a_gain, reset),
        cmocka_unit_test_setup(test_judged__what_a_neighbour_does_for_a_while_is_no_bias, reset),
        cmocka_unit_test_setup(test_judged__a_period_within_the_curve, reset),
        cmocka_unit_test_setup(test_judged__aliasing_and_the_advice_against_it, reset),
        cmocka_unit_test_setup(test_judged__what_crosses, reset),
        cmocka_unit_test_setup(test_judged__what_a_cache_and_the_tlb_throw_out, reset),
        cmocka_unit_test_setup(test_judged__may_be_unknown, reset),
        cmocka_unit_test_setup(test_judged__page_faults_are_a_cause, reset),
        cmocka_unit_test_setup(test_judged__page_faults_that_explain_too_little_or_too_much_are_none, reset),
        cmocka_unit_test_setup(test_judged__waiting_is_a_cause_of_elapsed_time, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
