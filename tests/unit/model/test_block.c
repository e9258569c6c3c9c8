/* test_block.c - from bytes to µops: what single instructions become, and what must hold for all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"
#include "model/block/registers.h"
#include "model/block/streams.h"
#include "x86/decode/regs.h"

static const char *corpus;

typedef struct fixture {
    arena memory;
    block b;
    test_block code;
} fixture;

static void build(fixture *f, const char *arch, const char *code)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_error err = {.message = ""};
    o.ignore_isa = true;
    *f = (fixture){.code = {NULL, 0}};
    if (test_block_make(&f->code, code, &err) ||
        tacho_block_build(&f->b, &f->memory, NULL, tacho_arch_find(arch, NULL), f->code.bytes, f->code.size,
                          &o, &err))
        fail_msg("%s: %s", code, err.message);
}

static void release(fixture *f)
{
    arena_free(&f->memory);
    test_block_free(&f->code);
}

/* Cycles from an input of the first instruction to a result, by way of its own µops; -1: no way. */
static int path(const block *b, uint8_t from, uint8_t to)
{
    int temps[TEMP_COUNT], best = -1;
    memset(temps, 0xff, sizeof temps);
    const block_insn *bi = &b->insns[0];
    for (uint32_t k = bi->uop_first; k < bi->uop_first + bi->uop_count; k++) {
        const uop *u = &b->uops[k];
        int start = -1;
        for (int i = 0; i < u->in_count; i++) {
            int at = u->in[i] >= TEMP_BASE ? temps[u->in[i] - TEMP_BASE] : u->in[i] == from ? 0 : -1;
            start = at > start ? at : start;
        }
        for (int o = 0; o < u->out_count && start >= 0; o++) {
            if (u->out[o].slot >= TEMP_BASE)
                temps[u->out[o].slot - TEMP_BASE] = start + u->out[o].latency;
            else if (u->out[o].slot == to && start + u->out[o].latency > best)
                best = start + u->out[o].latency;
        }
    }
    return best;
}

static void check_path(const char *arch, const char *code, uint8_t from, uint8_t to, int cycles)
{
    fixture f;
    build(&f, arch, code);
    int got = path(&f.b, from, to);
    if (got != cycles)
        fail_msg("%s on %s: %d cycles from unit %d to %d, not %d", code, arch, got, from, to, cycles);
    release(&f);
}

static void test_lowering__each_input_has_its_own_latency(void **state)
{
    check_path("SKL", "add rax, rbx", RBX, RAX, 1);
    check_path("SKL", "imul rax, rbx", RBX, RAX, 3);
    check_path("SKL", "shl rax, cl", RCX, RAX, 1);
    check_path("SKL", "shl rax, cl", UNIT_FLAG_SPAZO, RAX, -1);
    check_path("SKL", "shl rax, cl", UNIT_FLAG_SPAZO, UNIT_FLAG_SPAZO, 2);
    check_path("SKL", "cmovbe rax, rcx", RCX, RAX, 1);
    check_path("SKL", "cmovbe rax, rcx", UNIT_FLAG_C, RAX, 2);
    check_path("SKL", "mul rbx", RBX, RAX, 3);
    check_path("SKL", "mul rbx", RBX, RDX, 4);
    check_path("SKL", "adc rax, rbx", UNIT_FLAG_C, UNIT_FLAG_C, 1);
    check_path("SKL", "adc rax, rbx", UNIT_FLAG_SPAZO, RAX, -1);
    check_path("ICX", "vpermd ymm0, ymm1, ymm2", UNIT_VECTOR + 2, UNIT_VECTOR, 3);
}

static void test_lowering__loads_come_before_the_computing_part(void **state)
{
    check_path("SKL", "add rax, [rbx]", RBX, RAX, 6);
    check_path("SKL", "add rax, [rbx]", RAX, RAX, 1);
    check_path("SKL", "mov rax, [rbx+rcx]", RCX, RAX, 5);
    check_path("ICX", "imul rax, [rbx]", RBX, RAX, 8);
}

static void test_lowering__popcnt_depends_on_its_destination_on_skylake_only(void **state)
{
    check_path("SKL", "popcnt rax, rcx", RAX, RAX, 3);
    check_path("ICX", "popcnt rax, rcx", RAX, RAX, -1);
}

static void test_lowering__flags_are_two_units(void **state)
{
    fixture f;
    build(&f, "SKL", "inc rax");
    assert_int_equal(path(&f.b, RAX, UNIT_FLAG_SPAZO), 1);
    assert_int_equal(path(&f.b, RAX, UNIT_FLAG_C), -1);
    release(&f);
}

static void check_groups(const char *arch, const char *code, uint32_t laminated, uint32_t fused,
                         uint32_t uops)
{
    fixture f;
    build(&f, arch, code);
    if (f.b.laminated_count != laminated || f.b.fused_count != fused || f.b.uop_count != uops)
        fail_msg("%s on %s: %u, %u, %u µops (laminated, fused, all), not %u, %u, %u", code, arch,
                 f.b.laminated_count, f.b.fused_count, f.b.uop_count, laminated, fused, uops);
    release(&f);
}

static void test_grouping__micro_fusion_and_unlamination(void **state)
{
    check_groups("SKL", "add rax, [rbx]", 1, 1, 2);
    check_groups("SKL", "add rax, [rbx+rcx]", 1, 1, 2); /* keeps its index */
    check_groups("SKL", "vaddps xmm0, xmm1, [rbx]", 1, 1, 2);
    check_groups("SKL", "vaddps xmm0, xmm1, [rbx+rcx]", 1, 2, 2); /* does not */
    check_groups("SKL", "mov [rsi], rax", 1, 1, 2);
    check_groups("SKL", "add [rsi], rax", 2, 2, 4);
    check_groups("SKL", "push rax", 1, 1, 2);
    check_groups("SKL", "nop", 1, 1, 0);
    check_groups("SKL", "xor eax, eax", 1, 1, 0);
    check_groups("SKL", "pcmpeqd xmm0, xmm0", 1, 1, 1);
}

/* The ports of the µops of each kind, "load 6789 address 89 data 012345", in the order of the code. */
static void check_kinds(const char *arch, const char *code, const char *expected)
{
    static const char *const names[] = {[UOP_COMPUTE] = "compute",
                                        [UOP_LOAD] = "load",
                                        [UOP_STORE_ADDRESS] = "address",
                                        [UOP_STORE_DATA] = "data"};
    fixture f;
    char got[200] = "", ports[20];
    build(&f, arch, code);
    for (uint32_t k = 0; k < f.b.uop_count; k++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s %s", k ? " " : "",
                 names[f.b.uops[k].kind], tacho_ports_text(f.b.uops[k].ports, ports, sizeof ports) + 1);
    if (strcmp(got, expected) != 0)
        fail_msg("%s on %s: %s, not %s", code, arch, got, expected);
    release(&f);
}

static void test_lowering__what_a_set_of_ports_says_of_a_uop(void **state)
{
    check_kinds("SKL", "add [rsi], rax", "load 23 compute 0156 address 237 data 4");
    check_kinds("SNB", "mov [rsi], rax", "address 23 data 4");
    check_kinds("ZEN5", "mov rax, [rsi]", "load 6789");
    check_kinds("ZEN5", "vmovups ymm0, [rsi]", "load 67");
    check_kinds("ZEN5", "mov [rsi], rax", "address 89 data 012345");
    check_kinds("ZEN5", "vmovups [rsi], ymm0", "address 89 data ef");
    check_kinds("ZEN5", "vmovq rax, xmm0", "compute 012345 compute ef"); /* measured: an ALU port, too */
    check_kinds("ZEN5", "add [rsi], rax", "load 6789 compute 012345 address 89 data 012345");
    check_kinds("ZEN5", "add rax, [rsi]", "load 6789 compute 012345");
    check_kinds("ADL", "vmovups ymm0, [rsi]", "load 23a");
    check_kinds("ADL", "vmovups zmm0, [rsi]", "load 23");
    check_kinds("ADL", "vmovups [rsi], ymm0", "address 78 data 49");
    check_kinds("ADL", "vmovups [rsi], zmm0", "address 78 data 4");
}

/* A what-if run moves loads and stores to other ports; those that had fewer stay within the new ones. */
static void test_lowering__ports_of_a_what_if_run(void **state)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_arch arch = *tacho_arch_find("ZEN5", NULL);
    test_block code;
    arena memory = {0};
    block b;
    assert_int_equal(tacho_arch_parameter_set(&arch, "load_ports", "689", NULL), 0);
    assert_int_equal(tacho_arch_parameter_set(&arch, "store_data_alu_ports", "01", NULL), 0);
    assert_int_equal(test_block_make(&code, "mov rax, [rsi]; vmovups ymm0, [rsi]; mov [rdi], rbx", NULL), 0);
    assert_int_equal(tacho_block_build(&b, &memory, NULL, &arch, code.bytes, code.size, &o, NULL), 0);
    assert_int_equal(b.uop_count, 4);
    assert_int_equal(b.uops[0].ports, 0x340);
    assert_int_equal(b.uops[1].ports, 0x040);
    assert_int_equal(b.uops[2].ports, 0x300);
    assert_int_equal(b.uops[3].ports, 0x003);
    arena_free(&memory);
    test_block_free(&code);
}

static void test_grouping__a_macro_fused_pair_is_one_uop_on_the_branch_port(void **state)
{
    fixture f;
    build(&f, "SKL", "1: dec r15; jnz 1b");
    assert_true(f.b.insns[0].fused_with_next && f.b.insns[1].fused_into_previous);
    assert_int_equal(f.b.uop_count, 1);
    assert_int_equal(f.b.uops[0].ports, 1 << 6);
    assert_int_equal(f.b.mode, TACHO_MODE_LOOP);
    release(&f);
}

static void test_block__a_dependency_breaking_idiom_has_no_inputs(void **state)
{
    fixture f;
    build(&f, "SKL", "pcmpeqd xmm0, xmm0; sub rax, rax");
    assert_int_equal(f.b.uops[0].in_count, 0);
    assert_int_equal(f.b.insns[1].uop_count, 0);
    assert_true(f.b.insns[1].kill_count > 0);
    release(&f);
}

static void test_block__which_moves_can_be_eliminated(void **state)
{
    static const struct {
        const char *arch, *code;
        bool eliminable;
    } moves[] = {{"SKL", "mov rax, rbx", true},       {"SKL", "mov eax, ebx", true},
                 {"SKL", "mov ax, bx", false},        {"SKL", "mov al, bl", false},
                 {"SKL", "mov rax, rax", false},      {"SKL", "movzx eax, bl", true},
                 {"SKL", "movzx eax, bx", false},     {"SKL", "movzx eax, sil", false},
                 {"SKL", "movaps xmm0, xmm1", true},  {"ICX", "mov rax, rbx", true},
                 {"ICX", "vmovdqa ymm0, ymm1", true}, {"SKL", "mov rax, [rbx]", false}};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        fixture f;
        build(&f, moves[i].arch, moves[i].code);
        if (f.b.insns[0].eliminable != moves[i].eliminable)
            fail_msg("%s on %s", moves[i].code, moves[i].arch);
        release(&f);
    }
}

static void test_block__high_bytes_are_units_of_their_own_where_renamed_apart(void **state)
{
    fixture f;
    build(&f, "SKL", "mov ah, cl; add rdx, rax");
    assert_int_equal(f.b.uops[0].out[0].slot, UNIT_HIGH8);
    assert_true(f.b.insns[1].merges_high8 & 1 << RAX);
    release(&f);
    build(&f, "ICX", "mov ah, cl; add rdx, rax");
    assert_int_equal(f.b.uops[0].out[0].slot, RAX);
    assert_int_equal(f.b.insns[1].merges_high8, 0);
    release(&f);
}

static void test_block__one_zmm_register_shuts_port_1_to_vectors(void **state)
{
    fixture f;
    build(&f, "ICX", "vpaddd ymm0, ymm1, ymm2; imul rax, rbx; vmovaps zmm3, [rsi]");
    assert_int_equal(f.b.uops[0].ports & 2, 0);
    assert_int_equal(f.b.uops[1].ports, 2);
    release(&f);
}

static void test_block__the_divider_is_one_uop_on_port_0(void **state)
{
    fixture f;
    build(&f, "SKL", "divsd xmm0, xmm1; div ecx");
    for (uint32_t i = 0; i < 2; i++) {
        int users = 0;
        for (uint32_t k = 0; k < f.b.insns[i].uop_count; k++) {
            const uop *u = &f.b.uops[f.b.insns[i].uop_first + k];
            users += u->div_cycles > 0;
            assert_true(!u->div_cycles || u->ports == 1);
        }
        assert_int_equal(users, 1);
    }
    release(&f);
}

static void test_block__without_figures_it_is_one_slot_and_no_port(void **state)
{
    fixture f;
    build(&f, "SKL", "vaddpd zmm0, zmm1, zmm2");
    assert_false(f.b.insns[0].has_form);
    assert_true(f.b.insns[0].notes & TACHO_NOTE_UNKNOWN);
    assert_int_equal(f.b.issue_slots, 1);
    assert_int_equal(f.b.uop_count, 0);
    assert_int_equal(f.b.insns[0].kills[0], UNIT_VECTOR);
    release(&f);
}

static void test_block__stack_effects(void **state)
{
    fixture f;
    build(&f, "SKL", "push rax; pop rbx; lea rcx, [rsp+8]; leave; push ax");
    assert_int_equal(f.b.insns[0].stack_delta, -8);
    assert_int_equal(f.b.insns[1].stack_delta, 8);
    assert_true(f.b.insns[2].uses_rsp);
    assert_true(f.b.insns[3].resets_stack);
    assert_int_equal(f.b.insns[4].stack_delta, -2);
    release(&f);
}

/* Groups of one view must cover the next one without a gap, and the counts must be the table's. */
static void check_views(const block *b)
{
    uint32_t fused = 0, uops = 0;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        const block_insn *bi = &b->insns[i];
        uint32_t in_table = 0;
        assert_int_equal(bi->laminated_first + bi->laminated_count,
                         i + 1 < b->insn_count ? b->insns[i + 1].laminated_first : b->laminated_count);
        for (uint32_t l = 0; l < bi->laminated_count; l++) {
            assert_int_equal(b->laminated[bi->laminated_first + l].first, fused);
            fused += b->laminated[bi->laminated_first + l].count;
        }
        uops = bi->uop_first;
        for (uint32_t k = 0; k < bi->fused_count; k++) {
            const uop_group *g = &b->fused[bi->fused_first + k];
            assert_true(g->first == uops || g->count == 0);
            uops += g->count;
        }
        assert_int_equal(fused, bi->fused_first + bi->fused_count);
        if (bi->fused_into_previous || !bi->has_form)
            continue;
        assert_int_equal(uops, bi->uop_first + bi->uop_count);
        for (int g = 0; g < bi->variant->group_count; g++)
            in_table += bi->variant->groups[g].count;
        if (bi->variant->uops)
            assert_int_equal(bi->uop_count, in_table);
        assert_int_equal(bi->fused_count, bi->variant->retire_slots);
    }
    assert_int_equal(fused, b->fused_count);
}

static int check_block(const test_block *code, long at, const char *rest, void *payload)
{
    static const char *const archs[] = {"SKL", "ICX", "ADL"};
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    arena memory = {0};
    o.ignore_isa = true; /* the corpus is for all cores */
    for (int k = 0; k < 3; k++) {
        block b;
        arena_reset(&memory);
        assert_int_equal(tacho_block_build(&b, &memory, NULL, tacho_arch_find(archs[k], NULL), code->bytes,
                                           code->size, &o, NULL),
                         0);
        check_views(&b);
    }
    arena_free(&memory);
    return 0;
}

static void test_block__three_views_of_all_blocks_fit_together(void **state)
{
    assert_true(test_corpus_each(corpus, check_block, NULL) > 100);
}

static void test_block__a_cut_off_last_instruction_is_named(void **state)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    static const uint8_t code[] = {0x48, 0x01, 0xd8, 0x90, 0x48, 0x81, 0xc0, 0x01};
    tacho_error err = {.offset = -1};
    arena memory = {0};
    block b;
    assert_int_equal(tacho_block_build(&b, &memory, NULL, tacho_arch_get(0), code, sizeof code, &o, &err),
                     TACHO_ERR_INPUT);
    assert_int_equal(err.offset, 4);
    arena_free(&memory);
}

/* ---- addresses that move on ---- */

enum {
    FOLLOWED = 12, /* iterations */
    MOST_STORED = 256
};

typedef struct streams_seen {
    uint32_t found, apart; /* blocks whose addresses are streams; of these, those whose loads meet no store */
} streams_seen;

/* The accesses are where the streams say; returns whether a load reads what was stored before it. */
static bool follow_streams(const block *b, const access_stream (*streams)[INSN_MAX_MEM],
                           const tacho_predict_options *o)
{
    uint64_t stored[MOST_STORED], bytes[MOST_STORED];
    uint32_t stores = 0;
    bool met = false;
    register_values v;
    registers_init(&v, b->arch, o);
    for (uint64_t n = 0; n < FOLLOWED; n++)
        for (uint32_t i = 0; i < b->insn_count; i++) {
            const block_insn *bi = &b->insns[i];
            for (int k = 0; k < bi->mem_count; k++) {
                const mem_access *m = &bi->mem[k];
                const uint64_t at = registers_store_address(&v, bi, m), size = registers_access_bytes(m);
                if (m->unknown_address)
                    continue;
                assert_int_equal(at, streams[i][k].first + n * streams[i][k].step);
                for (uint32_t w = 0; m->read && w < stores; w++)
                    met |= accesses_meet(at, size, stored[w], bytes[w]);
            }
            for (int k = 0; k < bi->mem_count && stores < MOST_STORED; k++)
                if (bi->mem[k].write && !bi->mem[k].unknown_address) {
                    stored[stores] = registers_store_address(&v, bi, &bi->mem[k]);
                    bytes[stores++] = registers_access_bytes(&bi->mem[k]);
                }
            registers_step(&v, bi, registers_no_word, NULL);
        }
    return met;
}

static int check_streams(const test_block *code, long at, const char *rest, void *payload)
{
    streams_seen *seen = payload;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.ignore_isa = true;
    for (int init = 0; init < 2; init++) {
        arena memory = {0};
        block b;
        o.init = init ? TACHO_INIT_SAME : TACHO_INIT_DISTINCT;
        assert_int_equal(tacho_block_build(&b, &memory, NULL, tacho_arch_find("ICX", NULL), code->bytes,
                                           code->size, &o, NULL),
                         0);
        access_stream(*streams)[INSN_MAX_MEM] = arena_alloc(&memory, b.insn_count * sizeof *streams);
        assert_non_null(streams);
        if (streams_find(streams, &b, &o)) {
            const bool meet = streams_meet(streams, &b);
            seen->found++;
            seen->apart += !meet;
            if (!meet)
                assert_false(follow_streams(&b, streams, &o));
        }
        arena_free(&memory);
    }
    return 0;
}

/* What is left out of the simulation where no load can meet a store: that none does is followed here. */
static void test_streams__are_where_registers_say_and_apart(void **state)
{
    streams_seen seen = {0, 0};
    assert_true(test_corpus_each(corpus, check_streams, &seen) > 100);
    assert_true(seen.apart > 50 && seen.found > seen.apart + 20);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lowering__each_input_has_its_own_latency),
        cmocka_unit_test(test_lowering__loads_come_before_the_computing_part),
        cmocka_unit_test(test_lowering__popcnt_depends_on_its_destination_on_skylake_only),
        cmocka_unit_test(test_lowering__flags_are_two_units),
        cmocka_unit_test(test_grouping__micro_fusion_and_unlamination),
        cmocka_unit_test(test_lowering__what_a_set_of_ports_says_of_a_uop),
        cmocka_unit_test(test_lowering__ports_of_a_what_if_run),
        cmocka_unit_test(test_grouping__a_macro_fused_pair_is_one_uop_on_the_branch_port),
        cmocka_unit_test(test_block__a_dependency_breaking_idiom_has_no_inputs),
        cmocka_unit_test(test_block__which_moves_can_be_eliminated),
        cmocka_unit_test(test_block__high_bytes_are_units_of_their_own_where_renamed_apart),
        cmocka_unit_test(test_block__one_zmm_register_shuts_port_1_to_vectors),
        cmocka_unit_test(test_block__the_divider_is_one_uop_on_port_0),
        cmocka_unit_test(test_block__without_figures_it_is_one_slot_and_no_port),
        cmocka_unit_test(test_block__stack_effects),
        cmocka_unit_test(test_streams__are_where_registers_say_and_apart),
        cmocka_unit_test(test_block__three_views_of_all_blocks_fit_together),
        cmocka_unit_test(test_block__a_cut_off_last_instruction_is_named),
    };
    if (argc != 2)
        return 2;
    corpus = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
