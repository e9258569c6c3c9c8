/* test_bias_why.c - the causes that are found, what was seen for them, and advice. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "bias_sweeps.h"
#include "measured.h"
#include "program/bias/window.h"

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
    assert_int_equal(p->store_address % 256, 3 * 16);
    assert_int_equal(p->load_address % 4096, p->store_address % 4096);
    assert_true(p->store_address != p->load_address);
    /* One in some nine instructions of the loop; short runs are mostly their start and end. */
    assert_true(p->slow > 20 && p->fast < 1);
}

/* The pair is there in one of 16 layouts; its instructions are named, and moving on helps. */
static void test_why__names_the_store_and_the_load(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    o.why = true;
    o.step_bytes = 16;
    o.span_bytes = 256;
    tacho_bias *b = sweep("aliased", "3000000", "100", &o);
    assert_found(&b->factors[0]);
    assert_pair(&b->factors[0]);
    const tacho_bias_advice *a = &b->factors[0].advice;
    assert_non_null(a->sentence);
    assert_true(a->helps && a->ratio < 0.9 && a->high < 1);
    tacho_bias_free(b);
}

static int stop_in(const tacho_bias_progress *p, void *payload)
{
    return p->phase == *(const tacho_bias_phase *)payload && p->runs_done == 1;
}

/* Ended when advice is tried. */
static void test_why__looks_into_threads_and_processes(void **state)
{
    (void)state;
    char *where[] = {"thread", "process"};
    for (int i = 0; i < 2; i++) {
        tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
        o.why = true;
        o.step_bytes = 16;
        o.span_bytes = 256;
        o.progress = stop_in;
        o.payload = &(tacho_bias_phase){TACHO_BIAS_ADVISING};
        tacho_bias *b = sweep(where[i], "2000000", "100", &o);
        const tacho_bias_factor *f = &b->factors[0];
        assert_pair(f);
        if (f->advice.sentence)
            assert_true(b->partial && !f->advice.tried && isnan(f->advice.ratio));
        else /* what else the machine does may hide how fast the places beside the slow one are */
            printf("skipped: advice for a %s, as no place is known to be faster\n", where[i]);
        tacho_bias_free(b);
    }
}

/* What was found before is there. */
static void test_why__may_be_ended_before_it_is_found(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_ALLOCATOR | 1u << TACHO_BIAS_BUFFERS);
    o.why = true;
    o.progress = stop_in;
    o.payload = &(tacho_bias_phase){TACHO_BIAS_EXPLAINING};
    tacho_bias *b = sweep("allocator", "1000000", "200", &o);
    const tacho_bias_factor *f = &b->factors[0];
    assert_true(b->partial && f->biased && f->rounds == 25);
    assert_false(f->why.looked);
    assert_int_equal(f->cause, TACHO_BIAS_NO_CAUSE);
    assert_string_equal(f->notes[0], "the sweep was ended before a cause was found");
    assert_non_null(b->factors[1].missing);
    tacho_bias_free(b);
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
    o.passes = 3; /* of the curve a period is asked for */
    tacho_bias *b = sweep("crossing", "3000000", "100", &o);
    const tacho_bias_factor *f = &b->factors[0];
    assert_true(f->biased);
    assert_int_equal(f->cause, TACHO_BIAS_LINE_CROSSING);
    assert_true(f->why.line_slow > 20 && f->why.line_fast < 5);
    assert_true(f->period_bytes == 64);
    assert_true(f->advice.helps);
    tacho_bias_free(b);
}

int main(int argc, char **argv)
{
    take_probe(argc, argv);
    need_layouts();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_why__names_the_store_and_the_load),
        cmocka_unit_test(test_why__looks_into_threads_and_processes),
        cmocka_unit_test(test_why__may_be_ended_before_it_is_found),
        cmocka_unit_test(test_window__what_waits_for_its_children_goes_on),
        cmocka_unit_test(test_window__without_memory_is_an_error),
        cmocka_unit_test(test_why__lines_that_are_crossed),
    };
    return measured_run(tests, sizeof tests / sizeof *tests);
}
