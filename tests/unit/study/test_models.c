/* test_models.c - predictors behind one interface: ours say what tacho_predict says, the baseline what its
 * formulas say, and none of them depends on the order of blocks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/model_answers.h"
#include "../../support/support.h"
#include "base/mem.h"
#include "tacho/tools.h"
#include "x86/arch/arch_struct.h"

enum {
    CORPUS = 300
};

static const char *corpus_path;
static test_block corpus[CORPUS];
static size_t corpus_count;

static double one(const char *name, const char *arch, tacho_mode mode, const char *code)
{
    test_block b;
    tacho_error err;
    tacho_model_options o = TACHO_MODEL_OPTIONS_INIT;
    tacho_model_result r;
    if (test_block_make(&b, code, &err))
        fail_msg("%s: %s", code, err.message);
    o.mode = mode;
    tacho_model *m = open_model(name, arch, &o);
    run(m, &(tacho_model_block){.code = b.bytes, .size = b.size}, 1, &r);
    assert_int_equal(r.status, TACHO_MODEL_OK);
    assert_string_equal(r.message, "");
    tacho_model_close(m);
    test_block_free(&b);
    return r.cycles;
}

static int keep(const test_block *b, long at, const char *rest, void *payload)
{
    uint8_t *copy = malloc(b->size);
    assert_non_null(copy);
    memcpy(copy, b->bytes, b->size);
    corpus[corpus_count++] = (test_block){copy, b->size};
    return corpus_count == CORPUS;
}

static int read_corpus(void **state)
{
    test_corpus_each(corpus_path, keep, NULL);
    return corpus_count > 100 ? 0 : -1;
}

static int free_corpus(void **state)
{
    for (size_t i = 0; i < corpus_count; i++)
        free(corpus[i].bytes);
    return 0;
}

/* ---- ours ---- */

static void same_as(typeof(tacho_predict) *predict, const char *name, const char *arch,
                    const tacho_predict_options *options)
{
    tacho_model_options o = TACHO_MODEL_OPTIONS_INIT;
    tacho_model_block blocks[CORPUS];
    static tacho_model_result results[CORPUS];
    o.init = options->init;
    tacho_model *m = open_model(name, arch, &o);
    for (size_t i = 0; i < corpus_count; i++)
        blocks[i] = (tacho_model_block){.code = corpus[i].bytes, .size = corpus[i].size};
    run(m, blocks, corpus_count, results);
    tacho_predictor *predictor = tacho_predictor_new();
    assert_non_null(predictor);
    for (size_t i = 0; i < corpus_count; i++) {
        const tacho_prediction *p;
        tacho_error err;
        char names[128];
        int rc = predict(predictor, arch_of(arch), corpus[i].bytes, corpus[i].size, options, &p, &err);
        if (rc) {
            assert_int_equal(results[i].status, TACHO_MODEL_UNSUPPORTED);
            assert_string_equal(results[i].message, err.message);
            assert_true(isnan(results[i].cycles));
            continue;
        }
        assert_int_equal(results[i].status, TACHO_MODEL_OK);
        assert_true(results[i].cycles == p->cycles);
        tacho_bottleneck_names(p->bottlenecks, ";", names, sizeof names);
        assert_string_equal(results[i].bottleneck, *names ? names : "none");
    }
    tacho_predictor_free(predictor);
    tacho_model_close(m);
}

static void same_as_predict(const char *name, const char *arch, const tacho_predict_options *options)
{
    same_as(tacho_predict, name, arch, options);
}

static void test_models__ours_say_what_predict_says(void **state)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.details = false;
    same_as_predict("tacho", "SKL", &o);
    same_as_predict("tacho", "ICX", &o);
    o.init = TACHO_INIT_SAME;
    same_as_predict("tacho", "ICX", &o);
    same_as(tacho_predict_bounds, "tacho-bounds", "ICX", &o);
    o.no_memory_deps = true;
    same_as_predict("tacho-no-memory-deps", "ICX", &o);
}

static void test_models__dependencies_through_memory_can_be_ignored(void **state)
{
    const tacho_model_block increment = {.code = (const uint8_t *)"\x48\xff\x03",
                                         .size = 3}; /* inc qword ptr [rbx] */
    tacho_model_result with, without;
    tacho_model *a = open_model("tacho", "SKL", NULL), *b = open_model("tacho-no-memory-deps", "SKL", NULL);
    run(a, &increment, 1, &with);
    run(b, &increment, 1, &without);
    tacho_model_close(a);
    tacho_model_close(b);
    assert_true(with.cycles > 4);
    assert_true(without.cycles < 2);
}

/* What has run on a machine can be asked for whatever is known of its core. */
static void test_models__the_extensions_of_the_core_can_be_ignored(void **state)
{
    const tacho_model_block wide = {.code = (const uint8_t *)"\x62\xf1\x6d\x48\xfe\xd9",
                                    .size = 6}; /* vpaddd zmm3, zmm2, zmm1 */
    const char *const names[] = {"tacho", "tacho-bounds"};
    for (int i = 0; i < 2; i++) {
        tacho_model_options o = TACHO_MODEL_OPTIONS_INIT;
        tacho_model_result refused, taken;
        tacho_model *m = open_model(names[i], "HSW", &o);
        run(m, &wide, 1, &refused);
        tacho_model_close(m);
        o.ignore_isa = true;
        m = open_model(names[i], "HSW", &o);
        run(m, &wide, 1, &taken);
        tacho_model_close(m);
        assert_int_equal(refused.status, TACHO_MODEL_UNSUPPORTED);
        assert_non_null(strstr(refused.message, "HSW has no AVX-512"));
        assert_int_equal(taken.status, TACHO_MODEL_OK);
        assert_true(taken.cycles > 0);
    }
}

/* mov rax, [rsi]; add rax, 1; mov [rdi], rax: a chain where both registers are the same. */
static void test_models__registers_say_what_depends_on_what(void **state)
{
    uint64_t registers[16] = {[6] = 0x7f0000001000, [7] = 0x7f0000001000};
    const tacho_model_block block = {.code = (const uint8_t *)"\x48\x8b\x06\x48\x83\xc0\x01\x48\x89\x07",
                                     .size = 10,
                                     .registers = registers};
    const char *const names[] = {"tacho", "tacho-bounds"};
    for (int i = 0; i < 2; i++) {
        tacho_model *m = open_model(names[i], "SKL", NULL);
        tacho_model_result same, apart;
        registers[7] = registers[6];
        run(m, &block, 1, &same);
        registers[7] = registers[6] + 64;
        run(m, &block, 1, &apart);
        tacho_model_close(m);
        assert_true(same.cycles >= 5);
        assert_true(apart.cycles <= 2);
    }
}

/* 14 NOPs of four bytes and a branch: in one line of code they need three rows of Zen 5's DSB, which is read
 * again then; in more lines they come eight a cycle, as many as are issued. */
static void test_models__code_lies_where_its_pieces_say(void **state)
{
    enum {
        NOPS = 14
    };
    uint8_t code[NOPS * 4 + 2];
    for (size_t i = 0; i < NOPS; i++)
        memcpy(code + i * 4, "\x0f\x1f\x40\x00", 4);
    memcpy(code + NOPS * 4, "\x75\xc6", 2);
    tacho_model *m = open_model("tacho", "ZEN5", NULL);
    const tacho_piece dense = {0, 0x401000}, halves[] = {{0, 0x401020}, {32, 0x401080}},
                      sparse[] = {{0, 0x401028}, {24, 0x401068}, {40, 0x4010a8}};
    tacho_model_block block = {.code = code, .size = sizeof code, .pieces = &dense, .piece_count = 1};
    tacho_model_result in_one_line, in_two, in_three;
    run(m, &block, 1, &in_one_line);
    block.pieces = halves;
    block.piece_count = 2;
    run(m, &block, 1, &in_two);
    block.pieces = sparse;
    block.piece_count = 3;
    run(m, &block, 1, &in_three);
    assert_false(tacho_model_is_external(m));
    tacho_model_close(m);
    assert_float_equal(in_one_line.cycles, 3, 0.01);
    assert_float_equal(in_two.cycles, 1.875, 0.01);
    assert_float_equal(in_three.cycles, 1.875, 0.01);
}

/* A chain of imul rax, rax (3 cycles) that the branch at its end waits for, and perhaps one of ten imul rcx,
 * rcx that it does not wait for. */
static double cycles_with_mispredictions(const char *model, const char *arch, bool other_chain, size_t count)
{
    static const uint8_t one[] = {0x48, 0x0f, 0xaf, 0xc0, 0x48, 0x85, 0xc0, 0x75, 0xf7};
    static const uint32_t last[] = {2, 12};
    uint8_t code[10 * 4 + sizeof one];
    size_t size = 0;
    for (int i = 0; other_chain && i < 10; i++, size += 4)
        memcpy(code + size, "\x48\x0f\xaf\xc9", 4);
    memcpy(code + size, one, sizeof one);
    size += sizeof one;
    const tacho_model_block block = {
        .code = code, .size = size, .mispredicted = &last[other_chain], .mispredicted_count = count};
    tacho_model *m = open_model(model, arch, NULL);
    tacho_model_result result;
    run(m, &block, 1, &result);
    tacho_model_close(m);
    return result.cycles;
}

static void test_models__what_follows_a_mispredicted_branch_waits_for_it(void **state)
{
    const char *const archs[] = {"SNB", "HSW", "SKL", "ICL"};
    for (int i = 0; i < 4; i++) {
        const tacho_arch *arch = tacho_arch_find(archs[i], NULL);
        assert_float_equal(cycles_with_mispredictions("tacho", archs[i], false, 0), 3, 0.01);
        assert_float_equal(cycles_with_mispredictions("tacho", archs[i], false, 1),
                           3 + arch->mispredict_cycles, 0.01);
        assert_float_equal(cycles_with_mispredictions("tacho-no-mispredictions", archs[i], false, 1), 3,
                           0.01);
        assert_float_equal(cycles_with_mispredictions("tacho-bounds", archs[i], false, 1), 3, 0.01);
    }
}

/* What was issued before it goes on. */
static void test_models__a_long_chain_hides_a_misprediction(void **state)
{
    assert_float_equal(cycles_with_mispredictions("tacho", "SKL", true, 0), 30, 0.5);
    assert_float_equal(cycles_with_mispredictions("tacho", "SKL", true, 1), 30, 0.5);
}

/* 24 dependent multiplications, of which 6 come before what counts. */
static double cycles_of_stretch(const char *model, const char *arch)
{
    uint8_t code[24 * 4];
    const tacho_model_block block = {
        .code = code, .size = sizeof code, .once = true, .warm_up = 6, .instructions = 24};
    tacho_model_result result;
    for (size_t at = 0; at < sizeof code; at += 4)
        memcpy(code + at, "\x48\x0f\xaf\xc0", 4);
    tacho_model *m = open_model(model, arch, NULL);
    run(m, &block, 1, &result);
    tacho_model_close(m);
    return result.cycles;
}

static void test_models__of_a_stretch_only_a_part_counts(void **state)
{
    assert_true(cycles_of_stretch("tacho", "SKL") == 18 * 3);
    assert_true(cycles_of_stretch("tacho-no-memory-deps", "ICL") == 18 * 3);
    assert_float_equal(cycles_of_stretch("tacho-bounds", "SKL"), 0.75 * 24 * 3, 1e-9);
    assert_float_equal(cycles_of_stretch("baseline", "SKL"), 0.75 * 24 / 4, 1e-9);
}

/* What has no answer has none afterwards. */
static void test_models__a_stretch_that_fails(void **state)
{
    const char *const names[] = {"tacho", "tacho-bounds", "baseline"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const tacho_model_block block = {
            .code = (const uint8_t *)"\x06", .size = 1, .once = true, .warm_up = 1, .instructions = 2};
        tacho_model_result result;
        tacho_model *m = open_model(names[i], "SKL", NULL);
        run(m, &block, 1, &result);
        tacho_model_close(m);
        assert_int_not_equal(result.status, TACHO_MODEL_OK);
        assert_true(isnan(result.cycles));
    }
}

static void test_models__only_branches_are_mispredicted(void **state)
{
    static const uint32_t wrong[][2] = {{0, 2}, {2, 2}, {2, 3}};
    static const uint8_t code[] = {0x48, 0x0f, 0xaf, 0xc0, 0x48, 0x85, 0xc0, 0x75, 0xf7};
    tacho_model *m = open_model("tacho", "SKL", NULL);
    for (int i = 0; i < 3; i++) {
        const tacho_model_block block = {
            .code = code, .size = sizeof code, .mispredicted = wrong[i], .mispredicted_count = 2};
        tacho_model_result result;
        tacho_error err;
        assert_int_equal(tacho_model_run(m, &block, 1, &result, &err), TACHO_ERR_USAGE);
        assert_non_null(strstr(err.message, "mispredicted"));
    }
    tacho_model_close(m);
}

static void test_models__each_variant_has_a_name(void **state)
{
    for (unsigned v = 0; v < TACHO_VARIANT_COUNT; v++) {
        char name[80];
        tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
        snprintf(name, sizeof name, "tacho-%s", tacho_variant_name(v));
        for (char *p = name; *p; p++)
            *p = *p == '_' ? '-' : *p;
        o.details = false;
        o.variants = 1u << v;
        same_as_predict(name, "CLX", &o);
    }
}

static void test_models__order_does_not_matter(void **state)
{
    static tacho_model_result forward[CORPUS], backward[CORPUS];
    const char *const names[] = {"tacho", "tacho-bounds", "tacho-simple-port-assignment", "baseline"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        tacho_model_block blocks[CORPUS], reversed[CORPUS];
        for (size_t i = 0; i < corpus_count; i++)
            blocks[i] = reversed[corpus_count - 1 - i] =
                (tacho_model_block){.code = corpus[i].bytes, .size = corpus[i].size};
        tacho_model *m = open_model(names[k], "ICX", NULL);
        run(m, blocks, corpus_count, forward);
        run(m, reversed, corpus_count, backward);
        tacho_model_close(m);
        for (size_t i = 0; i < corpus_count; i++) {
            const tacho_model_result *a = &forward[i], *b = &backward[corpus_count - 1 - i];
            assert_int_equal(a->status, b->status);
            assert_true(a->cycles == b->cycles || (isnan(a->cycles) && isnan(b->cycles)));
            assert_string_equal(a->bottleneck, b->bottleneck);
        }
    }
}

static void test_models__a_bad_block_fails_alone(void **state)
{
    const tacho_model_block blocks[] = {{.code = (const uint8_t *)"\x48\x01\xd8", .size = 3},
                                        {.code = (const uint8_t *)"\x06", .size = 1},
                                        {.code = (const uint8_t *)"", .size = 0},
                                        {.code = (const uint8_t *)"\x48\x01\xd8", .size = 3}};
    const char *const names[] = {"tacho", "tacho-bounds", "baseline"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        tacho_model_result r[4];
        tacho_model *m = open_model(names[k], "SKL", NULL);
        run(m, blocks, 4, r);
        tacho_model_close(m);
        assert_int_equal(r[0].status, TACHO_MODEL_OK);
        assert_int_equal(r[3].status, TACHO_MODEL_OK);
        assert_true(r[0].cycles == r[3].cycles);
        for (int i = 1; i < 3; i++) {
            assert_int_equal(r[i].status, TACHO_MODEL_UNSUPPORTED);
            assert_true(isnan(r[i].cycles));
            assert_true(*r[i].message);
        }
    }
}

/* ---- the baseline: uiCA paper, section 6.1, by hand ---- */

static void test_models__baseline(void **state)
{
    const tacho_mode auto_ = TACHO_MODE_AUTO;
    assert_true(one("baseline", "SKL", auto_, "add rax, rbx; nop; nop") == 0.75);
    assert_true(one("baseline", "ICL", auto_, "add rax, rbx; nop; nop") == 0.75);
    assert_true(one("baseline", "ICL", TACHO_MODE_LOOP, "add rax, rbx; nop; nop") == 1);
    /* 3 reads, 1 write: the addition to memory is both */
    assert_true(one("baseline", "SKL", auto_, "mov rax, [rsi]; mov rbx, [rdi]; add [rcx], rax") == 1.5);
    /* 3 stores: one a cycle before Ice Lake, then two */
    assert_true(one("baseline", "SKL", auto_, "mov [rsi], rax; push rax; push rbx") == 3);
    assert_true(one("baseline", "ICL", auto_, "mov [rsi], rax; push rax; push rbx") == 1.5);
    /* an address alone, a NOP's operand and a prefetch are no access */
    assert_true(one("baseline", "SKL", auto_, "lea rax, [rsi]; nop dword ptr [rax]; prefetcht0 [rsi]") ==
                0.75);
    /* 8 instructions, of which the last two count once: 7/4 and 7/5 */
    const char *loop = "l: nop; nop; nop; nop; nop; nop; dec r15; jnz l";
    assert_true(one("baseline", "SKL", auto_, loop) == 7 / 4.0);
    assert_true(one("baseline", "ICL", auto_, loop) == 7 / 5.0);
    assert_true(one("baseline", "ICL", TACHO_MODE_UNROLL, loop) == 2);
}

/* ---- opening ---- */

static void refuse(const char *name, const tacho_model_options *options, int code, const char *part)
{
    tacho_model *m;
    tacho_error err;
    assert_int_equal(tacho_model_open(&m, name, arch_of("SKL"), options, &err), code);
    assert_null(m);
    if (!strstr(err.message, part))
        fail_msg("'%s' does not say '%s'", err.message, part);
}

static void test_models__what_cannot_be_opened(void **state)
{
    tacho_model_options o = TACHO_MODEL_OPTIONS_INIT;
    refuse("tacho-bound", NULL, TACHO_ERR_USAGE, "tacho-bounds");
    refuse("", NULL, TACHO_ERR_USAGE, "no model");
    o.timeout_seconds = 0;
    refuse("tacho", &o, TACHO_ERR_USAGE, "timeout");
    o.timeout_seconds = NAN;
    refuse("tacho", &o, TACHO_ERR_USAGE, "timeout");
    o.size = 1;
    refuse("tacho", &o, TACHO_ERR_USAGE, "initialised");
}

static void test_models__list(void **state)
{
    tacho_model_list *list;
    size_t ours = 0;
    assert_int_equal(tacho_model_list_make(&list, arch_of("SKL"), NULL), 0);
    assert_string_equal(list->models[0].name, "tacho");
    for (size_t i = 0; i < list->count; i++) {
        const tacho_model_info *info = &list->models[i];
        tacho_model *m;
        assert_true(*info->name && *info->summary);
        ours += !info->external;
        int rc = tacho_model_open(&m, info->name, arch_of("SKL"), NULL, NULL);
        assert_int_equal(rc != 0, info->missing != NULL);
        tacho_model_close(m);
    }
    assert_int_equal(ours, 4 + TACHO_VARIANT_COUNT + 1);
    tacho_model_list_free(list);
}

static void test_models__out_of_memory(void **state)
{
    const char *const names[] = {"tacho", "baseline", "nothing"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        int rc = TACHO_ERR_MEMORY;
        for (unsigned long n = 1; n < 10000 && rc == TACHO_ERR_MEMORY; n++) {
            tacho_model *m;
            tacho_model_result r;
            tacho_mem_fail_at(n);
            rc = tacho_model_open(&m, names[k], arch_of("SKL"), NULL, NULL);
            if (!rc)
                rc = tacho_model_run(m, &(tacho_model_block){.code = (const uint8_t *)"\x90", .size = 1}, 1,
                                     &r, NULL);
            tacho_mem_fail_at(0);
            tacho_model_close(m);
        }
        assert_int_equal(rc, k == 2 ? TACHO_ERR_USAGE : 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models__ours_say_what_predict_says),
        cmocka_unit_test(test_models__dependencies_through_memory_can_be_ignored),
        cmocka_unit_test(test_models__the_extensions_of_the_core_can_be_ignored),
        cmocka_unit_test(test_models__registers_say_what_depends_on_what),
        cmocka_unit_test(test_models__code_lies_where_its_pieces_say),
        cmocka_unit_test(test_models__what_follows_a_mispredicted_branch_waits_for_it),
        cmocka_unit_test(test_models__of_a_stretch_only_a_part_counts),
        cmocka_unit_test(test_models__a_stretch_that_fails),
        cmocka_unit_test(test_models__a_long_chain_hides_a_misprediction),
        cmocka_unit_test(test_models__only_branches_are_mispredicted),
        cmocka_unit_test(test_models__each_variant_has_a_name),
        cmocka_unit_test(test_models__order_does_not_matter),
        cmocka_unit_test(test_models__a_bad_block_fails_alone),
        cmocka_unit_test(test_models__baseline),
        cmocka_unit_test(test_models__what_cannot_be_opened),
        cmocka_unit_test(test_models__list),
        cmocka_unit_test(test_models__out_of_memory),
    };
    if (argc < 2)
        return 1;
    corpus_path = argv[1];
    return cmocka_run_group_tests(tests, read_corpus, free_corpus);
}
