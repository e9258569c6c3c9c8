/* test_streams.c - the streams of loops, and what they take from each level of a memory that is made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tacho/tools.h"

typedef struct loop {
    uint8_t code[256];
    size_t size;
} loop;

static loop assemble(const char *text)
{
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    tacho_code *code;
    tacho_error err = {.message = ""};
    loop l;
    o.assembler = TACHO_ASSEMBLER_OWN;
    char whole[512];
    snprintf(whole, sizeof whole, ".intel_syntax noprefix\n%s", text);
    if (tacho_code_from_memory(&code, whole, strlen(whole), "test", &o, &err))
        fail_msg("%s", err.message);
    l.size = code->regions[0].byte_count;
    assert_true(l.size <= sizeof l.code);
    memcpy(l.code, code->regions[0].bytes, l.size);
    tacho_code_free(code);
    return l;
}

static tacho_streams streams_of(const char *text)
{
    tacho_streams s;
    tacho_error err = {.message = ""};
    const loop l = assemble(text);
    if (tacho_streams_find(&s, l.code, l.size, &err))
        fail_msg("%s", err.message);
    return s;
}

static const char triad[] = "1: vmulpd ymm0, ymm15, [rdx+rax]\nvaddpd ymm0, ymm0, [rsi+rax]\n"
                            "vmovapd [rdi+rax], ymm0\nadd rax, 32\ncmp rax, rcx\njne 1b\n";

static void test_streams__are_what_moves_on_together(void **state)
{
    (void)state;
    tacho_streams s = streams_of(triad);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.loads, 2);
    assert_int_equal(s.stores, 1);
    assert_true(s.bytes == 96 && s.list[0].lines == 0.5 && s.list[0].step == 32);
    int written = 0;
    for (uint32_t i = 0; i < s.count; i++) {
        assert_true(s.list[i].read != s.list[i].write && !s.list[i].behind);
        written += s.list[i].write;
    }
    assert_int_equal(written, 1);
}

static void test_streams__what_is_read_and_written_is_one(void **state)
{
    (void)state;
    tacho_streams s = streams_of("1: inc dword ptr [rdi]\nsub rdi, 256\ndec ecx\njne 1b\n");
    assert_int_equal(s.count, 1);
    assert_true(s.list[0].read && s.list[0].write && s.list[0].step == -256 && s.list[0].lines == 1);
}

static void test_streams__rows_of_a_stencil_follow_each_other(void **state)
{
    (void)state;
    tacho_streams s = streams_of("1: movsd xmm0, [rsi-8]\naddsd xmm0, [rsi+8]\naddsd xmm0, [rsi-4096]\n"
                                 "addsd xmm0, [rsi+4096]\nadd rsi, 8\ncmp rsi, rdx\njne 1b\n");
    assert_int_equal(s.count, 3); /* the two in the middle are near each other */
    assert_true(!s.list[0].behind && s.list[1].behind && s.list[2].behind);
    assert_true(s.bytes == 8);
}

static void test_streams__what_follows_no_stride_is_scattered(void **state)
{
    (void)state;
    tacho_streams s =
        streams_of("1: mov rax, [rax]\nmov rbx, [rsi+rax*8]\nadd rsi, 8\ncmp rsi, rdx\njne 1b\n");
    assert_int_equal(s.count, 0);
    assert_int_equal(s.scattered_loads, 2);
    assert_int_equal(s.scattered_count, 2);
    assert_true(s.scattered[0] == 0 && s.scattered[1] == 1);
}

static void test_streams__code_that_is_none_is_refused(void **state)
{
    (void)state;
    static const uint8_t bad[] = {0x06};
    tacho_streams s;
    tacho_error err;
    assert_int_equal(tacho_streams_find(&s, bad, sizeof bad, &err), TACHO_ERR_INPUT);
    assert_int_equal(tacho_streams_find(&s, bad, 0, &err), TACHO_ERR_INPUT);
}

/* ---- predictions ---- */

static tacho_memory made_up(void)
{
    static const char text[] = "tacho memory 1\nlevel L1 bytes 32768 latency 5 load 64 store 32 copy 32\n"
                               "level L2 bytes 1048576 latency 15 load 32 store 16 copy 16\n"
                               "level memory bytes 1e10 latency 305 random 30 load 8 store 4 copy 2\n";
    tacho_memory m;
    tacho_error err = {.message = ""};
    if (tacho_memory_read(&m, text, sizeof text - 1, &err))
        fail_msg("%s", err.message);
    return m;
}

/* The prediction for data in memory. */
static tacho_data_prediction predict(const char *text, const char *arch_name)
{
    const loop l = assemble(text);
    const tacho_arch *arch = tacho_arch_find(arch_name, NULL);
    const tacho_memory m = made_up();
    tacho_predictor *first = tacho_predictor_new(), *other = tacho_predictor_new();
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *p;
    tacho_data_prediction d;
    tacho_error err = {.message = ""};
    if (tacho_predict(first, arch, l.code, l.size, &o, &p, &err) ||
        tacho_data_predict(&d, &m, 2, p, other, l.code, l.size, &o, &err))
        fail_msg("%s", err.message);
    assert_int_equal(tacho_data_predict(&d, &m, 3, p, other, l.code, l.size, &o, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_data_predict(&d, &m, 2, p, other, l.code, l.size, &o, &err), 0);
    tacho_predictor_free(first);
    tacho_predictor_free(other);
    return d;
}

static void test_data__transfers_of_amd_overlap_all(void **state)
{
    (void)state;
    tacho_data_prediction d = predict(triad, "ZEN3");
    assert_string_equal(d.levels[0].limit, "core");
    assert_true(d.levels[0].cycles == d.core_cycles && d.exposed_cycles == 0);
    /* Half a line copied and half a line more read: 0.5 * 64 / 16 + 0.5 * 64 / 32. */
    assert_float_equal(d.levels[1].cycles, 3, 1e-9);
    assert_float_equal(d.levels[2].cycles, 0.5 * 32 + 0.5 * 8, 1e-9);
    assert_string_equal(d.levels[2].limit, "transfer");
    assert_true(d.levels[2].lines_read == 1.5 && d.levels[2].lines_written == 0.5);
}

static void test_data__transfers_of_intel_are_added_to_loads(void **state)
{
    (void)state;
    tacho_data_prediction d = predict(triad, "SKX");
    assert_float_equal(d.exposed_cycles, 1, 1e-9); /* two loads on two ports, a store on one */
    /* The same less what streams in the first level take: 64 / 32 and 64 / 64. */
    assert_float_equal(d.levels[1].cycles, 1 + 0.5 * (4 - 2) + 0.5 * (2 - 1), 1e-9);
}

static void test_data__a_chain_waits_for_the_latency(void **state)
{
    (void)state;
    tacho_data_prediction d = predict("1: mov rax, [rax]\ndec rcx\njne 1b\n", "ZEN3");
    assert_string_equal(d.levels[2].limit, "latency");
    assert_float_equal(d.levels[2].cycles, d.core_cycles + 300, 1e-6);
    assert_float_equal(d.levels[1].cycles, d.core_cycles + 10, 1e-6);
    /* Loads that wait for nothing: as many as the machine has on their way. */
    d = predict("1: mov rax, [rsi+rbx*8]\nimul rbx, rbx, 77777\ndec rcx\njne 1b\n", "ZEN3");
    assert_float_equal(d.levels[2].cycles, 30, 1);
}

static void test_data__rows_that_a_cache_holds_come_from_there(void **state)
{
    (void)state;
    /* Rows of 1 KiB: what was touched since then is in the first level. */
    tacho_data_prediction near = predict("1: movsd xmm0, [rsi]\naddsd xmm0, [rsi+1024]\nadd rsi, 8\n"
                                         "cmp rsi, rdx\njne 1b\n",
                                         "ZEN3");
    /* Rows of 100 KiB: in the second. */
    tacho_data_prediction far = predict("1: movsd xmm0, [rsi]\naddsd xmm0, [rsi+102400]\nadd rsi, 8\n"
                                        "cmp rsi, rdx\njne 1b\n",
                                        "ZEN3");
    assert_float_equal(near.levels[1].transfer_cycles, 0.125 * 2, 1e-9);
    assert_float_equal(far.levels[1].transfer_cycles, 0.25 * 2, 1e-9);
    assert_float_equal(near.levels[2].transfer_cycles, far.levels[2].transfer_cycles, 1e-9);
}

/* ---- measuring ---- */

static void test_sweep__what_cannot_be_is_refused(void **state)
{
    (void)state;
    tacho_error err;
    const loop l = assemble(triad);
    tacho_measurer *m = tacho_measurer_new(NULL, &err);
    tacho_measurement out;
    uint64_t iterations;
    if (!m)
        skip(); /* no sandbox here */
    tacho_streams s = streams_of(triad);
    assert_int_equal(tacho_streams_measure(&out, &iterations, m, &s, l.code, l.size, 1000, false, NULL, &err),
                     TACHO_ERR_UNSUPPORTED);
    assert_int_equal(
        tacho_streams_measure(&out, &iterations, m, &s, l.code, l.size, (uint64_t)1 << 40, false, NULL, &err),
        TACHO_ERR_UNSUPPORTED);
    const tacho_measure_array arrays[] = {{0x10000000, 8192}, {0x10001000, 4096}};
    const tacho_measure_sweep overlapping = {arrays, 2, 1000, false};
    assert_int_equal(tacho_measure_sweep_run(m, l.code, l.size, NULL, &overlapping, &out, &err),
                     TACHO_ERR_USAGE);
    tacho_measurer_free(m);
}

static void test_sweep__a_loop_runs_over_its_arrays(void **state)
{
    (void)state;
    tacho_error err = {.message = ""};
    static const char text[] =
        "1: mov rax, [rsi]\nadd [rdi], rax\nadd rsi, 8\nsub rdi, 8\ncmp rsi, rdx\njne 1b\n";
    const loop l = assemble(text);
    tacho_measurer *m = tacho_measurer_new(NULL, &err);
    tacho_measure_options o = TACHO_MEASURE_OPTIONS_INIT;
    tacho_measurement out;
    uint64_t iterations;
    if (!m)
        skip();
    o.quality = TACHO_QUALITY_QUICK;
    tacho_streams s = streams_of(text);
    int result = tacho_streams_measure(&out, &iterations, m, &s, l.code, l.size, 1 << 16, true, &o, &err);
    if (result)
        fail_msg("%s", err.message);
    assert_int_equal(iterations, 4096);
    assert_true(out.status == TACHO_MEASURED_OK || out.status == TACHO_MEASURED_UNSTABLE);
    assert_true(out.cycles >= 1);   /* it stores */
    assert_int_equal(out.pages, 0); /* nothing beside the arrays */
    assert_true(out.notes & TACHO_MEASURE_BRANCH_REPLACED);
    tacho_measurer_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams__are_what_moves_on_together),
        cmocka_unit_test(test_streams__what_is_read_and_written_is_one),
        cmocka_unit_test(test_streams__rows_of_a_stencil_follow_each_other),
        cmocka_unit_test(test_streams__what_follows_no_stride_is_scattered),
        cmocka_unit_test(test_streams__code_that_is_none_is_refused),
        cmocka_unit_test(test_data__transfers_of_amd_overlap_all),
        cmocka_unit_test(test_data__transfers_of_intel_are_added_to_loads),
        cmocka_unit_test(test_data__a_chain_waits_for_the_latency),
        cmocka_unit_test(test_data__rows_that_a_cache_holds_come_from_there),
        cmocka_unit_test(test_sweep__what_cannot_be_is_refused),
        cmocka_unit_test(test_sweep__a_loop_runs_over_its_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
