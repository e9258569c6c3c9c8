/* test_same_core.c - which processors have which core, and what is said where a study was measured on one
 * core and predicted for another: by made-up processors, not the host's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "app/report/study/report_study.h"
#include "x86/arch/loaded.h"

static const tacho_arch *find(const char *name)
{
    tacho_error err;
    const tacho_arch *arch = tacho_arch_find(name, &err);
    assert_non_null(arch);
    return arch;
}

static const processor cascade_lake = {GEN_INTEL, 6, 0x55, 7}, skylake_server = {GEN_INTEL, 6, 0x55, 4};

/* Intel SDM, volume 4, table 2-1: both have the model 0x55, and steppings tell them apart. */
static void test_processors_have_their_architecture(void **state)
{
    const processor elsewhere = {GEN_INTEL, 6, 0x01, 0}, other_maker = {OTHER_VENDOR, 6, 0x55, 7};
    (void)state;
    assert_string_equal(tacho_processor_arch(&cascade_lake)->name, "CLX");
    assert_string_equal(tacho_processor_arch(&skylake_server)->name, "SKX");
    assert_null(tacho_processor_arch(&elsewhere));
    assert_null(tacho_processor_arch(&other_maker));
}

static void test_products_of_a_generation_have_the_same_core(void **state)
{
    static const char *const skylakes[] = {"SKL", "KBL", "CFL", "SKX", "CLX"};
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 5; k++)
            assert_true(tacho_arch_same_core(find(skylakes[i]), find(skylakes[k])));
        assert_false(tacho_arch_same_core(find(skylakes[i]), find("ICX")));
        assert_false(tacho_arch_same_core(find("BDW"), find(skylakes[i])));
    }
    assert_true(tacho_arch_same_core(find("ICL"), find("ICX")));
    assert_false(tacho_arch_same_core(find("ICL"), find("RKL")));
}

/* Whether the report of a study says that it was measured elsewhere than predicted. */
static bool warns(const processor *measured, const char *predicted)
{
    tacho_kernels_result result = {
        .arch = find(predicted), .clock = TACHO_CLOCK_PERF, .processor = "a processor"};
    const report_kernels report = {&result, tacho_processor_arch(measured), 0.15, 0.4};
    tacho_str text = {0};
    report_kernels_text(&text, &report, false);
    assert_false(text.failed);
    assert_non_null(strstr(text.data, "measured on"));
    bool says = strstr(text.data, "ANOTHER CORE") != NULL;
    tacho_str_free(&text);
    return says;
}

/* Used to go by the name alone: SKX on a Cascade Lake was another core. */
static void test_kernels_report__the_same_core_under_another_name(void **state)
{
    const processor unknown = {OTHER_VENDOR, 1, 2, 3};
    (void)state;
    assert_false(warns(&cascade_lake, "SKX"));
    assert_false(warns(&cascade_lake, "CLX"));
    assert_false(warns(&skylake_server, "CLX"));
    assert_true(warns(&cascade_lake, "ICX"));
    assert_true(warns(&unknown, "CLX"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processors_have_their_architecture),
        cmocka_unit_test(test_products_of_a_generation_have_the_same_core),
        cmocka_unit_test(test_kernels_report__the_same_core_under_another_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
