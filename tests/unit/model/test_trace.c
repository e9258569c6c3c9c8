/* test_trace.c - what listeners are told: stages in order, every µop once, the same cycles as the result,
 * known dependencies with known latencies, renamer's work, limits, callbacks that give up.
 *
 *   test_trace CORPUS */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"
#include "base/mem.h"

static const char *corpus;

enum {
    MAX_UOPS = 60000
};

typedef struct seen {
    tacho_trace_uop *uops;
    size_t count;
    tacho_trace_edge edges[2000];
    size_t edge_count, edges_checked;
    tacho_trace_cycle last_cycle;
    int64_t cycles, issued, retired;
    int32_t retired_last; /* cycle of the newest retirement */
    int wrong;
    int stop_after;
} seen;

/* One after the other, -1 left out. */
static bool in_order(const tacho_trace_uop *u)
{
    bool executes = u->kind < TACHO_TRACE_ELIMINATED;
    if (u->predecoded >= 0 && (u->queued < 0 || u->queued <= u->predecoded))
        return false;
    if (u->queued >= 0 && u->issued <= u->queued)
        return false;
    if (!executes)
        return u->port == -1 && u->ready == -1 && u->dispatched == -1 && u->executed == -1 &&
               u->retired > u->issued;
    return u->ready > u->issued && u->dispatched >= u->ready && u->executed > u->dispatched &&
           u->retired > u->executed && u->port >= 0 && (u->ports >> u->port & 1);
}

static bool edges_make_sense(const tacho_trace_uop *u)
{
    for (uint32_t k = 0; k < u->edge_count; k++) {
        const tacho_trace_edge *e = &u->edges[k];
        if (e->producer >= u->number || e->iteration > u->iteration || e->through >= (int64_t)u->number)
            return false;
        bool waits = u->kind < TACHO_TRACE_ELIMINATED && e->carrier != TACHO_TRACE_MEMORY;
        if (waits && e->ready > u->ready)
            return false;
        if (e->carrier == TACHO_TRACE_MEMORY && (u->kind != TACHO_TRACE_LOAD || e->ready > u->executed))
            return false;
    }
    return u->waited_for < (int32_t)u->edge_count;
}

static int on_uop(const tacho_trace_uop *u, void *payload)
{
    seen *s = payload;
    if (s->stop_after && s->count == (size_t)s->stop_after)
        return -77;
    bool follows = u->number == s->count && (!s->count || u->slot >= s->uops[s->count - 1].slot) &&
                   u->retired >= s->retired_last;
    s->wrong += !follows || !in_order(u) || !edges_make_sense(u);
    s->retired_last = u->retired;
    if (s->count < MAX_UOPS)
        s->uops[s->count++] = *u;
    for (uint32_t k = 0; k < u->edge_count && s->edge_count < 2000; k++)
        s->edges[s->edge_count++] = u->edges[k];
    s->edges_checked += u->edge_count;
    return 0;
}

static int on_cycle(const tacho_trace_cycle *c, void *payload)
{
    seen *s = payload;
    s->wrong += c->cycle != s->cycles++;
    s->issued += c->issued;
    s->retired += c->retired;
    s->wrong += c->rob != (uint64_t)(s->issued - s->retired);
    s->last_cycle = *c;
    return 0;
}

static void seen_reset(seen *s)
{
    tacho_trace_uop *uops = s->uops;
    memset(s, 0, sizeof *s);
    s->uops = uops;
}

static const tacho_prediction *predict_traced(tacho_predictor *p, seen *s, const char *arch, tacho_mode mode,
                                              const test_block *b, uint32_t iterations)
{
    const tacho_prediction *result = NULL;
    tacho_trace_listener l = {on_uop, on_cycle, s, iterations, 0};
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.mode = mode;
    o.trace = &l;
    o.ignore_isa = true; /* the corpus is for all cores */
    seen_reset(s);
    assert_int_equal(tacho_predict(p, tacho_arch_find(arch, NULL), b->bytes, b->size, &o, &result, NULL), 0);
    return result;
}

/* ---- every block of the corpus ---- */

typedef struct fixture {
    tacho_predictor *predictor;
    seen *s;
    size_t edges;
    int distances_checked;
} fixture;

/* The retirements of the averaged iterations' last µops are as far apart as the result says; less exactly
 * where it comes from the front end alone. */
static bool check_cycles(const tacho_prediction *r, const seen *s)
{
    int32_t start = -1, end = -1;
    for (size_t k = 0; k < s->count; k++) {
        if (s->uops[k].iteration + 1 == r->averaged_from)
            start = s->uops[k].retired;
        if (s->uops[k].iteration + 1 == r->averaged_to)
            end = s->uops[k].retired;
    }
    if (start < 0 || end < 0 || s->count == MAX_UOPS)
        return false;
    double n = r->averaged_to - r->averaged_from;
    assert_true(fabs(end - start - n * r->cycles) < 2 + 0.05 * n * r->cycles);
    return true;
}

/* Per iteration: as many µops on each port as the report says. */
static void check_ports(const tacho_prediction *r, const seen *s)
{
    double n = r->averaged_to - r->averaged_from;
    for (size_t i = 0; i < r->instruction_count; i++) {
        double executed = 0;
        for (size_t k = 0; k < s->count; k++) {
            const tacho_trace_uop *u = &s->uops[k];
            bool own = u->kind < TACHO_TRACE_STACK_SYNC;
            executed += u->instruction == i && own && u->iteration >= r->averaged_from &&
                        u->iteration < r->averaged_to;
        }
        assert_true(s->count == MAX_UOPS || fabs(executed / n - r->instructions[i]->uops_executed) < 1e-9);
    }
}

static int check_block(const test_block *b, long at, const char *rest, void *payload)
{
    static const char *const archs[] = {"SKL", "ICX", "ADL"};
    fixture *f = payload;
    for (int v = 0; v < 2; v++) {
        test_block code = {malloc(b->size + 16), b->size};
        assert_non_null(code.bytes);
        memcpy(code.bytes, b->bytes, b->size);
        if (v)
            test_block_close_loop(&code);
        const tacho_prediction *r = predict_traced(f->predictor, f->s, archs[at % 3],
                                                   v ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL, &code, 0);
        if (f->s->wrong)
            fail_msg("line %ld, %s, %s: %d µops or cycles are wrong", at, archs[at % 3],
                     v ? "loop" : "unroll", f->s->wrong);
        f->distances_checked += check_cycles(r, f->s);
        check_ports(r, f->s);
        f->edges += f->s->edges_checked;
        test_block_free(&code);
    }
    return 0;
}

static void test_trace__every_uop_of_the_corpus_passes_the_stages_in_order(void **state)
{
    fixture *f = *state;
    f->edges = 0;
    f->distances_checked = 0;
    assert_true(test_corpus_each(corpus, check_block, f) > 300);
    assert_true(f->edges > 10000);
    print_message("%d averages checked\n", f->distances_checked);
    assert_true(f->distances_checked > 300);
}

/* ---- known code ---- */

static const tacho_prediction *trace_code(fixture *f, const char *arch, const char *code, uint32_t iterations)
{
    test_block b;
    assert_int_equal(test_block_make(&b, code, NULL), 0);
    const tacho_prediction *r = predict_traced(f->predictor, f->s, arch, TACHO_MODE_UNROLL, &b, iterations);
    assert_int_equal(f->s->wrong, 0);
    test_block_free(&b);
    return r;
}

static const tacho_trace_uop *find(const seen *s, uint32_t iteration, uint32_t insn, tacho_trace_kind kind)
{
    for (size_t k = 0; k < s->count; k++)
        if (s->uops[k].iteration == iteration && s->uops[k].instruction == insn && s->uops[k].kind == kind)
            return &s->uops[k];
    fail_msg("no such µop");
    return NULL;
}

/* The number of edges with that carrier and latency. */
static int count_edges(const seen *s, tacho_trace_carrier carrier, const char *reg, int latency)
{
    int n = 0;
    for (size_t k = 0; k < s->edge_count; k++)
        n += s->edges[k].carrier == carrier && s->edges[k].latency == latency &&
             (!reg || !strcmp(tacho_reg_name(s->edges[k].reg), reg));
    return n;
}

static void test_trace__a_chain_of_multiplications_waits_for_its_register(void **state)
{
    fixture *f = *state;
    trace_code(f, "SKL", "imul rax, rax", 20);
    assert_true(count_edges(f->s, TACHO_TRACE_REGISTER, "rax", 3) >= 15);
    const tacho_trace_uop *a = find(f->s, 10, 0, TACHO_TRACE_COMPUTE);
    const tacho_trace_uop *b = find(f->s, 11, 0, TACHO_TRACE_COMPUTE);
    assert_int_equal(b->dispatched - a->dispatched, 3);
    assert_int_equal(b->waited_for, 0);
    assert_int_equal(b->port, 1);
}

static void test_trace__flags_carry_their_group(void **state)
{
    fixture *f = *state;
    trace_code(f, "SKL", "adc rax, rbx", 20);
    assert_true(count_edges(f->s, TACHO_TRACE_FLAGS, "flags:C", 1) >= 10);
}

static void test_trace__a_load_waits_for_the_store_that_it_reads(void **state)
{
    fixture *f = *state;
    trace_code(f, "SKL", "mov rax, [rsi]; add rax, 1; mov [rsi], rax", 20);
    assert_true(count_edges(f->s, TACHO_TRACE_MEMORY, NULL, 1 + 4) +
                    count_edges(f->s, TACHO_TRACE_MEMORY, NULL, 1 + 3) >=
                10);
    const tacho_trace_uop *load = find(f->s, 15, 0, TACHO_TRACE_LOAD);
    assert_int_equal(load->edge_count, 2);
    assert_true(load->waited_for >= 0);
}

static void test_trace__the_renamer_ends_moves_idioms_and_nops(void **state)
{
    fixture *f = *state;
    trace_code(f, "SKL", "imul rbx, rbx; mov rax, rbx; xor ecx, ecx; nop; add rdx, rax", 12);
    const tacho_trace_uop *move = find(f->s, 8, 1, TACHO_TRACE_ELIMINATED);
    assert_int_equal(move->edge_count, 1);
    find(f->s, 8, 2, TACHO_TRACE_ZERO_IDIOM);
    find(f->s, 8, 3, TACHO_TRACE_NOP);
    bool through = false;
    for (size_t k = 0; k < f->s->edge_count; k++)
        through |= f->s->edges[k].through == (int64_t)move->number &&
                   !strcmp(tacho_reg_name(f->s->edges[k].reg), "rax");
    assert_true(through);
}

static void test_trace__push_with_rsp_used_gets_a_synchronising_uop(void **state)
{
    fixture *f = *state;
    trace_code(f, "SKL", "push rax; mov rbx, [rsp+8]; add rsp, 8", 12);
    const tacho_trace_uop *sync = find(f->s, 5, 1, TACHO_TRACE_STACK_SYNC);
    assert_true(sync->queued >= 0);
    const tacho_trace_uop *load = find(f->s, 5, 1, TACHO_TRACE_LOAD);
    assert_true(sync->number < load->number);
}

static void test_trace__micro_fused_uops_share_a_slot(void **state)
{
    fixture *f = *state;
    trace_code(f, "SKL", "add rax, [rsi]", 12);
    assert_int_equal(find(f->s, 5, 0, TACHO_TRACE_LOAD)->slot, find(f->s, 5, 0, TACHO_TRACE_COMPUTE)->slot);
    assert_true(count_edges(f->s, TACHO_TRACE_INTERNAL, NULL, 5) >= 8);
}

/* ---- limits ---- */

static void test_trace__stops_at_its_limits(void **state)
{
    fixture *f = *state;
    trace_code(f, "SKL", "imul rax, rax", 7);
    assert_true(f->s->last_cycle.iterations >= 7 && f->s->last_cycle.iterations <= 10);
    const tacho_prediction *r;
    tacho_trace_listener l = {on_uop, on_cycle, f->s, 0, 20};
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.trace = &l;
    seen_reset(f->s);
    assert_int_equal(
        tacho_predict(f->predictor, tacho_arch_find("SKL", NULL), (const uint8_t *)"\x90", 1, &o, &r, NULL),
        0);
    assert_int_equal(f->s->cycles, 20);
}

static void test_trace__goes_on_longer_than_the_prediction(void **state)
{
    fixture *f = *state;
    trace_code(f, "SKL", "imul rax, rax", 9000);
    assert_true(f->s->last_cycle.iterations >= 9000 && f->s->last_cycle.iterations <= 9010);
}

static void test_trace__what_a_callback_returns_is_passed_on(void **state)
{
    fixture *f = *state;
    const tacho_prediction *r;
    tacho_trace_listener l = {on_uop, NULL, f->s, 0, 0};
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.trace = &l;
    seen_reset(f->s);
    f->s->stop_after = 9;
    assert_int_equal(
        tacho_predict(f->predictor, tacho_arch_find("SKL", NULL), (const uint8_t *)"\x90", 1, &o, &r, NULL),
        -77);
    assert_null(r);
    assert_int_equal(f->s->count, 9);
}

static void test_trace__tracing_changes_no_result(void **state)
{
    fixture *f = *state;
    test_block b;
    const tacho_prediction *r;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    assert_int_equal(test_block_make(&b, "add rax, [rsi+rbx*8]; imul rax, rcx; push rax; pop rdx", NULL), 0);
    assert_int_equal(tacho_predict(f->predictor, tacho_arch_find("ICX", NULL), b.bytes, b.size, &o, &r, NULL),
                     0);
    double cycles = r->cycles;
    for (int k = 0; k < 2; k++) {
        r = predict_traced(f->predictor, f->s, "ICX", TACHO_MODE_AUTO, &b, 0);
        assert_true(r->cycles == cycles);
        assert_int_equal(f->s->wrong, 0);
    }
    test_block_free(&b);
}

static void test_trace__memory_that_runs_out_is_an_error(void **state)
{
    fixture *f = *state;
    const tacho_prediction *r;
    tacho_trace_listener l = {on_uop, on_cycle, f->s, 3, 0};
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.trace = &l;
    for (unsigned long n = 1; n < 200; n++) {
        tacho_error err;
        tacho_predictor *p = tacho_predictor_new();
        assert_non_null(p);
        seen_reset(f->s);
        tacho_mem_fail_at(n);
        int rc = tacho_predict(p, tacho_arch_find("SKL", NULL), (const uint8_t *)"\x90", 1, &o, &r, &err);
        tacho_mem_fail_at(0);
        tacho_predictor_free(p);
        if (rc == 0)
            return;
        assert_int_equal(rc, TACHO_ERR_MEMORY);
    }
    fail_msg("never succeeded");
}

static int set_up(void **state)
{
    static fixture f;
    f.predictor = tacho_predictor_new();
    f.s = calloc(1, sizeof *f.s);
    if (!f.predictor || !f.s)
        return -1;
    f.s->uops = calloc(MAX_UOPS, sizeof *f.s->uops);
    *state = &f;
    return f.s->uops ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    tacho_predictor_free(f->predictor);
    free(f->s->uops);
    free(f->s);
    return 0;
}

int main(int argc, char **argv)
{
    corpus = argc > 1 ? argv[1] : "tests/golden/blocks.txt";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace__every_uop_of_the_corpus_passes_the_stages_in_order),
        cmocka_unit_test(test_trace__a_chain_of_multiplications_waits_for_its_register),
        cmocka_unit_test(test_trace__flags_carry_their_group),
        cmocka_unit_test(test_trace__a_load_waits_for_the_store_that_it_reads),
        cmocka_unit_test(test_trace__the_renamer_ends_moves_idioms_and_nops),
        cmocka_unit_test(test_trace__push_with_rsp_used_gets_a_synchronising_uop),
        cmocka_unit_test(test_trace__micro_fused_uops_share_a_slot),
        cmocka_unit_test(test_trace__stops_at_its_limits),
        cmocka_unit_test(test_trace__goes_on_longer_than_the_prediction),
        cmocka_unit_test(test_trace__what_a_callback_returns_is_passed_on),
        cmocka_unit_test(test_trace__tracing_changes_no_result),
        cmocka_unit_test(test_trace__memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
