/* test_isa.c - which extensions of the instruction set instructions need, and whether the cores have them:
 * single instructions, and the whole table of figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/characterise/instance.h"
#include "tacho/extension.h"
#include "tacho/predict.h"

static void test_isa__each_extension_has_a_name_that_leads_back(void **state)
{
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++) {
        const char *name = tacho_extension_name((tacho_extension)e);
        if (!name || !*name)
            fail_msg("extension %d has no name", e);
        assert_int_equal(tacho_extension_find(name), e);
    }
    assert_int_equal(tacho_extension_find("avx-512f"), TACHO_EXTENSION_AVX512F);
    assert_int_equal(tacho_extension_find("AVX-1024"), TACHO_EXTENSION_NONE);
    assert_string_equal(tacho_extension_name(TACHO_EXTENSION_COUNT), "");
}

/* What is missing on these cores: "" where it can be executed. */
static const struct {
    const char *hex, *arch, *lacks;
} cases[] = {
    {"62f16d48fed9", "HSW", "AVX-512F"}, /* vpaddd zmm */
    {"62f16d48fed9", "SKL", "AVX-512F"},
    {"62f16d48fed9", "KBL", "AVX-512F"},
    {"62f16d48fed9", "CFL", "AVX-512F"},
    {"62f16d48fed9", "SKX", ""},
    {"62f16d48fed9", "ZEN5", ""},
    {"62f16d28fed9", "BDW", "AVX-512F"}, /* vpaddd ymm, EVEX */
    {"62f16d28fed9", "CLX", ""},
    {"c4e2edb8d9", "SNB", "FMA"}, /* vfmadd231pd */
    {"c4e2edb8d9", "HSW", ""},
    {"c5edfed9", "IVB", "AVX2"}, /* vpaddd ymm, VEX */
    {"c5e9fed9", "IVB", ""},     /* vpaddd xmm, VEX */
    {"c5ec58d9", "SNB", ""},     /* vaddps ymm */
    {"62f26d4850d9", "SKX", "AVX-512_VNNI"},
    {"62f26d4850d9", "CLX", ""},
    {"c4e26d50d9", "ICL", "AVX-VNNI"}, /* vpdpbusd, VEX */
    {"c4e26d50d9", "ZEN5", ""},
    {"62f26e4852d9", "ICX", "AVX-512_BF16"}, /* vdpbf16ps */
    {"62f26e4852d9", "ZEN5", ""},
    {"0f38cac1", "SKL", "SHA"}, /* sha1msg2 */
    {"0f38cac1", "ICL", ""},
    {"660f38cfc1", "CLX", "GFNI"},
    {"c4e26ddcd9", "CLX", "VAES"}, /* vaesenc ymm */
    {"c4e269dcd9", "SNB", ""},     /* vaesenc xmm: AES and AVX */
    {"c4e36d44d900", "CLX", "VPCLMULQDQ"},
    {"c4e36944d900", "SNB", ""},
    {"f3480fb8c3", "SNB", ""},    /* popcnt */
    {"0f38f003", "IVB", "MOVBE"}, /* movbe eax, [rbx] */
    {"0f38f003", "HSW", ""},
    {"f2480f38f0c3", "SNB", ""}, /* crc32 */
    {"0fc7f8", "HSW", "RDSEED"},
    {"0fc7f8", "BDW", ""},
    {"0fc7f0", "SNB", "RDRAND"},
    {"0fc7f0", "IVB", ""},
    {"f3480faec0", "SNB", "FSGSBASE"},
    {"f3480faec0", "IVB", ""},
    {"66480f38f6c3", "HSW", "ADX"},
    {"66480f38f6c3", "BDW", ""},
    {"c4e27913c1", "SNB", "F16C"}, /* vcvtph2ps */
    {"c4e27913c1", "IVB", ""},
    {"c4e2f8f2c3", "IVB", "BMI1"}, /* andn */
    {"c4e2f8f5c3", "IVB", "BMI2"}, /* bzhi */
    {"660fae3b", "HSW", "CLFLUSHOPT"},
    {"660fae33", "SKL", "CLWB"},
    {"660fae33", "SKX", ""},
    {"f30fc7f8", "SKL", "RDPID"},
    {"c7f800000000", "SNB", "RTM"}, /* xbegin */
    {"c7f800000000", "HSW", ""},
    {"0f01fc", "SKL", "CLZERO"},
    {"0f01fc", "ZEN5", ""},
    {"0f01fd", "ICL", "RDPRU"},
    {"0f01fa", "ICL", "MONITORX"},
    {"660f78c10000", "SKL", "SSE4A"}, /* extrq */
    {"0f0f c19e", "ZEN5", "3DNow!"},  /* pfadd */
    {"0f38f903", "ICL", "MOVDIRI"},
    {"0f38f903", "TGL", ""},
    {"660f38f803", "ICX", "MOVDIR64B"},
    {"62f26f4868d9", "ICX", "AVX-512_VP2INTERSECT"},
    {"62f26f4868d9", "TGL", ""},
    {"0f01c1", "ZEN5", "VMX"}, /* vmcall */
    {"0f01d9", "SKL", "SVM"},  /* vmmcall */
    /* Everywhere: NOPs where they are not known, prefixes that are passed over, bsf and bsr. */
    {"f30f1efa", "SNB", ""},     /* endbr64 */
    {"0f1c03", "SNB", ""},       /* cldemote */
    {"0f0d0b", "SNB", ""},       /* prefetchw */
    {"0f0d13", "SNB", ""},       /* prefetchwt1 */
    {"f30f1b03", "ZEN5", ""},    /* bndmk */
    {"660f1f440000", "SNB", ""}, /* nop */
    {"f390", "SNB", ""},         /* pause */
    {"f3c3", "SNB", ""},         /* rep ret */
    {"f2f0480103", "SNB", ""},   /* xacquire lock add */
    {"f3480fbcc3", "SNB", ""},   /* tzcnt */
    {"f3480fbdc3", "SNB", ""},   /* lzcnt */
    {"f30f09", "SNB", ""},       /* wbnoinvd */
    {"d8c1", "ZEN5", ""},        /* fadd */
    {"0ffec1", "ZEN5", ""},      /* paddd mm */
};

static size_t bytes_of(const char *hex, uint8_t *out)
{
    size_t n = 0;
    for (unsigned byte; *hex; hex += *hex == ' ' ? 1 : 2)
        if (*hex != ' ' && sscanf(hex, "%2x", &byte) == 1)
            out[n++] = (uint8_t)byte;
    return n;
}

static void test_isa__what_instructions_need(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[16];
        tacho_insn insn;
        if (tacho_decode(&insn, bytes, bytes_of(cases[i].hex, bytes), NULL))
            fail_msg("%s is no instruction", cases[i].hex);
        const char *lacks =
            tacho_extension_name(tacho_arch_lacks(tacho_arch_find(cases[i].arch, NULL), &insn));
        if (strcmp(lacks, cases[i].lacks) != 0)
            fail_msg("%s on %s: lacks '%s', not '%s'", cases[i].hex, cases[i].arch, lacks, cases[i].lacks);
    }
}

static void test_isa__what_a_core_has_is_from_somewhere(void **state)
{
    for (size_t a = 0; a < tacho_arch_count(); a++) {
        const tacho_arch *arch = tacho_arch_get(a);
        assert_true(tacho_arch_has_extension(arch, TACHO_EXTENSION_SSE42));
        for (int e = 1; e < TACHO_EXTENSION_COUNT; e++)
            assert_int_equal(tacho_arch_extension_source(arch, (tacho_extension)e) != NULL,
                             tacho_arch_has_extension(arch, (tacho_extension)e));
    }
    assert_false(tacho_arch_has_extension(tacho_arch_get(0), TACHO_EXTENSION_NONE));
}

/* What was measured on a core ran there. */
static void test_isa__what_was_measured_on_a_core_can_be_executed_there(void **state)
{
    size_t looked_at = 0, wrong = 0;
    for (uint32_t id = 0; id < tacho_form_count(); id++) {
        const char *why;
        instance_choice choice;
        tacho_insn insn = {.length = 0};
        tacho_figures f;
        instance_defaults(&choice, id);
        instance_make(&insn, id, &choice, &why);
        if (!insn.length)
            continue;
        for (size_t a = 0; a < tacho_arch_count(); a++) {
            const tacho_arch *arch = tacho_arch_get(a);
            if (tacho_form_figures(arch, id, &f) ||
                tacho_arch_source_origin(arch, f.source, TACHO_FIELD_PORTS) != TACHO_ORIGIN_MEASURED)
                continue;
            looked_at++;
            tacho_extension lacks = tacho_arch_lacks(arch, &insn);
            if (!lacks)
                continue;
            char name[128];
            tacho_form_name(id, name, sizeof name);
            print_message("%s: %s was measured there, but needs %s\n", tacho_arch_name(arch), name,
                          tacho_extension_name(lacks));
            wrong++;
        }
    }
    print_message("%zu forms and cores\n", looked_at);
    assert_true(looked_at > 30000);
    assert_int_equal(wrong, 0);
}

/* ---- predictions ---- */

static void test_isa__the_error_says_which_instruction(void **state)
{
    static const uint8_t code[] = {0x48, 0x01, 0xd8, 0xc4, 0xe2, 0xed, 0xb8, 0xd9};
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_predictor *predictor = tacho_predictor_new();
    const tacho_arch *snb = tacho_arch_find("SNB", NULL);
    const tacho_prediction *p;
    tacho_error err = {.offset = -1};
    assert_int_equal(tacho_predict(predictor, snb, code, sizeof code, &o, &p, &err), TACHO_ERR_UNSUPPORTED);
    assert_string_equal(err.message, "SNB has no FMA: vfmadd231pd ymm3, ymm2, ymm1 (instruction 1)");
    assert_int_equal(err.offset, 3);
    assert_null(p);
    o.ignore_isa = true;
    assert_int_equal(tacho_predict(predictor, snb, code, sizeof code, &o, &p, &err), 0);
    assert_int_equal(p->lacking_count, 1);
    assert_non_null(strstr(p->warnings[0], "SNB cannot execute 1 of 2 instructions"));
    tacho_predictor_free(predictor);
}

/* Predictions and instructions are remembered; what was ignored for one run is not for the next. */
static void test_isa__remembered_code_is_refused_too(void **state)
{
    static const uint8_t code[] = {0xc4, 0xe2, 0xed, 0xb8, 0xd9};
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_predictor *predictor = tacho_predictor_new();
    const tacho_arch *snb = tacho_arch_find("SNB", NULL);
    const tacho_prediction *p;
    tacho_error err;
    o.details = false;
    for (int n = 0; n < 6; n++) {
        o.ignore_isa = n % 3 != 0;
        int rc = tacho_predict(predictor, snb, code, sizeof code, &o, &p, &err);
        assert_int_equal(rc, o.ignore_isa ? 0 : TACHO_ERR_UNSUPPORTED);
        if (!rc)
            assert_int_equal(p->lacking_count, 1);
    }
    tacho_predictor_free(predictor);
}

static void test_isa__tzcnt_without_bmi1_is_said_to_be_another_instruction(void **state)
{
    static const uint8_t code[] = {0xf3, 0x48, 0x0f, 0xbc, 0xc3};
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_predictor *predictor = tacho_predictor_new();
    const tacho_prediction *p;
    assert_int_equal(tacho_predict(predictor, tacho_arch_find("SNB", NULL), code, sizeof code, &o, &p, NULL),
                     0);
    assert_non_null(strstr(p->warnings[0], "SNB has no BMI1 and executes instruction 0, tzcnt, as bsf"));
    assert_int_equal(tacho_predict(predictor, tacho_arch_find("HSW", NULL), code, sizeof code, &o, &p, NULL),
                     0);
    for (size_t i = 0; i < p->warning_count; i++)
        assert_null(strstr(p->warnings[i], "bsf"));
    tacho_predictor_free(predictor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isa__each_extension_has_a_name_that_leads_back),
        cmocka_unit_test(test_isa__what_instructions_need),
        cmocka_unit_test(test_isa__what_a_core_has_is_from_somewhere),
        cmocka_unit_test(test_isa__what_was_measured_on_a_core_can_be_executed_there),
        cmocka_unit_test(test_isa__the_error_says_which_instruction),
        cmocka_unit_test(test_isa__remembered_code_is_refused_too),
        cmocka_unit_test(test_isa__tzcnt_without_bmi1_is_said_to_be_another_instruction),
    };
    return cmocka_run_group_tests_name("isa", tests, NULL, NULL);
}
