/* test_memory.c - every n-th allocation fails, n = 1, 2, ...: an error each time, and nothing leaks (which
 * the sanitized build checks). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "tacho/tools.h"

static void check_input(const char *text, tacho_input_kind kind)
{
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    o.kind = kind;
    for (unsigned long n = 1; n < 1000; n++) {
        tacho_code *code;
        tacho_error err;
        tacho_mem_fail_at(n);
        int result = tacho_code_from_memory(&code, text, strlen(text), "in", &o, &err);
        tacho_mem_fail_at(0);
        if (!result) {
            tacho_code_free(code);
            assert_true(n > 1);
            return;
        }
        assert_int_equal(result, TACHO_ERR_MEMORY);
        assert_null(code);
    }
    fail_msg("still failing at the 1000th allocation");
}

static void test_memory__input(void **state)
{
    check_input("4801d8", TACHO_INPUT_HEX);
    check_input("bb6f0000006467904801d8", TACHO_INPUT_HEX);
    check_input("nop\n# LLVM-MCA-BEGIN a\nadd %eax,%ebx\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN b\nnop\n",
                TACHO_INPUT_ASSEMBLY);
}

static void test_memory__predict(void **state)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_arch *arch = tacho_arch_get(0);
    bool done = false;
    for (unsigned long n = 1; n < 10000 && !done; n++) {
        const tacho_prediction *p;
        tacho_error err;
        tacho_mem_fail_at(n);
        tacho_predictor *predictor = tacho_predictor_new();
        int result = predictor
                         ? tacho_predict(predictor, arch, (const uint8_t *)"\x48\x01\xd8", 3, &o, &p, &err)
                         : TACHO_ERR_MEMORY;
        tacho_mem_fail_at(0);
        tacho_predictor_free(predictor);
        done = !result;
        assert_true(done || result == TACHO_ERR_MEMORY);
    }
    assert_true(done);
}

static void test_memory__filter(void **state)
{
    static const uint8_t block[] = {0x48, 0x8b, 0x07, 0x48, 0x89, 0x06}; /* a load, a store */
    tacho_suite_filter_options o = TACHO_SUITE_FILTER_OPTIONS_INIT;
    bool done = false;
    for (unsigned long n = 1; n < 1000 && !done; n++) {
        tacho_suite_verdict v;
        tacho_error err;
        tacho_mem_fail_at(n);
        int result = tacho_suite_filter(&v, block, sizeof block, &o, &err);
        tacho_mem_fail_at(0);
        done = !result;
        assert_true(done ? n > 1 && v.reasons == 1 << TACHO_REASON_ALIASING : result == TACHO_ERR_MEMORY);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__input),
        cmocka_unit_test(test_memory__predict),
        cmocka_unit_test(test_memory__filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
