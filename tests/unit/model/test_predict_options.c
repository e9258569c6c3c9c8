/* test_predict_options.c - what the options of a prediction do: instructions without figures, code in pieces,
 * what is known of pointers, stretches of a run, addresses that move on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"

static tacho_predictor *predictor;

static int predict(const char *text, const tacho_predict_options *o, const tacho_prediction **p,
                   tacho_error *err)
{
    test_block code;
    *err = (tacho_error){.message = "", .offset = -1};
    if (test_block_make(&code, text, err))
        fail_msg("%s: %s", text, err->message);
    int rc = tacho_predict(predictor, tacho_arch_find("SKL", NULL), code.bytes, code.size, o, p, err);
    test_block_free(&code);
    return rc;
}

static const tacho_prediction *must_predict(const char *text, const tacho_predict_options *o)
{
    const tacho_prediction *p;
    tacho_error err;
    if (predict(text, o, &p, &err))
        fail_msg("%s: %s", text, err.message);
    return p;
}

static tacho_predict_options with_unknown(tacho_unknown unknown, uint32_t latency)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.mode = TACHO_MODE_UNROLL;
    o.unknown = unknown;
    o.unknown_latency = latency;
    o.ignore_isa = true;
    return o;
}

/* ---- instructions that Skylake's table lacks: gf2p8mulb (as it lacks GFNI) ---- */

static void test_unknown__left_out_is_as_if_not_there(void **state)
{
    tacho_predict_options o = with_unknown(TACHO_UNKNOWN_SKIP, 0);
    const tacho_prediction *p = must_predict("imul rax, rax; gf2p8mulb xmm0, xmm1; imul rax, rax", &o);
    assert_int_equal(p->instruction_count, 2);
    assert_int_equal(p->unknown_count, 1);
    assert_int_equal(p->skipped_count, 1);
    assert_int_equal(p->instructions[1]->code_offset, 9);
    assert_true(p->cycles == 6);
    assert_int_equal(p->warning_count, 2);
    assert_non_null(strstr(p->warnings[1], "gf2p8mulb xmm0, xmm1"));
}

static void test_unknown__a_pair_with_something_left_out_between_is_not_fused(void **state)
{
    tacho_predict_options o = with_unknown(TACHO_UNKNOWN_SKIP, 0);
    o.mode = TACHO_MODE_LOOP;
    const tacho_prediction *p = must_predict("l: dec r15; gf2p8mulb xmm0, xmm1; jnz l", &o);
    assert_int_equal(p->instructions[0]->notes & TACHO_NOTE_MACRO_FUSED, 0);
    p = must_predict("l: gf2p8mulb xmm0, xmm1; dec r15; jnz l", &o);
    assert_int_not_equal(p->instructions[0]->notes & TACHO_NOTE_MACRO_FUSED, 0);
}

static void test_unknown__nothing_left_is_an_error(void **state)
{
    tacho_predict_options o = with_unknown(TACHO_UNKNOWN_SKIP, 0);
    const tacho_prediction *p;
    tacho_error err;
    assert_int_equal(predict("gf2p8mulb xmm0, xmm1", &o, &p, &err), TACHO_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "nothing remains"));
}

static void test_unknown__an_error_names_instruction_and_place(void **state)
{
    tacho_predict_options o = with_unknown(TACHO_UNKNOWN_ERROR, 0);
    const tacho_prediction *p;
    tacho_error err;
    assert_int_equal(predict("nop; gf2p8mulb xmm2, xmm1", &o, &p, &err), TACHO_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "gf2p8mulb xmm2, xmm1"));
    assert_int_equal(err.offset, 1);
    assert_int_equal(predict("nop; nop", &o, &p, &err), 0);
}

static void test_unknown__a_latency_makes_chains(void **state)
{
    for (uint32_t n = 3; n < 20; n += 6) {
        tacho_predict_options o = with_unknown(TACHO_UNKNOWN_LATENCY, n);
        const tacho_prediction *p = must_predict("gf2p8mulb xmm0, xmm1", &o);
        assert_true(p->cycles == n);
        assert_true(p->instructions[0]->uops_executed == 1);
        p = must_predict("gf2p8mulb xmm0, [rax]; gf2p8mulb xmm2, xmm0", &o);
        assert_true(p->cycles == n); /* two chains; the load is not part of them */
        assert_true(p->instructions[0]->uops_executed == 2);
        assert_true(p->instructions[0]->uops_issued == 1);
    }
}

static void test_unknown__latency_has_limits(void **state)
{
    const tacho_prediction *p;
    tacho_error err;
    tacho_predict_options o = with_unknown(TACHO_UNKNOWN_LATENCY, 0);
    assert_int_equal(predict("nop", &o, &p, &err), TACHO_ERR_USAGE);
    o.unknown_latency = TACHO_MAX_UNKNOWN_LATENCY + 1;
    assert_int_equal(predict("nop", &o, &p, &err), TACHO_ERR_USAGE);
    o.unknown_latency = TACHO_MAX_UNKNOWN_LATENCY;
    assert_int_equal(predict("nop", &o, &p, &err), 0);
}

/* ---- branches inside a loop ---- */

/* From Haswell on a branch that is not taken has two ports, one that is taken has one. */
static void test_branches__not_taken_have_another_port(void **state)
{
    static const char code[] = "l: cmp eax, 1; je m; cmp ebx, 1; je m; cmp ecx, 1; je m; dec r15; jnz l; m:";
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const struct {
        const char *arch;
        double cycles;
    } cases[] = {{"SNB", 4}, {"HSW", 2}, {"SKL", 2}, {"ICL", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tacho_prediction *p;
        tacho_error err;
        test_block block;
        assert_int_equal(test_block_make(&block, code, &err), 0);
        assert_int_equal(tacho_predict(predictor, tacho_arch_find(cases[i].arch, NULL), block.bytes,
                                       block.size, &o, &p, &err),
                         0);
        if (p->cycles != cases[i].cycles)
            fail_msg("%s: %g cycles", cases[i].arch, p->cycles);
        test_block_free(&block);
    }
}

/* ---- code in pieces ---- */

#define TWO_PIECES "l: nop; nop; jmp m; m: nop; nop; dec r15; jnz l" /* 4 + 7 bytes */

static tacho_predict_options in_pieces(tacho_piece pieces[2], uint32_t offset, uint64_t address)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    pieces[0] = (tacho_piece){0, 0x400000};
    pieces[1] = (tacho_piece){offset, address};
    o.pieces = pieces;
    o.piece_count = 2;
    return o;
}

/* The fused pair takes the last 5 bytes of 7: on Skylake it must not touch a 32-byte boundary. Where the
 * branch begins a cache line, there is no pair. */
static void test_pieces__the_address_of_each_decides_on_the_jcc_erratum(void **state)
{
    tacho_piece pieces[2];
    for (uint64_t place = 0; place < 64; place++) {
        tacho_predict_options o = in_pieces(pieces, 4, 0x3fff00 + place);
        const tacho_prediction *p = must_predict(TWO_PIECES, &o);
        bool touches = ((place + 2) / 32 != (place + 6) / 32 && (place + 5) % 64) || (place + 7) % 32 == 0;
        assert_true(p->is_path);
        assert_int_equal((p->instructions[5]->notes & TACHO_NOTE_JCC_ERRATUM) != 0, touches);
        assert_int_equal(p->source != TACHO_SOURCE_DSB, touches);
    }
}

/* 4 NOPs and a jump, 4 NOPs and a pair: contiguous they fill two lines; a taken branch ends a line also when
 * its target is next to it. */
static void test_pieces__a_taken_branch_ends_a_line(void **state)
{
    tacho_piece pieces[2];
    tacho_predict_options o = in_pieces(pieces, 3, 0x400003);
    const char *code = "l: nop; jmp m; m: nop; nop; dec r15; jnz l";
    assert_true(must_predict(code, &o)->cycles == 2);
    o.pieces = NULL;
    assert_true(must_predict(code, &o)->cycles < 2);
}

static void test_pieces__that_make_no_sense_are_refused(void **state)
{
    tacho_piece pieces[2];
    const tacho_prediction *p;
    tacho_error err;
    const struct {
        uint32_t first, second;
        uint64_t address;
        tacho_mode mode;
        int expected;
    } cases[] = {{0, 4, 0x400100, TACHO_MODE_AUTO, 0},
                 {0, 3, 0x400100, TACHO_MODE_AUTO, TACHO_ERR_USAGE}, /* within an instruction */
                 {0, 11, 0x400100, TACHO_MODE_AUTO, TACHO_ERR_USAGE},
                 {0, 0, 0x400100, TACHO_MODE_AUTO, TACHO_ERR_USAGE},
                 {1, 4, 0x400100, TACHO_MODE_AUTO, TACHO_ERR_USAGE},
                 {0, 4, UINT64_MAX / 2, TACHO_MODE_AUTO, TACHO_ERR_USAGE},
                 {0, 4, 0x400100, TACHO_MODE_UNROLL, TACHO_ERR_USAGE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tacho_predict_options o = in_pieces(pieces, cases[i].second, cases[i].address);
        pieces[0].code_offset = cases[i].first;
        o.mode = cases[i].mode;
        assert_int_equal(predict(TWO_PIECES, &o, &p, &err), cases[i].expected);
    }
}

/* ---- what is known of pointers ---- */

static void test_options__aliases(void **state)
{
    const char *code = "mov [rbx], rax; mov rax, [rsi]"; /* 1 cycle where they are apart */
    tacho_alias a[TACHO_MAX_ALIASES + 1] = {{6, 3, 0}};  /* rsi = rbx */
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.mode = TACHO_MODE_UNROLL;
    assert_true(must_predict(code, &o)->cycles == 1);
    o.aliases = a;
    o.alias_count = 1;
    assert_true(must_predict(code, &o)->cycles == 5);
    o.init = TACHO_INIT_SAME;
    o.no_alias = true;
    assert_true(must_predict(code, &o)->cycles == 5);
    o.alias_count = 0;
    assert_true(must_predict(code, &o)->cycles == 1);
}

static void test_options__wrong_aliases_are_refused(void **state)
{
    static const tacho_alias wrong[][2] = {{{6, 6, 0}, {0, 1, 0}},  /* by itself */
                                           {{6, 16, 0}, {0, 1, 0}}, /* no register */
                                           {{6, 3, 0}, {6, 7, 0}},  /* twice */
                                           {{6, 3, 0}, {3, 7, 0}}}; /* chained */
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_deps_options d = TACHO_DEPS_OPTIONS_INIT;
    const tacho_prediction *p;
    tacho_deps *deps;
    tacho_error err;
    o.alias_count = d.alias_count = 2;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        o.aliases = d.aliases = wrong[k];
        assert_int_equal(predict("nop", &o, &p, &err), TACHO_ERR_USAGE);
        assert_int_equal(tacho_deps_find(&deps, (const uint8_t *)"\x90", 1, &d, &err), TACHO_ERR_USAGE);
    }
    o.alias_count = TACHO_MAX_ALIASES + 1;
    assert_int_equal(predict("nop", &o, &p, &err), TACHO_ERR_USAGE);
}

/* Where any number of stores leave in a cycle, they also reach the cache so. */
static void test_options__ideal_ports_for_stores(void **state)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.mode = TACHO_MODE_UNROLL;
    o.ideal = TACHO_IDEAL_PORTS;
    const tacho_prediction *p =
        must_predict("mov [rbx], rax; mov [rbx+64], rax; mov [rbx+128], rax; mov rcx, [rbx]", &o);
    assert_true(p->cycles < 3 && p->cycles_den != 0);
}

/* ---- a stretch of a run, executed once ---- */

static tacho_predict_options with_warm_up(uint32_t instructions)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.once = true;
    o.details = false;
    o.warm_up = instructions;
    return o;
}

/* What a repeated chain takes is what those of its instructions take that count. */
static void test_once__the_warm_up_does_not_count(void **state)
{
    static const char chain[] = ".rept 40; imul rax, rax; imul rax, rax; imul rax, rax; imul rax, rax; .endr";
    static const uint32_t warm_ups[] = {4, 40, 80, 156};
    for (size_t i = 0; i < sizeof warm_ups / sizeof *warm_ups; i++) {
        tacho_predict_options o = with_warm_up(warm_ups[i]);
        const tacho_prediction *p = must_predict(chain, &o);
        assert_true(p->cycles == 3 * (160 - warm_ups[i]));
        assert_int_equal(p->simulated_iterations, 1);
        assert_int_equal(p->cycles_den, 0);
        assert_true(isnan(p->bounds[TACHO_BOUND_DEPENDENCIES]));
    }
}

/* From the first retirement; the loop that the code would else be has no part in it. */
static void test_once__without_warm_up(void **state)
{
    tacho_predict_options o = with_warm_up(0);
    assert_true(must_predict(".rept 40; imul rax, rax; .endr", &o)->cycles == 3 * 39);
    assert_true(must_predict("imul rax, rax", &o)->cycles == 0);
    assert_true(must_predict("imul rax, rax; jmp .+2; imul rax, rax", &o)->cycles == 3);
    assert_true(must_predict(".rept 401; nop; .endr", &o)->cycles == 100); /* four a cycle */
}

/* A fused pair is one µop; it ends the warm-up when one of its instructions is of it. */
static void test_once__the_warm_up_may_end_in_a_fused_pair(void **state)
{
    for (uint32_t warm_up = 1; warm_up <= 2; warm_up++) {
        tacho_predict_options o = with_warm_up(warm_up);
        assert_true(must_predict("dec rax; jnz .+2; .rept 10; imul rax, rax; .endr", &o)->cycles == 30);
    }
}

/* As a loop the second iteration would wait for the first one's registers and memory. */
static void test_once__mispredictions_and_memory(void **state)
{
    static const char code[] = ".rept 8; add qword ptr [rsi], 1; .endr; dec rcx; jnz .+2; imul rax, rax";
    static const uint32_t branch[] = {9};
    tacho_predict_options o = with_warm_up(2);
    double foreseen = must_predict(code, &o)->cycles;
    assert_true(foreseen == 6 * 6);
    o.mispredicted = branch;
    o.mispredicted_count = 1;
    assert_true(must_predict(".rept 8; nop; .endr; test rcx, rcx; jnz .+2; imul rax, rax", &o)->cycles >= 16);
}

/* mov [rip+0x100], rax; mov rax, [rbx] again and again in one place: what RBX points to decides. */
static void test_once__pieces_lie_at_their_addresses(void **state)
{
    static const char code[] = ".rept 8; mov [rip+0x100], rax; mov rax, [rbx]; .endr";
    uint64_t values[16] = {[3] = 0x401000 + 7 + 0x100};
    tacho_piece pieces[8];
    for (uint32_t k = 0; k < 8; k++)
        pieces[k] = (tacho_piece){k * 10, 0x401000};
    tacho_predict_options o = with_warm_up(0);
    o.pieces = pieces;
    o.piece_count = 8;
    o.known_values = values;
    o.known_mask = 1u << 3;
    assert_true(must_predict(code, &o)->cycles > 7 * 4);
    values[3] += 0x200;
    assert_true(must_predict(code, &o)->cycles < 16);
}

/* Twice 13 µops in the same 32 bytes of code: the DSB has these once. */
static void test_pieces__the_same_code_again_takes_no_more_of_the_dsb(void **state)
{
    static const char code[] = ".rept 2; .rept 12; nop; .endr; jmp .+2; .endr";
    tacho_piece pieces[] = {{0, 0x401000}, {14, 0x401000}};
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.pieces = pieces;
    o.piece_count = 2;
    assert_int_equal(must_predict(code, &o)->source, TACHO_SOURCE_DSB);
    pieces[1].address = 0x40100e; /* right behind the first */
    assert_int_equal(must_predict(code, &o)->source, TACHO_SOURCE_MITE);
}

static void test_once__what_cannot_be(void **state)
{
    const tacho_prediction *p;
    tacho_error err;
    tacho_predict_options o = with_warm_up(2);
    assert_int_equal(predict("imul rax, rax; imul rax, rax", &o, &p, &err), TACHO_ERR_USAGE);
    assert_string_equal(err.message, "the code's 2 instructions are not more than its warm-up of 2");
    for (int k = 1; k < 3; k++) {
        o = with_warm_up(0);
        o.details = k == 1;
        o.mode = k == 2 ? TACHO_MODE_UNROLL : TACHO_MODE_AUTO;
        assert_int_equal(predict("imul rax, rax", &o, &p, &err), TACHO_ERR_USAGE);
        assert_string_equal(err.message,
                            "a stretch of a run has no bounds, details, trace or unrolled copies");
    }
}

/* The same code in both ways by one predictor, which remembers its answers. */
static void test_once__is_not_mistaken_for_a_loop(void **state)
{
    tacho_predict_options loop = TACHO_PREDICT_OPTIONS_INIT, o = with_warm_up(0);
    static const char code[] = ".rept 10; imul rax, rax; .endr";
    assert_true(must_predict(code, &loop)->cycles == 30);
    assert_true(must_predict(code, &o)->cycles == 27);
    assert_true(must_predict(code, &loop)->cycles == 30);
}

/* ---- addresses that move on ---- */

static double cycles_of(const char *text, bool advance, bool no_memory_deps)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.advance = advance;
    o.no_memory_deps = no_memory_deps;
    return must_predict(text, &o)->cycles;
}

static void test_advance__no_iteration_reads_what_another_one_wrote(void **state)
{
    static const char *const codes[] = {
        "movsd xmm0, [rdi+rax*8]; addsd xmm0, [rsi+rax*8]; movsd [rsi+rax*8], xmm0",
        "vmovups ymm0, [rdi]; vaddps ymm0, ymm0, [rdi+32]; vmovups [rdi+64], ymm0; vmovups [rdi], ymm0",
        "add [rdi], rax; add [rdi+800], rax",
        "add [rsp+rax*8], rbx",
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        double as_it_stands = cycles_of(codes[i], false, false), moving = cycles_of(codes[i], true, false);
        assert_true(as_it_stands > 5);
        assert_true(fabs(moving - cycles_of(codes[i], false, true)) < 0.02 * moving);
    }
}

static void test_advance__leaves_what_the_code_really_repeats(void **state)
{
    static const char *const codes[] = {
        "l: add [rdi], rax; dec r15; jnz l",             /* its own branch repeats it */
        "add qword ptr [rsp+8], rax",                    /* the stack */
        "add [rdi], rax; mov rdi, [rdi+8]",              /* it changes the address itself */
        "mov [rdi], rax; mov rbx, [rdi]; imul rax, rbx", /* within an iteration */
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_true(cycles_of(codes[i], true, false) == cycles_of(codes[i], false, false));
}

static void test_advance__says_how_far_and_that_it_was_assumed(void **state)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.advance = true;
    const tacho_prediction *p =
        must_predict("movss xmm0, [rdi]; addss xmm0, [rdi+60]; movss [rdi], xmm0", &o);
    assert_int_equal(p->advance_bytes, 64);
    assert_non_null(strstr(p->warnings[0], "advance by 64 bytes"));
    p = must_predict("l: add [rdi], rax; dec r15; jnz l", &o);
    assert_int_equal(p->advance_bytes, 0);
    assert_non_null(strstr(p->warnings[0], "the code is a loop, which moves its own addresses"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options__aliases),
        cmocka_unit_test(test_options__wrong_aliases_are_refused),
        cmocka_unit_test(test_options__ideal_ports_for_stores),
        cmocka_unit_test(test_unknown__left_out_is_as_if_not_there),
        cmocka_unit_test(test_unknown__a_pair_with_something_left_out_between_is_not_fused),
        cmocka_unit_test(test_unknown__nothing_left_is_an_error),
        cmocka_unit_test(test_unknown__an_error_names_instruction_and_place),
        cmocka_unit_test(test_unknown__a_latency_makes_chains),
        cmocka_unit_test(test_unknown__latency_has_limits),
        cmocka_unit_test(test_branches__not_taken_have_another_port),
        cmocka_unit_test(test_pieces__the_address_of_each_decides_on_the_jcc_erratum),
        cmocka_unit_test(test_pieces__a_taken_branch_ends_a_line),
        cmocka_unit_test(test_pieces__that_make_no_sense_are_refused),
        cmocka_unit_test(test_once__the_warm_up_does_not_count),
        cmocka_unit_test(test_once__pieces_lie_at_their_addresses),
        cmocka_unit_test(test_pieces__the_same_code_again_takes_no_more_of_the_dsb),
        cmocka_unit_test(test_once__without_warm_up),
        cmocka_unit_test(test_once__the_warm_up_may_end_in_a_fused_pair),
        cmocka_unit_test(test_once__mispredictions_and_memory),
        cmocka_unit_test(test_once__what_cannot_be),
        cmocka_unit_test(test_once__is_not_mistaken_for_a_loop),
        cmocka_unit_test(test_advance__no_iteration_reads_what_another_one_wrote),
        cmocka_unit_test(test_advance__leaves_what_the_code_really_repeats),
        cmocka_unit_test(test_advance__says_how_far_and_that_it_was_assumed),
    };
    predictor = tacho_predictor_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tacho_predictor_free(predictor);
    return failed;
}
