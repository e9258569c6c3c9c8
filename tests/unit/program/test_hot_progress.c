/* test_hot_progress.c - cycles of an iteration by how far registers come between samples: made-up samples
 * over this program's own code, whose loops are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "program/hot/record.h"
#include "x86/decode/regs.h"

/* probe_counts: RCX goes up by 8, EDX down by 1, RBX stays. probe_some: RCX only now and then. probe_nest:
 * RSI counts iterations of the outer loop, RCX those of the inner one, which begins anew each time. */
__asm__(".text\n.p2align 6\n"
        ".globl probe_counts\n.type probe_counts,@function\n"
        "probe_counts: imul %rax, %rax\n"
        "add $8, %rcx\n"
        "lea -1(%rdx), %edx\n"
        "test %edx, %edx\n"
        "jnz probe_counts\n"
        "ret\n"
        ".size probe_counts, . - probe_counts\n"
        ".globl probe_some\n.type probe_some,@function\n"
        "probe_some: imul %rax, %rax\n"
        "test $1, %al\n"
        "jz 1f\n"
        "add $8, %rcx\n"
        "1: cmp %rcx, %rbx\n"
        "jne probe_some\n"
        "ret\n"
        ".size probe_some, . - probe_some\n"
        ".globl probe_ends\n.type probe_ends,@function\n"
        "probe_ends: imul %rax, %rax\n"
        "add $8, %rcx\n"
        "cmp %rbx, %rcx\n"
        "jne probe_ends\n"
        "ret\n"
        ".size probe_ends, . - probe_ends\n"
        ".globl probe_nest\n.type probe_nest,@function\n"
        "probe_nest: xor %ecx, %ecx\n"
        ".globl probe_nest_inner\nprobe_nest_inner: inc %rcx\n"
        "cmp $100, %rcx\n"
        "jne probe_nest_inner\n"
        "inc %rsi\n"
        "cmp %rsi, %rdi\n"
        "jne probe_nest\n"
        "ret\n"
        ".size probe_nest, . - probe_nest\n");
extern const uint8_t probe_counts[], probe_some[], probe_ends[], probe_nest[], probe_nest_inner[];

static const double period = 1e-3, hz = 1e9;

typedef struct made {
    hot_tally *b;
    const uint8_t *code;
    uint64_t registers[PAIRS_REGISTERS];
    double time;
} made;

static made start(const uint8_t *code)
{
    made m = {.b = tally_new(), .code = code};
    assert_non_null(m.b);
    assert_int_equal(tally_fork(m.b, 0, (uint64_t)getpid()), 0);
    assert_int_equal(tally_read_maps(m.b, (uint64_t)getpid()), 0);
    for (int i = 0; i < PAIRS_REGISTERS; i++)
        m.registers[i] = 1000000u * (uint64_t)i;
    return m;
}

/* A sample after so many periods. */
static void sample(made *m, double periods)
{
    const uint64_t address = (uint64_t)(uintptr_t)m->code;
    m->time += periods * period;
    assert_int_equal(tally_sample(m->b, (uint64_t)getpid(), address, 1), 0);
    const pairs_sample s = {.process = (uint64_t)getpid(),
                            .thread = 7,
                            .address = address,
                            .time = m->time,
                            .period = period,
                            .registers = m->registers};
    assert_int_equal(pairs_add(m->b, &s), 0);
}

static tacho_hot_place place;

/* What comes of it, for the one place that there is. */
static const tacho_hot_place *conclude(made *m)
{
    tacho_hot_find_options o = TACHO_HOT_FIND_OPTIONS_INIT;
    tacho_hot *hot;
    o.core_hz = hz;
    assert_int_equal(tally_finish(m->b), 0);
    assert_int_equal(tacho_hot_find(&hot, &m->b->profile, &o, NULL), 0);
    assert_int_equal(hot->count, 1);
    place = hot->places[0];
    tacho_hot_free(hot);
    tally_free(m->b);
    return &place;
}

static void assert_unknown(const tacho_hot_place *p)
{
    assert_true(isnan(p->observed_cycles) && isnan(p->observed_low) && isnan(p->observed_high));
    assert_null(p->observed_by);
}

static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) < 1e-6 * wanted))
        fail_msg("%g is not %g", got, wanted);
}

static void step_counts(made *m, uint64_t iterations)
{
    m->registers[RCX] += 8 * iterations;
    m->registers[RDX] = (uint32_t)(m->registers[RDX] - iterations);
    m->registers[RAX] = m->registers[RAX] * 3 + 1;
}

static void test_progress__registers_say_how_many_iterations(void **state)
{
    (void)state;
    made m = start(probe_counts);
    for (int i = 0; i < 40; i++, step_counts(&m, 2000))
        sample(&m, 1);
    const tacho_hot_place *p = conclude(&m);
    assert_near(p->observed_cycles, period * hz / 2000);
    assert_string_equal(p->observed_by, "progress");
    assert_true(p->observed_high - p->observed_low < 1e-3);
}

/* Executions of six periods each: one pair in six is of two of them, and the first had time to end. */
static void test_progress__executions_that_end(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        made m = start(probe_ends);
        m.registers[RBX] = 8 * 12000;
        for (int i = 0; i < 120; i++) {
            m.registers[RCX] = 8u * (uint64_t)(2000 * (i % 6) + (early ? 0 : 1000));
            m.registers[RBX] = 8 * (early ? 24000 : 12000); /* far from its end */
            sample(&m, 1);
        }
        if (early)
            assert_unknown(conclude(&m));
        else
            assert_near(conclude(&m)->observed_cycles, period * hz / 2000);
    }
}

/* Twice as fast in every other period: the mean is over iterations, and in the interval. */
static void test_progress__iterations_differ(void **state)
{
    (void)state;
    made m = start(probe_counts);
    for (int i = 0; i < 101; i++, step_counts(&m, i % 2 ? 1000 : 3000))
        sample(&m, 1);
    const tacho_hot_place *p = conclude(&m);
    assert_near(p->observed_cycles, period * hz / 2000);
    assert_true(p->observed_low < 500 && p->observed_low > 400 && p->observed_high > 500 &&
                p->observed_high < 600);
}

static void test_progress__what_samples_take_is_taken_off(void **state)
{
    (void)state;
    made m = start(probe_counts);
    m.b->pairs.sample_seconds = period / 10;
    for (int i = 0; i < 40; i++, step_counts(&m, 2000))
        sample(&m, 1);
    assert_near(conclude(&m)->observed_cycles, 0.9 * period * hz / 2000);
}

/* Where a thread has waited the time is not known. */
static void test_progress__what_has_waited_is_left_out(void **state)
{
    (void)state;
    static const double periods[] = {1, 1.5, 2, 7, 0.5, 3};
    made m = start(probe_counts);
    for (int i = 0; i < 120; i++) {
        double passed = periods[i % 6];
        step_counts(&m, (uint64_t)(2000 * (passed == 7 || passed < 1 || passed == 1.5 ? 1 : passed)));
        sample(&m, passed);
    }
    assert_near(conclude(&m)->observed_cycles, period * hz / 2000);
}

static void test_progress__another_execution_is_no_progress(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        made m = start(probe_counts);
        for (int i = 0; i < 100; i++) {
            m.registers[RCX] = 8u * (uint64_t)(i * 7919 % 1000); /* wherever it is, the 4th is the same */
            m.registers[RDX] = 5;
            m.registers[RBX] += (uint64_t)kept;
            sample(&m, 1);
        }
        assert_unknown(conclude(&m));
    }
}

/* Samples of where it still stands say nothing: addresses that come again would make data look small. */
static void test_progress__stopped_twice_at_one_place(void **state)
{
    (void)state;
    made m = start(probe_counts);
    for (int i = 0; i < 40; i++, step_counts(&m, 2000)) {
        sample(&m, i ? 0.95 : 1);
        sample(&m, 0.05);
    }
    assert_int_equal(m.b->pairs.count, 40);
    const tacho_hot_place *p = conclude(&m);
    assert_near(p->observed_cycles, period * hz / 2000);
}

/* Beside another program that has the processor as often and as long, each sample comes after two periods,
 * one of which was that one's: no time is known. */
static void test_progress__turns_with_another_program(void **state)
{
    (void)state;
    made m = start(probe_counts);
    for (int i = 0; i < 40; i++, step_counts(&m, 2000))
        sample(&m, 2);
    assert_unknown(conclude(&m));
}

/* Two registers count, and do not agree. */
static void test_progress__registers_that_disagree(void **state)
{
    (void)state;
    made m = start(probe_counts);
    for (int i = 0; i < 40; i++, step_counts(&m, 2000), m.registers[RCX] += 80)
        sample(&m, 1);
    assert_unknown(conclude(&m));
}

static void test_progress__few_odd_pairs_are_left_out(void **state)
{
    (void)state;
    made m = start(probe_counts);
    for (int i = 0; i < 200; i++, step_counts(&m, 2000)) {
        m.registers[RCX] += i % 50 == 49 ? 4 : 0;
        sample(&m, 1);
    }
    assert_near(conclude(&m)->observed_cycles, period * hz / 2000);
}

static void test_progress__a_register_that_some_iterations_change(void **state)
{
    (void)state;
    made m = start(probe_some);
    for (int i = 0; i < 40; i++, m.registers[RCX] += 8000)
        sample(&m, 1);
    assert_unknown(conclude(&m));
}

static void test_progress__few_samples_say_nothing(void **state)
{
    (void)state;
    made m = start(probe_counts);
    for (int i = 0; i < 12; i++, step_counts(&m, 2000))
        sample(&m, 1);
    assert_unknown(conclude(&m));
}

/* The inner loop is over a thousand times between two samples, of which the outer one tells. */
static void test_progress__a_loop_in_one_that_counts(void **state)
{
    (void)state;
    made m = start(probe_nest_inner);
    for (int i = 0; i < 101; i++, m.registers[RSI] += 1000, m.registers[RCX] = (uint64_t)(i * 37 % 100))
        sample(&m, 1);
    const tacho_hot_place *p = conclude(&m);
    double wanted = period * hz / 1000 / 100;
    assert_true(fabs(p->observed_cycles - wanted) < 0.05 * wanted);
    assert_true(p->observed_low < wanted && p->observed_high > wanted);
}

/* It is left after some ten iterations in half of all cases. */
static void test_progress__how_many_iterations_must_be_known(void **state)
{
    (void)state;
    made m = start(probe_nest_inner);
    for (int i = 0; i < 101;
         i++, m.registers[RSI] += 1000, m.registers[RCX] = (uint64_t)(i % 2 ? i * 37 % 100 : i * 37 % 10))
        sample(&m, 1);
    assert_unknown(conclude(&m));
}

static void test_progress__another_stack_or_file_makes_no_pair(void **state)
{
    (void)state;
    made m = start(probe_counts);
    for (int i = 0; i < 40; i++, step_counts(&m, 2000), m.registers[RSP] += 16)
        sample(&m, 1);
    for (size_t i = 0; i < m.b->pairs.count; i++)
        assert_true(isnan(m.b->pairs.list[i].time));
    assert_unknown(conclude(&m));
}

static void test_progress__of_many_pairs_some_are_kept(void **state)
{
    (void)state;
    made m = start(probe_counts);
    for (int i = 0; i < 3 * PAIRS_MOST; i++, step_counts(&m, 2000))
        sample(&m, 1);
    assert_int_equal(m.b->pairs.count, PAIRS_MOST);
    assert_int_equal(m.b->pairs.seen, 3 * PAIRS_MOST);
    assert_near(conclude(&m)->observed_cycles, period * hz / 2000);
}

/* ---- registers in records ---- */

static size_t put(uint8_t *out, size_t n, uint64_t value, size_t bytes)
{
    memcpy(out + n, &value, bytes);
    return n + bytes;
}

static size_t make_sample(uint8_t *out, uint64_t abi, uint64_t registers)
{
    size_t n = put(out, 0, PERF_RECORD_SAMPLE, 4);
    n = put(out, n, PERF_RECORD_MISC_USER, 2) + 2;
    n = put(out, n, 0x1234, 8);
    n = put(out, n, abi, 8);
    for (unsigned i = 0; i < 64; i++)
        if (registers >> i & 1)
            n = put(out, n, 100 + i, 8);
    put(out, 6, n, 2);
    return n;
}

static void test_record__registers(void **state)
{
    (void)state;
    uint8_t bytes[1024];
    record r;
    record_form form = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER, .registers = 0xff0fff};
    size_t n = make_sample(bytes, PERF_SAMPLE_REGS_ABI_64, form.registers);
    assert_int_equal(perf_record_read(&r, bytes, n, &form), 0);
    assert_true(r.has_registers && r.address == 0x1234);
    /* AX BX CX DX SI DI BP SP, as perf_event has them; then R8 */
    assert_true(r.registers[RAX] == 100 && r.registers[RBX] == 101 && r.registers[RCX] == 102 &&
                r.registers[RDX] == 103 && r.registers[RSI] == 104 && r.registers[7] == 105 &&
                r.registers[RBP] == 106 && r.registers[RSP] == 107 && r.registers[8] == 116 &&
                r.registers[15] == 123);
    for (size_t cut = 8; cut < n; cut++) {
        put(bytes, 6, cut, 2);
        assert_int_equal(perf_record_read(&r, bytes, cut, &form), -1);
    }
    n = make_sample(bytes, PERF_SAMPLE_REGS_ABI_32, form.registers);
    assert_int_equal(perf_record_read(&r, bytes, n, &form), 0);
    assert_false(r.has_registers);
    n = make_sample(bytes, PERF_SAMPLE_REGS_ABI_NONE, 0);
    assert_int_equal(perf_record_read(&r, bytes, n, &form), 0);
    assert_false(r.has_registers);
    form.registers = 0xff; /* not all of them */
    n = make_sample(bytes, PERF_SAMPLE_REGS_ABI_64, form.registers);
    assert_int_equal(perf_record_read(&r, bytes, n, &form), 0);
    assert_false(r.has_registers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress__registers_say_how_many_iterations),
        cmocka_unit_test(test_progress__executions_that_end),
        cmocka_unit_test(test_progress__iterations_differ),
        cmocka_unit_test(test_progress__what_samples_take_is_taken_off),
        cmocka_unit_test(test_progress__what_has_waited_is_left_out),
        cmocka_unit_test(test_progress__stopped_twice_at_one_place),
        cmocka_unit_test(test_progress__turns_with_another_program),
        cmocka_unit_test(test_progress__another_execution_is_no_progress),
        cmocka_unit_test(test_progress__registers_that_disagree),
        cmocka_unit_test(test_progress__few_odd_pairs_are_left_out),
        cmocka_unit_test(test_progress__a_register_that_some_iterations_change),
        cmocka_unit_test(test_progress__few_samples_say_nothing),
        cmocka_unit_test(test_progress__a_loop_in_one_that_counts),
        cmocka_unit_test(test_progress__how_many_iterations_must_be_known),
        cmocka_unit_test(test_progress__another_stack_or_file_makes_no_pair),
        cmocka_unit_test(test_progress__of_many_pairs_some_are_kept),
        cmocka_unit_test(test_record__registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
