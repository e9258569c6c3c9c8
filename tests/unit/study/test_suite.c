/* test_suite.c - what is done with the blocks of a suite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"
#include "tacho/suite.h"

/* The numbers come from another program that does the same arithmetic: they must never change. */
static void test_key__is_the_same_everywhere(void **state)
{
    static const uint8_t add[] = {0x48, 0x01, 0xd8}, ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    assert_true(tacho_suite_key(add, 3, 0) == 0x9cd46cf6d7113a19u);
    assert_true(tacho_suite_key(add, 3, 1) == 0x77c4ad8137daf905u);
    assert_true(tacho_suite_key(NULL, 0, 0) == 0x79c9ab2b96eb125fu);
    assert_true(tacho_suite_key(ten, 10, 7) == 0x28c914f254de4391u);
}

static void test_key__zeros_at_the_end_count(void **state)
{
    static const uint8_t nops[16] = {0x90};
    for (size_t a = 1; a < 16; a++)
        for (size_t b = a + 1; b <= 16; b++)
            assert_true(tacho_suite_key(nops, a, 0) != tacho_suite_key(nops, b, 0));
}

/* Of consecutive numbers, as blocks, four fifths have keys below four fifths of 2^64: five standard
 * deviations are 200. */
static void test_key__is_spread_evenly(void **state)
{
    enum {
        BLOCKS = 10000
    };
    for (uint64_t seed = 0; seed < 5; seed++) {
        unsigned first = 0;
        for (uint16_t i = 0; i < BLOCKS; i++)
            first += tacho_suite_key((const uint8_t *)&i, sizeof i, seed) < 0xcccccccccccccccdu;
        assert_in_range(first, 7800, 8200);
    }
}

static void check_apps(const char *list, const char *expected)
{
    char found[200] = "";
    const char *name;
    size_t length;
    while (tacho_suite_next_app(&list, &name, &length)) {
        strcat(found, *found ? "|" : "");
        strncat(found, name, length);
    }
    assert_string_equal(found, expected);
}

static void test_apps__are_separated_by_semicolons_or_single_plus_signs(void **state)
{
    check_apps("gzip", "gzip");
    check_apps("gzip;sqlite", "gzip|sqlite");
    check_apps("eigen-matmat+eigen-vecmat", "eigen-matmat|eigen-vecmat");
    check_apps(" a ;; b; ", "a|b");
    check_apps("a+b;c", "a|b|c");
    check_apps("", "");
    check_apps(";", "");
}

static void test_apps__a_name_may_have_plus_signs(void **state)
{
    check_apps("g++", "g++");
    check_apps("libstdc++6;c++filt", "libstdc++6|c++filt");
    check_apps("+x", "+x");
    check_apps("x+", "x+");
    check_apps("x+;y", "x+|y");
}

/* ---- loops ---- */

static tacho_loop_variant variant;
static uint8_t loop[1 << 16];
static tacho_error err;

static int make(const char *assembly, bool unroll_short)
{
    test_block b;
    if (test_block_make(&b, assembly, &err))
        fail_msg("%s: %s", assembly, err.message);
    int result = tacho_suite_loop(loop, &variant, b.bytes, b.size, unroll_short, &err);
    test_block_free(&b);
    return result;
}

static void check_loop(const char *assembly, bool unroll_short, uint32_t unroll, const char *hex)
{
    char text[2 * sizeof loop + 1];
    if (make(assembly, unroll_short))
        fail_msg("%s: %s", assembly, err.message);
    for (size_t i = 0; i < variant.size; i++)
        sprintf(text + 2 * i, "%02x", loop[i]);
    assert_string_equal(text, hex);
    assert_int_equal(variant.unroll, unroll);
}

/* Five instructions besides dec and jnz, by whole copies. */
static void test_loop__short_blocks_are_unrolled_to_five_instructions(void **state)
{
    check_loop("add rax, rbx", true, 5, "4801d84801d84801d84801d84801d849ffca75ec");
    check_loop("inc eax; inc ecx", true, 3, "ffc0ffc1ffc0ffc1ffc0ffc149ffca75ef");
    check_loop("inc eax; inc ecx; inc edx", true, 2, "ffc0ffc1ffc2ffc0ffc1ffc249ffca75ef");
    check_loop("nop; nop; nop; nop", true, 2, "909090909090909049ffca75f3");
    check_loop("nop; nop; nop; nop; nop", true, 1, "909090909049ffca75f6");
    assert_int_equal(variant.instructions, 5);
    check_loop("nop; nop; nop; nop; nop; nop", true, 1, "90909090909049ffca75f5");
}

static void test_loop__short_blocks_stay_short_when_asked(void **state)
{
    check_loop("add rax, rbx", false, 1, "4801d849ffca75f8");
    assert_int_equal(variant.instructions, 1);
    check_loop("nop; nop; nop; nop", false, 1, "9090909049ffca75f7");
}

static void check_counter(const char *assembly, const char *reg)
{
    if (make(assembly, true))
        fail_msg("%s: %s", assembly, err.message);
    assert_string_equal(tacho_reg_name((tacho_reg){TACHO_REG_R64, variant.counter}), reg);
}

#define R8_TO_R15 "add r8, r9; add r10, r11; add r12, r13; add r14, r15; "

static void test_loop__counts_in_a_register_that_the_block_does_not_use(void **state)
{
    check_counter("add rax, rbx", "r10");
    check_counter("add rax, r10", "r11");
    check_counter("add eax, r10d; add r11d, eax", "r12");
    check_counter("mov r10w, 1", "r11"); /* a part of it is it */
    check_counter("mov r10b, 1", "r11");
    check_counter("mov rax, [r10]", "r11"); /* so is one in an address, */
    check_counter("mov rax, [rbx + 4 * r10]", "r11");
    check_counter("lea rax, [r10 + r11]", "r12"); /* even if nothing is read there */
    check_counter("nop dword ptr [r10]", "r11");
    check_counter("add r10, r11; add r12, r13; add r14, r15", "r8");
    check_counter("add r10, r11; add r12, r13; add r14, r15; inc r8", "r9");
    check_counter(R8_TO_R15, "rax");
    check_counter(R8_TO_R15 "mov al, 1", "rcx");
    check_counter(R8_TO_R15 "mov ah, 1", "rcx");
    check_counter(R8_TO_R15 "mov ah, ch", "rdx");
}

static void test_loop__registers_that_are_not_named_are_used_too(void **state)
{
    check_counter(R8_TO_R15 "mul rcx", "rbp"); /* rax, rdx */
    check_counter(R8_TO_R15 "cdq", "rcx");
    check_counter(R8_TO_R15 "cpuid", "rbp");                   /* rax, rbx, rcx, rdx */
    check_counter(R8_TO_R15 "cpuid; leave", "rsi");            /* rbp, rsp */
    check_counter(R8_TO_R15 "shl rax, cl", "rdx");             /* rcx */
    check_counter(R8_TO_R15 "cpuid; push rbp", "rsi");         /* rsp */
    check_counter(R8_TO_R15 "cpuid; leave; lodsb", "rdi");     /* rsi */
    check_counter(R8_TO_R15 "cpuid; leave; stosb", "rsi");     /* rdi */
    check_counter(R8_TO_R15 "mov rax, rdx; rep movsb", "rbp"); /* rcx, rsi, rdi */
    check_counter(R8_TO_R15 "xlatb; add rcx, rdx", "rbp");     /* rax, rbx */
    check_counter("mov rax, r10; cmpxchg [r11], rcx; rdtsc", "r12");
}

static void test_loop__rsp_never_counts(void **state)
{
    assert_int_equal(make(R8_TO_R15 "cpuid; add rbp, rsi; add rsi, rdi", true), TACHO_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "no register is left"));
    assert_int_equal(make(R8_TO_R15 "cpuid; push rbp; movsb", true), TACHO_ERR_UNSUPPORTED);
}

/* A branch of two bytes reaches 128 bytes back from its end. */
static void test_loop__the_branch_is_as_long_as_it_has_to_be(void **state)
{
    assert_int_equal(make(".rept 123; nop; .endr", true), 0);
    assert_int_equal(variant.size, 128);
    assert_memory_equal(loop + 123, "\x49\xff\xca\x75\x80", 5);
    assert_int_equal(make(".rept 124; nop; .endr", true), 0);
    assert_int_equal(variant.size, 133);
    assert_memory_equal(loop + 124, "\x49\xff\xca\x0f\x85\x7b\xff\xff\xff", 9);
    assert_int_equal(make(".rept 60000; nop; .endr", true), 0);
    assert_memory_equal(loop + 60000, "\x49\xff\xca\x0f\x85\x97\x15\xff\xff", 9); /* -60009 */
}

static void test_loop__addresses_relative_to_rip_are_kept(void **state)
{
    check_loop("mov eax, [rip + 0x10]", true, 5,
               "8b05100000008b05100000008b05100000008b05100000008b051000000049ffca75dd");
}

static void check_refused(const char *assembly, int64_t offset, const char *part)
{
    assert_int_equal(make(assembly, true), TACHO_ERR_INPUT);
    if (!strstr(err.message, part))
        fail_msg("'%s' is not in: %s", part, err.message);
    assert_int_equal(err.offset, offset);
}

static void test_loop__only_straight_code_is_made_a_loop(void **state)
{
    check_refused("nop; 1: jnz 1b", 1, "is a branch");
    check_refused("jmp 1f; nop; 1: nop", 0, "is a branch");
    check_refused("nop; nop; jmp rax", 2, "is a branch");
    check_refused("1: loop 1b", 0, "is a branch");
    check_refused("nop; jrcxz 1f; 1: nop", 1, "is a branch");
    check_refused("call rax; nop", 0, "is a call");
    check_refused("nop; ret", 1, "is a return");
    check_refused("syscall; nop", 0, "is a system call");
    check_refused("int3", 0, "is an interrupt");
    check_refused("nop; ud2", 1, "does not go on");
    check_refused("hex:90904801", 2, "cut off");
    assert_int_equal(tacho_suite_loop(loop, &variant, loop, 0, true, &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "empty"));
    assert_int_equal(tacho_suite_loop(loop, &variant, (const uint8_t *)"\xc3", 1, true, NULL),
                     TACHO_ERR_INPUT);
}

/* ---- filters ---- */

static tacho_suite_verdict verdict;

static const char *reasons_of(const char *assembly, tacho_suite_filter_options *o)
{
    static char text[300];
    test_block b;
    if (test_block_make(&b, assembly, &err))
        fail_msg("%s: %s", assembly, err.message);
    assert_int_equal(tacho_suite_filter(&verdict, b.bytes, b.size, o, &err), 0);
    test_block_free(&b);
    text[0] = '\0';
    for (int i = 0; i < TACHO_REASON_COUNT; i++)
        if (verdict.reasons >> i & 1) {
            strcat(text, *text ? ";" : "");
            strcat(text, tacho_suite_reason_name((tacho_suite_reason)i));
        } else
            assert_int_equal(verdict.offset[i], -1);
    return text;
}

/* On that microarchitecture, NULL for none. */
static void check_reasons(const char *arch, const char *assembly, const char *expected)
{
    tacho_suite_filter_options o = TACHO_SUITE_FILTER_OPTIONS_INIT;
    const tacho_arch *core = arch ? tacho_arch_find(arch, &err) : NULL;
    o.archs = &core;
    o.arch_count = arch != NULL;
    const char *found = reasons_of(assembly, &o);
    if (strcmp(found, expected))
        fail_msg("%s on %s: '%s', not '%s'", assembly, arch ? arch : "any", found, expected);
}

static void test_filter__bytes_that_are_no_instruction(void **state)
{
    check_reasons(NULL, "hex:4801d8", "");
    check_reasons(NULL, "hex:904801", "undecodable");
    assert_int_equal(verdict.offset[TACHO_REASON_UNDECODABLE], 1);
    check_reasons("SKL", "hex:06f7f1", "undecodable"); /* push es; the division is not looked at */
    tacho_suite_filter_options o = TACHO_SUITE_FILTER_OPTIONS_INIT;
    assert_int_equal(tacho_suite_filter(&verdict, NULL, 0, &o, &err), 0);
    assert_int_equal(verdict.reasons, 1 << TACHO_REASON_UNDECODABLE);
}

/* What one of several cores does not take is out. */
static void test_filter__several_microarchitectures(void **state)
{
    static const struct {
        const char *archs[2], *assembly, *expected;
    } cases[] = {
        {{"SKL", "ICL"}, "nop; vpermb zmm0, zmm1, zmm2", "unsupported"},
        {{"ICL", "SKL"}, "nop; vpermb zmm0, zmm1, zmm2", "unsupported"},
        {{"ICL", "RKL"}, "nop; vpermb zmm0, zmm1, zmm2", ""},
        {{"HSW", "SNB"}, "nop; tzcnt eax, ecx", "unsupported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tacho_arch *archs[2] = {tacho_arch_find(cases[i].archs[0], &err),
                                      tacho_arch_find(cases[i].archs[1], &err)};
        tacho_suite_filter_options o = TACHO_SUITE_FILTER_OPTIONS_INIT;
        o.archs = archs;
        o.arch_count = 2;
        assert_string_equal(reasons_of(cases[i].assembly, &o), cases[i].expected);
        assert_int_equal(verdict.offset[TACHO_REASON_UNSUPPORTED], *cases[i].expected ? 1 : -1);
    }
}

static void test_filter__blocks_that_are_too_long(void **state)
{
    tacho_suite_filter_options o = TACHO_SUITE_FILTER_OPTIONS_INIT;
    o.max_instructions = 3;
    assert_string_equal(reasons_of("nop; nop; nop", &o), "");
    assert_string_equal(reasons_of("nop; nop; nop; nop", &o), "too-long");
    o.max_bytes = 2;
    assert_string_equal(reasons_of("div ecx", &o), "timing");
    assert_string_equal(reasons_of("nop; div ecx", &o), "too-long");
    o.max_accesses = 1;
    assert_string_equal(reasons_of("push rax; push rax", &o), "accesses");
    assert_string_equal(reasons_of("push rax; nop", &o), "");
}

static void test_filter__what_is_not_the_blocks_business(void **state)
{
    check_reasons(NULL, "add rax, 1; wrmsr", "system");
    check_reasons(NULL, "nop; popfq", "system");
    assert_int_equal(verdict.offset[TACHO_REASON_SYSTEM], 1);
    check_reasons(NULL, "mov fs, eax", "system");
    check_reasons(NULL, "pushfq; .byte 0x64; mov eax, [rdi]; rdtsc",
                  "aliasing"); /* rsp, and rdi with the base of fs */
    check_reasons(NULL, "rdtsc", "");
}

static void test_filter__control_goes_elsewhere(void **state)
{
    check_reasons(NULL, "add rax, 1; call 1f; 1:", "control-flow");
    assert_int_equal(verdict.offset[TACHO_REASON_CONTROL_FLOW], 4);
    check_reasons(NULL, "ret", "control-flow");
    check_reasons(NULL, "jmp rax", "control-flow");
    check_reasons(NULL, "syscall", "control-flow");
    check_reasons(NULL, "ud2", "control-flow");
    check_reasons(NULL, "1: jz 1b; nop", "control-flow");
    check_reasons(NULL, "nop; 1: jz 1b", "");           /* at the end */
    check_reasons(NULL, "1: nop; dec ecx; jnz 1b", ""); /* a loop */
}

static void test_filter__instructions_that_the_core_lacks(void **state)
{
    check_reasons("SNB", "andn eax, ebx, ecx", "unsupported");
    check_reasons("HSW", "andn eax, ebx, ecx", "");
    check_reasons(NULL, "andn eax, ebx, ecx", "");
    check_reasons("IVB", "nop; tzcnt eax, ebx", "unsupported"); /* which it takes for bsf */
    assert_int_equal(verdict.offset[TACHO_REASON_UNSUPPORTED], 1);
    check_reasons("SNB", "lzcnt rax, rbx", "unsupported");
    check_reasons("SNB", "bsf eax, ebx; popcnt eax, ebx", "");
    check_reasons("HSW", "tzcnt eax, ebx; lzcnt eax, ebx", "");
    check_reasons("SKL", "vpaddd zmm0, zmm1, zmm2", "unsupported");
    check_reasons("SKX", "vpaddd zmm0, zmm1, zmm2", "");
}

static void test_filter__x87_stacks_that_over_or_underflow(void **state)
{
    check_reasons(NULL, "nop; fld1", "x87");
    assert_int_equal(verdict.offset[TACHO_REASON_X87], 1);
    check_reasons(NULL, "fstp st(0)", "x87");
    check_reasons(NULL, "fld1; fstp st(0)", "");
    check_reasons(NULL, "faddp; fld1", "");
    check_reasons(NULL, "fadd st(0), st(3)", "");
    check_reasons(NULL,
                  "fldz; fldz; fldz; fldz; fldz; fldz; fldz; fldz; fldz; fcompp; fcompp; fcompp; fcompp; "
                  "fstp st(0)",
                  "x87"); /* nine */
    check_reasons(NULL, "fldz; fldz; fldz; fldz; fldz; fldz; fldz; fldz; fcompp; fcompp; fcompp; fcompp", "");
}

static void test_filter__times_that_depend_on_values(void **state)
{
    static const char *const depend[] = {"div rcx",
                                         "idiv cl",
                                         "divsd xmm0, xmm1",
                                         "vdivps ymm0, ymm1, ymm2",
                                         "sqrtss xmm0, xmm1",
                                         "fdiv st(0), st(1)",
                                         "fsqrt",
                                         "fsin; fcos",
                                         "cpuid",
                                         "rep stosb",
                                         "repne scasb",
                                         "xgetbv",
                                         "vsqrtpd xmm0, xmm1"};
    static const char *const do_not[] = {"imul rax, rcx",
                                         "rsqrtss xmm0, xmm1",
                                         "rcpps xmm0, xmm1",
                                         "fmul st(0), st(1)",
                                         "stosb",
                                         "movsd xmm0, xmm1",
                                         "pause",
                                         "shl rax, cl",
                                         "fmulp; fld1"};
    for (size_t i = 0; i < sizeof depend / sizeof *depend; i++)
        check_reasons(NULL, depend[i], "timing");
    for (size_t i = 0; i < sizeof do_not / sizeof *do_not; i++)
        check_reasons(NULL, do_not[i], "");
}

static void test_filter__loads_that_may_read_what_was_stored(void **state)
{
    check_reasons(NULL, "mov [rdi], rax; mov rbx, [rsi]", "aliasing");
    check_reasons(NULL, "mov rbx, [rsi]; mov [rdi], rax", "aliasing"); /* in the next repetition */
    assert_int_equal(verdict.offset[TACHO_REASON_ALIASING], 0);
    check_reasons(NULL, "mov [rdi + 8*rcx], rax; mov rbx, [rdi]", "aliasing");
    check_reasons(NULL, "mov [rdi], rax; mov rbx, [rip]", "aliasing");
    check_reasons(NULL, "mov [rdi], rax; .byte 0x64; mov rbx, [rdi]", "aliasing");
    check_reasons(NULL, "mov rax, [rdi]; mov [rdi], rbx; mov rdi, [rdi + 8]", "aliasing");
    check_reasons(NULL, "push rax; mov rbx, [rdi]", "aliasing");
    check_reasons(NULL, "vpgatherdd ymm0, [rdi + ymm1], ymm2; mov [rdi], rax", "aliasing");
    check_reasons(NULL, "and rdi, -16; mov [rdi], rax; mov rdi, rsi; mov rbx, [rsi]", "aliasing");
    check_reasons(NULL, "movsb", "aliasing");
}

/* The paper's rule: address registers that are the same and not modified. And its reason: a distance that
 * nothing changes. */
static void test_filter__loads_and_stores_at_fixed_distances(void **state)
{
    check_reasons(NULL, "mov [rdi], rax; mov rbx, [rdi]", "");
    check_reasons(NULL, "mov [rdi + 64], rax; mov rbx, [rdi]", "");
    check_reasons(NULL, "mov [rdi + 8*rcx], rax; mov rbx, [rdi + 8*rcx - 8]", "");
    check_reasons(NULL, "add [rdi], rax", "");
    check_reasons(NULL, "mov rax, [rdi]; add rdi, 8; mov [rdi - 8], rbx", "");
    check_reasons(NULL, "push rax; pop rbx", "");
    check_reasons(NULL, "push rbp; mov rbp, rsp; mov rax, [rbp + 16]; pop rbp", "");
    check_reasons(NULL, "lea rsi, [rdi + 8]; mov [rsi], rax; mov rbx, [rdi]", "");
    check_reasons(NULL, "mov [rip], rax; mov rbx, [rip + 64]", "");
    check_reasons(NULL, ".byte 0x64; mov [rdi], rax; .byte 0x64; mov rbx, [rdi + 8]", "");
    check_reasons(NULL, "mov rax, [rdi]; mov rbx, [rsi]", ""); /* no store */
    check_reasons(NULL, "mov [rdi], rax; mov [rsi], rbx", ""); /* no load */
    check_reasons(NULL, "mov [rdi], rax; prefetcht0 [rsi]; nop dword ptr [rbx]; lea rcx, [rdx]", "");
    check_reasons(NULL, "mov rbx, [rax]; lea rax, [rdi + 8]; mov [rdi], rcx",
                  ""); /* from the second time on */
}

static void test_filter__loads_that_may_conflict_in_a_bank(void **state)
{
    check_reasons("SNB", "mov rax, [rdi]; mov rbx, [rsi]", "bank-conflict");
    check_reasons("IVB", "mov rax, [rdi]; nop; mov rbx, [rdi + 8*rcx]", "bank-conflict");
    assert_int_equal(verdict.offset[TACHO_REASON_BANK_CONFLICT], 4);
    check_reasons("SNB", "mov rax, [rdi]; mov rbx, [rdi + 64]", "");
    check_reasons("SNB", "mov [rdi], rax; mov [rsi], rbx", "");
    check_reasons("HSW", "mov rax, [rdi]; mov rbx, [rsi]", "");
    check_reasons(NULL, "mov rax, [rdi]; mov rbx, [rsi]", "");
}

static void test_filter__stores_that_may_pair(void **state)
{
    check_reasons("ICL", "mov [rdi], rax; mov [rsi], rbx", "store-pairing");
    check_reasons("ICX", "push rax; mov [rsi], rbx", "store-pairing");
    check_reasons("TGL", "mov [rdi], rax; mov [rdi + 8], rbx", "");
    check_reasons("ICL", "push rax; push rbx", "");
    check_reasons("ICL", "mov rax, [rdi]; mov rbx, [rsi]", "");
    check_reasons("SKL", "mov [rdi], rax; mov [rsi], rbx", "");
}

static void test_filter__finds_all_reasons_and_those_only_that_are_wanted(void **state)
{
    static const char block[] = "fld1; mov [rdi], rax; div qword ptr [rsi]";
    tacho_suite_filter_options o = TACHO_SUITE_FILTER_OPTIONS_INIT;
    assert_string_equal(reasons_of(block, &o), "x87;timing;aliasing");
    o.reasons = 1 << TACHO_REASON_TIMING;
    assert_string_equal(reasons_of(block, &o), "timing");
    o.size = 0;
    assert_int_equal(tacho_suite_filter(&verdict, (const uint8_t *)"\x90", 1, &o, &err), TACHO_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key__is_the_same_everywhere),
        cmocka_unit_test(test_key__zeros_at_the_end_count),
        cmocka_unit_test(test_key__is_spread_evenly),
        cmocka_unit_test(test_apps__are_separated_by_semicolons_or_single_plus_signs),
        cmocka_unit_test(test_apps__a_name_may_have_plus_signs),
        cmocka_unit_test(test_loop__short_blocks_are_unrolled_to_five_instructions),
        cmocka_unit_test(test_loop__short_blocks_stay_short_when_asked),
        cmocka_unit_test(test_loop__counts_in_a_register_that_the_block_does_not_use),
        cmocka_unit_test(test_loop__registers_that_are_not_named_are_used_too),
        cmocka_unit_test(test_loop__rsp_never_counts),
        cmocka_unit_test(test_loop__the_branch_is_as_long_as_it_has_to_be),
        cmocka_unit_test(test_loop__addresses_relative_to_rip_are_kept),
        cmocka_unit_test(test_loop__only_straight_code_is_made_a_loop),
        cmocka_unit_test(test_filter__bytes_that_are_no_instruction),
        cmocka_unit_test(test_filter__several_microarchitectures),
        cmocka_unit_test(test_filter__blocks_that_are_too_long),
        cmocka_unit_test(test_filter__what_is_not_the_blocks_business),
        cmocka_unit_test(test_filter__control_goes_elsewhere),
        cmocka_unit_test(test_filter__instructions_that_the_core_lacks),
        cmocka_unit_test(test_filter__x87_stacks_that_over_or_underflow),
        cmocka_unit_test(test_filter__times_that_depend_on_values),
        cmocka_unit_test(test_filter__loads_that_may_read_what_was_stored),
        cmocka_unit_test(test_filter__loads_and_stores_at_fixed_distances),
        cmocka_unit_test(test_filter__loads_that_may_conflict_in_a_bank),
        cmocka_unit_test(test_filter__stores_that_may_pair),
        cmocka_unit_test(test_filter__finds_all_reasons_and_those_only_that_are_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
