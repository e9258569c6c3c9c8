/* test_bounds.c - each component's limit on blocks where it is plain to see, and that no limit is above what
 * was simulated. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"

static const char *corpus;
static tacho_predictor *predictor;

static const tacho_prediction *predict(const char *arch, tacho_mode mode, const char *text)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_error err = {.message = ""};
    const tacho_prediction *p = NULL;
    test_block code;
    o.mode = mode;
    if (test_block_make(&code, text, &err) ||
        tacho_predict(predictor, tacho_arch_find(arch, NULL), code.bytes, code.size, &o, &p, &err))
        fail_msg("%s: %s", text, err.message);
    test_block_free(&code);
    return p;
}

static void check_bound(const char *arch, tacho_mode mode, const char *code, tacho_bound bound, double cycles)
{
    double got = predict(arch, mode, code)->bounds[bound];
    if (isnan(cycles) ? !isnan(got) : !(fabs(got - cycles) < 1e-6))
        fail_msg("%s on %s: the %s bound is %f, not %f", code, arch, tacho_bound_name(bound), got, cycles);
}

static void test_bounds__front_end(void **state)
{
    check_bound("SKL", TACHO_MODE_UNROLL, "nop", TACHO_BOUND_PREDECODE, 0.25);
    check_bound("SKL", TACHO_MODE_UNROLL, "nop", TACHO_BOUND_DECODE, 0.25);
    check_bound("SKL", TACHO_MODE_UNROLL, "nop dword ptr [rax]", TACHO_BOUND_PREDECODE, 0.3125);
    check_bound("SKL", TACHO_MODE_UNROLL, "bswap rax; bswap rcx", TACHO_BOUND_DECODE, 2);
    check_bound("SKL", TACHO_MODE_UNROLL, "nop", TACHO_BOUND_DSB, NAN);
    check_bound("SKL", TACHO_MODE_LOOP, "1: .rept 11; nop; .endr; dec r15; jnz 1b", TACHO_BOUND_DSB, 2);
    check_bound("SKL", TACHO_MODE_LOOP, "1: nop; dec r15; jnz 1b", TACHO_BOUND_LSD, NAN);
}

static void test_bounds__issue_counts_slots(void **state)
{
    check_bound("SKL", TACHO_MODE_UNROLL, ".rept 6; nop; .endr", TACHO_BOUND_ISSUE, 1.5);
    check_bound("ICX", TACHO_MODE_UNROLL, ".rept 6; nop; .endr", TACHO_BOUND_ISSUE, 1.2);
    check_bound("SKL", TACHO_MODE_UNROLL, "vaddps xmm0, xmm1, [rsi+rdi]", TACHO_BOUND_ISSUE, 0.5);
    check_bound("SKL", TACHO_MODE_LOOP, "1: nop; dec r15; jnz 1b", TACHO_BOUND_ISSUE, 0.5);
}

static void test_bounds__ports(void **state)
{
    check_bound("SKL", TACHO_MODE_UNROLL, "imul rax, rcx; imul rdx, rcx", TACHO_BOUND_PORTS, 2);
    check_bound("SKL", TACHO_MODE_UNROLL, "mov rax, [rsi]; mov rcx, [rsi]; mov rdx, [rsi]", TACHO_BOUND_PORTS,
                1.5);
    check_bound("SKL", TACHO_MODE_UNROLL, "xor eax, eax", TACHO_BOUND_PORTS, 0);
    /* shifts on 0 and 6 and additions on 0156: together 6 on 4 */
    check_bound("SKL", TACHO_MODE_UNROLL,
                "shl rax, 1; shl rcx, 1; add rdx, 1; add rbx, 1; add rsi, 1; add rdi, 1", TACHO_BOUND_PORTS,
                1.5);
    /* sixteen ports: 012 and 123 together, what is left over of 012345, vectors for themselves */
    check_bound("ZEN5", TACHO_MODE_UNROLL, "imul rax, rcx, 3; rorx rdx, rcx, 3; rorx rbx, rcx, 3",
                TACHO_BOUND_PORTS, 0.75);
    check_bound("ZEN5", TACHO_MODE_UNROLL,
                "imul rax, rcx, 3; .rept 10; lea rdx, [rcx+1]; .endr; vmovq rsi, xmm0", TACHO_BOUND_PORTS, 2);
    check_bound("ZEN5", TACHO_MODE_UNROLL,
                "vaddps ymm0, ymm1, ymm2; vpshufb ymm3, ymm1, ymm2; vaddps ymm4, ymm1, ymm2",
                TACHO_BOUND_PORTS, 1);
}

static void test_bounds__divider(void **state)
{
    check_bound("SKL", TACHO_MODE_UNROLL, "vdivsd xmm0, xmm1, xmm2; vdivsd xmm3, xmm1, xmm2",
                TACHO_BOUND_DIVIDER, 8);
    check_bound("SKL", TACHO_MODE_UNROLL, "add rax, rbx", TACHO_BOUND_DIVIDER, 0);
}

static void test_bounds__dependencies(void **state)
{
    const tacho_prediction *p =
        predict("SKL", TACHO_MODE_UNROLL, "imul rax, rbx; add rcx, rdx; add rax, rsi");
    assert_true(fabs(p->bounds[TACHO_BOUND_DEPENDENCIES] - 4) < 1e-9);
    assert_int_equal(p->critical_cycle_length, 2);
    assert_int_equal(p->critical_cycle[0] + p->critical_cycle[1], 2); /* instructions 0 and 2 */
    assert_true(p->bottlenecks >> TACHO_BOUND_DEPENDENCIES & 1);
    assert_true(p->instructions[2]->notes & TACHO_NOTE_CRITICAL);
    assert_false(p->instructions[1]->notes & TACHO_NOTE_CRITICAL);
    /* two values that change places: a cycle over two iterations */
    p = predict("SKL", TACHO_MODE_UNROLL, "lea rcx, [rax+rax+1]; mov rax, rbx; mov rbx, rcx");
    assert_true(fabs(p->bounds[TACHO_BOUND_DEPENDENCIES] - 1.5) < 1e-6);
    assert_true(p->critical_cycle_iterations == 2);
    check_bound("SKL", TACHO_MODE_UNROLL, "mov rax, [rsi]; add rax, 1", TACHO_BOUND_DEPENDENCIES, 0);
}

static void test_bounds__dependencies_through_memory(void **state)
{
    /* 1 + 4 cycles from the store to the load, which adds 1 to the register */
    check_bound("SKL", TACHO_MODE_UNROLL, "mov [rsp-8], rax; mov rax, [rsp-8]; add rax, 1",
                TACHO_BOUND_DEPENDENCIES, 6);
    check_bound("SKL", TACHO_MODE_UNROLL, "push rax; pop rax", TACHO_BOUND_DEPENDENCIES, 5);
    const tacho_prediction *p = predict("SKL", TACHO_MODE_UNROLL, "add rax, [rbx]; mov [rbx], rax");
    assert_int_equal(p->critical_cycle_length, 2);
    for (int k = 0; k < 2; k++) /* the load's own latency does not count */
        assert_true(p->critical_latencies[k] == (p->critical_cycle[k] == 0 ? 1 : 5));
    check_bound("SKL", TACHO_MODE_UNROLL, "mov [rsp-8], rax; mov rax, [rsp-16]; add rax, 1",
                TACHO_BOUND_DEPENDENCIES, 0);
    /* two iterations from the store to the load */
    check_bound("SKL", TACHO_MODE_UNROLL, "mov rax, [rsi]; add rax, 1; mov [rsi+16], rax; add rsi, 8",
                TACHO_BOUND_DEPENDENCIES, 3);
    /* the same, but the address never comes back */
    check_bound("SKL", TACHO_MODE_UNROLL, "mov rax, [rsi+8]; add rax, 1; mov [rsi], rax; add rsi, 8",
                TACHO_BOUND_DEPENDENCIES, 1);
}

static void test_bounds__stores_to_two_lines_leave_one_by_one(void **state)
{
    check_bound("ICX", TACHO_MODE_UNROLL, "mov [rsi], rax; mov [rsi+8], rax", TACHO_BOUND_PORTS, 1);
    check_bound("ICX", TACHO_MODE_UNROLL, "mov [rsi], rax; mov [rsi+64], rax", TACHO_BOUND_PORTS, 2);
    check_bound("SKL", TACHO_MODE_UNROLL, "mov [rsi], rax; mov [rsi+64], rax", TACHO_BOUND_PORTS, 2);
    check_bound("ICX", TACHO_MODE_UNROLL, "mov [rsi], rax; add rsi, 8", TACHO_BOUND_PORTS, 0.5);
}

static void test_bounds__start_intervals(void **state)
{
    check_bound("SKL", TACHO_MODE_UNROLL, "lock add [rsi], rax; lock add [rdi], rax",
                TACHO_BOUND_START_INTERVALS, 36);
    check_bound("SKL", TACHO_MODE_UNROLL, "add rsi, rax", TACHO_BOUND_START_INTERVALS, NAN);
}

/* A chain whose links take turns: three registers that move on, one of which gets slower. */
static void test_bounds__cycles_over_several_iterations(void **state)
{
    const tacho_prediction *p = predict("SKL", TACHO_MODE_UNROLL,
                                        "imul r8, rcx; lea rax, [rbx]; lea rbx, [rcx]; lea rcx, [rdx];"
                                        "imul rdx, rax");
    /* rdx takes itself and, through rax, what was rbx: rdx -> rcx -> rbx -> rax in three iterations */
    assert_true(fabs(p->bounds[TACHO_BOUND_DEPENDENCIES] - 3) < 1e-9);
    p = predict("SKL", TACHO_MODE_UNROLL, "lea rax, [rbx+1]; lea rbx, [rcx+1]; imul rcx, rdx; xchg rcx, rdx");
    assert_true(p->bounds[TACHO_BOUND_DEPENDENCIES] > 3);
}

static void test_bounds__only(void **state)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    test_block code;
    const tacho_prediction *p;
    assert_int_equal(test_block_make(&code, "imul rax, rbx; add rcx, rdx; add rax, rsi", NULL), 0);
    o.bounds = false;
    assert_int_equal(
        tacho_predict_bounds(predictor, tacho_arch_find("SKL", NULL), code.bytes, code.size, &o, &p, NULL),
        0);
    assert_true(p->bounds_only && p->cycles == 4 && p->cycles_den == 0 && p->simulated_cycles == 0);
    assert_int_equal(p->bottlenecks, 1u << TACHO_BOUND_DEPENDENCIES);
    assert_int_equal(p->instruction_count, 3);
    assert_true(isnan(p->instructions[0]->uops_issued) && isnan(p->topdown.retiring));
    assert_true(p->instructions[0]->critical_latency == 3);
    test_block_free(&code);
}

static double conflicts(const char *text, typeof(tacho_predict) *function)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    test_block code;
    const tacho_prediction *p;
    o.mode = TACHO_MODE_LOOP;
    assert_int_equal(test_block_make(&code, text, NULL), 0);
    assert_int_equal(function(predictor, tacho_arch_find("ICX", NULL), code.bytes, code.size, &o, &p, NULL),
                     0);
    test_block_free(&code);
    assert_true(p->bounds[TACHO_BOUND_DEPENDENCIES] == 1);
    return p->bounds[TACHO_BOUND_PORT_CONFLICTS];
}

static void test_bounds__expected_port_conflicts(void **state)
{
    /* the comparison is older than the next addition, ready with it, and on one of the same four ports */
    assert_true(fabs(conflicts("1: add rax, 1; cmp rax, rbx; dec r15; jnz 1b", tacho_predict_bounds) - 1.25) <
                1e-9);
    assert_true(isnan(conflicts("1: add rax, 1; cmp rax, rbx; dec r15; jnz 1b", tacho_predict)));
    assert_true(isnan(conflicts("1: mov rax, [rbx]; cmp rax, rbx; dec r15; jnz 1b", tacho_predict_bounds)));
}

/* The steps of the critical cycle add up to the bound. */
static bool critical_cycle_adds_up(const tacho_prediction *p)
{
    double sum = 0;
    for (size_t k = 0; k < p->critical_cycle_length; k++)
        sum += p->critical_latencies[k];
    return p->critical_cycle_length == 0 ||
           fabs(sum - p->bounds[TACHO_BOUND_DEPENDENCIES] * p->critical_cycle_iterations) < 1e-6;
}

static int check_violations(const test_block *b, long at, const char *rest, void *payload)
{
    static const char *const archs[] = {"SKL", "ICX", "ADL"};
    int *found = payload;
    for (int v = 0; v < 6; v++) {
        test_block code = {malloc(b->size + 16), b->size};
        assert_non_null(code.bytes);
        memcpy(code.bytes, b->bytes, b->size);
        tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
        const tacho_prediction *p;
        o.ignore_isa = true; /* the corpus is for all cores */
        o.mode = v % 2 ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
        if (v % 2)
            test_block_close_loop(&code);
        assert_int_equal(tacho_predict(predictor, tacho_arch_find(archs[v / 2], NULL), code.bytes, code.size,
                                       &o, &p, NULL),
                         0);
        if (!critical_cycle_adds_up(p))
            fail_msg("line %ld, %s %s: the critical cycle's steps do not add up to the bound, %.4f", at,
                     archs[v / 2], tacho_mode_name(o.mode), p->bounds[TACHO_BOUND_DEPENDENCIES]);
        for (int k = 0; k < TACHO_BOUND_COUNT; k++) {
            bool applies = tacho_bound_applies(k, p->source);
            double tolerance = p->cycles_den ? 1.01 : 1.03; /* an average over a window is not exact */
            if (!applies || isnan(p->bounds[k]) || p->bounds[k] <= p->cycles * tolerance + 0.01)
                continue;
            print_message("line %ld, %s %s: %s bound %.4f above %.4f cycles\n", at, archs[v / 2],
                          tacho_mode_name(o.mode), tacho_bound_name(k), p->bounds[k], p->cycles);
            ++*found;
        }
        test_block_free(&code);
    }
    return 0;
}

static void test_bounds__none_is_above_the_simulated_cycles_and_steps_add_up(void **state)
{
    int found = 0;
    assert_true(test_corpus_each(corpus, check_violations, &found) > 0);
    assert_int_equal(found, 0);
}

/* Eight copies of an instruction, with destinations of their own: @ is their number, Z the widest registers.
 */
static void make_copies(char out[1024], const char *form, char widest)
{
    size_t n = 0;
    for (int copy = 0; copy < 8; copy++, out[n++] = ';')
        for (const char *c = form; *c; c++) {
            if (*c == '@')
                n += (size_t)sprintf(out + n, "%d", copy + 8);
            else
                out[n++] = *c == 'Z' ? widest : *c;
        }
    out[n] = '\0';
}

/* What tables say of independent copies is what the simulator takes for them, where ports decide; also of 512
 * bits, for which some cores take two cycles. */
static void test_bounds__reciprocal_throughputs_are_those_of_copies(void **state)
{
    static const char *const forms[] = {
        "vpaddd Zmm@, Zmm1, Zmm2",      "vaddps Zmm@, Zmm1, Zmm2",  "vmulpd Zmm@, Zmm1, Zmm2",
        "vfmadd213ps Zmm@, Zmm1, Zmm2", "vpshufb Zmm@, Zmm1, Zmm2", "vpermd Zmm@, Zmm1, Zmm2",
        "vpsrld Zmm@, Zmm1, 3",         "vcvtdq2ps Zmm@, Zmm1",     "vmovups Zmm@, [rsi]",
        "vpaddd Zmm@, Zmm1, [rsi]",
    };
    int compared = 0, wide_twice = 0;
    (void)state;
    for (size_t a = 0; a < tacho_arch_count(); a++) {
        const tacho_arch *arch = tacho_arch_get(a);
        double of_256 = 0;
        for (size_t k = 0; k < 2 * (sizeof forms / sizeof *forms); k++) {
            const bool wide = k % 2;
            char code[1024];
            if (!tacho_arch_has_extension(arch, wide ? TACHO_EXTENSION_AVX512F : TACHO_EXTENSION_AVX2))
                continue;
            make_copies(code, forms[k / 2], wide ? 'z' : 'y');
            const tacho_prediction *p = predict(tacho_arch_name(arch), TACHO_MODE_UNROLL, code);
            const double each = p->cycles / 8, table = p->instructions[0]->reciprocal_throughput;
            if (!(each >= 0.98 * table))
                fail_msg("%s on %s: %f cycles each, and the table says %f", code, tacho_arch_name(arch), each,
                         table);
            if (p->bottlenecks == 1u << TACHO_BOUND_PORTS && each > 1.02 * table)
                fail_msg("%s on %s: %f cycles each, limited by ports; the table says %f", code,
                         tacho_arch_name(arch), each, table);
            compared += p->bottlenecks == 1u << TACHO_BOUND_PORTS;
            wide_twice += wide && fabs(table - 2 * of_256) < 1e-9;
            of_256 = table;
        }
    }
    assert_true(compared > 50 && wide_twice > 5);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds__front_end),
        cmocka_unit_test(test_bounds__issue_counts_slots),
        cmocka_unit_test(test_bounds__ports),
        cmocka_unit_test(test_bounds__divider),
        cmocka_unit_test(test_bounds__dependencies),
        cmocka_unit_test(test_bounds__dependencies_through_memory),
        cmocka_unit_test(test_bounds__stores_to_two_lines_leave_one_by_one),
        cmocka_unit_test(test_bounds__start_intervals),
        cmocka_unit_test(test_bounds__cycles_over_several_iterations),
        cmocka_unit_test(test_bounds__only),
        cmocka_unit_test(test_bounds__expected_port_conflicts),
        cmocka_unit_test(test_bounds__reciprocal_throughputs_are_those_of_copies),
        cmocka_unit_test(test_bounds__none_is_above_the_simulated_cycles_and_steps_add_up),
    };
    if (argc != 2)
        return 2;
    corpus = argv[1];
    predictor = tacho_predictor_new();
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    tacho_predictor_free(predictor);
    return status;
}
