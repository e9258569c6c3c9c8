/* test_deps_flags.c - results and flags of the integer instructions that are followed, against this
 * processor: each instruction is executed on random numbers both ways. What the model does not know is not
 * compared; that it knows what compilers branch on is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "../../support/support.h"
#include "base/hash.h"
#include "model/deps/deps_internal.h"
#include "x86/decode/regs.h"

enum {
    PAGE = 4096,
    TRIALS = 400
};

static tacho_error err;
static uint8_t *page;

/* The second argument goes to RCX, the carry is that of the third; *flags is RFLAGS afterwards. */
typedef uint64_t (*native)(uint64_t rax, uint64_t rcx, uint64_t carry, uint64_t *flags);

static native make_native(const char *code)
{
    char text[300];
    test_block b;
    snprintf(text, sizeof text,
             "mov r8, rcx; mov rax, rdi; mov rcx, rsi; bt edx, 0; %s; pushfq; pop qword ptr [r8]; ret", code);
    if (test_block_make(&b, text, &err))
        fail_msg("%s: %s", code, err.message);
    assert_true(b.size < PAGE);
    assert_int_equal(mprotect(page, PAGE, PROT_READ | PROT_WRITE), 0);
    memcpy(page, b.bytes, b.size);
    assert_int_equal(mprotect(page, PAGE, PROT_READ | PROT_EXEC), 0);
    test_block_free(&b);
    union {
        void *data;
        native function;
    } u = {page};
    return u.function;
}

static uint8_t of_rflags(uint64_t f)
{
    return (uint8_t)((f & 1) | (f >> 2 & 1) << 1 | (f >> 6 & 1) << 2 | (f >> 7 & 1) << 3 |
                     (f >> 11 & 1) << 4);
}

/* Numbers of all sizes, and those at which flags turn. */
static uint64_t number(uint64_t *seed)
{
    static const uint64_t special[] = {0,
                                       1,
                                       2,
                                       0x7f,
                                       0x80,
                                       0xff,
                                       0x7fff,
                                       0x8000,
                                       0xffff,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       0xffffffffffffffff};
    uint64_t x = hash_mix(++*seed);
    return x % 3 == 0 ? special[x / 3 % (sizeof special / sizeof *special)] : hash_mix(x) >> (x >> 8) % 64;
}

static tacho_insn decode_one(const char *code)
{
    test_block b;
    tacho_insn insn;
    if (test_block_make(&b, code, &err))
        fail_msg("%s: %s", code, err.message);
    assert_int_equal(tacho_decode(&insn, b.bytes, b.size, &err), 0);
    assert_int_equal(insn.length, b.size);
    test_block_free(&b);
    return insn;
}

/* `wanted`: flags that must always be known. */
static void check(const char *code, uint8_t wanted)
{
    native run = make_native(code);
    tacho_insn insn = decode_one(code);
    tacho_deps_options options = TACHO_DEPS_OPTIONS_INIT;
    machine m = {.follows_flags = true};
    uint64_t seed = 0, flags;
    for (int i = 0; i < TRIALS; i++) {
        uint64_t rax = number(&seed), rcx = number(&seed), carry = number(&seed) & 1;
        addresses a;
        machine_start(&m, &options, 1);
        m.general[RAX] = known(rax);
        m.general[RCX] = known(rcx);
        m.flags = (flag_values){FLAG_CARRY, (uint8_t)carry, 0};
        uint64_t result = run(rax, rcx, carry, &flags);
        machine_addresses(&m, &insn, &a);
        machine_execute(&m, &insn, &a);
        uint8_t real = of_rflags(flags);
        if ((m.flags.bits ^ real) & m.flags.known)
            fail_msg("%s of 0x%llx, 0x%llx, carry %d: flags %x, known %x, really %x", code,
                     (unsigned long long)rax, (unsigned long long)rcx, (int)carry, m.flags.bits,
                     m.flags.known, real);
        if (wanted & ~m.flags.known)
            fail_msg("%s of 0x%llx, 0x%llx: flags %x are not known", code, (unsigned long long)rax,
                     (unsigned long long)rcx, wanted & ~m.flags.known);
        if (m.general[RAX].known && m.general[RAX].bits != result)
            fail_msg("%s of 0x%llx, 0x%llx, carry %d: 0x%llx, really 0x%llx", code, (unsigned long long)rax,
                     (unsigned long long)rcx, (int)carry, (unsigned long long)m.general[RAX].bits,
                     (unsigned long long)result);
        assert_true(m.general[RAX].known);
    }
    machine_free(&m);
}

static const char *const first[] = {"al", "ax", "eax", "rax"}, *const second[] = {"cl", "cx", "ecx", "rcx"};

static void check_widths(const char *name, const char *more, bool two, uint8_t wanted)
{
    for (int w = 0; w < 4; w++) {
        char code[60];
        snprintf(code, sizeof code, "%s %s%s%s%s", name, first[w], two ? ", " : "", two ? second[w] : "",
                 more);
        check(code, wanted);
    }
}

static void test_flags__arithmetic(void **state)
{
    static const char *const two[] = {"add", "sub", "cmp", "adc", "sbb", "xadd"}, *const logic[] = {
                                                                                      "and", "or", "xor",
                                                                                      "test"};
    (void)state;
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        check_widths(two[i], "", true, FLAGS_ALL);
    for (size_t i = 0; i < sizeof logic / sizeof *logic; i++)
        check_widths(logic[i], "", true, FLAGS_ALL);
    check_widths("inc", "", false, FLAGS_ALL);
    check_widths("dec", "", false, FLAGS_ALL);
    check_widths("neg", "", false, FLAGS_ALL);
    check_widths("not", "", false, FLAG_CARRY);
    check_widths("cmp", ", -3", false, FLAGS_ALL);
    check_widths("add", ", 100", false, FLAGS_ALL);
    check("xor eax, eax", FLAGS_ALL);
    check("sub rax, rax", FLAGS_ALL);
    check("lea rax, [rax+rcx*4-9]", FLAG_CARRY);
    check("bt eax, ecx", FLAG_CARRY);
    check("bt rax, 45", FLAG_CARRY);
}

static void test_flags__shifts(void **state)
{
    static const char *const names[] = {"shl", "shr", "sar", "rol", "ror"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint8_t of_result = i < 3 ? FLAG_ZERO | FLAG_SIGN | FLAG_PARITY : 0;
        check_widths(names[i], ", cl", false, 0);
        check_widths(names[i], ", 1", false, FLAG_CARRY | FLAG_OVERFLOW | of_result);
        check_widths(names[i], ", 3", false, FLAG_CARRY | of_result);
    }
}

static void test_flags__bits(void **state)
{
    uint8_t zero_and_sign = FLAG_ZERO | FLAG_SIGN | FLAG_CARRY | FLAG_OVERFLOW;
    (void)state;
    if (!__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
        !__builtin_cpu_supports("popcnt")) {
        print_message("skipped: this processor has no BMI\n");
        skip();
    }
    check("popcnt rax, rcx", FLAGS_ALL);
    check("tzcnt eax, ecx", FLAG_ZERO | FLAG_CARRY);
    check("lzcnt rax, rcx", FLAG_ZERO | FLAG_CARRY);
    check("blsi eax, ecx", zero_and_sign);
    check("blsr rax, rcx", zero_and_sign);
    check("blsmsk eax, ecx", zero_and_sign);
    check("bzhi rax, rax, rcx", zero_and_sign);
    check("andn eax, eax, ecx", zero_and_sign);
    check("shlx rax, rax, rcx", FLAG_CARRY);
    check("rorx eax, ecx, 7", FLAG_CARRY);
}

static void test_flags__what_is_not_followed_is_unknown(void **state)
{
    static const char *const codes[] = {"comisd xmm0, xmm1", "imul eax, ecx", "bsf eax, ecx", "popfq",
                                        "call rax"};
    tacho_deps_options options = TACHO_DEPS_OPTIONS_INIT;
    machine m = {.follows_flags = true};
    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        tacho_insn insn = decode_one(codes[i]);
        addresses a;
        machine_start(&m, &options, 1);
        m.flags.known = FLAGS_ALL;
        machine_addresses(&m, &insn, &a);
        machine_execute(&m, &insn, &a);
        machine_end_insn(&m);
        assert_int_equal(m.flags.known, 0);
    }
    machine_free(&m);
}

/* ---- conditions ---- */

static const char *const conditions[] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
                                         "s", "ns", "p", "np", "l", "ge", "le", "g"};

/* With all flags known as this processor says. RAX: the flags, as RFLAGS has them. */
static void test_flags__conditions(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 16; c++) {
        char code[60];
        uint64_t ignored;
        snprintf(code, sizeof code, "push rax; popfq; set%s al; movzx eax, al", conditions[c]);
        native run = make_native(code);
        for (unsigned bits = 0; bits <= FLAGS_ALL; bits++) {
            uint64_t rflags = 2 | (bits & 1) | (bits >> 1 & 1) << 2 | (bits >> 2 & 1) << 6 |
                              (bits >> 3 & 1) << 7 | (uint64_t)(bits >> 4 & 1) << 11;
            flag_values f = {FLAGS_ALL, (uint8_t)bits, 0};
            assert_int_equal(flags_condition(&f, c), run(rflags, 0, 0, &ignored));
        }
    }
}

/* With some unknown: known exactly if all that they can be give the same. */
static void test_flags__conditions_of_some_flags(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 16; c++)
        for (unsigned which = 0; which <= FLAGS_ALL; which++)
            for (unsigned bits = 0; bits <= FLAGS_ALL; bits++) {
                bool may[2] = {false, false};
                flag_values f = {(uint8_t)which, (uint8_t)bits, 0};
                for (unsigned others = 0; others <= FLAGS_ALL; others++) {
                    flag_values all = {FLAGS_ALL, (uint8_t)((bits & which) | (others & ~which)), 0};
                    may[flags_condition(&all, c)] = true;
                }
                assert_int_equal(flags_condition(&f, c), may[0] && may[1] ? -1 : may[1]);
            }
}

/* The limit itself would take gigabytes: of one machine it is the same. */
static void test_machine__takes_no_more_than_it_may(void **state)
{
    const tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    machine m = {.most_bytes = 1 << 20};
    (void)state;
    machine_start(&m, &o, 1);
    uint64_t n = 0;
    for (; n < 1000000 && !m.failed; n++)
        machine_store(&m, 8 * n, 8, 0, 0);
    assert_true(m.full && n > 1000);
    assert_true(m.store_capacity * sizeof *m.stores + m.memory_slots * sizeof *m.memory <= m.most_bytes);
    machine_free(&m);
    m = (machine){.most_bytes = 1 << 20};
    machine_start(&m, &o, 1);
    for (n = 0; n < 1000000 && !m.failed; n++) /* always the same place */
        machine_store(&m, 64, 8, 0, 0);
    assert_true(m.full && n > 10000);
    machine_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags__arithmetic),
        cmocka_unit_test(test_flags__shifts),
        cmocka_unit_test(test_flags__bits),
        cmocka_unit_test(test_flags__what_is_not_followed_is_unknown),
        cmocka_unit_test(test_machine__takes_no_more_than_it_may),
        cmocka_unit_test(test_flags__conditions),
        cmocka_unit_test(test_flags__conditions_of_some_flags),
    };
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
