/* test_extract_branch.c - branches done on registers, against the processor: conditions under all flags,
 * loops; and where jumps, calls and returns lead, by their definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "binary/extract/branch.h"

/* A word of memory at 0x1000, and nothing else. */
typedef struct word {
    uint64_t value;
    unsigned reads, writes;
} word;

static bool read_word(uint64_t address, uint64_t *value, void *payload)
{
    word *w = payload;
    w->reads++;
    *value = w->value;
    return address == 0x1000;
}

static bool write_word(uint64_t address, uint64_t value, void *payload)
{
    word *w = payload;
    if (address != 0x1000)
        return false;
    w->writes++;
    w->value = value;
    return true;
}

static branch decode(const uint8_t *bytes, size_t size)
{
    tacho_insn insn;
    assert_int_equal(tacho_decode(&insn, bytes, size, NULL), 0);
    assert_int_equal(insn.length, size);
    return branch_of(&insn);
}

#define BRANCH(...) decode((const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

static bool take(const branch *b, struct user_regs_struct *regs, word *w)
{
    const branch_memory memory = {read_word, write_word, w};
    return branch_take(b, 0x400000, regs, &memory);
}

/* ---- the processor ---- */

/* Runs a two-byte branch over an instruction: whether it is taken; what becomes of RCX. */
static bool on_processor(const uint8_t bytes[2], uint64_t flags, uint64_t *rcx)
{
    static uint8_t *code;
    if (!code)
        code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(code, MAP_FAILED);
    const uint8_t made[] = {
        0x48,     0x89, 0xf1,       /* mov rcx, rsi */
        0x57,     0x9d,             /* push rdi; popfq */
        0xb8,     1,    0,    0, 0, /* mov eax, 1 */
        bytes[0], 5,                /* the branch */
        0xb8,     0,    0,    0, 0, /* mov eax, 0 */
        0x48,     0x89, 0x0a,       /* mov [rdx], rcx */
        0xc3,
    };
    memcpy(code, made, sizeof made);
    int (*run)(uint64_t, uint64_t, uint64_t *);
    memcpy(&run, &code, sizeof run);
    return run(flags, *rcx, rcx);
}

static void compare(uint8_t opcode, uint64_t flags, uint64_t rcx)
{
    const uint8_t bytes[2] = {opcode, 5};
    word w = {0};
    branch b = decode(bytes, sizeof bytes);
    struct user_regs_struct regs = {.eflags = flags, .rcx = rcx};
    assert_true(take(&b, &regs, &w));
    bool taken = on_processor(bytes, flags, &rcx);
    if (regs.rip != (taken ? 0x400007 : 0x400002) || regs.rcx != rcx)
        fail_msg("opcode %02x, flags %03llx: rip %llx, rcx %llx; the processor: %s, rcx %llx", opcode,
                 (unsigned long long)flags, (unsigned long long)regs.rip, (unsigned long long)regs.rcx,
                 taken ? "taken" : "not taken", (unsigned long long)rcx);
}

static void test_branch__conditions_and_loops_go_as_the_processor_goes(void **state)
{
    for (unsigned set = 0; set < 32; set++) {
        uint64_t flags = 2 | (set & 1) | (set & 2) << 1 | (set & 4) << 4 | (set & 8) << 4 | (set & 16) << 7;
        for (unsigned opcode = 0x70; opcode < 0x80; opcode++)
            compare((uint8_t)opcode, flags, 5);
        for (unsigned opcode = 0xe0; opcode < 0xe4; opcode++)
            for (uint64_t rcx = 0; rcx < 3; rcx++)
                compare((uint8_t)opcode, flags, rcx);
    }
}

static void test_branch__long_conditions_are_the_short_ones(void **state)
{
    for (unsigned k = 0; k < 16; k++) {
        branch b = BRANCH(0x0f, (uint8_t)(0x80 + k), 0xf0, 0xff, 0xff, 0xff);
        assert_int_equal(b.kind, BRANCH_IF);
        assert_int_equal(b.condition, k);
        assert_int_equal(b.distance, -16);
    }
}

/* ---- where they lead ---- */

static void test_branch__jumps(void **state)
{
    word w = {.value = 0x1234};
    struct user_regs_struct regs = {.rsp = 0x2000, .rax = 0x777, .rbx = 0xf00, .rcx = 0x20, .fs_base = 0x800};
    branch b = BRANCH(0xeb, 0xfe);
    assert_true(take(&b, &regs, &w));
    assert_int_equal(regs.rip, 0x400000);
    b = BRANCH(0xe9, 0, 1, 0, 0);
    assert_true(take(&b, &regs, &w));
    assert_int_equal(regs.rip, 0x400105);
    b = BRANCH(0xff, 0xe0); /* jmp rax */
    assert_true(take(&b, &regs, &w));
    assert_int_equal(regs.rip, 0x777);
    assert_int_equal(w.reads, 0);
    b = BRANCH(0xff, 0x24, 0xcb); /* jmp [rbx + 8*rcx] */
    assert_true(take(&b, &regs, &w));
    assert_int_equal(regs.rip, 0x1234);
    b = BRANCH(0xff, 0x25, 0xfa, 0x0f, 0xc0, 0xff); /* jmp [rip - 0x3ff006] */
    assert_true(take(&b, &regs, &w));
    assert_int_equal(regs.rip, 0x1234);
    b = BRANCH(0x64, 0xff, 0x24, 0x25, 0, 8, 0, 0); /* jmp fs:[0x800] */
    assert_true(take(&b, &regs, &w));
    assert_int_equal(regs.rip, 0x1234);
    assert_int_equal(regs.rsp, 0x2000);
}

static void test_branch__calls_and_returns(void **state)
{
    word w = {.value = 0x5555};
    struct user_regs_struct regs = {.rsp = 0x1008, .r10 = 0x888};
    branch b = BRANCH(0xe8, 0x10, 0, 0, 0);
    assert_true(take(&b, &regs, &w));
    assert_int_equal(regs.rip, 0x400015);
    assert_int_equal(regs.rsp, 0x1000);
    assert_int_equal(w.value, 0x400005);
    b = BRANCH(0xc3);
    assert_true(take(&b, &regs, &w));
    assert_int_equal(regs.rip, 0x400005);
    assert_int_equal(regs.rsp, 0x1008);
    regs.rsp = 0x1000;
    b = BRANCH(0xc2, 0x10, 0x80); /* ret 0x8010 */
    assert_true(take(&b, &regs, &w));
    assert_int_equal(regs.rsp, 0x9018);
    regs.rsp = 0x1008;
    b = BRANCH(0x41, 0xff, 0xd2); /* call r10 */
    assert_true(take(&b, &regs, &w));
    assert_int_equal(regs.rip, 0x888);
    assert_int_equal(w.value, 0x400003);
    /* The address of the target is made before the stack changes. */
    regs.rsp = 0x1000;
    w.value = 0x999;
    b = BRANCH(0xff, 0x14, 0x24);      /* call [rsp] */
    assert_false(take(&b, &regs, &w)); /* there is no memory at 0xff8 */
    assert_int_equal(regs.rsp, 0x1000);
    assert_int_equal(w.writes, 2);
}

static void test_branch__what_faults_changes_nothing(void **state)
{
    word w = {.value = UINT64_MAX};
    struct user_regs_struct regs = {.rsp = 0x1000, .rip = 1, .rax = UINT64_C(1) << 63};
    const branch all[] = {BRANCH(0xc3), BRANCH(0xff, 0xe0), BRANCH(0xff, 0xd0), BRANCH(0xff, 0x20)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct user_regs_struct after = regs;
        assert_false(take(&all[i], &after, &w));
        assert_memory_equal(&after, &regs, sizeof regs);
    }
    assert_int_equal(w.writes, 0);
}

static void test_branch__what_is_left_to_the_processor(void **state)
{
    assert_int_equal(BRANCH(0x0f, 0x05).kind, BRANCH_SYSCALL);
    const branch others[] = {
        BRANCH(0xcd, 0x80),             /* int 0x80 */
        BRANCH(0x0f, 0x0b),             /* ud2 */
        BRANCH(0xcb),                   /* far return */
        BRANCH(0xff, 0x28),             /* far jump */
        BRANCH(0xc7, 0xf8, 0, 0, 0, 0), /* xbegin */
        BRANCH(0x67, 0xe3, 0),          /* jecxz */
        BRANCH(0x67, 0xff, 0x20),       /* jmp [eax] */
        BRANCH(0x66, 0xff, 0xe0),       /* jmp ax */
        BRANCH(0xf4),                   /* hlt */
    };
    assert_int_equal(BRANCH(0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0).kind, BRANCH_CALL); /* of __tls_get_addr */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].kind != BRANCH_OTHER)
            fail_msg("case %zu", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branch__conditions_and_loops_go_as_the_processor_goes),
        cmocka_unit_test(test_branch__long_conditions_are_the_short_ones),
        cmocka_unit_test(test_branch__jumps),
        cmocka_unit_test(test_branch__calls_and_returns),
        cmocka_unit_test(test_branch__what_faults_changes_nothing),
        cmocka_unit_test(test_branch__what_is_left_to_the_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
