/* test_causal.c - virtual clocks of threads in runs that are made up, event by event, and what experiments
 * come to. Numbers are sums of powers of two, so that they are exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/mem.h"
#include "program/causal/clocks.h"
#include "program/causal/causal_experiments.h"

enum {
    PROCESS = 7,
    A = 10,
    B = 11,
    C = 12
};
static const double soon = 0x1p-15; /* seconds: within what it takes to hand over */

/* Three threads that run from 1 on, on so many processors. */
static clocks run_three(uint32_t processors)
{
    clocks c = {.processors = processors};
    for (uint64_t thread = A; thread <= C; thread++)
        clocks_runs(&c, PROCESS, thread, 1);
    clocks_begin(&c, 1);
    return c;
}

static double owed(clocks *c, uint64_t thread)
{
    return clocks_owed(c, clocks_of(c, thread));
}

static void expect_owed(clocks *c, double a, double b, double third)
{
    assert_true(owed(c, A) == a);
    assert_true(owed(c, B) == b);
    assert_true(owed(c, C) == third);
}

/* ---- who owes ---- */

static void test_sample__is_owed_by_all_others(void **state)
{
    clocks c = run_three(4);
    clocks_saves(&c, A, 0.5);
    expect_owed(&c, 0, 0.5, 0.5);
    clocks_saves(&c, A, 0.25);
    expect_owed(&c, 0, 0.75, 0.75);
    clocks_begin(&c, 2);
    expect_owed(&c, 0, 0, 0);
    clocks_free(&c);
}

static void test_samples__of_all_are_owed_by_none(void **state)
{
    clocks c = run_three(4);
    for (uint64_t thread = A; thread <= C; thread++)
        clocks_saves(&c, thread, 0.5);
    expect_owed(&c, 0, 0, 0);
    assert_true(c.most == 0.5); /* of the experiment's time */
    clocks_saves(&c, A, 0.25);
    expect_owed(&c, 0, 0.25, 0.25);
    clocks_free(&c);
}

static void test_thread__begins_with_the_clock_of_its_maker(void **state)
{
    clocks c = run_three(4);
    clocks_saves(&c, A, 0.5);
    clocks_appears(&c, PROCESS, 20, A, 2);
    clocks_appears(&c, PROCESS, 21, B, 2);
    assert_true(owed(&c, 20) == 0);
    assert_true(owed(&c, 21) == 0.5);
    clocks_free(&c);
}

/* ---- delays ---- */

static void test_delay__counts_from_losing_to_having_a_processor(void **state)
{
    clocks c = run_three(4);
    clocks_saves(&c, A, 0.5);
    thread_clock *b = clocks_of(&c, B);
    clocks_asks(b, 2);
    clocks_leaves(&c, B, 2.125, false);
    clocks_stands(b, 2.25);
    assert_true(clocks_left(&c, b, 2.5) == 0.125);
    clocks_goes(&c, b, 2.5);
    assert_true(owed(&c, B) == 0.125);
    clocks_runs(&c, PROCESS, B, 2.5 + soon);
    assert_true(owed(&c, B) == 0.125 - soon);
    assert_true(clocks_time(&c, B, 3) == 3 - 0.375 - soon);
    clocks_free(&c);
}

/* Records come later than what is done. */
static void test_delay__whose_beginning_is_told_afterwards(void **state)
{
    clocks c = run_three(4);
    clocks_saves(&c, A, 0.5);
    thread_clock *b = clocks_of(&c, B);
    clocks_asks(b, 2);
    clocks_stands(b, 2.25);
    clocks_goes(&c, b, 2.5);
    assert_true(owed(&c, B) == 0.25);
    clocks_leaves(&c, B, 2.125, false);
    assert_true(owed(&c, B) == 0.125);
    clocks_free(&c);
}

static void test_delay__of_a_thread_that_waits_is_no_wait_of_its_own(void **state)
{
    clocks c = run_three(4);
    clocks_leaves(&c, B, 1.5, false);
    clocks_saves(&c, A, 0.5);
    thread_clock *b = clocks_of(&c, B);
    clocks_asks(b, 2); /* before it is known that it waits */
    clocks_runs(&c, PROCESS, B, 2.125);
    clocks_leaves(&c, B, 2.25, false);
    clocks_spared(b, 2.5);
    assert_int_equal(b->state, CLOCK_WAITS);
    assert_true(b->since == 1.5 && b->behind == 0);
    clocks_free(&c);
}

static void test_delay__that_is_too_long_is_a_credit(void **state)
{
    clocks c = run_three(4);
    clocks_saves(&c, A, 0.5);
    thread_clock *b = clocks_of(&c, B);
    clocks_asks(b, 2);
    clocks_stands(b, 2);
    clocks_goes(&c, b, 2.75);
    assert_true(owed(&c, B) == -0.25);
    assert_true(owed(&c, A) == 0);
    clocks_saves(&c, A, 0.5);
    expect_owed(&c, 0, 0.25, 1);
    clocks_free(&c);
}

/* ---- waking ---- */

static void test_woken__thread_inherits_the_delays_of_its_waker(void **state)
{
    clocks c = run_three(4);
    clocks_leaves(&c, B, 1.5, false); /* it waits for A ... */
    clocks_saves(&c, A, 0.25);
    assert_true(owed(&c, B) == 0); /* ... and is not to be stopped meanwhile */
    clocks_leaves(&c, A, 2.5, false);
    clocks_runs(&c, PROCESS, B, 2.5 + soon);
    expect_owed(&c, 0, 0, 0.25);
    assert_true(clocks_time(&c, B, 3) == 2.75);
    clocks_free(&c);
}

static void test_woken__thread_inherits_what_its_waker_still_owes(void **state)
{
    clocks c = run_three(4);
    clocks_leaves(&c, B, 1.5, false);
    clocks_saves(&c, C, 0.25);
    clocks_leaves(&c, A, 2.5, false);
    clocks_runs(&c, PROCESS, B, 2.5 + soon);
    assert_true(owed(&c, B) == 0.25);
    clocks_free(&c);
}

/* What it owed before is waited for meanwhile: of the rest, what four samples save is for the next wait. */
static void test_woken__thread_after_a_short_wait(void **state)
{
    clocks c = run_three(4);
    for (int i = 0; i < 16; i++)
        clocks_saves(&c, A, 0.03125);
    clocks_leaves(&c, B, 2, false);
    clocks_leaves(&c, A, 2.125, false);
    clocks_runs(&c, PROCESS, B, 2.125);
    assert_true(owed(&c, B) == 0.25);
    clocks_free(&c);
}

/* Two in turn: a sample saves more than one turn of A takes, and there is none in its next one. Neither is
 * delayed, and both turns together have what was saved. */
static void test_woken__in_turns_shorter_than_what_a_sample_saves(void **state)
{
    clocks c = run_three(4);
    clocks_leaves(&c, B, 1, false);
    clocks_saves(&c, A, 0.75);
    clocks_leaves(&c, A, 1.5, false);
    clocks_runs(&c, PROCESS, B, 1.5);
    assert_true(clocks_of(&c, B)->behind == 0.5 && owed(&c, B) == 0);
    clocks_leaves(&c, B, 2, false);
    clocks_runs(&c, PROCESS, A, 2);
    assert_true(clocks_of(&c, A)->behind == 0.75 && owed(&c, A) == 0);
    clocks_leaves(&c, A, 2.5, false);
    clocks_runs(&c, PROCESS, B, 2.5);
    assert_true(clocks_of(&c, B)->behind == 0.75 && owed(&c, B) == 0);
    assert_true(clocks_time(&c, B, 2.5) == 1.75);
    clocks_free(&c);
}

/* ... and what being watched has taken of A is not lost where the sample saves more than B has waited for. */
static void test_woken__in_turns_that_are_watched(void **state)
{
    clocks c = run_three(4);
    clocks_leaves(&c, B, 1, false);
    clocks_saves(&c, A, 0.75);
    clocks_watched(&c, A, 0.125);
    clocks_leaves(&c, A, 1.5, false);
    clocks_runs(&c, PROCESS, B, 1.5);
    assert_true(clocks_time(&c, B, 1.5) == 1 && owed(&c, B) == 0);
    clocks_leaves(&c, B, 2, false);
    clocks_runs(&c, PROCESS, A, 2);
    assert_true(clocks_time(&c, A, 2) == 1.125 && owed(&c, A) == 0);
    clocks_free(&c);
}

/* One that begins to sleep just then has woken nobody. */
static void test_woken__not_by_one_that_sleeps(void **state)
{
    clocks c = run_three(4);
    clocks_leaves(&c, B, 1, false);
    clocks_saves(&c, A, 0.25);
    clocks_of(&c, C)->outside = true;
    clocks_leaves(&c, A, 1.5, false);
    clocks_leaves(&c, C, 1.5 + soon, false);
    clocks_runs(&c, PROCESS, B, 1.5 + 2 * soon);
    assert_true(clocks_of(&c, B)->behind == 0.25);
    clocks_free(&c);
}

static void test_time__without_what_being_watched_takes(void **state)
{
    clocks c = run_three(4);
    clocks_watched(&c, A, 0.125);
    assert_true(clocks_time(&c, A, 2) == 1.875 && owed(&c, A) == 0);
    clocks_free(&c);
}

static void test_woken__from_outside_owes_the_delays_of_its_wait(void **state)
{
    clocks c = run_three(4);
    clocks_leaves(&c, B, 1.5, false);
    clocks_of(&c, B)->outside = true; /* it sleeps */
    clocks_saves(&c, A, 0.25);
    clocks_runs(&c, PROCESS, B, 2.5);
    assert_true(owed(&c, B) == 0.25);
    /* So does one that is woken while nobody else runs. */
    clocks_leaves(&c, C, 2.5, false);
    clocks_leaves(&c, A, 2.625, false);
    clocks_leaves(&c, B, 2.625, false);
    clocks_runs(&c, PROCESS, C, 3);
    assert_true(owed(&c, C) == 0.25);
    clocks_free(&c);
}

static void test_woken__by_one_of_several_takes_their_mean(void **state)
{
    clocks c = run_three(4);
    clocks_leaves(&c, B, 1.5, false);
    clocks_saves(&c, A, 0.5);
    clocks_runs(&c, PROCESS, B, 3);
    assert_true(owed(&c, B) == 0.25);
    clocks_free(&c);
}

/* It came before the one that woke it had begun to wait. */
static void test_woken__by_the_one_that_waits_just_afterwards(void **state)
{
    clocks c = run_three(4);
    clocks_leaves(&c, B, 1.5, false);
    clocks_saves(&c, A, 0.5);
    clocks_runs(&c, PROCESS, B, 3);
    assert_true(owed(&c, B) == 0.25);
    clocks_leaves(&c, A, 3 + soon, false);
    assert_true(owed(&c, B) == 0);
    clocks_leaves(&c, C, 3 + soon, false);
    assert_true(owed(&c, B) == 0); /* it is sure now */
    clocks_free(&c);
}

static void test_woken__by_the_end_of_a_thread(void **state)
{
    clocks c = run_three(4);
    clocks_leaves(&c, B, 1.5, false); /* it joins A */
    clocks_saves(&c, A, 0.5);
    clocks_ends(&c, A, 3);
    clocks_runs(&c, PROCESS, B, 3 + soon);
    assert_true(owed(&c, B) == 0);
    assert_true(owed(&c, C) == 0.5);
    assert_null(clocks_of(&c, A));
    clocks_free(&c);
}

/* ---- processors ---- */

static void test_clock__stands_while_others_have_the_processor(void **state)
{
    clocks c = run_three(3);
    clocks_leaves(&c, A, 2, true);
    clocks_runs(&c, PROCESS, A, 2.5);
    assert_true(clocks_time(&c, A, 3) == 2.5);
    expect_owed(&c, 0, 0, 0); /* nobody waits for that */
    /* Who waits for it inherits that, too. */
    clocks_leaves(&c, B, 3, false);
    clocks_leaves(&c, A, 4, false);
    clocks_runs(&c, PROCESS, B, 4 + soon);
    assert_true(clocks_time(&c, B, 5) == 4.5);
    clocks_free(&c);
}

static void test_clock__goes_while_the_program_itself_has_all_processors(void **state)
{
    clocks c = run_three(2);
    clocks_leaves(&c, A, 2, true);
    clocks_runs(&c, PROCESS, A, 2.5);
    assert_true(clocks_time(&c, A, 3) == 3);
    clocks_free(&c);
}

/* ---- experiments ---- */

static void test_round__has_each_once(void **state)
{
    const uint32_t places[] = {3, 5};
    int seen[6][EXPERIMENT_STEPS + 1] = {{0}}, bases = 0;
    experiments e = {.random = 1};
    experiments_plan(&e, places, 2);
    assert_int_equal(e.left, 2 * EXPERIMENT_STEPS + 3); /* the root of 8, rounded up */
    for (size_t i = 0; i < e.left; i++)
        if (e.round[i].place == EXPERIMENT_BASE)
            bases += e.round[i].less == 0;
        else
            seen[e.round[i].place][(int)(e.round[i].less * EXPERIMENT_STEPS)]++;
    assert_int_equal(bases, 3);
    for (int k = 1; k <= EXPERIMENT_STEPS; k++)
        assert_true(seen[3][k] == 1 && seen[5][k] == 1);
    experiments_plan(&e, places, 0);
    assert_int_equal(e.left, 0);
}

static void add(experiments *e, uint32_t place, double less, uint64_t visits, double seconds)
{
    experiments_add(e, &(experiment){.place = place, .less = less, .visits = visits, .seconds = seconds});
}

static void test_gain__is_of_the_time_from_visit_to_visit(void **state)
{
    experiments e = {0};
    arena memory = {0};
    tacho_causal_place p = {0};
    uint32_t count, others;
    for (int i = 0; i < 3; i++) {
        add(&e, EXPERIMENT_BASE, 0, 100, 1);
        add(&e, 1, 0.5, 200, 1.5);
    }
    add(&e, 1, 1, 100, 0.5);
    assert_true(experiments_judge(&e, 1, &memory, &p));
    assert_int_equal(p.point_count, 2);
    assert_true(p.points[0].less == 0.5 && p.points[0].gain == 0.25);
    assert_true(p.points[0].low == 0.25 && p.points[0].high == 0.25); /* all are alike */
    assert_true(p.points[0].experiments == 3 && p.points[0].visits == 600);
    assert_true(p.points[1].gain == 0.5 && isnan(p.points[1].low) && isnan(p.points[1].high));
    assert_true(p.slope == 0.5);
    assert_true(experiments_base(&e, &count, &others) == 100);
    assert_int_equal(count, 3);
    assert_int_equal(others, 4);
    assert_true(experiments_judge(&e, 2, &memory, &p)); /* has none */
    assert_int_equal(p.point_count, 0);
    assert_true(isnan(p.slope));
    experiments_free(&e);
    arena_free(&memory);
}

static void test_gain__has_an_interval_as_wide_as_experiments_differ(void **state)
{
    experiments e = {0};
    arena memory = {0};
    tacho_causal_place p = {0};
    for (int i = 0; i < 20; i++) {
        add(&e, EXPERIMENT_BASE, 0, 100, 1);
        add(&e, 0, 0.25, 100, i % 2 ? 0.625 : 0.875);
    }
    assert_true(experiments_judge(&e, 0, &memory, &p));
    const tacho_causal_point *x = &p.points[0];
    assert_true(x->gain == 0.25);
    /* Of the mean of 20 draws from two values the standard deviation is 0.125 / sqrt(20). */
    const double half = 1.96 * 0.125 / sqrt(20);
    assert_true(fabs(x->low - (0.25 - half)) < 0.3 * half && fabs(x->high - (0.25 + half)) < 0.3 * half);
    experiments_free(&e);
    arena_free(&memory);
}

static void test_gain__needs_experiments_without_a_change(void **state)
{
    experiments e = {0};
    arena memory = {0};
    tacho_causal_place p = {0};
    uint32_t count, others;
    add(&e, 0, 0.5, 100, 1);
    assert_true(experiments_judge(&e, 0, &memory, &p));
    assert_int_equal(p.point_count, 0);
    assert_true(isnan(experiments_base(&e, &count, &others)));
    experiments_free(&e);
    arena_free(&memory);
}

/* A thread that is always in the place, which takes no time: nothing else would ever happen. */
static void test_experiment__that_came_to_no_end_is_not_made_again(void **state)
{
    const uint32_t place = 0;
    experiments e = {.random = 1};
    arena memory = {0};
    tacho_causal_place p = {0};
    uint32_t count, others;
    add(&e, EXPERIMENT_BASE, 0, 100, 1);
    add(&e, place, 1, 0, 0);
    experiments_plan(&e, &place, 1);
    for (size_t i = 0; i < e.left; i++)
        assert_true(e.round[i].less < 1);
    assert_true(experiments_judge(&e, place, &memory, &p));
    assert_int_equal(p.point_count, 0);
    experiments_base(&e, &count, &others);
    assert_int_equal(others, 0);
    experiments_free(&e);
    arena_free(&memory);
}

static void test_memory__that_runs_out_is_told(void **state)
{
    clocks c = {.processors = 1};
    experiments e = {0};
    tacho_mem_fail_at(1);
    clocks_runs(&c, PROCESS, A, 1);
    add(&e, 0, 0.5, 100, 1);
    tacho_mem_fail_at(0);
    assert_true(c.failed && e.failed);
    assert_null(clocks_of(&c, A));
    clocks_free(&c);
    experiments_free(&e);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample__is_owed_by_all_others),
        cmocka_unit_test(test_samples__of_all_are_owed_by_none),
        cmocka_unit_test(test_thread__begins_with_the_clock_of_its_maker),
        cmocka_unit_test(test_delay__counts_from_losing_to_having_a_processor),
        cmocka_unit_test(test_delay__whose_beginning_is_told_afterwards),
        cmocka_unit_test(test_delay__of_a_thread_that_waits_is_no_wait_of_its_own),
        cmocka_unit_test(test_delay__that_is_too_long_is_a_credit),
        cmocka_unit_test(test_woken__thread_inherits_the_delays_of_its_waker),
        cmocka_unit_test(test_woken__thread_inherits_what_its_waker_still_owes),
        cmocka_unit_test(test_woken__thread_after_a_short_wait),
        cmocka_unit_test(test_woken__in_turns_shorter_than_what_a_sample_saves),
        cmocka_unit_test(test_woken__in_turns_that_are_watched),
        cmocka_unit_test(test_woken__not_by_one_that_sleeps),
        cmocka_unit_test(test_time__without_what_being_watched_takes),
        cmocka_unit_test(test_woken__from_outside_owes_the_delays_of_its_wait),
        cmocka_unit_test(test_woken__by_one_of_several_takes_their_mean),
        cmocka_unit_test(test_woken__by_the_one_that_waits_just_afterwards),
        cmocka_unit_test(test_woken__by_the_end_of_a_thread),
        cmocka_unit_test(test_clock__stands_while_others_have_the_processor),
        cmocka_unit_test(test_clock__goes_while_the_program_itself_has_all_processors),
        cmocka_unit_test(test_round__has_each_once),
        cmocka_unit_test(test_gain__is_of_the_time_from_visit_to_visit),
        cmocka_unit_test(test_gain__has_an_interval_as_wide_as_experiments_differ),
        cmocka_unit_test(test_gain__needs_experiments_without_a_change),
        cmocka_unit_test(test_experiment__that_came_to_no_end_is_not_made_again),
        cmocka_unit_test(test_memory__that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
