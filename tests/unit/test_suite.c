/* test_suite.c - what is done with the blocks of a suite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../support/support.h"
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

static void test_part__shares_cut_the_keys_in_their_order(void **state)
{
    static const uint32_t shares[] = {80, 0, 20}, one[] = {7};
    const uint64_t cut = 0xcccccccccccccccdu; /* four fifths of 2^64, rounded up */
    assert_int_equal(tacho_suite_part(0, shares, 3), 0);
    assert_int_equal(tacho_suite_part(cut - 1, shares, 3), 0);
    assert_int_equal(tacho_suite_part(cut, shares, 3), 2);
    assert_int_equal(tacho_suite_part(UINT64_MAX, shares, 3), 2);
    assert_int_equal(tacho_suite_part(UINT64_MAX, one, 1), 0);
}

/* Keys of consecutive numbers, as blocks, fill the parts evenly: five standard deviations are 200. */
static void test_part__gets_its_share_of_any_blocks(void **state)
{
    enum {
        BLOCKS = 10000
    };
    static const uint32_t shares[] = {8, 2};
    for (uint64_t seed = 0; seed < 5; seed++) {
        unsigned first = 0;
        for (uint16_t i = 0; i < BLOCKS; i++)
            first += !tacho_suite_part(tacho_suite_key((const uint8_t *)&i, sizeof i, seed), shares, 2);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key__is_the_same_everywhere),
        cmocka_unit_test(test_key__zeros_at_the_end_count),
        cmocka_unit_test(test_part__shares_cut_the_keys_in_their_order),
        cmocka_unit_test(test_part__gets_its_share_of_any_blocks),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
