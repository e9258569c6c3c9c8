/* test_bias_seen.c - what is noted of windows, of streams that are made up: lines and pages that are thrown
 * out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "program/bias/window.h"

enum {
    PAGE = 4096,
    LINE = 64
};

static void test_set_cache__throws_out_what_was_used_longest_ago(void **state)
{
    set_cache *c = set_cache_new(2, 3, LINE);
    (void)state;
    assert_non_null(c);
    for (uint64_t i = 0; i < 3; i++) /* a set of three lines: 0, 128, 256 */
        assert_false(set_cache_use(c, i * 2 * LINE));
    assert_false(set_cache_use(c, 5));        /* the first is the youngest now */
    assert_false(set_cache_use(c, LINE));     /* of the other set */
    assert_false(set_cache_use(c, 6 * LINE)); /* a fourth one takes the place of 128 */
    assert_false(set_cache_use(c, 0));
    assert_false(set_cache_use(c, 4 * LINE));
    assert_true(set_cache_use(c, 2 * LINE + 63));
    assert_true(set_cache_use(c, 6 * LINE));
    assert_false(set_cache_use(c, LINE));
    set_cache_clear(c);
    assert_false(set_cache_use(c, 6 * LINE)); /* another window knows nothing of it */
    set_cache_free(c);
    assert_null(set_cache_new(3, 4, LINE));
    assert_null(set_cache_new(64, 0, LINE));
    assert_null(set_cache_new(64, 12, 0));
    assert_null(set_cache_new(1024, 16, LINE));
    c = set_cache_new(1, 96, PAGE); /* without sets */
    for (uint64_t round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 96; i++)
            assert_false(set_cache_use(c, i * PAGE + round));
    assert_false(set_cache_use(c, 96 * PAGE));
    assert_true(set_cache_use(c, 0));
    set_cache_free(c);
}

/* A loop that reads a line of each of `count` arrays, which are `distance` bytes apart, `rounds` times. */
static observation walk(uint32_t count, uint64_t distance, uint32_t rounds)
{
    observation o = {.line_sets = 64, .line_ways = 12, .page_sets = 1, .page_ways = 64};
    window w = {.seen = &o};
    const step_observer observer = window_observer(&w);
    window_open_caches(&w);
    observer.begin(observer.payload, 1, 1, 0);
    for (uint32_t r = 0; r < rounds; r++)
        for (uint32_t k = 0; k < count; k++) {
            const step_access a = {.address = 0x100000 + k * distance + 8 * r, .bytes = 8};
            const step s = {.address = 0x1000 + 4 * k, .accesses = &a, .access_count = 1};
            observer.step(observer.payload, &s);
        }
    observer.end(observer.payload, 0.001);
    window_close_caches(&w);
    return o;
}

static void assert_misses(uint32_t count, uint64_t distance, uint64_t lines, uint64_t pages)
{
    observation o = walk(count, distance, 5);
    assert_int_equal(o.executed, 5 * count);
    assert_int_equal(o.line_misses, lines);
    assert_int_equal(o.page_misses, pages);
    for (size_t i = 0; i < o.insn_count; i++)
        assert_int_equal(o.insns[i].line_misses, lines / count);
    observation_free(&o);
}

/* The first use of a line is none; then each of 13 in a set of 12 lines is one, four times. */
static void test_seen__lines_that_agree_modulo_4096(void **state)
{
    (void)state;
    assert_misses(12, PAGE, 0, 0);
    assert_misses(13, PAGE, 4 * 13, 0);
    assert_misses(16, PAGE, 4 * 16, 0);
    assert_misses(16, PAGE + LINE, 0, 0);
    assert_misses(64, PAGE + LINE, 0, 0);
    assert_misses(65, PAGE + LINE, 0, 4 * 65);
    assert_misses(200, LINE, 0, 0);
}

/* An access that lies in two lines uses both. */
static void test_seen__accesses_that_cross(void **state)
{
    observation o = {.line_sets = 1, .line_ways = 2};
    window w = {.seen = &o};
    const step_observer observer = window_observer(&w);
    (void)state;
    window_open_caches(&w);
    assert_null(w.pages);
    observer.begin(observer.payload, 1, 1, 0);
    const step_access crossing = {.address = 60, .bytes = 8}, third = {.address = 200, .bytes = 8};
    const step_access *const list[] = {&crossing, &third, &crossing};
    for (size_t i = 0; i < 3; i++) {
        const step s = {.address = 0x1000 + i, .accesses = list[i], .access_count = 1};
        observer.step(observer.payload, &s);
    }
    observer.end(observer.payload, 0.001);
    assert_int_equal(o.line_crossings, 2);
    assert_int_equal(o.line_misses, 1);
    assert_int_equal(o.page_misses, 0);
    window_close_caches(&w);
    observation_free(&o);
}

static void test_tlb__says_something_possible(void **state)
{
    uint32_t entries, ways;
    (void)state;
    tlb_read(&entries, &ways);
    assert_in_range(ways, 1, entries);
    assert_int_equal(entries % ways, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_cache__throws_out_what_was_used_longest_ago),
        cmocka_unit_test(test_seen__lines_that_agree_modulo_4096),
        cmocka_unit_test(test_seen__accesses_that_cross),
        cmocka_unit_test(test_tlb__says_something_possible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
