/* test_parallel.c - loops on several threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/parallel.h"

enum {
    TURNS = 1000
};

typedef struct shared {
    atomic_int done[TURNS];
    atomic_int opened, closed, busy[64];
    int fails_from;    /* turns from here on fail; < 0: none */
    int cancels_after; /* turns; < 0: never */
    atomic_int turns;
    atomic_bool later_failed;
} shared;

static int do_turn(void *payload, void *state, size_t index, tacho_error *err)
{
    shared *s = payload;
    s->turns++;
    s->done[index]++;
    if (s->fails_from >= 0 && index >= (size_t)s->fails_from)
        return tacho_error_set(err, TACHO_ERR_INPUT, "turn %zu", index);
    return 0;
}

static bool is_cancelled(void *payload)
{
    shared *s = payload;
    return s->cancels_after >= 0 && s->turns >= s->cancels_after;
}

static void test_parallel__each_turn_once_on_any_number_of_threads(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, TURNS};
    for (unsigned threads = 0; threads < 9; threads++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            shared s = {.fails_from = -1, .cancels_after = -1};
            parallel_loop loop = {.count = counts[k],
                                  .threads = threads,
                                  .turn = do_turn,
                                  .cancelled = is_cancelled,
                                  .payload = &s};
            assert_int_equal(parallel_run(&loop, NULL), 0);
            for (size_t i = 0; i < TURNS; i++)
                assert_int_equal(s.done[i], i < counts[k]);
        }
}

static void test_parallel__the_error_is_that_of_the_lowest_turn(void **state)
{
    for (unsigned threads = 1; threads < 9; threads++) {
        tacho_error err;
        shared s = {.fails_from = 500, .cancels_after = -1};
        parallel_loop loop = {.count = TURNS, .threads = threads, .turn = do_turn, .payload = &s};
        assert_int_equal(parallel_run(&loop, &err), TACHO_ERR_INPUT);
        assert_string_equal(err.message, "turn 500");
        assert_true((unsigned)s.turns <= 500 + threads);
        assert_int_equal(parallel_run(&loop, NULL), TACHO_ERR_INPUT);
    }
}

/* Turn 0 fails after turn 1 has. */
static int fail_in_reverse(void *payload, void *state, size_t index, tacho_error *err)
{
    shared *s = payload;
    for (int i = 0; !index && !s->later_failed && i < 10000; i++)
        usleep(1000);
    if (!index)
        usleep(2000);
    s->later_failed |= index == 1;
    return tacho_error_set(err, index ? TACHO_ERR_SYSTEM : TACHO_ERR_LIMIT, "turn %zu", index);
}

static void test_parallel__a_lower_turn_that_fails_later_has_the_error(void **state)
{
    tacho_error err;
    shared s = {0};
    parallel_loop loop = {.count = 2, .threads = 2, .turn = fail_in_reverse, .payload = &s};
    assert_int_equal(parallel_run(&loop, &err), TACHO_ERR_LIMIT);
    assert_string_equal(err.message, "turn 0");
    assert_true(s.later_failed);
}

static void test_parallel__cancelled_before_a_turn(void **state)
{
    shared s = {.fails_from = -1, .cancels_after = 10};
    parallel_loop loop = {.count = TURNS, .turn = do_turn, .cancelled = is_cancelled, .payload = &s};
    assert_int_equal(parallel_run(&loop, NULL), PARALLEL_CANCELLED);
    assert_int_equal(s.turns, 10);
    for (size_t i = 0; i < TURNS; i++)
        assert_int_equal(s.done[i], i < 10);

    shared after = {.fails_from = -1, .cancels_after = TURNS}; /* too late to keep any from beginning */
    loop.payload = &after;
    assert_int_equal(parallel_run(&loop, NULL), 0);

    shared many = {.fails_from = -1, .cancels_after = 10};
    loop.payload = &many;
    loop.threads = 4;
    assert_int_equal(parallel_run(&loop, NULL), PARALLEL_CANCELLED);
    assert_true(many.turns < 10 + 4);
}

static int open_state(void *payload, void **state, tacho_error *err)
{
    shared *s = payload;
    int number = s->opened++;
    *state = &s->busy[number];
    return number == s->fails_from ? tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "no state %d", number) : 0;
}

static int use_state(void *payload, void *state, size_t index, tacho_error *err)
{
    shared *s = payload;
    atomic_int *busy = state;
    s->turns++;
    bool shared_with_others = (*busy)++ != 0;
    usleep(10);
    (*busy)--;
    return shared_with_others ? tacho_error_set(err, TACHO_ERR_SYSTEM, "another thread's state") : 0;
}

static void close_state(void *payload, void *state)
{
    shared *s = payload;
    s->closed++;
}

static void test_parallel__each_thread_has_a_state(void **state)
{
    for (unsigned threads = 1; threads < 9; threads++) {
        shared s = {.fails_from = -1};
        parallel_loop loop = {.count = 200,
                              .threads = threads,
                              .turn = use_state,
                              .open = open_state,
                              .close = close_state,
                              .payload = &s};
        assert_int_equal(parallel_run(&loop, NULL), 0);
        assert_int_equal(s.turns, 200);
        assert_true(s.opened >= 1 && s.opened <= (int)threads);
        assert_int_equal(s.closed, s.opened);
    }
}

static void test_parallel__the_caller_has_a_state_without_turns(void **state)
{
    shared s = {.fails_from = -1};
    parallel_loop loop = {
        .threads = 4, .turn = use_state, .open = open_state, .close = close_state, .payload = &s};
    assert_int_equal(parallel_run(&loop, NULL), 0);
    assert_int_equal(s.opened, 1);
    assert_int_equal(s.closed, 1);
    assert_int_equal(s.turns, 0);
}

static void test_parallel__a_state_that_cannot_be_made_is_the_error(void **state)
{
    for (unsigned threads = 1; threads < 5; threads++) {
        tacho_error err;
        shared s = {.fails_from = 0};
        parallel_loop loop = {.count = 200,
                              .threads = threads,
                              .turn = use_state,
                              .open = open_state,
                              .close = close_state,
                              .payload = &s};
        assert_int_equal(parallel_run(&loop, &err), TACHO_ERR_UNSUPPORTED);
        assert_string_equal(err.message, "no state 0");
        assert_int_equal(s.closed, s.opened - 1);
        assert_true(threads > 1 || !s.turns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parallel__each_turn_once_on_any_number_of_threads),
        cmocka_unit_test(test_parallel__the_error_is_that_of_the_lowest_turn),
        cmocka_unit_test(test_parallel__a_lower_turn_that_fails_later_has_the_error),
        cmocka_unit_test(test_parallel__cancelled_before_a_turn),
        cmocka_unit_test(test_parallel__each_thread_has_a_state),
        cmocka_unit_test(test_parallel__the_caller_has_a_state_without_turns),
        cmocka_unit_test(test_parallel__a_state_that_cannot_be_made_is_the_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
