/* test_insn.c - instructions as another program sees them: by the functions of tacho/decode.h alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "tacho/tacho.h"

typedef struct fixture {
    tacho_insn *insn;
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    size_t size;
} fixture;

static int setup(void **state)
{
    static fixture f;
    f.insn = tacho_insn_new();
    *state = &f;
    return f.insn ? 0 : -1;
}

static int teardown(void **state)
{
    tacho_insn_free(((fixture *)*state)->insn);
    return 0;
}

static const tacho_insn *decode(fixture *f, const char *hex)
{
    unsigned byte;
    tacho_error err;
    for (f->size = 0; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        f->bytes[f->size++] = (uint8_t)byte;
    if (tacho_decode(f->insn, f->bytes, f->size, &err))
        fail_msg("%s", err.message);
    return f->insn;
}

static uint32_t traits_of(const tacho_insn *insn)
{
    uint32_t traits = 0;
    for (int t = TACHO_INSN_BRANCH; t <= TACHO_INSN_ROUNDING; t++)
        traits |= (uint32_t)tacho_insn_is(insn, (tacho_insn_trait)t) << t;
    return traits;
}

static void test_insn__traits(void **state)
{
    static const struct {
        const char *hex;
        uint32_t traits;
    } cases[] = {
        {"4801d8", 0},
        {"eb00", 1 << TACHO_INSN_BRANCH},
        {"7400", 1 << TACHO_INSN_BRANCH | 1 << TACHO_INSN_CONDITIONAL},
        {"e800000000", 1 << TACHO_INSN_CALL},
        {"c3", 1 << TACHO_INSN_RET},
        {"0f1f00", 1 << TACHO_INSN_NOP},
        {"0faee8", 1 << TACHO_INSN_SERIALIZING},
        {"f0480108", 1 << TACHO_INSN_LOCK},
        {"f348a5", 1 << TACHO_INSN_REP},
        {"f2a6", 1 << TACHO_INSN_REPNE},
        {"6681c23412", 1 << TACHO_INSN_LCP},
        {"62f17cc958c2", 1 << TACHO_INSN_ZEROING},
        {"62f17c1858c2", 1 << TACHO_INSN_SAE | 1 << TACHO_INSN_ROUNDING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(traits_of(decode(*state, cases[i].hex)), cases[i].traits);
    assert_false(tacho_insn_is(decode(*state, "eb00"), (tacho_insn_trait)1000));
}

/* adc rbx, [rax+rcx*4+0x10] */
static void test_insn__parts_and_operands(void **state)
{
    fixture *f = *state;
    const tacho_insn *insn = decode(f, "48135c8810");
    assert_int_equal(tacho_insn_length(insn), f->size);
    assert_memory_equal(tacho_insn_bytes(insn), f->bytes, f->size);
    assert_string_equal(tacho_mnemonic_name(tacho_insn_mnemonic(insn)), "ADC");
    assert_int_equal(tacho_insn_encoding(insn), TACHO_ENC_LEGACY);
    assert_int_equal(tacho_insn_operand_size(insn), 64);
    assert_int_equal(tacho_insn_flags_read(insn), TACHO_FLAG_C);
    assert_int_equal(tacho_insn_flags_written(insn), TACHO_FLAG_C | TACHO_FLAG_SPAZO);
    assert_int_equal(tacho_insn_visible_count(insn), 2);
    assert_true(tacho_insn_operand_count(insn) >= 2);
    const tacho_operand *to = tacho_insn_operand(insn, 0), *from = tacho_insn_operand(insn, 1);
    assert_int_equal(to->kind, TACHO_OPERAND_REG);
    assert_int_equal(to->access, TACHO_READ | TACHO_WRITE);
    assert_string_equal(tacho_reg_name(to->reg), "rbx");
    assert_int_equal(from->kind, TACHO_OPERAND_MEM);
    assert_string_equal(tacho_reg_name(from->mem.index), "rcx");
    assert_int_equal(from->mem.scale, 4);
    assert_int_equal(from->mem.disp, 16);
    assert_null(tacho_insn_operand(insn, tacho_insn_operand_count(insn)));
}

/* vaddps zmm0{k1}{z}, zmm0, zmm2, and the same without AVX-512 */
static void test_insn__mask_and_extensions(void **state)
{
    const tacho_insn *insn = decode(*state, "62f17cc958c2");
    assert_int_equal(tacho_insn_encoding(insn), TACHO_ENC_EVEX);
    assert_int_equal(tacho_insn_mask(insn), 1);
    assert_int_equal(tacho_insn_extension(insn, 0), TACHO_EXTENSION_AVX512F);
    assert_int_equal(tacho_insn_extension(insn, 2), TACHO_EXTENSION_NONE);
    insn = decode(*state, "c5f858c2");
    assert_int_equal(tacho_insn_mask(insn), 0);
    assert_int_equal(tacho_insn_extension(insn, 0), TACHO_EXTENSION_AVX);
}

/* Both instructions of a prediction, and of the dependencies, can be reached. */
static void test_insn__of_results(void **state)
{
    static const uint8_t code[] = {0x48, 0x01, 0xd8, 0x90};
    tacho_deps *deps = NULL;
    const tacho_prediction *p = NULL;
    tacho_predictor *predictor = tacho_predictor_new();
    const tacho_arch *arch = tacho_arch_find("SKL", NULL);
    (void)state;
    assert_int_equal(tacho_predict(predictor, arch, code, sizeof code, NULL, &p, NULL), 0);
    assert_int_equal(p->instruction_count, 2);
    assert_int_equal(tacho_insn_length(p->instructions[0]->insn), 3);
    assert_true(tacho_insn_is(p->instructions[1]->insn, TACHO_INSN_NOP));
    assert_int_equal(tacho_deps_find(&deps, code, sizeof code, NULL, NULL), 0);
    assert_int_equal(deps->insn_count, 2);
    assert_int_equal(tacho_insn_length(tacho_insn_at(deps->insns, 0)), 3);
    assert_true(tacho_insn_is(tacho_insn_at(deps->insns, 1), TACHO_INSN_NOP));
    tacho_deps_free(deps);
    tacho_predictor_free(predictor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_insn__traits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_insn__parts_and_operands, setup, teardown),
        cmocka_unit_test_setup_teardown(test_insn__mask_and_extensions, setup, teardown),
        cmocka_unit_test(test_insn__of_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
