/* test_deps_follow.c - functions whose dependencies through memory are known, followed from their start. They
 * are written as "source>target@distance", "@shortest-longest" where that varies, with "!" where they cannot
 * be forwarded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"
#include "base/mem.h"
#include "tacho/deps.h"
#include "x86/decode/insn_struct.h"

static tacho_error err;
static const char *corpus;

static tacho_deps_options memory_only(void)
{
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    o.no_registers = o.no_flags = true;
    return o;
}

static tacho_deps *follow(const char *code, const tacho_deps_options *options)
{
    test_block b;
    tacho_deps *deps;
    if (test_block_make(&b, code, &err))
        fail_msg("%s: %s", code, err.message);
    if (tacho_deps_follow(&deps, b.bytes, b.size, options, &err))
        fail_msg("%s: %s", code, err.message);
    test_block_free(&b);
    return deps;
}

static void list(const tacho_deps *deps, char *out, size_t size)
{
    size_t at = 0;
    *out = '\0';
    for (size_t i = 0; i < deps->count && at < size; i++) {
        const tacho_dependency *d = &deps->dependencies[i];
        at += (size_t)snprintf(out + at, size - at, "%s%u>%u@%u", i ? ", " : "", d->source, d->target,
                               d->distance);
        if (d->longest > d->distance && at < size)
            at += (size_t)snprintf(out + at, size - at, "-%u", d->longest);
        if (!tacho_dependency_forwards(d) && at < size)
            at += (size_t)snprintf(out + at, size - at, "!");
    }
}

static tacho_deps *check(const char *code, const char *expected)
{
    char text[2000];
    tacho_deps_options o = memory_only();
    tacho_deps *deps = follow(code, &o);
    list(deps, text, sizeof text);
    if (strcmp(text, expected))
        fail_msg("%s:\n  is       %s\n  expected %s", code, text, expected);
    return deps;
}

/* Like check, where nothing depends on branches that the numbers do not decide. */
static void check_determined(const char *code, const char *expected)
{
    tacho_deps *deps = check(code, expected);
    assert_int_equal(deps->undetermined, 0);
    assert_int_equal(deps->iterations, deps->insns[deps->insn_count - 1].is_ret ? 4 : 2);
    assert_int_equal(deps->returned, deps->iterations);
    tacho_deps_free(deps);
}

static void test_follow__a_row_is_updated_once_every_outer_iteration(void **state)
{
    (void)state;
    check_determined("xor ecx, ecx; 2: xor eax, eax; 1: movsd xmm2, [rsi+rax*8]; mulsd xmm2, xmm0\n"
                     "addsd xmm2, [rdx+rax*8]; movsd [rdx+rax*8], xmm2; inc rax; cmp rax, 26; jne 1b\n"
                     "add rsi, 208; inc rcx; cmp rcx, 26; jne 2b; ret",
                     "5>4@26");
}

static void test_follow__the_end_is_computed_from_the_start(void **state)
{
    tacho_deps *deps = check("lea rcx, [rdi+80]; 1: mov rax, [rdi-8]; add [rdi], rax; add rdi, 8\n"
                             "cmp rdi, rcx; jb 1b; ret",
                             "2>1@1");
    (void)state;
    assert_int_equal(deps->undetermined, 0);
    assert_int_equal(deps->steps[2].count, 10 * deps->iterations);
    assert_int_equal(deps->steps[6].count, deps->iterations);
    assert_float_equal(deps->dependencies[0].share, 0.9, 1e-9);
    assert_int_equal(deps->dependencies[0].back, 4);
    tacho_deps_free(deps);
}

static void test_follow__triangular_loops_have_many_distances(void **state)
{
    (void)state;
    check_determined("mov ecx, 1; 2: xor eax, eax; 1: add dword ptr [rdi+rax*4], ecx; inc eax; cmp eax, ecx\n"
                     "jl 1b; inc ecx; cmp ecx, 20; jle 2b; ret",
                     "2>2@1-19");
}

static void test_follow__pointers_are_exchanged_between_steps(void **state)
{
    (void)state;
    check_determined("mov ecx, 6; 2: xor eax, eax; 1: mov rdx, [rdi+rax*8]; mov [rsi+rax*8], rdx\n"
                     "inc rax; cmp rax, 12; jne 1b; xchg rdi, rsi; sub ecx, 1; jnz 2b; ret",
                     "3>2@12");
}

static void test_follow__between_loops(void **state)
{
    (void)state;
    check_determined("xor eax, eax; 1: mov [rdi+rax*4], eax; add rax, 1; cmp rax, 16; jne 1b\n"
                     "xor ecx, ecx; 2: mov edx, [rdi+rcx*4]; add rcx, 1; cmp rcx, 16; jne 2b; ret",
                     "1>6@0-15");
}

static bool has(const tacho_deps *deps, uint32_t source, uint32_t target)
{
    for (size_t i = 0; i < deps->count; i++)
        if (deps->dependencies[i].source == source && deps->dependencies[i].target == target)
            return true;
    return false;
}

static void test_follow__loops_end_whose_bounds_are_not_known(void **state)
{
    /* for (i < n) for (j < n) y[j] += x[i * stride + j] */
    tacho_deps_options o = memory_only();
    tacho_deps *deps = follow("test ecx, ecx; jle 3f; xor r8d, r8d; 2: xor eax, eax\n"
                              "1: mov r9, [rsi+rax*8]; add [rdi+rax*8], r9; inc eax; cmp eax, ecx; jl 1b\n"
                              "add rsi, rdx; inc r8d; cmp r8d, ecx; jl 2b; 3: ret",
                              &o);
    (void)state;
    assert_true(has(deps, 5, 5));
    assert_int_equal(deps->count, 1);
    assert_int_equal(deps->iterations, 64);
    assert_int_equal(deps->returned, 64);
    assert_true(deps->undetermined > 0);
    assert_true(deps->steps[8].undetermined == deps->steps[8].count);
    assert_true(deps->steps[1].undetermined == 64);
    assert_true(deps->steps[2].count > 0 && deps->steps[2].count < 64); /* the loop is skipped, too */
    tacho_deps_free(deps);
}

static void test_follow__branches_that_depend_on_data_go_both_ways(void **state)
{
    tacho_deps_options o = memory_only();
    tacho_deps *deps =
        follow("lea rdx, [rdi+400]; 1: mov eax, [rdi]; test eax, eax; js 2f; mov [rsi], eax; jmp 3f\n"
               "2: mov [rsi+4], eax; 3: mov rbx, [rsi]; add rdi, 4; cmp rdi, rdx; jne 1b; ret",
               &o);
    (void)state;
    assert_true(has(deps, 4, 7));
    assert_true(has(deps, 6, 7));
    assert_true(deps->steps[4].count > 50 && deps->steps[6].count > 50);
    for (size_t i = 0; i < deps->count; i++)
        assert_false(tacho_dependency_forwards(&deps->dependencies[i]));
    tacho_deps_free(deps);
}

static void test_follow__calls_keep_memory_and_saved_registers(void **state)
{
    tacho_deps *deps = check("mov [rbx], eax; mov [rdi], ecx; call rax; mov edx, [rbx]; mov edx, [rdi]\n"
                             "mov [rax], ecx; mov esi, [rax]; ret",
                             "0>3@0, 5>6@0");
    (void)state;
    assert_int_equal(deps->calls, deps->iterations);
    tacho_deps_free(deps);
}

static void test_follow__indices_in_memory_are_small_numbers(void **state)
{
    tacho_deps_options o = memory_only();
    tacho_deps *deps =
        follow("lea rdx, [rdi+400]; 1: movsxd rax, dword ptr [rdi]; inc dword ptr [rsi+rax*4]\n"
               "add rdi, 4; cmp rdi, rdx; jne 1b; ret",
               &o);
    (void)state;
    assert_int_equal(deps->count, 1);
    assert_true(has(deps, 2, 2));
    assert_true(deps->dependencies[0].share < 0.6);
    tacho_deps_free(deps);
}

static void test_follow__a_function_finds_what_its_last_call_has_written(void **state)
{
    tacho_deps *deps = check(
        "mov rax, [rip+0x100]; add rax, rdi; mov [rip+0xf6], rax; push rbx; pop rbx; ret", "2>0@1, 3>4@0");
    (void)state;
    assert_float_equal(deps->dependencies[0].share, 0.5, 1e-9);
    tacho_deps_free(deps);
}

static void test_follow__flags_become_numbers(void **state)
{
    (void)state;
    check_determined("xor eax, eax; cmp edi, edi; sete al; mov [rsi+rax*8], rdx; mov rbx, [rsi+8]; ret",
                     "3>4@0");
    check_determined(
        "mov eax, -1; mov ecx, 0; add eax, 1; adc ecx, 0; mov [rsi+rcx*8], rdx; mov rbx, [rsi+8]; ret",
        "4>5@0");
    check_determined("mov ecx, 5; mov eax, 1; mov edx, 3; cmp ecx, 7; cmovl eax, edx; mov [rsi+rax*8], rdx\n"
                     "mov rbx, [rsi+24]; mov rbx, [rsi+8]; ret",
                     "5>6@0");
    check_determined("mov ecx, 5; sub ecx, 6; sbb rax, rax; mov [rsi+rax*8], rdx; mov rbx, [rsi-8]; ret",
                     "3>4@0");
    check_determined("mov ecx, 3; 1: add dword ptr [rdi], 1; dec ecx; jnz 1b; jrcxz 2f; mov [rsi], eax\n"
                     "2: mov edx, [rsi]; ret",
                     "1>1@1");
}

static void test_follow__a_choice_that_is_not_known_is_one_of_both(void **state)
{
    tacho_deps_options o = memory_only();
    tacho_deps *deps = follow("mov ecx, 40; 1: xor eax, eax; mov edx, 1; comisd xmm0, [rdi]; cmova eax, edx\n"
                              "inc dword ptr [rsi+rax*4]; add rdi, 8; dec ecx; jnz 1b; ret",
                              &o);
    (void)state;
    assert_true(has(deps, 5, 5));
    assert_true(deps->dependencies[0].longest > deps->dependencies[0].distance);
    tacho_deps_free(deps);
}

static void test_follow__the_budget_ends_it(void **state)
{
    tacho_deps_options o = memory_only();
    tacho_deps *deps;
    (void)state;
    o.budget = 1000;
    deps = follow("1: add [rdi], rax; jmp 1b", &o);
    assert_true(has(deps, 0, 0));
    assert_int_equal(deps->returned, 0);
    assert_true(deps->executed >= 500 && deps->executed <= 1000);
    tacho_deps_free(deps);
    /* What comes after a loop that takes longer is reached all the same. */
    o.budget = 100000;
    deps = follow("mov ecx, 1000000000; 1: add [rdi], rax; dec ecx; jnz 1b\n"
                  "mov ecx, 9; 2: add [rsi], rax; dec ecx; jnz 2b; ret",
                  &o);
    assert_true(has(deps, 5, 5));
    assert_true(deps->returned < deps->iterations);
    tacho_deps_free(deps);
}

/* RCX, or ECX where the prefix says so, whatever lies above. */
static void test_follow__loop_instructions_count(void **state)
{
    static const struct {
        const char *code;
        uint64_t times; /* that instruction 1 is executed in a call */
    } cases[] = {{"mov ecx, 7; 1: add [rdi], rax; loop 1b; ret", 7},
                 {"movabs rcx, 0x300000007; 1: add [rdi], rax; addr32 loop 1b; ret", 7},
                 {"movabs rcx, 0x300000000; jecxz 1f; add [rdi], rax; 1: ret", 1},
                 {"movabs rcx, 0x300000000; 1: add [rdi], rax; jecxz 2f; jmp 1b; 2: ret", 1},
                 {"mov ecx, 7; 1: add [rdi], rax; cmp ecx, 4; loopne 1b; ret", 4},
                 {"mov ecx, 7; 1: add [rdi], rax; cmp ecx, 100; loopne 1b; ret", 7},
                 {"mov ecx, 7; 1: add [rdi], rax; cmp rcx, rcx; loope 1b; ret", 7},
                 {"mov ecx, 7; 1: add [rdi], rax; cmp ecx, 7; loope 1b; ret", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tacho_deps *deps = follow(cases[i].code, NULL);
        if (deps->undetermined || deps->returned != deps->iterations ||
            deps->steps[1].count != cases[i].times * deps->iterations)
            fail_msg("%s: %llu times in %u calls, not %llu each", cases[i].code,
                     (unsigned long long)deps->steps[1].count, deps->iterations,
                     (unsigned long long)cases[i].times);
        tacho_deps_free(deps);
    }
    tacho_deps *deps = follow("movabs rcx, 0x300000000; jecxz 1f; add [rdi], rax; 1: ret", NULL);
    assert_int_equal(deps->steps[2].count, 0);
    tacho_deps_free(deps);
}

static void test_follow__the_window_limits_it(void **state)
{
    static const char code[] =
        "xor ecx, ecx; 2: xor eax, eax; 1: add [rdi+rax*8], rdx; inc rax; cmp rax, 200; jne 1b\n"
        "inc rcx; cmp rcx, 3; jne 2b; ret";
    tacho_deps_options o = memory_only();
    tacho_deps *near = follow(code, &o);
    (void)state;
    o.window = 804;
    tacho_deps *far = follow(code, &o);
    assert_int_equal(near->count, 0);
    assert_int_equal(far->count, 1);
    assert_int_equal(far->dependencies[0].distance, 200);
    assert_int_equal(far->dependencies[0].back, 804);
    tacho_deps_free(near);
    tacho_deps_free(far);
}

static void test_follow__jumps_out_of_the_code_end_it(void **state)
{
    (void)state;
    check_determined("hex:8907eb408b0f" /* mov [rdi], eax; jmp +0x40; mov ecx, [rdi] */, "");
    check_determined("mov [rdi], eax; jmp rax; mov ecx, [rdi]", "");
    check_determined("mov [rdi], eax; ud2; mov ecx, [rdi]", "");
    check_determined("mov [rdi], eax; mov ecx, [rdi]", "0>1@0");
}

/* ---- a plain loop: the same as the block ---- */

static bool is_plain(const tacho_deps *deps)
{
    for (size_t i = 0; i < deps->insn_count; i++) {
        const tacho_insn *insn = &deps->insns[i];
        if (insn->flags_read || insn->is_call || insn->is_ret || insn->is_conditional ||
            (insn->is_branch && i + 1 < deps->insn_count) || insn->serializing)
            return false;
    }
    return true;
}

static const tacho_dependency *same_in(const tacho_deps *deps, const tacho_dependency *d)
{
    for (size_t i = 0; i < deps->count; i++) {
        const tacho_dependency *x = &deps->dependencies[i];
        bool same_reg = d->kind != TACHO_DEPENDENCY_REGISTER || tacho_reg_same_full(x->reg, d->reg);
        if (x->source == d->source && x->target == d->target && x->kind == d->kind && x->flags == d->flags &&
            same_reg && x->distance <= d->distance && d->distance <= x->longest)
            return x;
    }
    return NULL;
}

static void compare(const tacho_deps *block, const tacho_deps *followed, long line)
{
    for (size_t i = 0; i < block->count; i++) {
        const tacho_dependency *d = &block->dependencies[i];
        if (!same_in(followed, d))
            fail_msg("line %ld: only of the block: %u>%u@%u, kind %d", line, d->source, d->target,
                     d->distance, d->kind);
    }
    for (size_t i = 0; i < followed->count; i++) {
        const tacho_dependency *d = &followed->dependencies[i];
        if (d->share > 0.95 && d->distance == d->longest && !same_in(block, d))
            fail_msg("line %ld: only followed: %u>%u@%u, kind %d", line, d->source, d->target, d->distance,
                     d->kind);
    }
}

static int check_block(const test_block *b, long at, const char *rest, void *payload)
{
    static uint8_t code[TACHO_MAX_BLOCK_BYTES];
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    tacho_deps *block, *followed;
    size_t *compared = payload;
    int32_t back = -(int32_t)(b->size + 5);
    (void)rest;
    memcpy(code, b->bytes, b->size);
    code[b->size] = 0xe9; /* jmp to the start */
    memcpy(code + b->size + 1, &back, 4);
    o.budget = 10000;
    if (tacho_deps_find(&block, code, b->size + 5, &o, &err))
        return 0; /* blocks that do not decode are in the corpus, too */
    if (is_plain(block)) {
        assert_int_equal(tacho_deps_follow(&followed, code, b->size + 5, &o, &err), 0);
        compare(block, followed, at);
        for (size_t i = 0; i < block->count; i++)
            compared[block->dependencies[i].kind]++;
        tacho_deps_free(followed);
    }
    tacho_deps_free(block);
    return 0;
}

static void test_follow__a_plain_loop_is_as_the_block_alone(void **state)
{
    size_t compared[TACHO_DEPENDENCY_KIND_COUNT] = {0};
    (void)state;
    assert_true(test_corpus_each(corpus, check_block, compared) > 100);
    assert_true(compared[TACHO_DEPENDENCY_REGISTER] > 500);
    if (compared[TACHO_DEPENDENCY_MEMORY] <= 20)
        fail_msg("only %zu through memory", compared[TACHO_DEPENDENCY_MEMORY]);
}

/* ---- any code ---- */

static int follow_block(const test_block *b, long at, const char *rest, void *payload)
{
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    tacho_deps *deps;
    size_t *found = payload;
    (void)rest;
    o.budget = 2000;
    int result = tacho_deps_follow(&deps, b->bytes, b->size, &o, &err);
    if (result == TACHO_ERR_INPUT)
        return 0;
    assert_int_equal(result, 0);
    for (size_t i = 0; i < deps->count; i++) {
        const tacho_dependency *d = &deps->dependencies[i];
        bool memory = d->kind == TACHO_DEPENDENCY_MEMORY;
        if (d->source >= deps->insn_count || d->target >= deps->insn_count || d->distance > d->longest ||
            !(d->share > 0 && d->share <= 1) || !d->back || (memory && d->back > o.window) ||
            (memory && (!d->bytes || d->bytes > d->load_bytes || d->bytes > d->store_bytes)))
            fail_msg("line %ld: %u>%u@%u-%u, back %u, share %g", at, d->source, d->target, d->distance,
                     d->longest, d->back, d->share);
    }
    *found += deps->count;
    assert_true(deps->executed <= o.budget && deps->returned <= deps->iterations);
    tacho_deps_free(deps);
    return 0;
}

static void test_follow__of_the_whole_corpus_make_sense(void **state)
{
    size_t found = 0;
    (void)state;
    assert_true(test_corpus_each(corpus, follow_block, &found) > 100);
    assert_true(found > 500);
}

/* ---- ends ---- */

static int stop_after(void *payload)
{
    int *left = payload;
    return (*left)-- <= 0;
}

static void test_follow__is_given_up_when_the_caller_says_so(void **state)
{
    static const uint8_t endless[] = {0xeb, 0xfe};
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    tacho_deps *deps = NULL;
    int left = 2;
    (void)state;
    o.budget = 1000000000;
    o.progress = stop_after;
    o.payload = &left;
    assert_int_equal(tacho_deps_follow(&deps, endless, sizeof endless, &o, &err), TACHO_ERR_CANCELLED);
    assert_null(deps);
    o.budget = 0;
    assert_int_equal(tacho_deps_follow(&deps, endless, sizeof endless, &o, &err), TACHO_ERR_USAGE);
}

static void test_follow__out_of_memory_anywhere(void **state)
{
    static const char code[] = "mov ecx, 9; 1: add [rdi], rax; add rdi, 4; dec ecx; jnz 1b; ret";
    test_block b;
    tacho_deps *deps;
    int result = TACHO_ERR_MEMORY;
    (void)state;
    assert_int_equal(test_block_make(&b, code, &err), 0);
    for (unsigned long n = 1; result; n++) {
        tacho_mem_fail_at(n);
        result = tacho_deps_follow(&deps, b.bytes, b.size, NULL, &err);
        tacho_mem_fail_at(0);
        assert_true(result == 0 || result == TACHO_ERR_MEMORY);
        assert_true(n < 200);
    }
    tacho_deps_free(deps);
    test_block_free(&b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_follow__a_row_is_updated_once_every_outer_iteration),
        cmocka_unit_test(test_follow__the_end_is_computed_from_the_start),
        cmocka_unit_test(test_follow__triangular_loops_have_many_distances),
        cmocka_unit_test(test_follow__pointers_are_exchanged_between_steps),
        cmocka_unit_test(test_follow__between_loops),
        cmocka_unit_test(test_follow__loops_end_whose_bounds_are_not_known),
        cmocka_unit_test(test_follow__branches_that_depend_on_data_go_both_ways),
        cmocka_unit_test(test_follow__calls_keep_memory_and_saved_registers),
        cmocka_unit_test(test_follow__indices_in_memory_are_small_numbers),
        cmocka_unit_test(test_follow__a_function_finds_what_its_last_call_has_written),
        cmocka_unit_test(test_follow__flags_become_numbers),
        cmocka_unit_test(test_follow__a_choice_that_is_not_known_is_one_of_both),
        cmocka_unit_test(test_follow__the_budget_ends_it),
        cmocka_unit_test(test_follow__loop_instructions_count),
        cmocka_unit_test(test_follow__the_window_limits_it),
        cmocka_unit_test(test_follow__jumps_out_of_the_code_end_it),
        cmocka_unit_test(test_follow__a_plain_loop_is_as_the_block_alone),
        cmocka_unit_test(test_follow__of_the_whole_corpus_make_sense),
        cmocka_unit_test(test_follow__is_given_up_when_the_caller_says_so),
        cmocka_unit_test(test_follow__out_of_memory_anywhere),
    };
    corpus = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
