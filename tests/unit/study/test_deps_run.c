/* test_deps_run.c - what lackey's trace tells: counts, dependencies, lifetimes, blocks; and text that is
 * none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "study/depsrun/depsrun.h"

static const uint64_t lifetimes[] = {TACHO_DEPS_RUN_FOREVER, 4, 2};

static trace *new_trace(void)
{
    trace *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->lifetimes = lifetimes;
    t->lifetime_count = 3;
    return t;
}

static void drop(trace *t)
{
    trace_free(t);
    free(t);
}

static trace *of_text(const char *text)
{
    trace *t = new_trace();
    trace_feed(t, text, strlen(text));
    assert_false(t->failed);
    return t;
}

/* "source>target count within4 within2 shortest", by pair, in the order in which they were found. */
static void check_pairs(const trace *t, const char *expected)
{
    char text[1000] = "";
    size_t at = 0;
    for (size_t i = 0; i < t->pair_count; i++) {
        const tacho_deps_run_dependency *d = &t->pairs[i].out;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%x>%x %d %d %d %d", i ? ", " : "",
                               (unsigned)t->insns[d->source].out.loaded_at,
                               (unsigned)t->insns[d->target].out.loaded_at, (int)d->count, (int)d->within[1],
                               (int)d->within[2], (int)d->shortest);
        assert_int_equal(d->within[0], d->count);
    }
    assert_string_equal(text, expected);
}

static void test_trace__loads_depend_on_the_last_store_of_their_bytes(void **state)
{
    trace *t = of_text("I  10,2\n S 1000,8\nI  12,2\n S 1004,4\nI  14,3\n L 1000,8\nI  17,1\n L 1000,4\n"
                       "I  18,1\n L 2000,8\n");
    (void)state;
    check_pairs(t, "10>14 1 1 1 2, 12>14 1 1 1 1, 10>17 1 1 0 3");
    assert_int_equal(t->now, 5);
    assert_int_equal(t->insn_count, 5);
    drop(t);
}

static void test_trace__a_load_is_counted_once_an_execution_with_its_shortest_lifetime(void **state)
{
    /* Two stores by one instruction, read by two loads of one: 5 and 2 instructions before. */
    trace *t = of_text("I  10,1\n S 1000,4\nI  11,1\nI  12,1\nI  10,1\n S 1004,4\nI  13,1\nI  14,1\n"
                       " L 1000,4\n L 1004,4\n");
    (void)state;
    check_pairs(t, "10>14 1 1 1 2");
    drop(t);
}

static void test_trace__modify_loads_before_it_stores(void **state)
{
    trace *t = of_text("I  10,1\n M 1000,4\nI  10,1\n M 1000,4\nI  10,1\n M 1000,4\n");
    (void)state;
    check_pairs(t, "10>10 2 2 2 1");
    assert_int_equal(t->loads, 3);
    assert_int_equal(t->stores, 3);
    drop(t);
}

static void test_trace__accesses_may_cross_pages(void **state)
{
    trace *t = of_text("I  10,1\n S 1ffc,8\nI  11,1\n L 2000,2\nI  12,1\n L 1fff,1\nI  13,1\n L 1ff0,64\n"
                       "I  14,1\n L 2004,8\n");
    (void)state;
    check_pairs(t, "10>11 1 1 1 1, 10>12 1 1 1 2, 10>13 1 1 0 3");
    drop(t);
}

static void test_trace__text_may_come_in_any_pieces(void **state)
{
    static const char text[] =
        "I  401000,4\n S 1ffefff7e8,8\n==7== a word\nI  401004,3\n L 1ffefff7e8,8\nI  1,1\n";
    (void)state;
    for (size_t cut = 1; cut < sizeof text - 1; cut++) {
        trace *t = new_trace();
        for (size_t at = 0; at < sizeof text - 1; at += cut)
            trace_feed(t, text + at, sizeof text - 1 - at < cut ? sizeof text - 1 - at : cut);
        check_pairs(t, "401000>401004 1 1 1 1");
        assert_int_equal(t->now, 3);
        assert_int_equal(t->bad_lines, 0);
        assert_string_equal(t->message, "a word");
        drop(t);
    }
}

static void test_trace__garbage_is_counted_and_passed_over(void **state)
{
    static const char *const bad[] = {
        "I 10,2",
        "I  ,2",
        "I  10",
        "I  10,",
        "I  10,x",
        "I  10,2 ",
        "I  10,65",
        "I  xyz,1",
        " L 10",
        " L 10,4097",
        " X 10,4",
        "L 10,4",
        " L10,4",
        "I  10,-1",
        "I  0x10,1",
        "I  10,4294967297",
        "\x01\xff",
        " ",
        "  ",
        "I",
        " S 1000,8,8",
        "I  10000000000000001,1",
        " L ffffffffffffffff,8",
    };
    char line[1200];
    trace *t = of_text("I  10,2\n S 1000,8\n");
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(line, sizeof line, "%s\n", bad[i]);
        trace_feed(t, line, strlen(line));
        if (t->bad_lines != i + 1)
            fail_msg("'%s' was not taken for garbage", bad[i]);
    }
    uint64_t before = t->bad_lines;
    memset(line, 'z', 1000);
    memcpy(line + 1000, "\nI  12,1\n L 1000,8\n\n", 21);
    trace_feed(t, line, strlen(line));
    assert_int_equal(t->bad_lines, before + 1);
    check_pairs(t, "10>12 1 1 1 1");
    assert_string_equal(t->message, "");
    drop(t);
    t = of_text(" L 1000,8\n S 1000,8\n"); /* of no instruction */
    assert_int_equal(t->bad_lines, 2);
    assert_int_equal(t->pair_count, 0);
    drop(t);
}

static void test_trace__size_zero_is_no_access(void **state)
{
    trace *t = of_text("I  10,2\n S 1000,8\nI  12,1\n L 1000,0\nI  10,2\n S 1000,0\n");
    (void)state;
    check_pairs(t, "");
    assert_int_equal(t->bad_lines, 0);
    drop(t);
}

/* ---- blocks ---- */

/* Code at 0x10: mov [rdi], eax; add eax, ecx; dec ecx; jne 0x10; rep movsb; nop; ret */
static const uint8_t code[] = {0x89, 0x07, 0x01, 0xc8, 0xff, 0xc9, 0x75, 0xf8, 0xf3, 0xa4, 0x90, 0xc3};

static void learn(trace_insn *insn, void *payload)
{
    uint64_t at = insn->out.loaded_at - 0x10;
    (void)payload;
    if (at < sizeof code)
        depsrun_decode(insn, code + at, sizeof code - at);
}

static depsrun *collected(const char *text, tacho_error *err)
{
    trace *t = new_trace();
    depsrun *d = calloc(1, sizeof *d);
    assert_non_null(d);
    d->err = err;
    d->options = (tacho_deps_run_options)TACHO_DEPS_RUN_OPTIONS_INIT;
    t->learn = learn;
    trace_feed(t, text, strlen(text));
    int rc = t->failed ? TACHO_ERR_MEMORY : depsrun_collect(d, t);
    drop(t);
    if (rc) {
        assert_int_equal(rc, TACHO_ERR_MEMORY);
        tacho_mem_free(d->insns);
        tacho_mem_free(d->blocks);
        tacho_mem_free(d->dependencies);
        free(d);
        return NULL;
    }
    return d;
}

static void drop_collected(depsrun *d)
{
    tacho_mem_free(d->insns);
    tacho_mem_free(d->blocks);
    tacho_mem_free(d->dependencies);
    free(d);
}

#define LOOP "I  10,2\n S 1000,4\nI  12,2\nI  14,2\nI  16,2\n"
static const char run[] = LOOP LOOP LOOP "I  18,2\n L 1000,1\n S 1001,1\nI  18,2\n L 1001,1\n S 1002,1\nI  "
                                         "1a,1\nI  1b,1\n L 2000,8\nI  500,3\nI  10,2\n";

static void test_collect__blocks_and_repeated_instructions(void **state)
{
    tacho_error err;
    depsrun *d = collected(run, &err);
    const tacho_deps_run *r = &d->result;
    (void)state;
    assert_int_equal(r->insn_count, 8);
    assert_int_equal(r->block_count, 2); /* what lies at 0x500 is not known */
    assert_int_equal(r->blocks[0].insn_count, 4);
    assert_int_equal(r->blocks[0].count, 4);
    assert_int_equal(r->blocks[1].first_insn, 4);
    assert_int_equal(r->blocks[1].insn_count, 3);
    assert_int_equal(r->blocks[1].count, 1); /* two iterations are one execution */
    assert_int_equal(r->insns[4].count, 1);
    assert_int_equal(r->insns[7].block, TACHO_DEPS_RUN_NO_BLOCK);
    assert_true(r->blocks[0].hot);
    assert_true(r->blocks[1].hot);
    assert_int_equal(r->hottest, 4);
    assert_int_equal(r->dependency_count, 2); /* the second iteration reads what the first wrote */
    assert_int_equal(r->dependencies[0].source, 0);
    assert_int_equal(r->dependencies[0].target, 4);
    assert_int_equal(r->dependencies[1].source, 4);
    assert_int_equal(r->dependencies[1].target, 4);
    assert_int_equal(r->dependencies[1].shortest, 0);
    drop_collected(d);
}

static void test_collect__a_way_in_begins_a_block(void **state)
{
    tacho_error err;
    depsrun *d = collected(LOOP "I  14,2\nI  16,2\nI  18,2\n", &err); /* the branch leads to 0x14 */
    (void)state;
    assert_int_equal(d->result.block_count, 3);
    assert_int_equal(d->result.blocks[0].insn_count, 2);
    assert_int_equal(d->result.blocks[1].insn_count, 2);
    assert_int_equal(d->result.blocks[1].count, 2);
    drop_collected(d);
}

static void test_collect__memory_runs_out(void **state)
{
    tacho_error err;
    depsrun *d = NULL;
    (void)state;
    for (unsigned long n = 1; !d; n++) {
        tacho_mem_fail_at(n);
        d = collected(run, &err);
        tacho_mem_fail_at(0);
        assert_true(n < 1000);
    }
    assert_int_equal(d->result.dependency_count, 2);
    drop_collected(d);
}

/* ---- judging ---- */

static void test_judge__coverage_by_lifetime(void **state)
{
    /* 0: mov rax, [rdi-8]; 1: add [rdi], rax; 2: add rdi, 8; 3: mov [rsi], rax; 4: jne. The second of each
     * pair is the load: 1>0 is found, 3>0 comes from outside. */
    static const char *const text[] = {"\x48\x8b\x47\xf8", "\x48\x01\x07", "\x48\x83\xc7\x08", "\x48\x89\x06",
                                       "\x75\xf0"};
    static const uint8_t lengths[] = {4, 3, 4, 3, 2};
    tacho_deps_run_insn insns[5] = {0};
    tacho_deps_run_block block = {0, 5, 100, true};
    tacho_deps_run_dependency deps[] = {
        {.source = 1, .target = 0, .count = 99, .within = {99, 99, 90}, .shortest = 4},
        {.source = 3, .target = 0, .count = 1, .within = {1, 0, 0}, .shortest = 3}};
    tacho_error err;
    depsrun d = {.insns = insns, .blocks = &block, .dependencies = deps, .err = &err};
    (void)state;
    for (int i = 0; i < 5; i++) {
        insns[i].length = lengths[i];
        memcpy(insns[i].bytes, text[i], lengths[i]);
    }
    d.options = (tacho_deps_run_options)TACHO_DEPS_RUN_OPTIONS_INIT;
    d.options.deps.no_registers = d.options.deps.no_flags = true;
    d.result.dependency_count = 2;
    d.result.block_count = 1;
    d.result.insn_count = 5;
    assert_int_equal(depsrun_judge(&d), 0);
    assert_int_equal(deps[0].verdict, TACHO_DEPS_RUN_FOUND);
    assert_int_equal(deps[1].verdict, TACHO_DEPS_RUN_MISSED);
    assert_int_equal(deps[1].reason, TACHO_DEPS_RUN_OTHER_POINTER);
    assert_float_equal(d.result.coverage[0].cov_u, 0.5, 1e-12);
    assert_float_equal(d.result.coverage[0].cov_w, 0.99, 1e-12);
    assert_float_equal(d.result.coverage[2].cov_u, 1, 1e-12);
    assert_int_equal(d.result.coverage[0].reasons[TACHO_DEPS_RUN_OTHER_POINTER].count, 1);
    assert_int_equal(d.result.coverage[1].verdicts[TACHO_DEPS_RUN_FOUND].count, 99);
    /* no function is known, and what the block alone says is the same */
    const tacho_deps_run_figures *alone = &d.result.coverage[0].parts[TACHO_DEPS_RUN_BLOCK];
    assert_float_equal(alone->cov_w, 0.99, 1e-12);
    assert_int_equal(d.result.coverage[0].parts[TACHO_DEPS_RUN_FUNCTION].found.dependencies, 0);
    /* 1>1 is claimed as well, and 1>0 that the run has */
    assert_int_equal(alone->shown, 1);
    assert_float_equal(alone->precision, 1.0 / (double)alone->claimed, 1e-12);
    tacho_mem_free(d.claims);
}

static void test_command__wrong_use_is_refused(void **state)
{
    char *none[] = {NULL}, name[] = "true", *command[] = {name, NULL};
    tacho_deps_run_options options = TACHO_DEPS_RUN_OPTIONS_INIT;
    tacho_deps_run *out;
    tacho_error err;
    (void)state;
    assert_int_equal(tacho_deps_run_command(&out, none, NULL, &err), TACHO_ERR_USAGE);
    options.lifetime_count = 0;
    assert_int_equal(tacho_deps_run_command(&out, command, &options, &err), TACHO_ERR_USAGE);
    options.lifetime_count = 1;
    options.hot = 1.5;
    assert_int_equal(tacho_deps_run_command(&out, command, &options, &err), TACHO_ERR_USAGE);
    assert_null(out);
    tacho_deps_run_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace__loads_depend_on_the_last_store_of_their_bytes),
        cmocka_unit_test(test_trace__a_load_is_counted_once_an_execution_with_its_shortest_lifetime),
        cmocka_unit_test(test_trace__modify_loads_before_it_stores),
        cmocka_unit_test(test_trace__accesses_may_cross_pages),
        cmocka_unit_test(test_trace__text_may_come_in_any_pieces),
        cmocka_unit_test(test_trace__garbage_is_counted_and_passed_over),
        cmocka_unit_test(test_trace__size_zero_is_no_access),
        cmocka_unit_test(test_collect__blocks_and_repeated_instructions),
        cmocka_unit_test(test_collect__a_way_in_begins_a_block),
        cmocka_unit_test(test_collect__memory_runs_out),
        cmocka_unit_test(test_judge__coverage_by_lifetime),
        cmocka_unit_test(test_command__wrong_use_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
