/* test_loops.c - loops in small pieces of assembly: which are found, which way is taken through them, what is
 * said of them; and the nest of loops in random graphs, compared with a slow and plain definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "x86/flow/cfg.h"
#include "tacho/tools.h"

/* Of the text alone libtacho finds the same ones, in the same order. */
static void check_parts(const tacho_loops *loops, const char *text)
{
    tacho_assemble_options o = TACHO_ASSEMBLE_OPTIONS_INIT;
    tacho_assembly *a = NULL;
    tacho_parts *parts = NULL;
    o.syntax = TACHO_SYNTAX_INTEL;
    tacho_error err;
    if (tacho_assemble(&a, text, strlen(text), &o, &err))
        fail_msg("%s: %s", text, err.message);
    assert_int_equal(tacho_assembly_parts(&parts, a, text, strlen(text), NULL), 0);
    bool any = parts->parts[0].kind == TACHO_PART_LOOP;
    assert_true(any ? parts->count == loops->count : !loops->count || parts->parts[0].kind == TACHO_PART_ALL);
    for (size_t i = 0; any && i < loops->count; i++) {
        const tacho_loop *l = &loops->loops[i];
        const tacho_part *p = &parts->parts[i];
        assert_int_equal(p->start, l->start);
        assert_int_equal(p->end, l->end);
        assert_int_equal(p->flags, l->flags);
        assert_int_equal(p->depth, l->depth);
        assert_true(p->heat == l->heat);
        assert_int_equal(p->line_first, l->line_first);
        assert_int_equal(p->line_last, l->line_last);
        assert_string_equal(p->name, l->function ? l->function : "");
        assert_int_equal(p->piece_count, l->piece_count);
        assert_int_equal(p->code_bytes, l->code_bytes);
        assert_memory_equal(p->code ? p->code : (const uint8_t *)"", l->code ? l->code : (const uint8_t *)"",
                            p->code_bytes);
    }
    tacho_parts_free(parts);
    tacho_assembly_free(a);
}

static tacho_loops *find(const char *text)
{
    tacho_loops *loops = NULL;
    tacho_error err = {.message = ""};
    tacho_loops_options o = TACHO_LOOPS_OPTIONS_INIT;
    o.code.kind = TACHO_INPUT_ASSEMBLY;
    o.code.syntax = TACHO_SYNTAX_INTEL;
    if (tacho_loops_from_memory(&loops, text, strlen(text), "test", &o, &err))
        fail_msg("%s: %s", text, err.message);
    check_parts(loops, text);
    return loops;
}

static tacho_loops *find_one(const char *text)
{
    tacho_loops *loops = find(text);
    if (loops->count != 1)
        fail_msg("%zu loops, not one, in: %s", loops->count, text);
    return loops;
}

static void check_code(const tacho_loop *l, const char *hex)
{
    char text[400] = "";
    for (size_t i = 0; i < l->code_bytes && i < 190; i++)
        sprintf(text + 2 * i, "%02x", l->code[i]);
    assert_string_equal(text, hex);
}

/* ---- names ---- */

/* A loop in a function of that symbol. @return what the function is called, to be freed */
static char *name_of(const char *symbol, bool keep_mangled)
{
    char text[2000];
    tacho_loops *loops = NULL;
    tacho_error err = {.message = ""};
    tacho_loops_options o = TACHO_LOOPS_OPTIONS_INIT;
    o.code.kind = TACHO_INPUT_ASSEMBLY;
    o.code.syntax = TACHO_SYNTAX_INTEL;
    o.keep_mangled = keep_mangled;
    snprintf(text, sizeof text, ".globl %s\n%s: inc eax\njnz %s\nret\n", symbol, symbol, symbol);
    if (tacho_loops_from_memory(&loops, text, strlen(text), "test", &o, &err))
        fail_msg("%s", err.message);
    assert_int_equal(loops->count, 1);
    char *name = strdup(loops->loops[0].function);
    tacho_loops_free(loops);
    return name;
}

static void check_name(const char *symbol, const char *expected)
{
    char *name = name_of(symbol, false), *kept = name_of(symbol, true);
    assert_string_equal(name, expected);
    assert_string_equal(kept, symbol);
    free(name);
    free(kept);
}

static void test_names__are_those_of_the_language(void **state)
{
    check_name("_ZN4shop3sumIdEET_PKS1_l", "double shop::sum<double>(double const*, long)");
    check_name("_ZN3std2io5stdio6_print17h0123456789abcdefE", "std::io::stdio::_print");
    check_name("_RNvC6_123foo3bar", "123foo::bar");
    check_name("main", "main");
    check_name("_Zzz", "_Zzz");
    (void)state;
}

/* A, then 35 times B of twice what came before: a text of 10^11 characters. */
static void test_names__that_would_never_end_stay_as_they_are(void **state)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char symbol[600] = "_Z1f1AIiiE1BIS0_S0_E";
    for (unsigned i = 2; i < 36; i++)
        sprintf(symbol + strlen(symbol), "S1_IS%c_S%c_E", digits[i], digits[i]);
    check_name(symbol, symbol);
    (void)state;
}

/* ---- which loops there are ---- */

static void test_loops__of_a_nest_only_the_innermost(void **state)
{
    tacho_loops *loops =
        find_one(".globl f\n.type f, @function\nf: xor eax, eax\n"
                 "1: xor ecx, ecx\n2: xor edx, edx\n3: inc edx\ncmp edx, 9\njl 3b\n"
                 "inc ecx\ncmp ecx, 9\njl 2b\ninc eax\ncmp eax, 9\njl 1b\nret\n.size f, .-f\n");
    const tacho_loop *l = loops->loops;
    assert_int_equal(l->depth, 3);
    assert_int_equal(l->block_count, 1);
    assert_string_equal(l->function, "f");
    assert_int_equal(l->start, 6);
    assert_int_equal(l->end, 13);
    check_code(l, "ffc283fa097cf9");
    assert_int_equal(l->line_first, 6);
    assert_int_equal(l->line_last, 8);
    assert_int_equal(l->insn_count, 3);
    assert_int_equal(l->piece_count, 1);
    tacho_loops_free(loops);
}

static void test_loops__that_look_equally_hot_are_in_the_order_of_the_text(void **state)
{
    tacho_loops *loops = find(".section .text.b, \"ax\"\nf: nop\n1: dec ecx\njnz 1b\nret\n"
                              ".section .text.a, \"ax\"\ng: nop\n1: dec ecx\njnz 1b\nret\n");
    assert_int_equal(loops->count, 2);
    assert_string_equal(loops->loops[0].section, ".text.b");
    assert_string_equal(loops->loops[1].section, ".text.a");
    tacho_loops_free(loops);
}

static void test_loops__two_branches_back_to_one_header_are_one_loop(void **state)
{
    tacho_loops *loops = find_one("f: nop\n1: inc eax\ntest al, 1\njne 1b\ninc ecx\ndec edx\njne 1b\nret\n");
    const tacho_loop *l = loops->loops;
    assert_int_equal(l->block_count, 2);
    assert_int_equal(l->path_count, 2); /* the longer way, with the same number of taken branches */
    assert_int_equal(l->branch_count, 2);
    assert_false(l->branches[0].taken);
    assert_int_equal(l->branches[0].reason, TACHO_BRANCH_LONGER);
    assert_true(l->branches[1].taken);
    assert_int_equal(l->branches[1].reason, TACHO_BRANCH_STAYS);
    tacho_loops_free(loops);
}

static void test_loops__entered_at_the_test_begin_at_the_top(void **state)
{
    tacho_loops *loops =
        find_one("f: jmp 2f\n.p2align 4\n1: add rax, [rdi]\nadd rdi, 8\n2: cmp rdi, rsi\njne 1b\nret\n");
    const tacho_loop *l = loops->loops;
    assert_int_equal(l->piece_count, 1);
    assert_int_equal(l->path_count, 2);
    assert_int_equal(l->pieces[0].address, 16);
    check_code(l, "4803074883c7084839f775f4");
    tacho_loops_free(loops);
}

static void test_loops__without_a_symbol_are_found_too(void **state)
{
    static const char hex[] = "31c0 ffc0 83f809 7cf9 c3  6690 cc cc 31c9 ffc1 83f909 7cf9 c3";
    tacho_loops *loops;
    tacho_loops_options o = TACHO_LOOPS_OPTIONS_INIT;
    o.code.kind = TACHO_INPUT_HEX;
    assert_int_equal(tacho_loops_from_memory(&loops, hex, sizeof hex - 1, "test", &o, NULL), 0);
    assert_int_equal(loops->count, 2);
    assert_int_equal(loops->function_count, 2); /* one behind the padding */
    assert_null(loops->loops[0].function);
    assert_int_equal(loops->loops[0].start, 2);
    assert_int_equal(loops->loops[0].function_address, 0);
    assert_int_equal(loops->loops[1].start, 16);
    assert_int_equal(loops->loops[1].function_address, 14);
    tacho_loops_free(loops);
}

static void test_loops__are_not_what_straight_code_and_calls_make(void **state)
{
    tacho_loops *loops = find("f: call f\njne 1f\nnop\n1: ret\ng: jmp f\n");
    assert_int_equal(loops->count, 0);
    tacho_loops_free(loops);
}

static void test_loops__a_jump_into_an_instruction_leaves(void **state)
{
    /* the branch skips the lock prefix; what decodes there is not followed */
    tacho_loops *loops =
        find_one("f: nop\n1: dec eax\nje 2f+1\n2: lock inc dword ptr [rdi]\ndec ecx\njne 1b\nret\n");
    assert_int_equal(loops->loops[0].flags & TACHO_LOOP_BAD_BYTES, TACHO_LOOP_BAD_BYTES);
    assert_int_equal(loops->loops[0].path_count, 2);
    tacho_loops_free(loops);
}

static void test_loops__do_not_go_on_after_a_call_that_does_not_return(void **state)
{
    static const char text[] = "f: test al, al\nje 1f\ncall %s\n2: inc edx\n1: dec ecx\njne 2b\nret\n";
    char code[200];
    snprintf(code, sizeof code, text, "abort");
    tacho_loops *loops = find_one(code);
    assert_int_equal(loops->loops[0].flags, 0);
    tacho_loops_free(loops);
    snprintf(code, sizeof code, text, "aborted");
    loops = find_one(code);
    assert_int_equal(loops->loops[0].flags, TACHO_LOOP_IRREDUCIBLE);
    tacho_loops_free(loops);
}

/* ---- which way is taken ---- */

static void test_path__avoids_calls(void **state)
{
    tacho_loops *loops =
        find_one("f: nop\n1: test al, al\njne 2f\ncall g\nnop\nnop\n2: dec ecx\njne 1b\nret\n");
    const tacho_loop *l = loops->loops;
    assert_int_equal(l->flags, TACHO_LOOP_CALLS_ELSEWHERE);
    assert_int_equal(l->path_count, 2);
    assert_int_equal(l->block_count, 3);
    assert_true(l->branches[0].taken);
    assert_int_equal(l->branches[0].reason, TACHO_BRANCH_AVOIDS_CALLS);
    assert_int_equal(l->piece_count, 2);
    assert_int_equal(l->pieces[0].code_offset, 0);
    assert_int_equal(l->pieces[0].address, 1);
    assert_int_equal(l->pieces[1].code_offset, 4);
    assert_int_equal(l->pieces[1].address, 12);
    check_code(l, "84c07507ffc975f1");
    tacho_loops_free(loops);
}

static void test_path__that_cannot_avoid_a_call_names_it(void **state)
{
    tacho_loops *loops = find_one("f: nop\n1: call elsewhere\ndec ecx\njne 1b\nret\n");
    assert_int_equal(loops->loops[0].flags, TACHO_LOOP_CALLS);
    assert_string_equal(loops->loops[0].callee, "elsewhere");
    assert_int_equal(loops->loops[0].call_count, 1);
    tacho_loops_free(loops);
    loops = find_one(".globl g\n.type g, @function\ng: ret\n.size g, 1\n"
                     ".globl f\n.type f, @function\nf: nop\n1: call g\ndec ecx\njne 1b\nret\n");
    assert_string_equal(loops->loops[0].callee, "g");
    tacho_loops_free(loops);
}

static void test_path__prefers_what_is_in_line(void **state)
{
    /* the block behind the loop is longer, but set apart */
    tacho_loops *loops =
        find_one("f: nop\n1: test al, al\nje 3f\nnop\n2: dec ecx\njne 1b\nret\n.skip 80, 0x90\n"
                 "3: nop\nnop\nnop\njmp 2b\n");
    const tacho_loop *l = loops->loops;
    assert_int_equal(l->block_count, 4);
    assert_int_equal(l->path_count, 3);
    assert_false(l->branches[0].taken);
    assert_int_equal(l->branches[0].reason, TACHO_BRANCH_IN_LINE);
    assert_false(l->blocks[3].on_path);
    tacho_loops_free(loops);
}

static void test_path__falls_through_an_if_and_its_else(void **state)
{
    tacho_loops *loops =
        find_one("f: nop\n1: test al, 2\njne 2f\nnop\nnop\njmp 3f\n2: inc edx\n3: dec ecx\njne 1b\nret\n");
    const tacho_loop *l = loops->loops;
    assert_int_equal(l->block_count, 4);
    assert_int_equal(l->path_count, 3);
    assert_int_equal(l->branches[0].reason, TACHO_BRANCH_NOT_TAKEN);
    assert_int_equal(l->piece_count, 2); /* the jump over the else */
    check_code(l, "a80275049090eb02ffc975f2");
    tacho_loops_free(loops);
}

static void test_path__takes_values_to_be_unequal(void **state)
{
    static const char *const branches[] = {"je 2f", "jne 2f"};
    for (int i = 0; i < 2; i++) {
        char code[200];
        snprintf(code, sizeof code, "f: nop\n1: cmp al, 32\n%s\nnop\n2: dec ecx\njne 1b\nret\n", branches[i]);
        tacho_loops *loops = find_one(code);
        const tacho_loop *l = loops->loops;
        assert_int_equal(l->branches[0].taken, i);
        assert_int_equal(l->branches[0].reason, TACHO_BRANCH_UNEQUAL);
        tacho_loops_free(loops);
    }
}

/* ---- what is special ---- */

static void test_flags__irreducible(void **state)
{
    tacho_loops *loops = find_one("f: test al, al\nje 2f\n1: inc eax\n2: inc ecx\ncmp ecx, 9\njne 1b\nret\n");
    assert_int_equal(loops->loops[0].flags & TACHO_LOOP_IRREDUCIBLE, TACHO_LOOP_IRREDUCIBLE);
    assert_int_equal(loops->loops[0].block_count, 2);
    assert_int_equal(loops->loops[0].path_count, 2);
    check_code(loops->loops, "ffc0ffc183f90975f7");
    tacho_loops_free(loops);
}

#define SWITCH(entry, load)                                                                                  \
    ".globl f\n.type f, @function\nf: lea rdx, [rip + t]\n1: movzx eax, byte ptr [rdi]\ninc rdi\n"           \
    "cmp eax, 2\nja 9f\n" load                                                                               \
    "2: inc ecx\njmp 1b\n3: dec ecx\nnop\njmp 1b\n4: add ecx, 5\ncall g\njmp 1b\n"                           \
    "9: ret\n.size f, .-f\n.section .rodata\n" entry

static void test_flags__a_switch_in_a_loop(void **state)
{
    static const char *const texts[] = {
        SWITCH("t: .long 2b-t, 3b-t, 4b-t, 1b-t\n",
               "movsxd rax, dword ptr [rdx + 4*rax]\nadd rax, rdx\njmp rax\n"),
        SWITCH("t: .quad 2b, 3b, 4b\n", "jmp qword ptr [t + 8*rax]\n")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tacho_loops *loops = find_one(texts[i]);
        const tacho_loop *l = loops->loops;
        assert_int_equal(l->flags, TACHO_LOOP_SWITCH | TACHO_LOOP_CALLS_ELSEWHERE);
        assert_int_equal(l->block_count, 5);
        assert_int_equal(l->path_count, 3); /* by the longest case that does not call */
        assert_int_equal(l->pieces[1].address - l->pieces[0].address, i ? 29 - 7 : 31 - 7);
        tacho_loops_free(loops);
    }
}

static void test_flags__a_jump_that_is_not_understood(void **state)
{
    tacho_loops *loops = find("f: nop\n1: inc eax\nje 2f\njmp rdx\n2: dec ecx\njne 1b\nret\n");
    assert_int_equal(loops->count, 1);
    assert_int_equal(loops->loops[0].block_count, 2); /* the jump leaves it */
    tacho_loops_free(loops);
}

static void test_flags__waiting_and_cold(void **state)
{
    tacho_loops *loops =
        find(".section .text.unlikely,\"ax\"\nf: nop\n1: pause\ncmp [rdi], eax\njne 1b\nret\n"
             ".text\ng: nop\n1: addps xmm0, xmm1\ndec ecx\njne 1b\nret\n");
    assert_int_equal(loops->count, 2);
    assert_int_equal(loops->loops[0].flags, 0); /* the hotter-looking one comes first */
    assert_int_equal(loops->loops[0].vector_count, 1);
    assert_int_equal(loops->loops[1].flags, TACHO_LOOP_WAITS | TACHO_LOOP_COLD_PLACE);
    assert_string_equal(loops->loops[1].section, ".text.unlikely");
    tacho_loops_free(loops);
}

static void test_flags__bytes_that_are_no_instruction(void **state)
{
    tacho_loops *loops = find_one("f: nop\n1: dec eax\nje 2f\ndec ecx\njne 1b\nret\n2: .byte 6\n");
    assert_int_equal(loops->loops[0].flags, TACHO_LOOP_BAD_BYTES);
    tacho_loops_free(loops);
}

/* ---- source lines ---- */

static void test_lines__of_the_source_and_of_the_text(void **state)
{
    tacho_loops *loops =
        find_one(".file 1 \"dir/x.c\"\n.text\n.globl f\n.type f, @function\nf:\n.loc 1 7\nnop\n1:\n"
                 ".loc 1 9\ninc eax\n.loc 1 12\ndec ecx\n.loc 1 10\njne 1b\n.loc 1 20\nret\n.size f, .-f\n"
                 "2:\n.section .debug_info,\"\",@progbits\n.long 3f-4f\n4: .value 4\n.long 0\n.byte 8\n"
                 ".uleb128 1\n.quad f\n.quad 2b\n.long .L0\n3:\n"
                 ".section .debug_abbrev,\"\",@progbits\n.uleb128 1\n.uleb128 0x11\n.byte 0\n"
                 ".uleb128 0x11\n.uleb128 1\n.uleb128 0x12\n.uleb128 1\n.uleb128 0x10\n.uleb128 0x17\n"
                 ".byte 0, 0, 0\n.section .debug_line,\"\",@progbits\n.L0:\n");
    const tacho_loop *l = loops->loops;
    assert_non_null(l->source_file);
    assert_string_equal(l->source_file, "dir/x.c");
    assert_int_equal(l->source_first, 9);
    assert_int_equal(l->source_last, 12);
    assert_int_equal(l->line_first, 10);
    assert_int_equal(l->line_last, 14);
    tacho_loops_free(loops);
}

/* ---- graphs at random: the nest of loops against its definition ---- */

enum {
    MOST = 14
};

typedef struct graph {
    cfg g;
    cfg_block blocks[MOST];
    uint32_t root;
} graph;

static uint64_t seed = 1;

static uint32_t pick(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void make_graph(graph *r, arena *memory)
{
    uint32_t n = 2 + pick(MOST - 1);
    *r = (graph){.g = {.memory = memory, .block_count = n, .root_count = 1}};
    r->g.blocks = r->blocks;
    r->g.roots = &r->root;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = pick(n), near = i + 1 < n ? i + 1 : CFG_NONE;
        r->blocks[i] = (cfg_block){.start = i, .end = i + 1};
        r->blocks[i].next = pick(5) ? near : CFG_NONE;
        r->blocks[i].taken = pick(3) ? to : CFG_NONE;
    }
}

/* Blocks that `from` reaches without passing `without`, as bits. */
static uint32_t reached(const graph *r, uint32_t from, uint32_t without, uint32_t within)
{
    uint32_t seen = 0, todo = from == without ? 0 : 1u << from;
    while (todo) {
        uint32_t b = (uint32_t)__builtin_ctz(todo), to;
        todo &= todo - 1;
        seen |= 1u << b;
        for (uint32_t k = 0; (to = tacho_cfg_successor(&r->g, &r->blocks[b], k)) != CFG_NONE; k++)
            if (to != without && (within >> to & 1) && !(seen >> to & 1))
                todo |= 1u << to;
    }
    return seen;
}

static bool dominates(const graph *r, uint32_t a, uint32_t b)
{
    return a == b || !(reached(r, 0, a, UINT32_MAX) >> b & 1);
}

/* The blocks from which a branch back to `header` is reached without passing it: the natural loop, 0 if none.
 */
static uint32_t natural_loop(const graph *r, uint32_t header)
{
    uint32_t alive = reached(r, 0, CFG_NONE, UINT32_MAX), loop = 0, to;
    for (uint32_t b = 0; b < r->g.block_count; b++)
        for (uint32_t k = 0; (to = tacho_cfg_successor(&r->g, &r->blocks[b], k)) != CFG_NONE; k++)
            if (to == header && (alive >> b & 1) && dominates(r, header, b))
                for (uint32_t x = 0; x < r->g.block_count; x++)
                    if ((alive >> x & 1) && (x == b || (reached(r, x, header, UINT32_MAX) >> b & 1)))
                        loop |= 1u << x;
    return loop ? loop | 1u << header : 0;
}

/* Whether each cycle passes a block that dominates all of it: removing edges to dominators leaves no cycle.
 */
static bool is_reducible(const graph *r)
{
    uint32_t alive = reached(r, 0, CFG_NONE, UINT32_MAX), left = alive, to;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t b = 0; b < r->g.block_count; b++) {
            bool forward = false;
            if (!(left >> b & 1))
                continue;
            for (uint32_t k = 0; (to = tacho_cfg_successor(&r->g, &r->blocks[b], k)) != CFG_NONE; k++)
                forward |= (left >> to & 1) && !dominates(r, to, b);
            if (!forward) {
                left &= ~(1u << b);
                more = true;
            }
        }
    }
    return !left;
}

static void check_nest(const graph *r)
{
    uint32_t alive = reached(r, 0, CFG_NONE, UINT32_MAX), loops[MOST];
    for (uint32_t h = 0; h < r->g.block_count; h++)
        loops[h] = natural_loop(r, h);
    for (uint32_t b = 0; b < r->g.block_count; b++) {
        uint32_t best = CFG_NONE;
        if (!(alive >> b & 1))
            continue;
        assert_int_equal(r->blocks[b].is_header, loops[b] != 0);
        assert_false(r->blocks[b].irreducible);
        for (uint32_t h = 0; h < r->g.block_count; h++)
            if (h != b && (loops[h] >> b & 1) &&
                (best == CFG_NONE || __builtin_popcount(loops[h]) < __builtin_popcount(loops[best])))
                best = h;
        assert_int_equal(r->blocks[b].header, best);
    }
}

static void test_nest__is_that_of_natural_loops(void **state)
{
    uint32_t reducible = 0, irreducible = 0;
    arena memory = {0};
    for (int i = 0; i < 20000; i++) {
        graph r;
        uint64_t before = seed;
        arena_reset(&memory);
        make_graph(&r, &memory);
        assert_int_equal(tacho_cfg_find_loops(&r.g), 0);
        bool marked = false;
        for (uint32_t b = 0; b < r.g.block_count; b++)
            marked |= r.blocks[b].irreducible && r.blocks[b].tree == 0;
        if (marked == is_reducible(&r))
            fail_msg("graph of seed %llu: irreducible loops %s", (unsigned long long)before,
                     marked ? "found, wrongly" : "missed");
        if (!marked)
            check_nest(&r);
        reducible += !marked;
        irreducible += marked;
    }
    assert_true(reducible > 5000);
    assert_true(irreducible > 1000);
    arena_free(&memory);
}

/* ---- memory ---- */

static void test_loops__every_allocation_can_fail(void **state)
{
    static const char hex[] = "31c0 ffc0 7402 ffc0 83f809 7cf5 c3 31c9 ffc1 7cfc c3";
    tacho_loops_options o = TACHO_LOOPS_OPTIONS_INIT;
    o.code.kind = TACHO_INPUT_HEX;
    int rc = TACHO_ERR_MEMORY;
    for (unsigned long n = 1; n < 1000 && rc; n++) {
        tacho_loops *loops = NULL;
        tacho_error err = {.message = ""};
        tacho_mem_fail_at(n);
        rc = tacho_loops_from_memory(&loops, hex, sizeof hex - 1, "test", &o, &err);
        tacho_mem_fail_at(0);
        assert_true(rc == 0 || (rc == TACHO_ERR_MEMORY && !loops && err.message[0]));
        tacho_loops_free(loops);
    }
    assert_int_equal(rc, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names__are_those_of_the_language),
        cmocka_unit_test(test_names__that_would_never_end_stay_as_they_are),
        cmocka_unit_test(test_loops__of_a_nest_only_the_innermost),
        cmocka_unit_test(test_loops__that_look_equally_hot_are_in_the_order_of_the_text),
        cmocka_unit_test(test_loops__two_branches_back_to_one_header_are_one_loop),
        cmocka_unit_test(test_loops__entered_at_the_test_begin_at_the_top),
        cmocka_unit_test(test_loops__without_a_symbol_are_found_too),
        cmocka_unit_test(test_loops__are_not_what_straight_code_and_calls_make),
        cmocka_unit_test(test_loops__a_jump_into_an_instruction_leaves),
        cmocka_unit_test(test_loops__do_not_go_on_after_a_call_that_does_not_return),
        cmocka_unit_test(test_path__avoids_calls),
        cmocka_unit_test(test_path__that_cannot_avoid_a_call_names_it),
        cmocka_unit_test(test_path__prefers_what_is_in_line),
        cmocka_unit_test(test_path__falls_through_an_if_and_its_else),
        cmocka_unit_test(test_path__takes_values_to_be_unequal),
        cmocka_unit_test(test_flags__irreducible),
        cmocka_unit_test(test_flags__a_switch_in_a_loop),
        cmocka_unit_test(test_flags__a_jump_that_is_not_understood),
        cmocka_unit_test(test_flags__waiting_and_cold),
        cmocka_unit_test(test_flags__bytes_that_are_no_instruction),
        cmocka_unit_test(test_lines__of_the_source_and_of_the_text),
        cmocka_unit_test(test_nest__is_that_of_natural_loops),
        cmocka_unit_test(test_loops__every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
