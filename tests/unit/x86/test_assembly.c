/* test_assembly.c - instructions written as assembly are the same instructions when assembled, in both
 * syntaxes, for all blocks of the golden file and for what has two names or sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"
#include "base/str.h"
#include "tacho/tools.h"
#include "x86/decode/assembly.h"

enum {
    MAX_INSNS = 30000
};

static const char *corpus_path;
static tacho_insn *insns;
static size_t insn_count;

static void take_insns(const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        assert_true(insn_count < MAX_INSNS);
        if (tacho_decode(&insns[insn_count], bytes + at, size - at, NULL))
            return;
        at += insns[insn_count].length;
        insn_count++;
    }
}

static int take_block(const test_block *b, long at, const char *rest, void *payload)
{
    take_insns(b->bytes, b->size);
    return insn_count > MAX_INSNS - 4096;
}

static void as_text(char out[256], const tacho_insn *insn)
{
    assert_int_equal(tacho_insn_format(insn, 0, 1, out, 256), 0);
}

/* All of `insns` in one assembly text; what comes out must read the same, one by one. */
static void check(tacho_syntax syntax)
{
    tacho_str text = {0};
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    tacho_code *code;
    tacho_error err;
    char line[256], again[256];
    if (syntax == TACHO_SYNTAX_INTEL)
        tacho_str_puts(&text, ".intel_syntax noprefix\n");
    for (size_t i = 0; i < insn_count; i++) {
        assert_int_equal(
            tacho_insn_assembly(&insns[i], syntax, insns[i].is_branch ? "0f" : NULL, line, sizeof line), 0);
        tacho_str_printf(&text, "%s\n%s", line, insns[i].is_branch ? "0:\n" : "");
    }
    o.kind = TACHO_INPUT_ASSEMBLY;
    if (tacho_code_from_memory(&code, text.data, text.length, "text", &o, &err))
        fail_msg("%s", err.message);
    const uint8_t *at = code->regions[0].bytes, *end = at + code->regions[0].byte_count;
    for (size_t i = 0; i < insn_count; i++) {
        tacho_insn made;
        assert_int_equal(tacho_decode(&made, at, (size_t)(end - at), NULL), 0);
        at += made.length;
        as_text(line, &insns[i]);
        as_text(again, &made);
        if (insns[i].is_branch && insns[i].operands[0].kind == TACHO_OPERAND_REL)
            assert_int_equal(made.mnemonic, insns[i].mnemonic);
        else
            assert_string_equal(again, line);
    }
    assert_true(at == end);
    tacho_code_free(code);
    tacho_str_free(&text);
}

static void test_assembly__the_corpus_comes_back(void **state)
{
    insn_count = 0;
    test_corpus_each(corpus_path, take_block, NULL);
    assert_true(insn_count > 1000);
    check(TACHO_SYNTAX_ATT);
    check(TACHO_SYNTAX_INTEL);
}

static void test_assembly__sizes_and_names_come_back(void **state)
{
    static const char code[] =
        "add byte ptr [rax], 1; add word ptr [rax], 1; add dword ptr [rax], 1; add qword ptr [rax], 1;"
        "shl byte ptr [rax], cl; shr qword ptr [rax], 1; sar dword ptr [rax], 3; rcl word ptr [rax], cl;"
        "shld [rax], rbx, 3; not dword ptr [rax]; mul byte ptr [rbx]; imul qword ptr [rbx]; imul rax, [rbx], "
        "3;"
        "div word ptr [rsi]; push qword ptr [rax]; pop qword ptr [rax]; push 5; mov qword ptr [rax], 5;"
        "movabs rax, 0x123456789abcdef; movabs al, [0x123456789abcdef]; movabs [0x123456789abcdef], eax;"
        "movzx eax, bl; movzx ax, byte ptr [rax]; movzx rax, word ptr [rax]; movsx rax, bl; movsxd rax, ebx;"
        "movsx eax, word ptr [rbx]; movsxd rax, dword ptr [rbx]; bt dword ptr [rax], 3; bts qword ptr [rax], "
        "rbx;"
        "crc32 eax, byte ptr [rbx]; crc32 rax, qword ptr [rbx]; lock add [rax], ebx; lock inc qword ptr "
        "[rax];"
        "xchg [rax], ebx; cmpxchg [rax], rbx; nop dword ptr [rax]; nop word ptr [rax+rax*1];"
        "fld dword ptr [rax]; fld qword ptr [rax]; fld tbyte ptr [rax]; fild word ptr [rax];"
        "fild dword ptr [rax]; fild qword ptr [rax]; fistp qword ptr [rax]; fstp tbyte ptr [rax];"
        "fadd dword ptr [rax]; fiadd word ptr [rax]; fadd st, st(3); fadd st(3), st; fsub st, st(1);"
        "fsub st(1), st; fsubr st(1), st; fsubp st(1), st; fsubrp st(2), st; fdiv st(1), st; fdivr st(3), st;"
        "fdivp st(1), st; fdivrp st(1), st; fxch st(2); fldcw [rax]; fnstcw [rax]; fnstsw ax;"
        "rep movsb; rep stosq; repne scasb; lodsd; rep movsd; stosd; scasd; cmpsd; cmpsw; jmp rax; jmp qword "
        "ptr [rax]; call rbx;"
        "call qword ptr [rbx+8]; ret; cvtsi2sd xmm0, dword ptr [rax]; cvtsi2ss xmm0, qword ptr [rax];"
        "cvtsi2sd xmm1, rax; vcvtsi2sd xmm0, xmm1, qword ptr [rax]; cvttsd2si rax, qword ptr [rbx];"
        "movsd xmm0, qword ptr [rax]; movss [rax], xmm1; movq xmm0, rax; movd eax, xmm3; movq xmm0, [rax];"
        "vcvtpd2ps xmm0, xmmword ptr [rax]; vcvtpd2ps xmm0, ymmword ptr [rax]; vcvttpd2dq xmm0, ymmword ptr "
        "[rax];"
        "vbroadcastss ymm0, dword ptr [rax]; vinsertf128 ymm0, ymm1, [rax], 1; vpmovzxbw ymm0, [rax];"
        "vgatherdps xmm0, [rax+xmm1*4], xmm2; vpgatherqq ymm0, [rax+ymm1*8], ymm2;"
        "vaddps zmm0 {k1}, zmm1, [rax]; vaddpd zmm0 {k1} {z}, zmm1, qword ptr [rax] {1to8};"
        "vaddpd zmm0, zmm1, zmm2, {rn-sae}; vcmpps k1 {k2}, zmm0, zmm1, {sae}, 3; vmovdqu8 [rax] {k1}, zmm0;"
        "vcvtsi2sd xmm0, xmm1, {rn-sae}, rax; vrndscaleps zmm0 {k1}, zmm1, {sae}, 3; kmovq k1, rax; kmovd "
        "[rax], k2; vpcompressd [rax] {k1}, zmm0; mov "
        "eax, "
        "[rip+0x10];"
        "lea rax, [rbx+rcx*8-0x80]; prefetcht0 [rax]; clflush [rax]; lfence; rdtsc; cqo; cdqe; cwde; xlatb;"
        "sete byte ptr [rax]; cmovne rax, [rbx]; bswap rax; popcnt ax, [rbx]; adcx rax, [rbx]; mulx rax, "
        "rbx, [rcx]";
    test_block b;
    tacho_error err;
    insn_count = 0;
    if (test_block_make(&b, code, &err))
        fail_msg("%s", err.message);
    take_insns(b.bytes, b.size);
    test_block_free(&b);
    take_insns((const uint8_t *)"\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9); /* mov rax, fs:[0x28] */
    assert_true(insn_count > 100);
    check(TACHO_SYNTAX_ATT);
    check(TACHO_SYNTAX_INTEL);
}

static void test_assembly__what_does_not_fit_is_refused(void **state)
{
    tacho_insn insn;
    char out[32];
    assert_int_equal(tacho_decode(&insn, (const uint8_t *)"\x48\x01\xd8", 3, NULL), 0);
    assert_int_equal(tacho_insn_assembly(&insn, TACHO_SYNTAX_ATT, NULL, out, sizeof out), 0);
    assert_string_equal(out, "add %rbx, %rax");
    assert_int_equal(tacho_insn_assembly(&insn, TACHO_SYNTAX_ATT, NULL, out, strlen("add %rbx, %rax")),
                     TACHO_ERR_LIMIT);
    assert_int_equal(tacho_insn_assembly(&insn, TACHO_SYNTAX_ATT, NULL, out, 0), TACHO_ERR_LIMIT);
    insn = (tacho_insn){.bytes = {0x06}, .length = 1};
    assert_int_equal(tacho_insn_assembly(&insn, TACHO_SYNTAX_ATT, NULL, out, sizeof out), TACHO_ERR_INPUT);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assembly__the_corpus_comes_back),
        cmocka_unit_test(test_assembly__sizes_and_names_come_back),
        cmocka_unit_test(test_assembly__what_does_not_fit_is_refused),
    };
    if (argc < 2 || !(insns = calloc(MAX_INSNS, sizeof *insns)))
        return 1;
    corpus_path = argv[1];
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(insns);
    return failed;
}
