/* test_reuse_distances.c - miss ratios from watched lines beside those of a cache that keeps the lines used
 * last, which the same accesses go through. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "program/hot/reuse_distances.h"

enum {
    ACCESSES = 60000,
    WARM = 10000, /* until caches hold what they can */
    MOST_LINES = 1 << 13,
    STREAMS = 2,
    WATCHED = 400
};

typedef struct trace {
    uint32_t line[ACCESSES];
    uint8_t stream[ACCESSES], word[ACCESSES]; /* of the line */
    double most[STREAMS];                     /* lines; infinite: as many as there are touches */
} trace;
static trace t;

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 7;
    return (uint32_t)(hash_draw(&state, 1 << 24) % below);
}

/* ---- the truth ---- */

static double true_misses(uint8_t stream, size_t lines)
{
    static uint32_t cache[MOST_LINES];
    size_t held = 0, misses = 0, count = 0;
    for (size_t i = 0; i < ACCESSES; i++) {
        size_t at = 0;
        while (at < held && cache[at] != t.line[i])
            at++;
        count += i >= WARM && t.stream[i] == stream;
        misses += i >= WARM && t.stream[i] == stream && at == held;
        held += at == held && held < lines;
        at = at < held ? at : held - 1;
        memmove(cache + 1, cache, at * sizeof *cache);
        cache[0] = t.line[i];
    }
    return (double)misses / (double)count;
}

/* ---- what watchpoints see of it ---- */

static uint32_t next_touch(size_t i, int words)
{
    for (size_t k = i + 1; k < ACCESSES; k++)
        if (t.line[k] == t.line[i] && (words == 1 || t.word[k] == t.word[i]))
            return (uint32_t)(k - i);
    return ACCESSES;
}

static reuse_wait waits[STREAMS][WATCHED];

/* Watchpoints are replaced after so many accesses, at most. */
static void watch(reuse_stream *out, uint8_t stream, uint32_t most, int words)
{
    size_t count = 0, others = 0;
    for (size_t i = 0; i < ACCESSES; i++)
        others += t.stream[i] == stream;
    const double rate = (double)others / ACCESSES;
    while (count < WATCHED) {
        const size_t i = WARM + draw(ACCESSES / 2);
        const uint32_t time = next_touch(i, words), replaced = most / 4 + draw(most);
        if (t.stream[i] == stream)
            waits[stream][count++] = (reuse_wait){time < replaced ? time : replaced, time < replaced};
    }
    *out = (reuse_stream){.waits = waits[stream],
                          .count = count,
                          .words = words,
                          .rate = {rate, rate, rate},
                          .most = {t.most[stream], t.most[stream], t.most[stream]},
                          .data = stream};
}

static double beyond(const double *list, double lines)
{
    double n = 0;
    for (size_t i = 0; i < TACHO_HOT_REUSE_PARTS; i++)
        n += list[i] > lines;
    return n / TACHO_HOT_REUSE_PARTS;
}

static void compare(const tacho_hot_reuse *r, uint8_t stream, size_t lines)
{
    const double part = 1.0 / TACHO_HOT_REUSE_PARTS, slack = 0.08, truth = true_misses(stream, lines);
    const double low = beyond(r->low, (double)lines), high = beyond(r->high, (double)lines),
                 middle = beyond(r->lines, (double)lines);
    if (truth < low - part || truth > high + part || fabs(middle - truth) > slack)
        fail_msg("%zu lines: %g of stream %u miss, not %g (%g to %g)", lines, truth, stream, middle, low,
                 high);
}

static tacho_hot_reuse distances_of(uint8_t stream, size_t streams, uint32_t most, int words)
{
    reuse_stream all[STREAMS];
    tacho_hot_reuse out;
    for (uint8_t s = 0; s < streams; s++)
        watch(&all[s], s, most, words);
    assert_int_equal(reuse_distances(&out, all, streams, stream), 0);
    return out;
}

/* ---- streams ---- */

static void make(uint32_t (*line)(size_t i, uint8_t *stream))
{
    t = (trace){.most = {INFINITY, INFINITY}};
    for (size_t i = 0; i < ACCESSES; i++) {
        t.line[i] = line(i, &t.stream[i]);
        t.word[i] = (uint8_t)draw(8);
    }
}

static uint32_t round_and_round(size_t i, uint8_t *stream)
{
    (void)stream;
    return (uint32_t)(i % 300);
}

/* All of a walk fits, or nothing does: exactly. */
static void test_reuse__a_walk(void **state)
{
    (void)state;
    make(round_and_round);
    const tacho_hot_reuse r = distances_of(0, 1, 900, 1);
    for (size_t i = 0; i + 1 < TACHO_HOT_REUSE_PARTS; i++)
        assert_float_equal(r.lines[i], 300, 1e-6);
    assert_float_equal(true_misses(0, 300), 0, 0);
    assert_float_equal(true_misses(0, 299), 1, 0);
}

static uint32_t at_random(size_t i, uint8_t *stream)
{
    (void)i, (void)stream;
    return draw(400);
}

static void test_reuse__at_random(void **state)
{
    (void)state;
    make(at_random);
    const tacho_hot_reuse r = distances_of(0, 1, 2000, 1);
    for (size_t lines = 50; lines < 400; lines += 70)
        compare(&r, 0, lines);
}

/* 100 lines that would fit, but a walk over 3,000 others has its turn in between. */
static uint32_t in_turn(size_t i, uint8_t *stream)
{
    const size_t turn = i / 500, at = i % 500;
    *stream = at >= 100;
    return at < 100 ? (uint32_t)at : (uint32_t)(1000 + (turn * 400 + at) % 3000);
}

static void test_reuse__others_in_between(void **state)
{
    (void)state;
    make(in_turn);
    const tacho_hot_reuse r = distances_of(0, 2, 4000, 1), other = distances_of(1, 2, 4000, 1);
    compare(&r, 0, 300);
    compare(&r, 0, 520);
    assert_float_equal(true_misses(0, 300), 1, 0);
    assert_float_equal(r.lines[0], 500, 25);
    compare(&other, 1, 1000);
}

/* The other way round: 6,400 lines, which are gone through by parts. */
static uint32_t part_by_part(size_t i, uint8_t *stream)
{
    static uint32_t part;
    (void)stream;
    part = i % 600 ? part : draw(100);
    return part * 64 + draw(64);
}

static void test_reuse__nearer_than_the_footprint(void **state)
{
    (void)state;
    make(part_by_part);
    const tacho_hot_reuse r = distances_of(0, 1, 3000, 1);
    compare(&r, 0, 100);
    compare(&r, 0, 1000);
    assert_true(true_misses(0, 100) < 0.2);
}

/* One word of eight is watched: the line is touched long before. */
static void test_reuse__words_of_a_line(void **state)
{
    (void)state;
    make(at_random);
    const tacho_hot_reuse r = distances_of(0, 1, 4000, 8);
    compare(&r, 0, 120);
    compare(&r, 0, 260);
}

/* A stream that nobody watched counts with all that it has. */
static void test_reuse__who_was_not_watched(void **state)
{
    (void)state;
    tacho_hot_reuse out;
    reuse_stream all[STREAMS];
    make(in_turn);
    t.most[1] = 250;
    watch(&all[0], 0, 4000, 1);
    watch(&all[1], 1, 4000, 1);
    all[1].count = REUSE_FEWEST - 1;
    assert_int_equal(reuse_distances(&out, all, 2, 0), 0);
    assert_float_equal(out.lines[0], 350, 5);
    all[1].data = 0; /* it goes through the same 100 lines */
    all[0].most[REUSE_MIDDLE] = 100;
    assert_int_equal(reuse_distances(&out, all, 2, 0), 0);
    assert_float_equal(out.lines[0], 100, 1);
}

/* Watchpoints that are always replaced say that lines come late, not that they never do. */
static void test_reuse__replaced(void **state)
{
    (void)state;
    reuse_wait none[REUSE_FEWEST * 2];
    tacho_hot_reuse out;
    for (size_t i = 0; i < REUSE_FEWEST * 2; i++)
        none[i] = (reuse_wait){50 + (double)i, false};
    const reuse_stream s = {.waits = none,
                            .count = REUSE_FEWEST * 2,
                            .words = 1,
                            .rate = {1, 1, 1},
                            .most = {INFINITY, INFINITY, INFINITY}};
    assert_int_equal(reuse_distances(&out, &s, 1, 0), 0);
    assert_true(isinf(out.lines[0]) && isinf(out.high[0]));
    /* by Wilson's interval, 19 % of what 16 stand for may have been touched; the others were not for 50 */
    assert_float_equal(beyond(out.low, 0.8 * 50), 0.81, 0.04);
    assert_float_equal(beyond(out.low, 66), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reuse__a_walk),
        cmocka_unit_test(test_reuse__at_random),
        cmocka_unit_test(test_reuse__others_in_between),
        cmocka_unit_test(test_reuse__nearer_than_the_footprint),
        cmocka_unit_test(test_reuse__words_of_a_line),
        cmocka_unit_test(test_reuse__who_was_not_watched),
        cmocka_unit_test(test_reuse__replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
