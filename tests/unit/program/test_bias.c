/* test_bias.c - factors: sweeps of a program whose time depends on its layout by its own doing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "bias_sweeps.h"
#include "measured.h"

/* The only place of 32 comes again a page later. */
static void assert_pages(const tacho_bias_factor *f)
{
    if (f->period_bytes != 4096)
        fail_msg("%s: period %g, effect %g", f->name, f->period_bytes, f->effect.value);
}

static void test_stack__a_slow_place_is_found_with_its_period(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_STACK);
    tacho_bias *b = sweep("stack", "1000000", "100", &o);
    assert_int_equal(b->factor_count, 1);
    assert_int_equal(b->factors[0].point_count, 32);
    assert_found(&b->factors[0]);
    assert_pages(&b->factors[0]);
    assert_false(b->partial);
    tacho_bias_free(b);
}

/* The stack's place follows from the environment's size. */
static void test_environment__moves_the_stack(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_ENVIRONMENT);
    o.seed = 7;
    tacho_bias *b = sweep("stack", "1000000", "100", &o);
    assert_int_equal(b->factors[0].kind, TACHO_BIAS_ENVIRONMENT);
    assert_found(&b->factors[0]);
    assert_pages(&b->factors[0]);
    tacho_bias_free(b);
}

static void test_heap_and_mappings__each_finds_its_own(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_HEAP);
    tacho_bias *b = sweep("heap", "1000000", "100", &o);
    assert_found(&b->factors[0]);
    assert_pages(&b->factors[0]);
    tacho_bias_free(b);
    o.factors = 1u << TACHO_BIAS_MAPPINGS;
    b = sweep("mapped", "1000000", "100", &o);
    assert_int_equal(b->factors[0].point_count, 64);
    assert_found(&b->factors[0]);
    tacho_bias_free(b);
}

static void test_buffers__every_other_large_allocation_moves(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_BUFFERS);
    tacho_bias *b = sweep("buffers", "1000000", "100", &o);
    assert_found(&b->factors[0]);
    assert_true(b->factors[0].points[b->factors[0].slow].position == 5 * 128);
    assert_pages(&b->factors[0]);
    tacho_bias_free(b);
}

/* Half the usual span, as the path is on the stack twice. */
static void test_argument__makes_the_path_longer(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_ARGUMENT);
    o.step_bytes = 16;
    o.span_bytes = 256;
    tacho_bias *b = sweep("argument", "1000000", "100", &o);
    const tacho_bias_factor *f = &b->factors[0];
    assert_int_equal(f->point_count, 8);
    for (uint32_t i = 0; i < f->point_count; i++)
        assert_true(f->points[i].position == 16.0 * i);
    assert_found(f);
    assert_int_equal((strlen(probe) / 16 + f->slow) % 8, 5);
    tacho_bias_free(b);
}

/* Which the probe stays in, or it aborts. */
static void test_directory__has_a_longer_name(void **state)
{
    (void)state;
    char parent[4096];
    assert_non_null(realpath(tacho_scratch_parent(), parent));
    tacho_bias_options o = options(1u << TACHO_BIAS_DIRECTORY);
    o.step_bytes = 16;
    o.span_bytes = 256;
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(setenv("PWD", here, 1), 0); /* whoever started this may have been elsewhere */
    tacho_bias *b = sweep("directory", "1000000", "100", &o);
    const tacho_bias_factor *f = &b->factors[0];
    assert_int_equal(f->point_count, 16);
    for (uint32_t i = 0; i < f->point_count; i++)
        assert_true(f->points[i].position == 16.0 * i);
    assert_found(f);
    size_t shortest = strlen(parent) + strlen("/tacho-XXXXXX") + 16;
    assert_int_equal((shortest / 16 + f->slow) % 16, 5);
    tacho_bias_free(b);
}

static void test_allocator__places_allocations_otherwise(void **state)
{
    (void)state;
    tacho_bias_options o = options(1u << TACHO_BIAS_ALLOCATOR);
    tacho_bias *b = sweep("allocator", "1000000", "200", &o);
    const tacho_bias_factor *f = &b->factors[0];
    assert_true(f->point_count >= 5);
    assert_true(f->biased && f->effect.value > 1.2);
    assert_string_equal(f->points[f->slow].label, "mmap_max=0");
    tacho_bias_free(b);
}

int main(int argc, char **argv)
{
    take_probe(argc, argv);
    need_layouts();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack__a_slow_place_is_found_with_its_period),
        cmocka_unit_test(test_environment__moves_the_stack),
        cmocka_unit_test(test_heap_and_mappings__each_finds_its_own),
        cmocka_unit_test(test_buffers__every_other_large_allocation_moves),
        cmocka_unit_test(test_argument__makes_the_path_longer),
        cmocka_unit_test(test_directory__has_a_longer_name),
        cmocka_unit_test(test_allocator__places_allocations_otherwise),
    };
    return measured_run(tests, sizeof tests / sizeof *tests);
}
