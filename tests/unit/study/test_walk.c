/* test_walk.c - walks through graphs of counted blocks: exactly, on made-up counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "study/kernels/kernels_graph.h"

enum {
    PLENTY = 100000
};

/* ---- graphs that are made up ---- */

/* A block of one step; the block behind it is the next one where `goes_on`. */
static void node(kernels_graph *g, uint64_t count, kernels_node_end end, bool has_next)
{
    const uint32_t number = (uint32_t)g->node_count;
    assert_int_equal(tacho_mem_grow(&g->nodes, &g->node_capacity, number + 1, sizeof *g->nodes), 0);
    g->nodes[g->node_count++] = (kernels_node){.count = count,
                                               .first_step = number,
                                               .step_count = 1,
                                               .behind = has_next ? number + 1 : KERNELS_NO_NODE,
                                               .end = end};
}

/* Ways of a conditional branch come in pairs: OUT is to the block behind it. */
#define OUT KERNELS_NO_NODE

static void way(kernels_graph *g, uint32_t from, uint32_t to, uint64_t count)
{
    assert_int_equal(tacho_mem_grow(&g->ways, &g->way_capacity, g->way_count + 1, sizeof *g->ways), 0);
    g->ways[g->way_count++] = (kernels_way){.from = from, .to = to, .count = count};
}

/* The walk as letters: 'a' the first block. To be freed with tacho_mem_free. */
static char *walk(kernels_graph *g, uint64_t most)
{
    uint32_t *order;
    uint64_t count;
    tacho_error err;
    kernels_graph_close(g);
    assert_int_equal(kernels_graph_walk(g, most, &order, &count, &err), 0);
    char *text = tacho_mem_zalloc(count + 1, 1);
    for (uint64_t i = 0; i < count; i++)
        text[i] = (char)('a' + order[i]);
    tacho_mem_free(order);
    kernels_graph_free(g);
    return text;
}

static void check(kernels_graph *g, const char *wanted)
{
    char *text = walk(g, PLENTY);
    assert_string_equal(text, wanted);
    tacho_mem_free(text);
}

static void test_walk__straight_code_is_walked_once(void **state)
{
    kernels_graph g = {0};
    node(&g, 1, KERNELS_NODE_GOES_ON, true);
    node(&g, 1, KERNELS_NODE_GOES_ON, true);
    node(&g, 1, KERNELS_NODE_RETURNS, false);
    check(&g, "abc");
}

static void test_walk__inner_loops_make_as_many_rounds_each_time(void **state)
{
    kernels_graph g = {0};
    node(&g, 1, KERNELS_NODE_GOES_ON, true);
    node(&g, 3, KERNELS_NODE_GOES_ON, true);
    node(&g, 12, KERNELS_NODE_GOES_ON, true);
    node(&g, 3, KERNELS_NODE_GOES_ON, true);
    node(&g, 1, KERNELS_NODE_RETURNS, false);
    way(&g, 2, 2, 9);
    way(&g, 2, OUT, 3);
    way(&g, 3, 1, 2);
    way(&g, 3, OUT, 1);
    check(&g, "abccccdbccccdbccccde");
}

/* 15 iterations in 4 rounds: 3 or 4 in each. The first block is entered from nowhere else. */
static void test_walk__rounds_that_are_no_whole_number_alternate(void **state)
{
    kernels_graph g = {0};
    node(&g, 1, KERNELS_NODE_GOES_ON, true);
    node(&g, 15, KERNELS_NODE_GOES_ON, true);
    node(&g, 4, KERNELS_NODE_GOES_ON, true);
    node(&g, 1, KERNELS_NODE_RETURNS, false);
    way(&g, 1, 1, 11);
    way(&g, 1, OUT, 4);
    way(&g, 2, 1, 3);
    way(&g, 2, OUT, 1);
    check(&g, "abbbbcbbbbcbbbbcbbbcd");
}

/* In a loop of six rounds: one in three goes by `b`. */
static void test_walk__rare_ways_are_spread_evenly(void **state)
{
    kernels_graph g = {0};
    node(&g, 6, KERNELS_NODE_GOES_ON, true);
    node(&g, 2, KERNELS_NODE_GOES_ON, true);
    node(&g, 6, KERNELS_NODE_GOES_ON, true);
    node(&g, 1, KERNELS_NODE_RETURNS, false);
    node(&g, 1, KERNELS_NODE_JUMPS, false); /* where it begins */
    way(&g, 0, 2, 4);
    way(&g, 0, OUT, 2);
    way(&g, 2, 0, 5);
    way(&g, 2, OUT, 1);
    way(&g, 4, 0, 1);
    check(&g, "eacacabcacacabcd");
}

static void test_walk__functions_return_to_who_called_them(void **state)
{
    kernels_graph g = {0};
    node(&g, 1, KERNELS_NODE_CALLS, true);
    node(&g, 1, KERNELS_NODE_CALLS, true);
    node(&g, 1, KERNELS_NODE_RETURNS, false);
    node(&g, 2, KERNELS_NODE_JUMPS, false); /* the function, and where it jumps to */
    node(&g, 2, KERNELS_NODE_RETURNS, false);
    way(&g, 0, 3, 1);
    way(&g, 1, 3, 1);
    way(&g, 3, 4, 2);
    check(&g, "adebdec");
}

static void test_walk__calls_out_of_the_region_come_back(void **state)
{
    kernels_graph g = {0};
    node(&g, 1, KERNELS_NODE_GOES_ON, true);
    node(&g, 2, KERNELS_NODE_CALLS, true);
    node(&g, 2, KERNELS_NODE_GOES_ON, true);
    node(&g, 1, KERNELS_NODE_JUMPS, false);
    way(&g, 1, OUT, 2);
    way(&g, 2, 1, 1);
    way(&g, 2, OUT, 1);
    check(&g, "abcbcd");
}

/* Nothing says how `c` is reached: what is rarer comes first. */
static void test_walk__begins_again_where_something_was_not_visited(void **state)
{
    kernels_graph g = {0};
    node(&g, 1, KERNELS_NODE_GOES_ON, true);
    node(&g, 1, KERNELS_NODE_RETURNS, false);
    node(&g, 3, KERNELS_NODE_GOES_ON, true);
    node(&g, 3, KERNELS_NODE_RETURNS, false);
    check(&g, "abcdcdcd");
}

static void test_walk__ends_at_the_limit(void **state)
{
    kernels_graph g = {0};
    node(&g, UINT64_MAX / 4, KERNELS_NODE_GOES_ON, true);
    node(&g, 1, KERNELS_NODE_RETURNS, false);
    way(&g, 0, 0, UINT64_MAX / 4 - 1);
    way(&g, 0, OUT, 1);
    char *text = walk(&g, 5);
    assert_string_equal(text, "aaaaa");
    tacho_mem_free(text);
}

/* Two loops one after the other, of 1000 rounds each: of 240 steps each gets its half. */
static void test_walk__has_a_share_of_all_where_there_is_little_room(void **state)
{
    kernels_graph g = {0};
    uint64_t visits[4] = {0};
    node(&g, 1, KERNELS_NODE_GOES_ON, true);
    node(&g, 1000, KERNELS_NODE_GOES_ON, true);
    node(&g, 1000, KERNELS_NODE_GOES_ON, true);
    node(&g, 1, KERNELS_NODE_RETURNS, false);
    for (uint32_t loop = 1; loop <= 2; loop++) {
        way(&g, loop, loop, 999);
        way(&g, loop, OUT, 1);
    }
    char *text = walk(&g, 240);
    assert_int_equal(strlen(text), 240);
    for (const char *c = text; *c; c++)
        visits[*c - 'a']++;
    assert_int_equal(visits[0], 1);
    assert_in_range(visits[1], 110, 130);
    assert_in_range(visits[2], 110, 130);
    tacho_mem_free(text);
}

/* Jumps that were counted oftener than their block, ways back into a function that calls itself without end,
 * blocks that lead nowhere: it ends all the same. */
static void test_walk__ends_whatever_was_counted(void **state)
{
    kernels_graph g = {0};
    node(&g, 10, KERNELS_NODE_CALLS, false);
    node(&g, 7, KERNELS_NODE_JUMPS, false);
    node(&g, 0, KERNELS_NODE_RETURNS, false);
    way(&g, 0, 0, 500);
    way(&g, 1, 2, 3);
    char *text = walk(&g, PLENTY);
    assert_true(strlen(text) <= 17);
    tacho_mem_free(text);
    kernels_graph none = {0};
    check(&none, "");
}

static uint64_t next_random(uint64_t *seed)
{
    return *seed = *seed * 6364136223846793005u + 1442695040888963407u, *seed >> 33;
}

/* Random walks are counted; what is made of the counts visits each block about as often. */
static void test_walk__visits_blocks_as_often_as_counted(void **state)
{
    enum {
        NODES = 12,
        STEPS = 20000
    };
    uint64_t seed = 1;
    for (int graph = 0; graph < 50; graph++) {
        uint64_t counts[NODES] = {0}, taken[NODES][2] = {{0}}, visits[NODES] = {0};
        uint32_t to[NODES][2], share[NODES];
        for (uint32_t i = 0; i < NODES; i++) {
            to[i][0] = (i + 1) % NODES;
            to[i][1] = (uint32_t)(next_random(&seed) % NODES);
            share[i] = (uint32_t)(next_random(&seed) % 100);
        }
        for (uint32_t step = 0, at = 0; step < STEPS; step++) {
            int other = next_random(&seed) % 100 < share[at];
            counts[at]++;
            taken[at][other]++;
            at = to[at][other];
        }
        kernels_graph g = {0};
        for (uint32_t i = 0; i < NODES; i++)
            node(&g, counts[i], KERNELS_NODE_JUMPS, false);
        for (uint32_t i = 0; i < NODES; i++)
            for (int other = 0; other < 2; other++)
                if (taken[i][other])
                    way(&g, i, to[i][other], taken[i][other]);
        char *text = walk(&g, PLENTY);
        for (const char *c = text; *c; c++)
            visits[*c - 'a']++;
        for (int i = 0; i < NODES; i++)
            assert_true(llabs((long long)(visits[i] - counts[i])) <= 40 + (long long)counts[i] / 100);
        assert_int_equal(strlen(text), STEPS);
        tacho_mem_free(text);
    }
}

/* ---- what callgrind has written ---- */

/* A function with a loop of three rounds (0x10 to 0x12), which calls another one that lies in another file.
 */
static const char output[] = "positions: instr\n"
                             "events: Ir\n"
                             "ob=(1) /lib/a.so\n"
                             "fn=(1) f\n"
                             "0x10 3\n"
                             "+1 3\n"
                             "cob=(2) /lib/b.so\n"
                             "cfn=(2) g\n"
                             "calls=3 0x40\n"
                             "* 6\n"
                             "+1 3\n"
                             "jcnd=2/3 -2\n"
                             "*\n"
                             "+2 1\n"
                             "calls=1 0x20\n"
                             "* 9\n"
                             "ob=(2)\n"
                             "fn=(2)\n"
                             "0x40 3\n"
                             "+1 3\n"
                             "totals: 16\n";

static void check_edge(const callgrind_edge *e, uint64_t from, uint32_t to_object, uint64_t to,
                       uint64_t count)
{
    assert_int_equal(e->from_object, 0);
    assert_int_equal(e->from, from);
    assert_int_equal(e->to_object, to_object);
    assert_int_equal(e->to, to);
    assert_int_equal(e->count, count);
}

static void test_edges__are_jumps_and_calls(void **state)
{
    char text[sizeof output];
    callgrind_counts counts = {.with_edges = true};
    callgrind_file file = {0};
    tacho_error err;
    memcpy(text, output, sizeof output);
    assert_int_equal(callgrind_parse(&counts, text, &file, &err), 0);
    assert_int_equal(counts.edge_count, 3);
    assert_int_equal(counts.edges[0].of, 0);
    assert_int_equal(counts.edges[1].of, 3);
    check_edge(&counts.edges[0], 0x11, 1, 0x40, 3);
    check_edge(&counts.edges[1], 0x12, 0, 0x10, 2);
    check_edge(&counts.edges[2], 0x14, 0, 0x20, 1);
    callgrind_free(&counts);
}

static void test_edges__are_not_kept_unless_wanted(void **state)
{
    char text[sizeof output];
    callgrind_counts counts = {0};
    callgrind_file file = {0};
    tacho_error err;
    memcpy(text, output, sizeof output);
    assert_int_equal(callgrind_parse(&counts, text, &file, &err), 0);
    assert_int_equal(counts.edge_count, 0);
    assert_int_equal(counts.executed.used, 6);
    callgrind_free(&counts);
}

/* xor; round: nop, call g by a stub; inc, jne round; ret. The stub: jmp. g: inc, ret. */
#define BLOCK(n, code, at, in)                                                                               \
    {                                                                                                        \
        .bytes = (const uint8_t *)(code), .byte_count = sizeof(code) - 1, .address = (at), .count = (n),     \
        .object = (in)                                                                                       \
    }
static const tacho_extract_block loop_blocks[] = {
    BLOCK(1, "\x31\xc9", 0x100, "a.so"),
    BLOCK(3, "\x90\xe8\xf8\x00\x00\x00", 0x102, "a.so"),
    BLOCK(3, "\xff\xc1\x75\xf6", 0x108, "a.so"),
    BLOCK(1, "\xc3", 0x10c, "a.so"),
    BLOCK(3, "\xff\x25\x00\x00\x00\x00", 0x200, "a.so"),
    BLOCK(3, "\xff\xc2\xc3", 0x100, "b.so"),
};

/* Callgrind names the function behind the stub. */
static void test_graph__is_of_blocks_and_edges(void **state)
{
    char *objects[] = {(char[]){"/lib/a.so"}, (char[]){"/lib/b.so"}};
    callgrind_edge edges[] = {{0, 1, 0x103, 0x100, 2, 0},
                              {0, 0, 0x10a, 0x102, 2, 3},
                              {0, 1, 0x103, 0x100, 1, 0},
                              {0, 0, 0x102, 0x102, 7, 0},  /* no branch */
                              {0, 0, 0x10c, 0x900, 1, 0}}; /* leads out */
    const callgrind_counts counts = {.objects = objects, .object_count = 2, .edges = edges, .edge_count = 5};
    const tacho_extract blocks = {.blocks = loop_blocks, .count = 6};
    static const uint32_t wanted[] = {0, 1, 2, 6, 7, 8, 3, 4, 1, 2, 6, 7, 8, 3, 4, 1, 2, 6, 7, 8, 3, 4, 5};
    kernels_graph g = {0};
    uint32_t *order;
    uint64_t count;
    tacho_error err;
    assert_int_equal(kernels_graph_make(&g, &blocks, &counts, &err), 0);
    assert_int_equal(g.node_count, 6);
    assert_int_equal(kernels_graph_walk(&g, PLENTY, &order, &count, &err), 0);
    assert_int_equal(count, sizeof wanted / sizeof *wanted);
    assert_memory_equal(order, wanted, sizeof wanted);
    assert_int_not_equal(g.steps[0].address, g.steps[7].address); /* other files lie elsewhere */
    assert_true(g.steps[8].transfers);
    tacho_mem_free(order);
    kernels_graph_free(&g);
}

static void test_graph__refuses_what_is_no_instruction(void **state)
{
    const tacho_extract_block bad = {
        .bytes = (const uint8_t *)"\x06", .byte_count = 1, .address = 1, .count = 1, .object = "a.so"};
    const tacho_extract blocks = {.blocks = &bad, .count = 1};
    const callgrind_counts counts = {0};
    kernels_graph g = {0};
    tacho_error err;
    assert_int_equal(kernels_graph_make(&g, &blocks, &counts, &err), TACHO_ERR_INPUT);
    kernels_graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk__straight_code_is_walked_once),
        cmocka_unit_test(test_walk__inner_loops_make_as_many_rounds_each_time),
        cmocka_unit_test(test_walk__rounds_that_are_no_whole_number_alternate),
        cmocka_unit_test(test_walk__rare_ways_are_spread_evenly),
        cmocka_unit_test(test_walk__functions_return_to_who_called_them),
        cmocka_unit_test(test_walk__calls_out_of_the_region_come_back),
        cmocka_unit_test(test_walk__begins_again_where_something_was_not_visited),
        cmocka_unit_test(test_walk__ends_at_the_limit),
        cmocka_unit_test(test_walk__has_a_share_of_all_where_there_is_little_room),
        cmocka_unit_test(test_walk__ends_whatever_was_counted),
        cmocka_unit_test(test_walk__visits_blocks_as_often_as_counted),
        cmocka_unit_test(test_edges__are_jumps_and_calls),
        cmocka_unit_test(test_edges__are_not_kept_unless_wanted),
        cmocka_unit_test(test_graph__is_of_blocks_and_edges),
        cmocka_unit_test(test_graph__refuses_what_is_no_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
