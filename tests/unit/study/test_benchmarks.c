/* test_benchmarks.c - suites of benchmarks whose truth is known: how many false discoveries there are, and
 * what is found; and results that were read, put together, and written again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/scratch.h"
#include "random.h"
#include "tacho/benchmarks.h"

enum {
    BENCHMARKS = 100,
    TRUE_ONES = 10,
    MOST_SAMPLES = 4000
};
static tacho_error err;

/* ---- made-up suites ---- */

/* What a benchmark's times vary by. */
typedef struct noise {
    size_t samples;  /* of a run */
    uint32_t runs;   /* of the suite, on each side */
    double size;     /* of a sample */
    double memory;   /* 0..1 of it stays from sample to sample */
    double of_run;   /* what a run has of its own, for each benchmark */
    double of_suite; /* ... and for all of them alike */
    double tails;    /* samples are now and then so many times as long */
    double step;     /* the clock's */
} noise;

typedef struct made {
    tacho_benchmarks list;
    tacho_benchmark benchmarks[BENCHMARKS];
    char names[BENCHMARKS][20];
    double *seconds;
    uint32_t *runs;
} made;

static double sample(const noise *n, double *state)
{
    *state = n->memory * *state + sqrt(1 - n->memory * n->memory) * normal();
    double value = exp(n->size * *state);
    if (n->tails > 0 && uniform() < 0.05)
        value *= n->tails;
    return value;
}

/* The first `true_ones` take `ratio` as long. */
static void make(made *m, const noise *n, uint32_t true_ones, double ratio)
{
    size_t count = n->samples * n->runs, used = 0;
    double of_suite[16];
    m->seconds = calloc(BENCHMARKS * count, sizeof *m->seconds);
    m->runs = calloc(BENCHMARKS * count, sizeof *m->runs);
    if (!m->seconds || !m->runs)
        fail_msg("out of memory");
    for (uint32_t run = 0; run < n->runs; run++)
        of_suite[run] = n->of_suite * normal();
    for (uint32_t b = 0; b < BENCHMARKS; b++) {
        snprintf(m->names[b], sizeof m->names[b], "b%03u", b);
        m->benchmarks[b] = (tacho_benchmark){.name = m->names[b],
                                             .seconds = m->seconds + used,
                                             .runs = m->runs + used,
                                             .count = count,
                                             .run_count = n->runs};
        for (uint32_t run = 0; run < n->runs; run++) {
            double own = exp(n->of_run * normal() + of_suite[run]), state = normal();
            for (size_t i = 0; i < n->samples; i++, used++) {
                double value = 1e-3 * (b < true_ones ? ratio : 1) * own * sample(n, &state);
                m->seconds[used] = n->step > 0 ? ceil(value / n->step) * n->step : value;
                m->runs[used] = run;
            }
        }
    }
    m->list = (tacho_benchmarks){.tool = "made up", .list = m->benchmarks, .count = BENCHMARKS, .files = 1};
}

static void drop(made *m)
{
    free(m->seconds);
    free(m->runs);
}

/* What is found in so many suites. */
typedef struct found {
    double false_share; /* of what is called different, on average; 0 where nothing is */
    double any;         /* suites with a false one */
    double of_true;     /* true ones that are found */
    double covered;     /* suites whose interval of the geometric mean holds the truth */
    double spread;
} found;

static found judge_suites(int suites, const noise *n, uint32_t true_ones, double ratio)
{
    tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    found f = {0};
    o.resamples = 300;
    for (int s = 0; s < suites; s++) {
        static made sides[2];
        tacho_benchmarks_result *r;
        make(&sides[0], n, 0, 1);
        make(&sides[1], n, true_ones, ratio);
        if (tacho_benchmarks_judge(&sides[0].list, &sides[1].list, &o, 2, &r, &err))
            fail_msg("%s", err.message);
        size_t right = 0, wrong = 0;
        for (size_t i = 0; i < r->count; i++) {
            const tacho_benchmark_change *c = &r->list[i];
            if (c->verdict == TACHO_VERDICT_SLOWER || c->verdict == TACHO_VERDICT_FASTER)
                ++*((uint32_t)atoi(c->name + 1) < true_ones ? &right : &wrong);
        }
        double truth = pow(ratio, (double)true_ones / BENCHMARKS);
        f.false_share += wrong ? (double)wrong / (double)(right + wrong) : 0;
        f.any += wrong > 0;
        f.of_true += true_ones ? (double)right / true_ones : 0;
        f.covered += r->suite.low <= truth && truth <= r->suite.high;
        f.spread += r->run_spread;
        tacho_benchmarks_result_free(r);
        drop(&sides[0]);
        drop(&sides[1]);
    }
    f.false_share /= suites;
    f.any /= suites;
    f.of_true /= suites;
    f.covered /= suites;
    f.spread /= suites;
    return f;
}

static const struct {
    const char *what;
    noise noise;
} kinds[] = {
    {"normal, 10 samples", {.samples = 10, .runs = 1, .size = 0.01}},
    {"normal, 50 samples", {.samples = 50, .runs = 1, .size = 0.01}},
    {"long ones among them", {.samples = 20, .runs = 1, .size = 0.01, .tails = 1.5}},
    {"neighbours alike", {.samples = 200, .runs = 1, .size = 0.01, .memory = 0.9}},
    {"runs differ by 1 %", {.samples = 20, .runs = 1, .size = 0.01, .of_run = 0.01}},
    {"... 3 runs of each", {.samples = 20, .runs = 3, .size = 0.01, .of_run = 0.01}},
    {"... 10 runs of each", {.samples = 20, .runs = 10, .size = 0.01, .of_run = 0.01, .of_suite = 0.01}},
    {"a coarse clock", {.samples = 1000, .runs = 1, .size = 0.01, .step = 1e-5}},
};

/* With TACHO_TEST_SUITES=100 in the environment: the table of doc/COMPARE.md. */
static void test_judge__few_of_what_is_called_different_is_not(void **state)
{
    const char *many = getenv("TACHO_TEST_SUITES");
    int suites = many ? atoi(many) : 1;
    size_t n = sizeof kinds / sizeof *kinds;
    double any = 0, false_share = 0;
    for (size_t k = 0; k < n; k++) {
        found none = judge_suites(suites, &kinds[k].noise, 0, 1);
        found some = judge_suites(suites, &kinds[k].noise, TRUE_ONES, 1.05);
        any += none.any / (double)n;
        false_share += some.false_share / (double)n;
        bool hard = kinds[k].noise.of_run > 0 && kinds[k].noise.runs == 1; /* 5 % are 3.5 deviations there */
        assert_true(hard || some.of_true > 0.8);
        assert_true(!(kinds[k].noise.of_run > 0) || isnan(some.spread) || fabs(some.spread - 0.01) < 0.004);
        if (many)
            printf("| %s | %.0f %% | %.1f %% | %.0f %% | %.2f %% | %.0f %% |\n", kinds[k].what,
                   100 * none.any, 100 * some.false_share, 100 * some.of_true, 100 * some.spread,
                   50 * (none.covered + some.covered));
    }
    assert_true(any < 0.2 && false_share < 0.05);
}

/* ---- single judgements ---- */

static tacho_benchmarks_result *judge(const tacho_benchmarks *a, const tacho_benchmarks *b)
{
    tacho_benchmarks_result *r;
    if (tacho_benchmarks_judge(a, b, NULL, 0, &r, &err))
        fail_msg("%s", err.message);
    return r;
}

static const uint32_t zeros[64], counted[64] = {0, 1, 2, 3, 4, 5, 6, 7};

static tacho_benchmark benchmark(const char *name, const double *values, size_t count, bool runs)
{
    return (tacho_benchmark){.name = name,
                             .seconds = values,
                             .runs = runs ? counted : zeros,
                             .count = count,
                             .run_count = runs ? (uint32_t)count : count > 0};
}

static void test_judge__sorts_by_what_has_become_of_them(void **state)
{
    static const double one[] = {1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07},
                        more[] = {2, 2.01, 2.02, 2.03, 2.04, 2.05, 2.06, 2.07};
    tacho_benchmark a[] = {benchmark("fast", more, 8, false), benchmark("few", one, 3, false),
                           benchmark("gone", one, 8, false),  benchmark("none", one, 0, false),
                           benchmark("same", one, 8, false),  benchmark("slow", one, 8, false)};
    tacho_benchmark b[] = {benchmark("added", one, 8, false), benchmark("fast", one, 8, false),
                           benchmark("few", more, 3, false),  benchmark("none", one, 8, false),
                           benchmark("same", one, 8, false),  benchmark("slow", more, 8, false)};
    static const struct {
        const char *name;
        tacho_verdict verdict;
        double ratio;
    } expected[] = {{"slow", TACHO_VERDICT_SLOWER, 2.035 / 1.035},
                    {"fast", TACHO_VERDICT_FASTER, 1.035 / 2.035},
                    {"same", TACHO_VERDICT_NO_DIFFERENCE, 1},
                    {"few", TACHO_VERDICT_NONE, 2.01 / 1.01},
                    {"none", TACHO_VERDICT_NONE, NAN},
                    {"gone", TACHO_VERDICT_NONE, NAN},
                    {"added", TACHO_VERDICT_NONE, NAN}};
    tacho_benchmarks old_side = {.list = a, .count = 6}, new_side = {.list = b, .count = 6};
    tacho_benchmarks_result *r = judge(&old_side, &new_side);
    assert_int_equal(r->count, 7);
    for (size_t i = 0; i < r->count; i++) {
        const tacho_benchmark_change *c = &r->list[i];
        assert_string_equal(c->name, expected[i].name);
        assert_int_equal(c->verdict, expected[i].verdict);
        assert_true(isnan(expected[i].ratio) ? isnan(c->ratio) : fabs(c->ratio - expected[i].ratio) < 1e-9);
    }
    assert_true(r->slower == 1 && r->faster == 1 && r->same == 1 && r->unknown == 2);
    assert_true(r->gone == 1 && r->fresh == 1 && r->interesting_slower == 1 && r->interesting_faster == 1);
    assert_true(isnan(r->run_spread) && r->run_spread_by == TACHO_RUN_SPREAD_NONE);
    /* Of those that have an error: slow, fast, same. */
    assert_int_equal(r->suite_count, 3);
    assert_true(fabs(r->suite.value - 1) < 1e-9 && r->suite.low < 1 && r->suite.high > 1);
    tacho_benchmarks_result_free(r);
}

/* Six runs of each: what counts is how much these differ, and not how many samples they have. */
static void test_judge__runs_are_the_units_where_there_are_enough(void **state)
{
    static const double a[] = {1, 1.1, 1.2, 1.3, 1.4, 1.5}, b[] = {1.05, 1.15, 1.25, 1.35, 1.45, 1.55};
    tacho_benchmark old_one = benchmark("x", a, 6, true), new_one = benchmark("x", b, 6, true);
    tacho_benchmarks old_side = {.list = &old_one, .count = 1}, new_side = {.list = &new_one, .count = 1};
    tacho_benchmarks_result *r = judge(&old_side, &new_side);
    assert_true(r->list->by_runs && r->list->units[0] == 6 && r->runs[0] == 6);
    assert_int_equal(r->list->verdict, TACHO_VERDICT_NO_DIFFERENCE);
    assert_true(r->suite.low < 1 && r->suite.high > 1.04);
    tacho_benchmarks_result_free(r);
}

static void test_false_discovery__is_benjamini_hochberg(void **state)
{
    /* Their example: 15 p-values, of which the first 4 are rejected at 5 %. */
    const double p[] = {0.0344, 0.0001, 0.0004, 0.0019, 0.0095, NAN,    0.0201, 0.0278,
                        0.0298, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    double q[16];
    assert_int_equal(tacho_false_discovery(p, 16, q), 0);
    assert_true(isnan(q[5]) && fabs(q[1] - 0.0015) < 1e-9 && fabs(q[4] - 0.035625) < 1e-9 && q[15] == 1);
    int below = 0;
    for (int i = 0; i < 16; i++)
        below += q[i] <= 0.05;
    assert_int_equal(below, 4);
}

/* Not by a rounding, either. */
static void test_false_discovery__q_is_never_below_p(void **state)
{
    enum {
        MOST = 60
    };
    double p[MOST], q[MOST];
    for (size_t n = 1; n <= MOST; n++) {
        for (size_t i = 0; i < n; i++)
            p[i] = 1 / (7.3 * (double)n);
        assert_int_equal(tacho_false_discovery(p, n, q), 0);
        for (size_t i = 0; i < n; i++)
            assert_true(q[i] >= p[i] && q[i] <= 1);
    }
}

static void test_student__has_the_table_s_values(void **state)
{
    static const struct {
        double t, freedom;
    } at_975[] = {{12.7062, 1}, {4.30265, 2},  {3.18245, 3},  {2.77645, 4},
                  {2.57058, 5}, {2.04227, 30}, {1.98397, 100}};
    for (size_t i = 0; i < sizeof at_975 / sizeof *at_975; i++) {
        assert_true(fabs(tacho_student_below(at_975[i].t, at_975[i].freedom) - 0.975) < 1e-5);
        assert_true(fabs(tacho_student_below(-at_975[i].t, at_975[i].freedom) - 0.025) < 1e-5);
        assert_true(fabs(tacho_student_quantile(0.975, at_975[i].freedom) / at_975[i].t - 1) < 1e-4);
        assert_true(fabs(tacho_student_quantile(0.025, at_975[i].freedom) / at_975[i].t + 1) < 1e-4);
    }
    assert_true(tacho_student_below(0, 7) == 0.5 && isnan(tacho_student_below(NAN, 3)));
    assert_true(fabs(tacho_student_below(1.959964, 1e9) - 0.975) < 1e-6);
}

/* ---- files ---- */

static tacho_benchmarks *read_text(const char *text, tacho_benchmark_time time, int expected)
{
    char folder[4096], path[4200];
    tacho_benchmarks *b;
    if (tacho_scratch_make(folder, sizeof folder, &err) ||
        tacho_scratch_write(folder, "some.json", text, strlen(text)))
        fail_msg("no scratch folder");
    snprintf(path, sizeof path, "%s/some.json", folder);
    int rc = tacho_benchmarks_read(&b, path, time, &err);
    tacho_scratch_remove(folder);
    if (rc != expected)
        fail_msg("%s: %d: %s", text, rc, rc ? err.message : "");
    return b;
}

static void test_read__takes_the_time_that_benchmarks_are_about(void **state)
{
    static const char text[] =
        "{\"context\": {}, \"benchmarks\": ["
        "{\"name\": \"a\", \"real_time\": 2, \"cpu_time\": 1, \"time_unit\": \"ms\"},"
        "{\"name\": \"a_mean\", \"real_time\": 9, \"cpu_time\": 9, \"time_unit\": \"ms\"},"
        "{\"name\": \"b/real_time\", \"run_type\": \"iteration\", \"real_time\": 4, \"cpu_time\": 3},"
        "{\"name\": \"c\", \"run_type\": \"iteration\", \"real_time\": 0, \"cpu_time\": 0},"
        "{\"name\": \"a\", \"real_time\": 3, \"cpu_time\": 2, \"time_unit\": \"us\"},"
        "{\"name\": \"d\", \"skipped\": true, \"skip_message\": \"why not\", \"cpu_time\": 1}]}";
    tacho_benchmarks *b = read_text(text, TACHO_BENCHMARK_AUTO, 0);
    assert_int_equal(b->count, 4);
    assert_string_equal(b->tool, "google-benchmark");
    assert_true(b->list[0].count == 2 && b->list[0].run_count == 1);
    assert_true(fabs(b->list[0].seconds[0] - 1e-3) < 1e-15 && fabs(b->list[0].seconds[1] - 2e-6) < 1e-15);
    assert_true(fabs(b->list[1].seconds[0] - 4e-9) < 1e-20);
    assert_true(!b->list[2].count && b->warning_count == 1);
    assert_string_equal(b->list[3].trouble, "failed: why not");
    tacho_benchmarks_free(b);
    b = read_text(text, TACHO_BENCHMARK_ELAPSED, 0);
    assert_true(fabs(b->list[0].seconds[0] - 2e-3) < 1e-15);
    tacho_benchmarks_free(b);
}

static void test_read__refuses_what_is_no_result(void **state)
{
    static const char *const texts[] = {"",
                                        "{",
                                        "[]",
                                        "{}",
                                        "{\"results\": []}",
                                        "{\"results\": [{}]}",
                                        "3",
                                        "{\"benchmarks\": []}",
                                        "{\"context\": {}, \"benchmarks\": []}",
                                        "{\"iters\": [1], \"times\": []}",
                                        "{\"results\": [{\"command\": \"x\"}, {}]}",
                                        "{\"schema\": \"tacho-baseline-1\", \"benchmarks\": [{}]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(read_text(texts[i], TACHO_BENCHMARK_AUTO, TACHO_ERR_INPUT));
    tacho_benchmarks *b;
    assert_int_equal(tacho_benchmarks_read(&b, "/nowhere/at all", TACHO_BENCHMARK_AUTO, &err),
                     TACHO_ERR_INPUT);
    assert_int_equal(tacho_benchmarks_read(&b, "/dev/null", TACHO_BENCHMARK_AUTO, &err), TACHO_ERR_INPUT);
}

static void test_write__is_read_again(void **state)
{
    double values[] = {0.1, 1.0 / 3, 2e-9};
    uint32_t runs[] = {0, 1, 1};
    tacho_benchmark list[] = {
        {.name = "\"a\"\n", .seconds = values, .runs = runs, .count = 3, .run_count = 2},
        {.name = "b", .trouble = "failed: no"}};
    tacho_benchmarks all = {.tool = "made up", .list = list, .count = 2};
    char *text;
    assert_int_equal(tacho_benchmarks_write(&all, &text, &err), 0);
    tacho_benchmarks *b = read_text(text, TACHO_BENCHMARK_AUTO, 0);
    tacho_benchmarks_text_free(text);
    assert_true(b->count == 2 && b->list[0].count == 3 && b->list[0].run_count == 2 && !b->list[1].count);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(b->list[0].seconds[i] / values[i] - 1) < 1e-10 && b->list[0].runs[i] == runs[i]);
    assert_string_equal(b->list[0].name, list[0].name);
    assert_string_equal(b->list[1].trouble, "failed: no");
    tacho_benchmarks_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge__few_of_what_is_called_different_is_not),
        cmocka_unit_test(test_judge__sorts_by_what_has_become_of_them),
        cmocka_unit_test(test_judge__runs_are_the_units_where_there_are_enough),
        cmocka_unit_test(test_false_discovery__is_benjamini_hochberg),
        cmocka_unit_test(test_false_discovery__q_is_never_below_p),
        cmocka_unit_test(test_student__has_the_table_s_values),
        cmocka_unit_test(test_read__takes_the_time_that_benchmarks_are_about),
        cmocka_unit_test(test_read__refuses_what_is_no_result),
        cmocka_unit_test(test_write__is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
