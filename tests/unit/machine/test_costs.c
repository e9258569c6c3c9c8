/* test_costs.c - what this machine takes for things: figures are there, and no time is negative. How large
 * they are is the machine's matter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "machine/costs/costs.h"

static void assert_cost(cost c)
{
    assert_true(c.least >= 0 && c.most >= c.least && isfinite(c.most));
}

static void test_costs__more_is_noise_or_a_difference(void **state)
{
    (void)state;
    assert_true(costs_more(4, 4.2) == 0 && costs_more(4, 3) == 0);
    assert_true(fabs(costs_more(4, 9.5) - 5.5) < 1e-9);
    assert_true(isnan(costs_more(NAN, 4)) && isnan(costs_more(4, NAN)));
}

static void test_costs__each_is_a_time_and_remembered(void **state)
{
    (void)state;
    costs *c = costs_new();
    assert_non_null(c);
    for (int a = 0; a < COST_ARITHMETICS; a++)
        if (a != COST_FUSED)
            assert_cost(costs_subnormal(c, (cost_arithmetic)a));
    for (int i = 0; i < 4; i++)
        assert_cost(costs_crossing(c, i & 1, i >> 1));
    cost once = costs_crossing(c, true, true), again = costs_crossing(c, true, true);
    assert_true(once.least == again.least && once.most == again.most);
    const data_cache *caches;
    size_t n = costs_caches(c, &caches);
    for (int w = 0; n > 1 && w < COST_WALKS; w++) {
        cost behind = costs_behind(c, 0, (cost_walk)w);
        assert_cost(behind);
    }
    assert_true(isnan(costs_behind(c, n, COST_CHAIN).most));
    cost shared = costs_sharing(c); /* none with a single processor */
    assert_true(isnan(shared.most) || shared.most >= shared.least);
    costs_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs__more_is_noise_or_a_difference),
        cmocka_unit_test(test_costs__each_is_a_time_and_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
