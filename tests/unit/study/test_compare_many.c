/* test_compare_many.c - tables of many commands: verdicts, intervals and ranks on made-up samples of which
 * the truth is known, with noise of several kinds, always the same seed; and runs of real commands as far as
 * they do not depend on how long those take. */
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
#include "noise.h"
#include "tacho/compare_many.h"

enum {
    MOST = 20,
    MOST_BLOCKS = 60
};
static tacho_error err;
static tacho_sample samples[MOST * MOST_BLOCKS];
static double factors[MOST]; /* what each command takes */

/* ---- noise, besides that of noise.h ---- */

static double large_normal(double *state)
{
    return 0.3 * normal();
}

static double drift(double *state)
{
    *state += 0.02;
    return *state + 0.01 * normal();
}

static double walk(double *state)
{
    *state += 0.1 * normal();
    return *state;
}

/* A run is most often in the mode of the one before. */
static double lasting_modes(double *state)
{
    *state = uniform() < 0.1 ? !*state : *state;
    return *state * log(2) + 0.01 * normal();
}

static const struct {
    const char *name;
    noise *of;
} kinds[] = {{"normal, 1 %", small_normal},
             {"normal, 30 %", large_normal},
             {"heavy tails", heavy_tails},
             {"skewed", skewed},
             {"drift", drift},
             {"random walk", walk},
             {"two modes", two_modes},
             {"lasting modes", lasting_modes},
             {"neighbours", neighbours}};

/* Blocks of all commands, each in an order by chance. @return the number of samples */
static size_t make(uint32_t commands, uint32_t blocks, noise *of)
{
    uint32_t order[MOST];
    double state = 0;
    size_t count = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        hash_draw_order(&seed, order, commands);
        for (uint32_t i = 0; i < commands; i++)
            samples[count++] =
                (tacho_sample){0.01 * exp(of(&state)) * (1 + factors[order[i]]), order[i], b, 0};
    }
    return count;
}

static tacho_judge_options quick(void)
{
    tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    o.resamples = 400;
    return o;
}

static tacho_many_judgement judge(size_t count, uint32_t commands, tacho_judge_options o)
{
    tacho_many_judgement j;
    if (tacho_judge_many(samples, count, commands, false, &o, &j, &err))
        fail_msg("%s", err.message);
    return j;
}

static int reset(void **state)
{
    seed = 1;
    memset(factors, 0, sizeof factors);
    return 0;
}

/* ---- the correction ---- */

static void test_holm__is_that_of_the_definition(void **state)
{
    double p[] = {0.04, NAN, 0.01, 0.03, 0.005}, wanted[] = {0.06, NAN, 0.03, 0.06, 0.02};
    assert_int_equal(tacho_holm(p, 5), 0);
    for (int i = 0; i < 5; i++)
        assert_true(isnan(wanted[i]) ? isnan(p[i]) : fabs(p[i] - wanted[i]) < 1e-12);
    assert_int_equal(tacho_holm(NULL, 0), 0);
}

/* ---- tables without a difference ---- */

typedef struct wrong {
    int tables, verdicts, intervals, ranks;
} wrong;

static void count_wrong(const tacho_many_judgement *j, wrong *w)
{
    bool verdict = false, interval = false, rank = false;
    for (size_t c = 1; c < j->count; c++) {
        verdict |= j->rows[c].verdict == TACHO_VERDICT_FASTER || j->rows[c].verdict == TACHO_VERDICT_SLOWER;
        interval |= j->rows[c].ratio_low > 1 || j->rows[c].ratio_high < 1;
    }
    for (size_t c = 0; c < j->count; c++)
        rank |= j->rows[c].rank_low > 1 || j->rows[c].rank_high < j->count;
    w->tables++;
    w->verdicts += verdict;
    w->intervals += interval;
    w->ranks += rank;
}

static wrong without_difference(uint32_t commands, uint32_t blocks, noise *of, int tables)
{
    wrong w = {0};
    for (int t = 0; t < tables; t++) {
        tacho_many_judgement j = judge(make(commands, blocks, of), commands, quick());
        count_wrong(&j, &w);
        tacho_many_judgement_free(&j);
    }
    return w;
}

/* TACHO_TEST_TABLES=1000: as doc/COMPARE.md has it. */
static int tables_wanted(int usual)
{
    const char *given = getenv("TACHO_TEST_TABLES");
    return given ? atoi(given) : usual;
}

static void test_judge_many__calls_no_identical_commands_different(void **state)
{
    int tables = tables_wanted(20);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        wrong few = without_difference(20, 5, kinds[k].of, tables);
        wrong w = without_difference(20, 14, kinds[k].of, tables);
        print_message(
            "%-14s %d tables of 20: different %d, intervals without 1 %d, ranks %d; 5 blocks: %d, %d\n",
            kinds[k].name, tables, w.verdicts, w.intervals, w.ranks, few.verdicts, few.ranks);
        assert_true(w.verdicts <= 1 + tables / 20 && w.ranks <= 1 + tables / 20);
        assert_true(few.verdicts <= 1 + tables / 20 && few.ranks <= 1 + tables / 20);
    }
}

/* ---- tables with one ---- */

static void test_judge_many__finds_the_one_that_is_slower(void **state)
{
    int tables = tables_wanted(20), found = 0, others = 0, last = 0;
    factors[5] = 0.03;
    for (int t = 0; t < tables; t++) {
        tacho_many_judgement j = judge(make(8, 19, small_normal), 8, quick());
        for (size_t c = 1; c < 8; c++)
            others += c != 5 && j.rows[c].verdict != TACHO_VERDICT_NO_DIFFERENCE;
        found += j.rows[5].verdict == TACHO_VERDICT_SLOWER;
        last += j.rows[5].rank_low == 8;
        tacho_many_judgement_free(&j);
    }
    print_message("3 %% slower by 1 %% noise: %d of %d, last %d; others %d\n", found, tables, last, others);
    assert_true(found >= tables * 19 / 20 && others <= 1 + tables / 20 && last >= tables * 3 / 4);
}

static void test_judge_many__says_how_much_and_in_which_order(void **state)
{
    static const double truth[] = {0, -0.1, 0.2, 0.001, -0.05};
    memcpy(factors, truth, sizeof truth);
    tacho_many_judgement j = judge(make(5, 40, small_normal), 5, quick());
    static const tacho_verdict verdicts[] = {TACHO_VERDICT_NONE, TACHO_VERDICT_FASTER, TACHO_VERDICT_SLOWER,
                                             TACHO_VERDICT_NO_DIFFERENCE, TACHO_VERDICT_FASTER};
    static const uint32_t ranks[][2] = {{3, 4}, {1, 1}, {5, 5}, {3, 4}, {2, 2}};
    assert_int_equal(j.count, 5);
    assert_int_equal(j.blocks, 40);
    for (size_t c = 0; c < 5; c++) {
        const tacho_many_row *r = &j.rows[c];
        assert_int_equal(r->verdict, verdicts[c]);
        assert_int_equal(r->rank_low, ranks[c][0]);
        assert_int_equal(r->rank_high, ranks[c][1]);
        assert_true(r->median.low < r->median.value && r->median.value < r->median.high);
        if (!c)
            continue;
        assert_true(r->ratio_low < 1 + truth[c] && 1 + truth[c] < r->ratio_high);
        assert_true(r->p_corrected >= r->p_value && r->detectable > 0 && r->units == 40);
        assert_true(r->interesting == (c != 3));
    }
    assert_true(isnan(j.rows[0].p_value) && isnan(j.rows[0].ratio_low) && j.rows[0].ratio == 1);
    assert_true(j.critical > 2.2 && j.critical < 3.2); /* Dunnett: 2.5 */
    tacho_many_judgement_free(&j);
}

static void test_judge_many__turns_ranks_where_more_is_better(void **state)
{
    tacho_judge_options o = quick();
    factors[1] = 0.2;
    o.higher_is_better = true;
    tacho_many_judgement j = judge(make(3, 20, small_normal), 3, o);
    assert_int_equal(j.rows[1].verdict, TACHO_VERDICT_FASTER);
    assert_int_equal(j.rows[1].rank_high, 1);
    assert_int_equal(j.rows[0].rank_low, 2);
    assert_int_equal(j.rows[0].rank_high, 3);
    tacho_many_judgement_free(&j);
}

/* All intervals at once: 95 % of the tables should have the truth in all of them. */
static void test_judge_many__intervals_hold_at_once(void **state)
{
    int tables = tables_wanted(40);
    for (uint32_t blocks = 10; blocks <= 40; blocks += 15) {
        wrong w = without_difference(10, blocks, large_normal, tables);
        print_message("%u blocks, tables with an interval without 1: %d of %d\n", blocks, w.intervals,
                      tables);
        assert_true(w.intervals <= tables / 8);
    }
}

/* ---- few, and none ---- */

static void test_judge_many__says_nothing_of_few_blocks_unless_far_apart(void **state)
{
    factors[2] = 2;
    tacho_many_judgement j = judge(make(3, 5, small_normal), 3, quick());
    assert_int_equal(j.units_needed, 7);
    assert_int_equal(j.units_needed_for_ranks, 7);
    assert_int_equal(j.rows[1].verdict, TACHO_VERDICT_NONE);
    assert_true(isnan(j.rows[1].ratio_low) && isnan(j.rows[1].p_value) && isnan(j.rows[1].detectable));
    assert_int_equal(j.rows[2].verdict, TACHO_VERDICT_SLOWER);
    assert_true(j.rows[2].by_separation && j.rows[2].ratio_low > 2.5 && j.rows[2].p_corrected < 0.05);
    assert_int_equal(j.rows[2].rank_low, 3);
    assert_int_equal(j.rows[0].rank_high, 2);
    tacho_many_judgement_free(&j);
}

static void test_judge_many__counts_what_is_missing(void **state)
{
    size_t n = make(4, 20, small_normal);
    for (size_t i = 0; i < n; i++)
        if (samples[i].side == 3)
            samples[i].value = NAN;
    samples[n - 1].block = samples[n - 2].block = samples[n - 3].block = samples[n - 4].block =
        TACHO_NO_BLOCK;
    tacho_many_judgement j = judge(n, 4, quick());
    assert_int_equal(j.rows[3].verdict, TACHO_VERDICT_NONE);
    assert_int_equal(j.rows[3].side.missing, 20);
    assert_true(isnan(j.rows[3].ratio));
    assert_int_equal(j.rows[1].verdict, TACHO_VERDICT_NO_DIFFERENCE);
    assert_int_equal(j.rows[1].units, 19);
    assert_int_equal(j.left_out, 3);
    assert_int_equal(j.blocks, 0); /* none has all of them */
    tacho_many_judgement_free(&j);
}

static void test_judge_many__takes_independent_samples_and_layouts(void **state)
{
    factors[1] = 0.1;
    size_t n = make(3, 30, small_normal);
    tacho_judge_options o = quick();
    tacho_many_judgement j;
    for (size_t i = 0; i < n; i++)
        samples[i].layout = samples[i].block % 10;
    assert_int_equal(tacho_judge_many(samples, n, 3, true, &o, &j, &err), 0);
    assert_true(j.has_layouts && j.rows[1].units == 10 && j.rows[1].verdict == TACHO_VERDICT_SLOWER);
    assert_int_equal(j.blocks, 30);
    tacho_many_judgement_free(&j);
    for (size_t i = 0; i < n; i++)
        samples[i].block = TACHO_NO_BLOCK;
    j = judge(n, 3, o);
    assert_true(!j.paired && j.rows[1].units == 30 && j.rows[1].verdict == TACHO_VERDICT_SLOWER);
    assert_int_equal(j.rows[2].verdict, TACHO_VERDICT_NO_DIFFERENCE);
    assert_int_equal(j.rows[1].rank_low, 3);
    tacho_many_judgement_free(&j);
    assert_int_equal(tacho_judge_many(samples, n, 3, true, &o, &j, &err), TACHO_ERR_INPUT);
}

/* A metric without any noise: equal ones stay equal, different ones differ. */
static void test_judge_many__takes_values_that_never_vary(void **state)
{
    for (uint32_t i = 0; i < 60; i++)
        samples[i] = (tacho_sample){i % 3 == 2 ? 13 : 12, i % 3, i / 3, 0};
    tacho_many_judgement j = judge(60, 3, quick());
    assert_int_equal(j.rows[1].verdict, TACHO_VERDICT_NO_DIFFERENCE);
    assert_int_equal(j.rows[2].verdict, TACHO_VERDICT_SLOWER);
    assert_true(j.rows[1].ratio_low == 1 && j.rows[1].ratio_high == 1);
    tacho_many_judgement_free(&j);
}

static void test_judge_many__refuses_what_makes_no_sense(void **state)
{
    tacho_judge_options o = quick();
    tacho_many_judgement j;
    size_t n = make(3, 10, small_normal);
    assert_int_equal(tacho_judge_many(samples, n, 1, false, &o, &j, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_judge_many(samples, n, 101, false, &o, &j, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_judge_many(samples, n, 2, false, &o, &j, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_judge_many(samples, 0, 3, false, &o, &j, &err), TACHO_ERR_USAGE);
    samples[1].value = -1;
    assert_int_equal(tacho_judge_many(samples, n, 3, false, &o, &j, &err), TACHO_ERR_INPUT);
}

static void test_judge_many__reports_that_memory_ran_out(void **state)
{
    size_t n = make(4, 20, small_normal);
    tacho_judge_options o = quick();
    tacho_many_judgement j;
    int rc = TACHO_ERR_MEMORY;
    unsigned long at = 1;
    for (; rc == TACHO_ERR_MEMORY && at < 500; at++) {
        tacho_mem_fail_at(at);
        rc = tacho_judge_many(samples, n, 4, false, &o, &j, &err);
    }
    tacho_mem_fail_at(0);
    assert_int_equal(rc, 0);
    assert_true(at > 20);
    tacho_many_judgement_free(&j);
}

/* ---- real commands ---- */

static int stop_at_once(const tacho_compare_progress *p, void *payload)
{
    return p->runs >= *(uint32_t *)payload;
}

static void test_compare_many__runs_each_once_in_a_block(void **state)
{
    static char *const commands[][3] = {{"true"}, {"echo", "x"}, {"true", "x"}};
    const tacho_command list[] = {{.argv = commands[0]}, {.argv = commands[1]}, {.argv = commands[2]}};
    tacho_compare_options o = TACHO_COMPARE_OPTIONS_INIT;
    tacho_many_result r;
    uint32_t stop = 16, seen[3] = {0}, orders = 0;
    o.runs = 8;
    assert_int_equal(tacho_compare_many(list, 3, &o, &r, &err), 0);
    assert_int_equal(r.runs.run_count, 24);
    assert_int_equal(r.runs.end, TACHO_COMPARE_RUNS);
    for (uint32_t i = 0; i < 24; i++) {
        const tacho_compare_run *run = &r.runs.runs[i];
        assert_int_equal(run->block, i / 3);
        seen[run->side] += 1U << (4 * (i % 3));
        orders |= i % 3 == 0 ? 1U << run->side : 0;
    }
    assert_int_equal(orders, 7); /* each is the first one at times */
    for (int c = 0; c < 3; c++)
        assert_int_equal((seen[c] & 15) + (seen[c] >> 4 & 15) + (seen[c] >> 8), 8);
    assert_true(r.medians[0] > 0 && r.medians[2 * r.runs.metric_count] > 0 && r.judgement.count == 3);
    tacho_many_result_free(&r);
    o.progress = stop_at_once;
    o.payload = &stop;
    assert_int_equal(tacho_compare_many(list, 3, &o, &r, &err), 0);
    assert_int_equal(r.runs.run_count, 16);
    assert_int_equal(r.runs.end, TACHO_COMPARE_STOPPED);
    assert_int_equal(r.runs.runs[15].block, TACHO_NO_BLOCK);
    assert_int_equal(r.judgement.left_out, 1);
    tacho_many_result_free(&r);
    assert_int_equal(tacho_compare_many(list, 1, &o, &r, &err), TACHO_ERR_USAGE);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        T(test_holm__is_that_of_the_definition),
        T(test_judge_many__calls_no_identical_commands_different),
        T(test_judge_many__finds_the_one_that_is_slower),
        T(test_judge_many__says_how_much_and_in_which_order),
        T(test_judge_many__turns_ranks_where_more_is_better),
        T(test_judge_many__intervals_hold_at_once),
        T(test_judge_many__says_nothing_of_few_blocks_unless_far_apart),
        T(test_judge_many__counts_what_is_missing),
        T(test_judge_many__takes_independent_samples_and_layouts),
        T(test_judge_many__takes_values_that_never_vary),
        T(test_judge_many__refuses_what_makes_no_sense),
        T(test_judge_many__reports_that_memory_ran_out),
        T(test_compare_many__runs_each_once_in_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
