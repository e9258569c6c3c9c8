/* test_memo.c - predictions that are remembered: a predictor that has met many alike gives what a new one
 * does, also for code that differs from theirs only in numbers; and old ones are forgotten, not mixed up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"
#include "base/mem.h"
#include "model/predict/predictor.h"
#include "x86/decode/shape.h"

enum {
    COPIES = 6,
    MAX_BYTES = 256
};

static const char *corpus;

/* Values next to the limits of what decides something. */
static const int64_t numbers[] = {0,     1,     8,      64,         2047,          2048,        32767, 32768,
                                  65535, 65536, -1,     -128,       -32768,        -32769,      127,   2040,
                                  255,   -64,   100000, 0x7fffffff, -0x80000000ll, 0x80000000ll};

typedef struct comparison {
    tacho_predictor *remembering;
    uint32_t random;
    uint32_t compared;
} comparison;

static uint32_t next_random(comparison *c)
{
    c->random = c->random * 1664525u + 1013904223u;
    return c->random >> 8;
}

static void check_same(const tacho_prediction *a, const tacho_prediction *b)
{
#define SAME(field) assert_memory_equal(&a->field, &b->field, sizeof a->field)
    SAME(cycles), SAME(cycles_num), SAME(cycles_den), SAME(period_iterations), SAME(simulated_cycles);
    SAME(simulated_iterations), SAME(bounds_only), SAME(averaged_from), SAME(averaged_to), SAME(mode);
    SAME(arch), SAME(variants), SAME(source), SAME(bounds), SAME(bottlenecks), SAME(topdown);
    SAME(instructions), SAME(instruction_count), SAME(port_sets), SAME(port_set_count), SAME(critical_cycle);
    SAME(critical_latencies), SAME(critical_cycle_length), SAME(critical_cycle_iterations);
    SAME(unknown_count), SAME(skipped_count), SAME(derived_count), SAME(is_path), SAME(warning_count);
#undef SAME
}

static void compare(comparison *c, const tacho_arch *arch, const test_block *b,
                    const tacho_predict_options *o)
{
    const tacho_prediction *p, *q;
    tacho_error err;
    tacho_predictor *fresh = tacho_predictor_new();
    assert_non_null(fresh);
    int rc = tacho_predict(fresh, arch, b->bytes, b->size, o, &q, &err);
    if (c->compared % 17 == 0) /* bounds neither look there nor leave anything */
        assert_int_equal(tacho_predict_bounds(c->remembering, arch, b->bytes, b->size, o, &p, &err), rc);
    assert_int_equal(tacho_predict(c->remembering, arch, b->bytes, b->size, o, &p, &err), rc);
    if (!rc)
        check_same(p, q);
    c->compared += !rc;
    tacho_predictor_free(fresh);
}

/* Other numbers in some of the instructions, in some of the copies other bytes besides. */
static void change(comparison *c, test_block *b, bool bytes_too)
{
    uint8_t padded[MAX_BYTES + SHAPE_READ_BYTES] = {0};
    insn_shape s;
    memcpy(padded, b->bytes, b->size);
    for (size_t at = 0; at < b->size && insn_shape_find(&s, padded + at) && at + s.length <= b->size;
         at += s.length) {
        int64_t disp = numbers[next_random(c) % (sizeof numbers / sizeof *numbers)];
        int64_t imm = numbers[next_random(c) % (sizeof numbers / sizeof *numbers)];
        if (next_random(c) & 1)
            memcpy(padded + at + s.disp_offset, &disp, s.disp_bytes);
        if (next_random(c) & 1)
            memcpy(padded + at + s.disp_offset + s.disp_bytes, &imm, s.imm_bytes);
    }
    if (bytes_too)
        padded[next_random(c) % b->size] ^= (uint8_t)(1 << next_random(c) % 8);
    memcpy(b->bytes, padded, b->size);
}

static tacho_predict_options some_options(uint32_t turn)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.details = false;
    o.mode = turn % 2 ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
    o.init = (tacho_init)(turn / 2 % 3);
    o.no_memory_deps = turn % 7 == 3;
    o.ignore_isa = turn % 9 != 4;
    o.bounds = turn % 5 != 0;
    o.alignment = turn % 11 == 0 ? 13 : 0;
    o.variants = turn % 13 == 0 ? TACHO_VARIANT_SIMPLE_PORT_ASSIGNMENT : 0;
    return o;
}

static int check_block(const test_block *b, long at, const char *rest, void *payload)
{
    static const char *const archs[] = {"SKL", "ICX", "SNB", "HSW", "ICL", "ADL", "ZEN4", "ZEN5"};
    comparison *c = payload;
    test_block copy = {malloc(MAX_BYTES), b->size};
    assert_non_null(copy.bytes);
    for (uint32_t mode = 0; mode < 2 && b->size <= MAX_BYTES; mode++) {
        const tacho_arch *arch = tacho_arch_find(archs[(uint32_t)at % 8], NULL);
        tacho_predict_options o = some_options((uint32_t)at / 5 * 2 + mode);
        for (int k = 0; k < COPIES; k++) {
            memcpy(copy.bytes, b->bytes, b->size);
            if (k)
                change(c, &copy, k == COPIES - 1);
            compare(c, arch, &copy, &o);
        }
    }
    free(copy.bytes);
    return 0;
}

static void test_memo__predictions_are_as_new(void **state)
{
    comparison c = {.remembering = tacho_predictor_new(), .random = 3};
    assert_non_null(c.remembering);
    assert_true(test_corpus_each(corpus, check_block, &c) > 0);
    uint64_t found = memo_found_count(c.remembering->memo);
    print_message("%u compared, %llu of them remembered\n", c.compared, (unsigned long long)found);
    assert_true(c.compared > 3000 && found > c.compared / 10);
    tacho_predictor_free(c.remembering);
}

typedef struct pair {
    const char *a, *b;
    bool same; /* to the machine: found again */
} pair;

/* A loop is predicted at one place after the other; those that look the same to the machine are known from
 * each other, and none of them is taken for another. */
static void test_memo__a_loop_at_other_places_is_as_new(void **state)
{
    static const char *const archs[] = {"SKL", "ICX", "SNB", "ADL", "ZEN3", "ZEN5"};
    static const struct {
        uint8_t bytes[32];
        uint32_t size;
    } loops[] = {
        /* vmovups, vfmadd231ps from memory, addq, cmpq, jne */
        {"\xc5\xfc\x10\x0c\x07\xc4\xe2\x75\xb8\x04\x06\x48\x83\xc0\x20\x48\x39\xd0\x75\xec", 20},
        /* a load and an addition to memory by RIP, decq, jne */
        {"\x48\x8b\x05\x10\x00\x00\x00\x48\x01\x05\x20\x00\x00\x00\x48\xff\xc9\x75\xed", 19},
        /* three long NOPs, decq, jne */
        {"\x0f\x1f\x84\x00\x00\x00\x00\x00\x0f\x1f\x84\x00\x00\x00\x00\x00\x0f\x1f\x84\x00\x00\x00\x00\x00"
         "\x48\xff\xc9\x75\xe3",
         29},
        /* movabsq, a slow prefix, decq, jne */
        {"\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08\x66\x81\xc2\x34\x12\x48\xff\xc9\x75\xec", 20}};
    comparison c = {tacho_predictor_new(), 1, 1};
    assert_non_null(c.remembering);
    for (uint32_t k = 0; k < sizeof loops / sizeof *loops * 6; k++) {
        test_block b = {(uint8_t *)loops[k / 6].bytes, loops[k / 6].size};
        tacho_predict_options o = some_options(1);
        for (o.alignment = 0; o.alignment < 64; o.alignment += 5)
            compare(&c, tacho_arch_find(archs[k % 6], NULL), &b, &o);
    }
    const uint64_t found = memo_found_count(c.remembering->memo);
    assert_in_range(found, c.compared / 10, c.compared / 2);
    tacho_predictor_free(c.remembering);
}

static void predict_at_all_places(tacho_predictor *p, const char *text)
{
    tacho_predict_options o = some_options(1);
    const tacho_prediction *r;
    test_block b;
    tacho_error err;
    assert_int_equal(test_block_make(&b, text, &err), 0);
    for (o.alignment = 0; o.alignment < 64; o.alignment++)
        assert_int_equal(tacho_predict(p, tacho_arch_find("SKL", NULL), b.bytes, b.size, &o, &r, &err), 0);
    test_block_free(&b);
}

/* More places than a memo tells cores and options apart: what was found at the first ones used to be lost at
 * the last ones, and where a loop had been looked up by what the machine sees, its place was not kept. */
static void test_memo__all_places_of_a_loop_are_remembered(void **state)
{
    static const char *const loops[] = {"l: add rax, rbx; vpaddd ymm0, ymm1, ymm2; dec rcx; jnz l",
                                        "l: imul rax, rbx; vmulps ymm0, ymm1, ymm2; dec rcx; jnz l"};
    tacho_predictor *p = tacho_predictor_new();
    assert_non_null(p);
    predict_at_all_places(p, loops[0]);
    predict_at_all_places(p, loops[1]);
    for (uint64_t before = memo_found_count(p->memo), k = 0; k < 2; k++, before += 64) {
        predict_at_all_places(p, loops[k]);
        assert_int_equal(memo_found_count(p->memo), before + 64);
    }
    tacho_predictor_free(p);
}

static void test_memo__numbers_that_decide_nothing_are_not_looked_at(void **state)
{
    static const pair pairs[] = {
        {"mov rax, [rbx+8]; add rcx, 1", "mov rax, [rbx+16]; add rcx, 99", true},
        {"mov [rbx+8], rax", "mov [rbx+16], rax", true},
        {"mov [rbx+8], rax; mov rcx, [rdx+8]", "mov [rbx+8], rax; mov rcx, [rdx+16]", false},
        {"mov rax, [rax+0x700]", "mov rax, [rax+0x800]", false},
        {"shl eax, 3", "shl eax, 4", true},
        {"add rax, rbx", "add rcx, rdx", true},  /* nor what registers are called, */
        {"add rax, rbx", "add rax, rax", false}, /* but which are the same */
        {"vpaddd ymm0, ymm1, ymm2; vpaddd ymm1, ymm0, ymm2",
         "vpaddd ymm7, ymm6, ymm5; vpaddd ymm6, ymm7, ymm5", true},
        {"vpaddd ymm0, ymm1, ymm2; vpaddd ymm1, ymm0, ymm2",
         "vpaddd ymm7, ymm6, ymm5; vpaddd ymm5, ymm7, ymm5", false},
        {"mov rax, [rax+0x700]", "mov rbx, [rbx+0x700]", true},
        {"push rbx; add rsp, 8", "push rsi; add rsp, 8", true},
        {"push rbx; add rsp, 8", "push rbx; add rsi, 8", false}, /* the stack's pointer is another matter */
        {"mov ah, bl; add rcx, rsi", "mov ah, bl; add rdx, rsi", false}, /* and so are high bytes, */
        {"mov [rbx], rax; mov rcx, [rdx]", "mov [rbx], rax; mov rcx, [rsi]", true},
        {"mov [rbx], rax; mov rcx, [rbx]", "mov [rsi], rax; mov rcx, [rsi]", true},
        {"mov [rbx], rax; mov rcx, [rbx]", "mov [rbx], rax; mov rcx, [rdi]", false}, /* and addresses, */
        {"mov [rbx], rax; mov rcx, [rdx]; imul rbx, rdi", /* where they are computed */
         "mov [rbx], rax; mov rcx, [rsi]; imul rbx, rdi", false},
        {"pshufd xmm0, xmm1, 3", "pshufd xmm0, xmm1, 3", true},
        {"andps xmm0, xmm1", "pand xmm0, xmm1",
         false}, /* and domains, which instructions have, not figures */
        {"add rax, 8; add rbx, rcx", "add rax, 8; sub rbx, rcx", false}, /* as other things */
        {"mov rax, 0x123456789abcdef0", "mov rax, 0x223456789abcdef0", true},
        {"mov rax, 0x123456789abcdef0", "movabs rax, 1", false},
    };
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *p;
    tacho_error err;
    o.details = false;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        test_block a, b;
        tacho_predictor *predictor = tacho_predictor_new();
        assert_int_equal(test_block_make(&a, pairs[k].a, &err), 0);
        assert_int_equal(test_block_make(&b, pairs[k].b, &err), 0);
        const tacho_arch *skl = tacho_arch_find("SKL", NULL), *icx = tacho_arch_find("ICX", NULL);
        assert_int_equal(tacho_predict(predictor, skl, a.bytes, a.size, &o, &p, &err), 0);
        assert_int_equal(tacho_predict(predictor, icx, b.bytes, b.size, &o, &p, &err), 0);
        assert_int_equal(memo_found_count(predictor->memo), 0);
        assert_int_equal(tacho_predict(predictor, skl, b.bytes, b.size, &o, &p, &err), 0);
        assert_int_equal(memo_found_count(predictor->memo), pairs[k].same);
        o.details = true;
        assert_int_equal(tacho_predict(predictor, skl, b.bytes, b.size, &o, &p, &err), 0);
        assert_int_equal(p->instruction_count > 0, 1);
        assert_int_equal(memo_found_count(predictor->memo), pairs[k].same);
        o.details = false;
        test_block_free(&a);
        test_block_free(&b);
        tacho_predictor_free(predictor);
    }
}

/* A made-up prediction, of code that is its number. */
static bool find_or_keep(memo *m, insn_cache *c, const tacho_arch *arch, uint32_t number, bool keep)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_prediction r = {.cycles = -1};
    block b = {.arch = arch, .has_store = number % 3 == 0, .has_load = true};
    uint8_t code[64] = {0xb8}; /* mov eax, imm32, then nops */
    memset(code + 5, 0x90, sizeof code - 5);
    for (uint32_t k = 0; k < 24; k++) /* inc or dec */
        memcpy(code + 5 + 2 * k, number >> k & 1 ? "\xff\xc0" : "\xff\xc8", 2);
    assert_int_equal(tacho_insn_cache_take(c, arch, 0, code, sizeof code), 0);
    bool found = memo_find(m, &r, c, arch, &o);
    if (found)
        assert_true(r.cycles == number && r.cycles_num == number && r.cycles_den == 1);
    r = (tacho_prediction){.cycles = number, .cycles_num = number, .cycles_den = 1};
    if (!found && keep)
        memo_keep(m, &r, c, &b, &o);
    return found;
}

static void test_memo__the_oldest_are_forgotten(void **state)
{
    enum {
        MANY = 200000
    };
    const tacho_arch *arch = tacho_arch_find("SKL", NULL);
    insn_cache *c = tacho_insn_cache_new();
    memo *m = memo_new();
    uint32_t late = 0, early = 0;
    assert_true(c && m);
    for (uint32_t k = 1; k <= MANY; k++)
        assert_false(find_or_keep(m, c, arch, k, true));
    for (uint32_t k = 0; k < 1000; k++) {
        late += find_or_keep(m, c, arch, MANY - k, false);
        early += find_or_keep(m, c, arch, 1 + k, false);
    }
    assert_true(late > 950);
    assert_int_equal(early, 0);
    memo_free(m);
    tacho_insn_cache_free(c);
}

/* Without memory a prediction is made, and not remembered; or it fails. */
static void test_memo__does_without_memory(void **state)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_arch *arch = tacho_arch_find("SKL", NULL);
    uint32_t done = 0;
    o.details = false;
    for (unsigned long n = 1; n < 200; n++) {
        const tacho_prediction *p;
        tacho_error err;
        tacho_predictor *predictor = tacho_predictor_new();
        assert_non_null(predictor);
        for (int k = 0; k < 3; k++) {
            tacho_mem_fail_at(k == 1 ? 0 : n);
            int rc = tacho_predict(predictor, arch, (const uint8_t *)"\x48\x01\xd8", 3, &o, &p, &err);
            tacho_mem_fail_at(0);
            assert_true(rc ? rc == TACHO_ERR_MEMORY : p->cycles == 1);
            done += !rc;
        }
        tacho_predictor_free(predictor);
    }
    assert_true(done > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memo__predictions_are_as_new),
        cmocka_unit_test(test_memo__all_places_of_a_loop_are_remembered),
        cmocka_unit_test(test_memo__a_loop_at_other_places_is_as_new),
        cmocka_unit_test(test_memo__numbers_that_decide_nothing_are_not_looked_at),
        cmocka_unit_test(test_memo__the_oldest_are_forgotten),
        cmocka_unit_test(test_memo__does_without_memory),
    };
    if (argc != 2)
        return 2;
    corpus = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
