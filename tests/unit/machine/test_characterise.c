/* test_characterise.c - instructions made from forms, and the chains that latencies are measured by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/characterise/agreements.h"
#include "machine/characterise/chain.h"
#include "tacho/arch.h"
#include "x86/arch/tables.h"

static bool is_expected_refusal(const char *why)
{
    return strcmp(why, "has no encoding that could be made") != 0;
}

static void test_instance__every_form_is_made_or_says_why_not(void **state)
{
    unsigned made = 0, refused = 0, failed = 0;
    (void)state;
    for (uint32_t id = 0; id < tacho_form_count(); id++) {
        instance_choice choice;
        tacho_insn insn;
        const char *why = NULL;
        char name[128];
        instance_defaults(&choice, id);
        tacho_form_name(id, name, sizeof name);
        if (instance_make(&insn, id, &choice, &why) == TACHO_OK) {
            tacho_form form;
            tacho_figures figures;
            tacho_insndb_match(&tacho_gen_archs[0].arch, &insn, &form, &figures);
            assert_int_equal(form.id, id);
            made++;
            continue;
        }
        assert_non_null(why);
        if (is_expected_refusal(why)) {
            refused++;
        } else {
            failed++;
            if (getenv("VERBOSE"))
                print_message("%s: %s\n", name, why);
        }
    }
    print_message("%u forms made, %u must not run, %u cannot be made\n", made, refused, failed);
    assert_true(made + failed > 0 && made >= (made + failed) * 9 / 10);
}

/* ---- the walk over dependencies ---- */

typedef struct hand_step {
    const char *bytes;
    size_t length;
    step_role role;
    uint8_t from, to;
} hand_step;

static walk_result walk_by_hand(const hand_step *hand, unsigned count)
{
    walk_step steps[4];
    for (unsigned i = 0; i < count; i++) {
        steps[i] = (walk_step){.role = hand[i].role, .from = hand[i].from, .to = hand[i].to};
        assert_int_equal(tacho_decode(&steps[i].insn, (const uint8_t *)hand[i].bytes, hand[i].length, NULL),
                         0);
    }
    return walk(steps, count);
}

#define IMUL_RAX_RBX "\x48\x0f\xaf\xc3", 4
#define IMUL_RBX_RAX "\x48\x0f\xaf\xd8", 4
#define MOV_RBX_RAX  "\x48\x89\xc3", 3
#define MOV_EAX_1    "\xb8\x01\x00\x00\x00", 5
#define MOV_EBX_1    "\xbb\x01\x00\x00\x00", 5
#define MOV_AL_BL    "\x88\xd8", 2
#define ADC_RAX_RBX  "\x48\x11\xd8", 3
#define STORE_RAX    "\x48\x89\x06", 3
#define LOAD_RAX     "\x48\x8b\x06", 3
enum {
    CARRIER_RAX = CARRIER_GENERAL,
    CARRIER_RBX = CARRIER_GENERAL + 3
};

static void test_walk__sees_a_register_that_is_read_and_written(void **state)
{
    (void)state;
    walk_result r =
        walk_by_hand((const hand_step[]){{IMUL_RAX_RBX, STEP_INSTANCE, CARRIER_RAX, CARRIER_RAX}}, 1);
    assert_true(r.target);
    assert_false(r.other);
}

static void test_walk__needs_a_way_back(void **state)
{
    (void)state;
    walk_result r =
        walk_by_hand((const hand_step[]){{IMUL_RAX_RBX, STEP_INSTANCE, CARRIER_RBX, CARRIER_RAX}}, 1);
    assert_false(r.target);
    assert_true(r.other); /* rax to rax */
}

static void test_walk__tells_another_pair_on_the_way(void **state)
{
    (void)state;
    const hand_step linked[] = {{IMUL_RAX_RBX, STEP_INSTANCE, CARRIER_RBX, CARRIER_RAX},
                                {MOV_RBX_RAX, STEP_LINK, CARRIER_NONE, CARRIER_NONE},
                                {MOV_EAX_1, STEP_BREAK, CARRIER_NONE, CARRIER_NONE}};
    walk_result r = walk_by_hand(linked, 2);
    assert_true(r.target);
    assert_true(r.other);
    r = walk_by_hand(linked, 3);
    assert_true(r.target);
    assert_false(r.other);
}

static void test_walk__two_instances_hand_each_other_their_results(void **state)
{
    (void)state;
    const hand_step swap[] = {{IMUL_RAX_RBX, STEP_INSTANCE, CARRIER_RBX, CARRIER_RAX},
                              {MOV_EBX_1, STEP_BREAK, CARRIER_NONE, CARRIER_NONE},
                              {IMUL_RBX_RAX, STEP_INSTANCE, CARRIER_RAX, CARRIER_RBX},
                              {MOV_EAX_1, STEP_BREAK, CARRIER_NONE, CARRIER_NONE}};
    walk_result r = walk_by_hand(swap, 4);
    assert_true(r.target);
    assert_false(r.other);
    r = walk_by_hand(swap, 3); /* rax lives on */
    assert_true(r.other);
}

static void test_walk__parts_of_registers_keep_the_rest(void **state)
{
    (void)state;
    walk_result r =
        walk_by_hand((const hand_step[]){{MOV_AL_BL, STEP_INSTANCE, CARRIER_RBX, CARRIER_RAX}}, 1);
    assert_false(r.target);
    assert_true(r.other);
}

static void test_walk__follows_flags_and_memory(void **state)
{
    (void)state;
    walk_result r = walk_by_hand((const hand_step[]){{ADC_RAX_RBX, STEP_INSTANCE, CARRIER_C, CARRIER_C}}, 1);
    assert_true(r.target);
    assert_true(r.other); /* through rax */
    const hand_step trip[] = {{STORE_RAX, STEP_INSTANCE, CARRIER_RAX, CARRIER_MEMORY},
                              {LOAD_RAX, STEP_LINK, CARRIER_NONE, CARRIER_NONE}};
    r = walk_by_hand(trip, 2);
    assert_true(r.target);
    assert_false(r.other);
}

/* ---- chains ---- */

/* How many measured pairs the longest chain has passed through after so many iterations: another way to see
 * what walk() sees. */
static unsigned passes_after(const chain *c, unsigned iterations)
{
    unsigned depth[CARRIER_COUNT] = {0}, most = 0;
    for (unsigned i = 0; i < iterations * c->count; i++) {
        const walk_step *step = &c->steps[i % c->count];
        unsigned next[CARRIER_COUNT];
        carriers reads, writes;
        walk_accesses(&step->insn, &reads, &writes);
        if (step->role == STEP_INSTANCE)
            carriers_add(&reads, step->from);
        memcpy(next, depth, sizeof next);
        for (unsigned w = 0; w < CARRIER_COUNT; w++) {
            if (!carriers_has(&writes, w))
                continue;
            next[w] = 0;
            for (unsigned r = 0; r < CARRIER_COUNT; r++) {
                bool pair = step->role == STEP_INSTANCE && step->from == r && step->to == w;
                if (carriers_has(&reads, r) && depth[r] + pair > next[w])
                    next[w] = depth[r] + pair;
            }
        }
        memcpy(depth, next, sizeof depth);
    }
    for (unsigned k = 0; k < CARRIER_COUNT; k++)
        most = depth[k] > most ? depth[k] : most;
    return most;
}

static void assert_instances_have_the_form(const chain *c, uint32_t id)
{
    for (unsigned i = 0; i < c->count; i++) {
        tacho_form form;
        tacho_figures figures;
        tacho_insndb_match(&tacho_gen_archs[0].arch, &c->steps[i].insn, &form, &figures);
        assert_true(c->steps[i].role != STEP_INSTANCE || form.id == id);
    }
}

typedef struct chain_counts {
    unsigned made, exact, none;
} chain_counts;

static void check_pair(const chain_pair *pair, chain_counts *counts)
{
    chain c;
    const char *why = NULL;
    char name[128];
    if (chain_make(&c, pair, &why)) {
        assert_non_null(why);
        counts->none++;
        return;
    }
    counts->made++;
    counts->exact += c.exact;
    assert_false(walk_carries(c.steps, c.count, CARRIER_SPAZO));
    assert_instances_have_the_form(&c, pair->form);
    unsigned grown = passes_after(&c, 12) - passes_after(&c, 4);
    if (grown != 8 * c.traversals) {
        tacho_form_name(pair->form, name, sizeof name);
        print_error("%s: %u -> %u: %u passes in 8 iterations, not %u\n", name, pair->source, pair->target,
                    grown, 8 * c.traversals);
    }
    assert_int_equal(grown, 8 * c.traversals);
}

static void check_form(uint32_t id, chain_counts *counts)
{
    instance_choice choice;
    tacho_insn insn;
    tacho_form form;
    const char *why;
    instance_defaults(&choice, id);
    if (instance_make(&insn, id, &choice, &why) || tacho_form_get(id, &form))
        return;
    for (unsigned s = 0; s < form.operand_count; s++)
        for (unsigned t = 0; t < form.operand_count; t++) {
            const tacho_form_operand *from = &form.operands[s], *to = &form.operands[t];
            bool reads = from->kind == TACHO_OPERAND_FLAGS ? from->flags_read : from->access & TACHO_READ;
            bool writes = to->kind == TACHO_OPERAND_FLAGS ? to->flags_written : to->access & TACHO_WRITE;
            bool address = from->kind == TACHO_OPERAND_MEM && s < form.visible_count &&
                           instance_kind(id, s) < KIND_MOFFS8;
            if (writes && reads && from->kind == TACHO_OPERAND_REG)
                check_pair(&(chain_pair){id, (uint8_t)s, (uint8_t)t, TACHO_PATH_REGISTER}, counts);
            if (writes && reads && from->kind == TACHO_OPERAND_FLAGS)
                check_pair(&(chain_pair){id, (uint8_t)s, (uint8_t)t, TACHO_PATH_REGISTER}, counts);
            if (writes && address)
                check_pair(&(chain_pair){id, (uint8_t)s, (uint8_t)t, TACHO_PATH_ADDRESS}, counts);
            if (writes && address && reads)
                check_pair(&(chain_pair){id, (uint8_t)s, (uint8_t)t, TACHO_PATH_MEMORY}, counts);
        }
}

static void test_chain__passes_through_its_pair_in_each_iteration(void **state)
{
    chain_counts counts = {0, 0, 0};
    (void)state;
    for (uint32_t id = 0; id < tacho_form_count(); id++)
        check_form(id, &counts);
    print_message("%u chains, %u of them exact; no chain for %u pairs\n", counts.made, counts.exact,
                  counts.none);
    assert_true(counts.made > 3 * counts.none && counts.exact > counts.made * 3 / 4);
}

static uint32_t form_of(const char *name)
{
    uint32_t id;
    tacho_error err;
    if (tacho_form_find(name, &id, &err))
        fail_msg("%s", err.message);
    return id;
}

static void assert_chain(const char *form, unsigned source, unsigned target, tacho_path path,
                         const char *text)
{
    chain c;
    const char *why = "";
    char is[400];
    const chain_pair pair = {form_of(form), (uint8_t)source, (uint8_t)target, path};
    if (chain_make(&c, &pair, &why))
        fail_msg("%s: %s", form, why);
    chain_format(&c, is, sizeof is);
    assert_string_equal(is, text);
}

static void test_chain__takes_the_shortest_way_that_is_exact(void **state)
{
    (void)state;
    assert_chain("IMUL (R64, R64)", 0, 0, TACHO_PATH_REGISTER, "imul r8, r9");
    assert_chain("IMUL (R64, R64)", 1, 0, TACHO_PATH_REGISTER,
                 "imul r8, r9; mov r9d, 0x12340678; imul r9, r8; mov r8d, 0x12340678");
    assert_chain("VPADDD (YMM, YMM, YMM)", 2, 0, TACHO_PATH_REGISTER,
                 "vpaddd ymm0, ymm1, ymm2; vpaddd ymm2, ymm1, ymm0");
    assert_chain("MUL (R64)", 0, 2, TACHO_PATH_REGISTER, "mov eax, 0x12340678; mul rdx");
    assert_chain("MOV (R64, M64)", 1, 0, TACHO_PATH_ADDRESS, "mov r8, [r8]");
    assert_chain("MOVZX (R32, M8)", 1, 0, TACHO_PATH_ADDRESS,
                 "movsxd r14, r8d; and r14, 0x0; lea rsi, [r14+rdi*1]; movzx r8d, byte ptr [rsi]");
    assert_chain("CMP (R64, R64)", 0, 2, TACHO_PATH_REGISTER,
                 "cmp r8, r9; mov r8d, 0x12340678; cmovz r8, r15");
    assert_chain("CVTSI2SD (XMM, R64)", 1, 0, TACHO_PATH_REGISTER,
                 "movq r8, xmm0; movaps xmm0, xmm15; cvtsi2sd xmm0, r8");
}

/* SBB would wait for itself through the flags, whatever its registers do. */
static void test_chain__with_one_register_goes_through_it_alone(void **state)
{
    static const char *const forms[][2] = {{"SBB_19 (R32, R32)", "test r15, r15; sbb r8d, r8d"},
                                           {"XOR_31 (R32, R32)", "xor r8d, r8d"},
                                           {"ADC_11 (R64, R64)", "test r15, r15; adc r8, r8"}};
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        chain c;
        char is[256];
        assert_true(chain_with_same_register(&c, form_of(forms[i][0])));
        chain_format(&c, is, sizeof is);
        assert_string_equal(is, forms[i][1]);
    }
}

static void test_chain__throughput_has_instances_that_do_not_wait_for_each_other(void **state)
{
    static const char *const forms[] = {"IMUL (R64, R64)", "VPADDD (YMM, YMM, YMM)", "MOV (R64, M64)",
                                        "MOVZX (R32, R8l)"};
    chain c;
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        unsigned n = chain_for_throughput(&c, form_of(forms[i]), 0);
        assert_true(n >= 8);
        for (unsigned a = 0; a < n; a++)
            for (unsigned b = 0; b < n; b++) {
                carriers reads, other, writes;
                walk_accesses(&c.steps[a].insn, &reads, &other);
                walk_accesses(&c.steps[b].insn, &other, &writes);
                writes.bits[1] &= ~((uint64_t)3 << (CARRIER_C - 64));
                assert_true(a == b || !((reads.bits[0] & writes.bits[0]) | (reads.bits[1] & writes.bits[1])));
            }
    }
    assert_true(chain_for_throughput(&c, form_of("ADC (R64, R64)"), 1) > 0);
    assert_int_equal(chain_for_throughput(&c, form_of("VPADDD (YMM, YMM, YMM)"), 1), 0);
}

static void test_check_forms__are_in_the_table(void **state)
{
    const char *name;
    size_t n = 0;
    (void)state;
    for (; (name = tacho_check_form(n)); n++) {
        instance_choice choice;
        tacho_insn insn;
        const char *why;
        uint32_t id = form_of(name);
        instance_defaults(&choice, id);
        assert_int_equal(instance_make(&insn, id, &choice, &why), 0);
    }
    assert_true(n >= 60);
}

/* ---- comparing ---- */

static void test_compare__an_upper_bound_agrees_with_what_it_allows(void **state)
{
    static tacho_characterisation c;
    tacho_error err;
    double figure;
    const tacho_arch *skl = tacho_arch_find("SKL", &err);
    (void)state;
    c.form = form_of("IMUL (R64, R64)");
    c.runs = true;
    c.latency_count = 1;
    c.latencies[0] = (tacho_measured_latency){.source = 1, .target = 0, .cycles = 3.2};
    assert_int_equal(tacho_compare_latency(skl, &c, 0, &figure), TACHO_AGREES);
    assert_true(figure == 3);
    c.latencies[0].cycles = 5;
    assert_int_equal(tacho_compare_latency(skl, &c, 0, &figure), TACHO_DIFFERS);
    c.latencies[0].status = TACHO_LATENCY_AT_MOST;
    assert_int_equal(tacho_compare_latency(skl, &c, 0, &figure), TACHO_WITHIN_BOUND);
    c.latencies[0].cycles = 3.1;
    assert_int_equal(tacho_compare_latency(skl, &c, 0, &figure), TACHO_AGREES);
    c.latencies[0].cycles = 2;
    assert_int_equal(tacho_compare_latency(skl, &c, 0, &figure), TACHO_DIFFERS);
    c.latencies[0].status = TACHO_LATENCY_NOT_MEASURED;
    assert_int_equal(tacho_compare_latency(skl, &c, 0, &figure), TACHO_NOT_COMPARED);
    c.throughput.cycles = 1.04;
    assert_int_equal(tacho_compare_throughput(skl, &c, &figure), TACHO_AGREES);
    assert_true(figure == 1);
    c.throughput.cycles = 2;
    assert_int_equal(tacho_compare_throughput(skl, &c, &figure), TACHO_DIFFERS);
    c.throughput.at_most = true;
    assert_int_equal(tacho_compare_throughput(skl, &c, &figure), TACHO_WITHIN_BOUND);
    c.throughput.cycles = 0.5;
    assert_int_equal(tacho_compare_throughput(skl, &c, &figure), TACHO_DIFFERS);
    tacho_agreements a = tacho_agreements_of(skl, &c);
    assert_true(!a.agree && !a.within && a.differ == 1 && a.missing == 1);
    a = tacho_agreements_of(NULL, &c);
    assert_true(!a.agree && !a.within && !a.differ && a.missing == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instance__every_form_is_made_or_says_why_not),
        cmocka_unit_test(test_walk__sees_a_register_that_is_read_and_written),
        cmocka_unit_test(test_walk__needs_a_way_back),
        cmocka_unit_test(test_walk__tells_another_pair_on_the_way),
        cmocka_unit_test(test_walk__two_instances_hand_each_other_their_results),
        cmocka_unit_test(test_walk__parts_of_registers_keep_the_rest),
        cmocka_unit_test(test_walk__follows_flags_and_memory),
        cmocka_unit_test(test_chain__passes_through_its_pair_in_each_iteration),
        cmocka_unit_test(test_chain__takes_the_shortest_way_that_is_exact),
        cmocka_unit_test(test_chain__with_one_register_goes_through_it_alone),
        cmocka_unit_test(test_chain__throughput_has_instances_that_do_not_wait_for_each_other),
        cmocka_unit_test(test_check_forms__are_in_the_table),
        cmocka_unit_test(test_compare__an_upper_bound_agrees_with_what_it_allows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
