/* test_branches.c - the predictor of branches that goes through traces of kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "study/kernels/kernels_internal.h"

enum {
    MOST = 400000,
    ENTRIES = 8192
};

typedef struct run {
    kernels_branch *branches;
    size_t count;
} run;

static int set_up(void **state)
{
    run *r = calloc(1, sizeof *r);
    r->branches = calloc(MOST, sizeof *r->branches);
    *state = r;
    return r->branches ? 0 : -1;
}

static int tear_down(void **state)
{
    run *r = *state;
    free(r->branches);
    free(r);
    return 0;
}

static void add(run *r, uint64_t address, uint64_t next, kernels_branch_kind kind)
{
    assert_true(r->count < MOST);
    r->branches[r->count] = (kernels_branch){.address = address,
                                             .following = address + 2,
                                             .next = next,
                                             .kind = (uint8_t)kind,
                                             .mispredicted = true};
    r->count++;
}

/* A conditional branch forward, or past it. */
static void add_if(run *r, uint64_t address, bool taken)
{
    add(r, address, taken ? address + 32 : address + 2, KERNELS_BRANCH_CONDITIONAL);
}

static void add_back(run *r, uint64_t address, bool taken)
{
    add(r, address, taken ? address - 100 : address + 2, KERNELS_BRANCH_CONDITIONAL);
}

static void predict(run *r, uint32_t history, uint32_t entries)
{
    assert_int_equal(kernels_predict_branches(r->branches, r->count, history, entries, NULL), 0);
}

/* Of the branches at that address, or all (0). */
static size_t wrong(const run *r, uint64_t address)
{
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        count += r->branches[i].mispredicted && (!address || r->branches[i].address == address);
    return count;
}

/* So many times a loop of `rounds`, in each of which `jumps` are taken besides, and as many are not. */
static size_t wrong_in_loops(run *r, uint32_t history, int rounds, int jumps)
{
    const int times = 100;
    r->count = 0;
    for (int i = 0; i < times; i++) {
        for (int k = 0; k < rounds; k++) {
            for (int j = 0; j < jumps; j++) {
                add(r, 0x1000 + 64u * (unsigned)j, 0x1020 + 64u * (unsigned)j, KERNELS_BRANCH_KNOWN);
                add_if(r, 0x1024 + 64u * (unsigned)j, false);
            }
            add_back(r, 0x2000, k + 1 < rounds);
        }
        add_back(r, 0x3000, i + 1 < times);
    }
    predict(r, history, ENTRIES);
    return wrong(r, 0x2000);
}

/* What was measured on a Zen 5: up to where ends of loops are foreseen, by the branches taken in a round. */
static void test_branches__loops_end_as_far_as_the_history_reaches(void **state)
{
    run *r = *state;
    static const struct {
        int jumps, foreseen, not_foreseen;
    } measured[] = {{0, 140, 141}, {1, 70, 71}, {3, 35, 36}, {7, 18, 19}};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        assert_in_range(wrong_in_loops(r, 139, measured[i].foreseen, measured[i].jumps), 0, 2);
        assert_in_range(wrong_in_loops(r, 139, measured[i].not_foreseen, measured[i].jumps), 95, 105);
    }
    assert_in_range(wrong_in_loops(r, 93, 94, 0), 0, 2);
    assert_in_range(wrong_in_loops(r, 93, 95, 0), 95, 105);
    assert_in_range(wrong_in_loops(r, 194, 142, 0), 0, 2);
}

static void test_branches__regular_ones_are_foreseen(void **state)
{
    run *r = *state;
    for (int i = 0; i < 3000; i++) {
        add_if(r, 0x1000, i % 2);
        add_if(r, 0x1100, i % 7 == 3);
        add_back(r, 0x1200, true);
    }
    predict(r, 93, ENTRIES);
    assert_in_range(wrong(r, 0), 0, 10);
}

/* Outcomes without a rule: learned where there is room, else half of them are wrong. */
static void test_branches__what_is_random_is_learned_if_there_is_room(void **state)
{
    run *r = *state;
    for (int n = 500; n <= 50000; n *= 100) {
        r->count = 0;
        for (int i = 0; i < n; i++) {
            add_if(r, 0x1000, hash_mix((uint64_t)i) & 1);
            add_back(r, 0x1200, true);
        }
        predict(r, 93, ENTRIES);
        assert_int_equal(wrong(r, 0x1200), 0);
        if (n == 500)
            assert_in_range(wrong(r, 0x1000), 0, 25);
        else
            assert_in_range(wrong(r, 0x1000), n * 35 / 100, n * 60 / 100);
    }
}

/* The second goes where the first went, which nobody foresees. */
static void test_branches__one_tells_of_another(void **state)
{
    run *r = *state;
    for (int i = 0; i < 50000; i++) {
        bool taken = hash_mix((uint64_t)i) & 1;
        add_if(r, 0x1000, taken);
        add_if(r, 0x1100, taken);
        add_back(r, 0x1200, true);
    }
    predict(r, 8, ENTRIES);
    assert_in_range(wrong(r, 0x1000), 17500, 30000);
    assert_in_range(wrong(r, 0x1100), 0, 1000);
}

static void test_branches__targets_follow_the_history_and_returns_are_known(void **state)
{
    run *r = *state;
    for (int i = 0; i < 900; i++) {
        add(r, 0x1000, 0x5000 + 0x100u * (unsigned)(i % 3), KERNELS_BRANCH_INDIRECT);
        add(r, 0x6000, 0x7000 + hash_mix((uint64_t)i) % 1000, KERNELS_BRANCH_KNOWN);
        add_back(r, 0x1200, true);
    }
    predict(r, 93, ENTRIES);
    assert_int_equal(wrong(r, 0x6000), 0);
    r->count = 0;
    for (int i = 0; i < 900; i++) {
        add(r, 0x1000, 0x5000 + 0x100u * (unsigned)(i % 3), KERNELS_BRANCH_INDIRECT);
        add_back(r, 0x1200, true);
    }
    predict(r, 93, ENTRIES);
    assert_in_range(wrong(r, 0), 0, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_branches__loops_end_as_far_as_the_history_reaches, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_branches__regular_ones_are_foreseen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_branches__what_is_random_is_learned_if_there_is_room, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_branches__one_tells_of_another, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_branches__targets_follow_the_history_and_returns_are_known,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
