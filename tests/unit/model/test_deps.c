/* test_deps.c - dependencies of blocks whose answers are known. A case's dependencies are written as
 * "source>target@distance carrier"; memory is "m", with "!" where it cannot be forwarded; flags are "f". */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"
#include "base/mem.h"
#include "tacho/deps.h"

static tacho_error err;

static void carrier(const tacho_dependency *d, char out[32])
{
    switch (d->kind) {
    case TACHO_DEPENDENCY_MEMORY:
        snprintf(out, 32, "m%s", tacho_dependency_forwards(d) ? "" : "!");
        break;
    case TACHO_DEPENDENCY_FLAGS:
        snprintf(out, 32, "f");
        break;
    default:
        snprintf(out, 32, "%s", tacho_reg_name(d->reg));
    }
}

static tacho_deps *find(const char *code, const tacho_deps_options *options)
{
    test_block b;
    tacho_deps *deps;
    if (test_block_make(&b, code, &err))
        fail_msg("%s: %s", code, err.message);
    int result = tacho_deps_find(&deps, b.bytes, b.size, options, &err);
    if (result)
        fail_msg("%s: %s", code, err.message);
    test_block_free(&b);
    return deps;
}

static void list(const tacho_deps *deps, char *out, size_t size)
{
    size_t at = 0;
    *out = '\0';
    for (size_t i = 0; i < deps->count && at < size; i++) {
        const tacho_dependency *d = &deps->dependencies[i];
        char by[32];
        carrier(d, by);
        at += (size_t)snprintf(out + at, size - at, "%s%u>%u@%u %s", i ? ", " : "", d->source, d->target,
                               d->distance, by);
    }
}

static void check(const char *code, const tacho_deps_options *options, const char *expected)
{
    char text[4000];
    tacho_deps *deps = find(code, options);
    list(deps, text, sizeof text);
    if (strcmp(text, expected))
        fail_msg("%s:\n found  %s\n wanted %s", code, text, expected);
    tacho_deps_free(deps);
}

/* Through memory only. */
static void check_memory(const char *code, const char *expected)
{
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    o.no_registers = o.no_flags = true;
    check(code, &o, expected);
}

static void test_deps__registers_within_and_across_iterations(void **state)
{
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    o.no_flags = true;
    check("add rax, rbx; mov rcx, rax", &o, "0>0@1 rax, 0>1@0 rax");
    check("mov rax, rbx; mov rcx, rax", &o, "0>1@0 rax");
    check("xor eax, eax; add rax, rbx", &o, "0>1@0 rax");
    check("sub eax, eax; mov ebx, eax", &o, "0>1@0 rax");
    check("lea rax, [rax+rbx*2]; mov rbx, [rax]", &o, "0>0@1 rax, 1>0@1 rbx, 0>1@0 rax");
    check("mov al, bl; mov ah, bl; mov cx, ax", &o, "0>2@0 rax, 1>2@0 rax");
    check("mov al, bl; mov rcx, rax", &o, "0>1@0 rax");
    check("vaddps xmm1, xmm2, xmm3; vaddps ymm4, ymm1, ymm1", &o, "0>1@0 ymm1");
    check("fadd st, st(1); fxch st(1)", &o, "1>0@1 st(0), 1>0@1 st(1), 0>1@0 st(0), 1>1@1 st(1)");
}

static void test_deps__flags(void **state)
{
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    o.no_registers = true;
    check("add rax, rbx; adc rcx, rdx", &o, "0>1@0 f");
    check("inc rax; adc rcx, rdx", &o, "1>1@1 f");
    check("cmp rax, rbx; cmova rcx, rdx", &o, "0>1@0 f");
    check("add rax, rbx; inc rcx; setbe dl", &o, "0>2@0 f, 1>2@0 f");
}

static void test_deps__fibonacci_through_memory(void **state)
{
    check_memory("mov rax, [rdi+rcx*8-8]; add rax, [rdi+rcx*8-16]; mov [rdi+rcx*8], rax; inc rcx",
                 "2>0@1 m, 2>1@2 m");
}

static void test_deps__prefix_sum_in_place(void **state)
{
    check_memory("movsd xmm0, [rdi-8]; addsd xmm0, [rdi]; movsd [rdi], xmm0; add rdi, 8", "2>0@1 m");
}

static void test_deps__histogram_is_not_known(void **state)
{
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    o.no_registers = o.no_flags = true;
    /* A number from memory is as good as random: no two are the same. */
    check("movzx eax, byte ptr [rsi]; inc dword ptr [rdi+rax*4]; inc rsi", &o, "");
    /* The same bin is. */
    check("inc dword ptr [rdi+16]", &o, "0>0@1 m");
}

static void test_deps__stencil_in_place(void **state)
{
    check_memory("movsd xmm0, [rdi-8]; addsd xmm0, [rdi+8]; movsd [rdi], xmm0; add rdi, 8", "2>0@1 m");
    check_memory("movsd xmm0, [rdi-80]; addsd xmm0, [rdi-160]; movsd [rdi], xmm0; add rdi, 8",
                 "2>0@10 m, 2>1@20 m");
}

static void test_deps__spilled_register(void **state)
{
    check_memory("mov [rsp+8], rax; imul rbx, rcx; mov rax, [rsp+8]", "0>2@0 m");
    check_memory("push rax; pop rbx", "0>1@0 m");
    check_memory("push rax; push rcx; pop rdx; pop rbx", "1>2@0 m, 0>3@0 m");
    check_memory("call $+5; add rsp, 8", "");
    check_memory("mov rbx, rsp; pushfq; mov rcx, [rbx]; mov rsp, rbx", ""); /* it is written below */
    check_memory(
        "mov rbp, rsp; push rax; sub rsp, 32; mov [rbp-24], rcx; add rsp, 32; mov rdx, [rsp-16]; pop rax",
        "3>5@0 m, 1>6@0 m");
}

/* They have the numbers of vector registers, but are others. */
static void test_deps__mmx_registers_are_no_vector_registers(void **state)
{
    check_memory("movq xmm0, rax; pxor mm0, mm0; movq rbx, xmm0; mov [rbx], rcx; mov rdx, [rax]", "3>4@0 m");
    check_memory("movq xmm1, rax; paddq mm1, mm2; movq rbx, xmm1; mov [rbx], rcx; mov rdx, [rax]", "3>4@0 m");
}

static void test_deps__system_call_returns_a_value(void **state)
{
    check_memory("mov eax, 5; mov [rbx+rax*8], rdx; mov rdx, [rbx+40]", "1>2@0 m");
    check_memory("mov eax, 5; syscall; mov [rbx+rax*8], rdx; mov rdx, [rbx+40]", "");
}

/* A register that an instruction makes known whatever it held, as an address. */
static void test_deps__vector_registers_less_themselves_are_zero(void **state)
{
    static const char *const zero[] = {
        "pxor xmm0, xmm0",           "xorps xmm0, xmm0",          "xorpd xmm0, xmm0",
        "psubb xmm0, xmm0",          "psubw xmm0, xmm0",          "psubd xmm0, xmm0",
        "psubq xmm0, xmm0",          "psubsb xmm0, xmm0",         "psubusw xmm0, xmm0",
        "pcmpgtb xmm0, xmm0",        "pcmpgtq xmm0, xmm0",        "vpxor xmm0, xmm5, xmm5",
        "vxorps ymm0, ymm5, ymm5",   "vpsubd xmm0, xmm5, xmm5",   "vpsubq ymm0, ymm5, ymm5",
        "vpcmpgtd ymm0, ymm5, ymm5", "vpxord zmm0, zmm17, zmm17", "vpsubb ymm0, ymm17, ymm17",
    };
    static const char *const ones[] = {"pcmpeqb xmm0, xmm0", "pcmpeqq xmm0, xmm0",
                                       "vpcmpeqd ymm0, ymm5, ymm5"};
    static const char *const waiting[] = {"pandn xmm0, xmm0", "vandnps xmm0, xmm5, xmm5",
                                          "vpandnq zmm0, zmm17, zmm17"};
    char code[300];
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
        snprintf(
            code, sizeof code,
            "%s; movq rax, xmm0; mov [rax+4096], ecx; mov edx, [rax+4096]; xor esi, esi; mov ebx, [rsi+4096]",
            zero[i]);
        check_memory(code, "2>3@0 m, 2>5@0 m");
        check(zero[i], NULL, "");
    }
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        snprintf(code, sizeof code,
                 "%s; movq rax, xmm0; mov [rax+4097], ecx; xor esi, esi; mov ebx, [rsi+4096]", ones[i]);
        check_memory(code, "2>4@0 m");
        check(ones[i], NULL, "");
    }
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) {
        snprintf(code, sizeof code,
                 "%s; movq rax, xmm0; mov [rax+4096], ecx; xor esi, esi; mov ebx, [rsi+4096]", waiting[i]);
        check_memory(code, "2>4@0 m");
    }
    check("pandn xmm0, xmm0", NULL, "0>0@1 xmm0");
    check("psubd xmm0, xmm1; psubd xmm1, xmm1", NULL, "0>0@1 xmm0, 1>0@1 xmm1");
    /* Compared with another one, nothing is known. */
    check_memory("pcmpeqd xmm0, xmm1; movq rax, xmm0; mov [rax], ecx; mov edx, [rax]", "");
}

static void test_deps__logic_of_vector_registers(void **state)
{
    check_memory(
        "movq xmm0, rdi; pcmpeqd xmm1, xmm1; pand xmm0, xmm1; movq rax, xmm0; mov [rax], ecx; mov edx, "
        "[rdi]",
        "4>5@0 m");
    check_memory(
        "movq xmm0, rdi; pxor xmm1, xmm1; vpor xmm2, xmm0, xmm1; movq rax, xmm2; mov [rax], ecx; mov "
        "edx, [rdi]",
        "4>5@0 m");
    check_memory(
        "movq xmm0, rdi; pxor xmm1, xmm1; pandn xmm1, xmm0; movq rax, xmm1; mov [rax], ecx; mov edx, "
        "[rdi]",
        "4>5@0 m");
}

static void test_deps__what_moves_the_stack_pointer(void **state)
{
    check_memory("pushf; pop rax", "0>1@0 m");
    check_memory("push rbx; popf; mov rcx, [rsp-8]", "0>1@0 m, 0>2@0 m");
    check_memory("mov [rsp+24], rax; ret 16; mov rbx, [rsp]", "0>1@1 m, 0>2@0 m");
    check_memory("mov [rsp+16], rax; .byte 0x48, 0xcb; mov rbx, [rsp]", "0>1@1 m!, 0>2@0 m"); /* lret */
    check_memory("enter 32, 0; mov rax, [rbp]; mov [rsp], rax; mov rcx, [rbp-32]; leave",
                 "0>1@0 m, 2>3@0 m, 0>4@0 m");
    /* The frame pointer itself goes through the stack. */
    check_memory("enter 32, 0; leave; mov [rbp], rax; mov rcx, [rbp]", "0>1@0 m, 2>3@0 m");
    /* With outer frames' pointers the store is not followed, but where the stack ends is known. */
    check_memory("enter 16, 1; mov [rsp+8], eax; mov ecx, [rbp-16]", "1>2@0 m");
}

static size_t unknown_accesses(const char *code)
{
    tacho_deps *deps = find(code, NULL);
    size_t count = deps->unknown_count;
    tacho_deps_free(deps);
    return count;
}

static void test_deps__string_instructions(void **state)
{
    check_memory("lea rax, [rbx+8]; stosq; mov rcx, [rdi-8]; mov [rcx], edx; mov esi, [rbx+8]",
                 "1>2@0 m, 3>4@0 m");
    check_memory("std; stosq; mov rax, [rdi+8]; cld", "1>2@0 m");
    check_memory("mov [rsi], rbx; movsq; lodsq; mov rcx, [rdi-8]; mov [rcx], edx; mov ebp, [rbx]",
                 "0>1@0 m, 1>3@0 m, 4>5@0 m");
    check_memory("cmpsd xmm0, xmm1, 1; mov [rdi], eax; mov ecx, [rdi]", "1>2@0 m");
    check_memory("cmpsd; mov [rdi-4], eax; mov ecx, [rdi-4]; mov [rsi], eax; mov edx, [rsi]",
                 "3>0@1 m, 1>2@0 m, 3>4@0 m");
}

static void test_deps__repeated_string_instructions(void **state)
{
    check_memory("mov ecx, 4; rep stosq; mov rax, [rdi-32]; mov rdx, [rdi-8]; mov rbx, [rdi]",
                 "1>2@0 m, 1>3@0 m");
    check_memory(
        "mov [rsp+8], rbx; mov ecx, 2; mov rsi, rsp; lea rdi, [rsp+64]; rep movsq; mov rax, [rsp+72]; "
        "mov [rax], edx; mov r8d, [rbx]",
        "0>4@0 m!, 4>5@0 m, 6>7@0 m");
    check_memory("std; mov ecx, 2; rep stosq; mov rax, [rdi+16]; mov rdx, [rdi]", "2>3@0 m");
    check_memory("mov ecx, 3; rep stosd; mov [rcx+4096], eax; xor edx, edx; mov ebx, [rdx+4096]", "2>4@0 m");
    assert_int_equal(unknown_accesses("mov ecx, 3; rep stosd; mov [rcx+4096], eax"), 0);
    /* No repetition at all. */
    check_memory("xor ecx, ecx; mov [rdi], eax; rep stosq; mov edx, [rdi]", "1>3@0 m");
    assert_int_equal(unknown_accesses("xor ecx, ecx; rep movsq"), 0);
    /* Over itself: what is copied again is not followed. */
    check_memory("mov ecx, 4; mov rsi, rsp; lea rdi, [rsp+8]; rep movsq; mov rax, [rsp+32]; mov [rax], edx; "
                 "mov r8d, [rax]",
                 "3>3@1 m!, 3>4@0 m");
    /* Too often, unknown how often, or as long as the data say. */
    assert_int_equal(unknown_accesses("mov ecx, 1000; rep stosq"), 1);
    assert_int_equal(unknown_accesses("pop rcx; call rax; rep stosq"), 1);
    check_memory("repne scasb; mov [rdi], eax; mov ecx, [rdi]", "");
}

static void test_deps__copies_with_known_offsets(void **state)
{
    check_memory("mov rax, [rdi]; mov [rdi+64], rax; add rdi, 8", "1>0@8 m");
    check_memory("mov rax, [rdi]; mov [rsi], rax; add rdi, 8; add rsi, 8", "");
    check_memory("movups xmm0, [rdi]; movups [rdi+32], xmm0; add rdi, 16", "1>0@2 m");
    check_memory("lodsq; stosq", ""); /* two pointers */
    check_memory("mov rsi, rdi; lodsq; stosq", "");
    check_memory("lea rsi, [rdi-8]; lodsq; stosq", "2>1@1 m");
    check_memory("rep movsb", "");
}

static void test_deps__pointers_by_diverting_paths(void **state)
{
    /* rax + (16 << 2) and rax + 128 / 2 */
    check_memory(
        "mov ecx, 16; shl ecx, 2; mov [rax+rcx], rbx; mov edx, 128; shr edx, 1; add rdx, rax; mov rsi, [rdx]",
        "2>6@0 m");
    check_memory("mov [rax+rax*4], rbx; imul rcx, rax, 5; mov rdx, [rcx]", "0>2@0 m");
    check_memory("mov [rax], rbx; mov rcx, rax; neg rcx; not rcx; inc rcx; mov rdx, [rcx]", "0>5@0 m");
    check_memory(
        "mov [rax], rbx; mov rcx, rax; bswap rcx; bswap rcx; rol rcx, 20; ror rcx, 20; mov rdx, [rcx]",
        "0>6@0 m");
    check_memory("mov [rax], rbx; mov rcx, rax; xchg rcx, rdx; mov rsi, [rdx]", "0>3@0 m");
    check_memory("mov [rax+rcx*8], rbx; movsxd rdx, ecx; mov rsi, [rax+rdx*8]", "");
    check_memory("mov ecx, ecx; mov [rax+rcx], rbx; mov edx, ecx; mov rsi, [rax+rdx]", "1>3@0 m");
    check_memory("mov [rax], rbx; andn rcx, rdx, rax; and rdx, rax; or rcx, rdx; mov rsi, [rcx]", "0>4@0 m");
    check_memory(
        "mov rdx, 8; mov [rax], rbx; mulx rcx, rsi, rax; shr rsi, 3; shl rcx, 61; or rsi, rcx; mov r8, [rsi]",
        "1>6@0 m");
}

static void test_deps__pointers_through_memory_and_vectors(void **state)
{
    check_memory("mov [rsp], rax; mov [rax], rbx; mov rcx, [rsp]; mov rdx, [rcx]", "0>2@0 m, 1>3@0 m");
    check_memory("movq xmm0, rax; mov [rax], rbx; movq rcx, xmm0; mov rdx, [rcx]", "1>3@0 m");
    check_memory("movq xmm0, rax; movq xmm1, rbx; punpcklqdq xmm0, xmm1; movups [rsp], xmm0; mov [rbx], rcx; "
                 "mov rdx, [rsp+8]; mov rsi, [rdx]",
                 "3>5@0 m, 4>6@0 m");
    check_memory("mov [rsp], rax; vmovups ymm0, [rsp]; vmovups [rsi], ymm0; mov [rax], rbx; mov rdx, [rsi]; "
                 "mov rcx, [rdx]",
                 "0>1@0 m!, 2>4@0 m, 3>5@0 m");
    /* What is in memory before is the same number each time. */
    check_memory("mov rax, [rdi]; mov [rax], rbx; mov rcx, [rdi]; mov rdx, [rcx]", "1>3@0 m");
    /* Arithmetic on what is no integer gives no pointer. */
    check_memory("addsd xmm0, xmm0; movq rax, xmm0; mov [rax], rbx; mov rcx, [rax]", "");
}

static void test_deps__a_choice_may_be_either(void **state)
{
    check_memory("mov [rax], rbx; mov rcx, rdx; cmovz rcx, rax; mov rsi, [rcx]", "");
    check_memory("mov [rax], rbx; mov rcx, rax; cmovz rcx, rax; mov rsi, [rcx]", "0>3@0 m");
}

static void test_deps__more_than_a_hundred_iterations_back(void **state)
{
    check_memory("mov rax, [rdi]; mov [rdi+960], rbx; add rdi, 8", "1>0@120 m");
    check_memory("mov rax, [rdi]; mov [rdi+4000], rbx; add rdi, 8", ""); /* beyond any reorder buffer */
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    o.no_registers = o.no_flags = true;
    o.window = 2000;
    check("mov rax, [rdi]; mov [rdi+4000], rbx; add rdi, 8", &o, "1>0@500 m");
}

static void test_deps__sizes_and_partial_overlaps(void **state)
{
    check_memory("mov [rax], rbx; mov ecx, [rax+4]", "0>1@0 m");
    check_memory("mov [rax], ebx; mov rcx, [rax]", "0>1@0 m!");
    check_memory("mov [rax], ebx; mov [rax+4], ecx; mov rdx, [rax]", "0>2@0 m!, 1>2@0 m!");
    check_memory("mov [rax], rbx; mov byte ptr [rax+3], 1; mov rdx, [rax]", "0>2@0 m!, 1>2@0 m!");
    check_memory("mov [rax], rbx; mov rcx, [rax+8]", "");
    tacho_deps *deps = find("mov [rax+2], rbx; mov ecx, [rax]", NULL);
    const tacho_dependency *d = NULL;
    for (size_t i = 0; i < deps->count; i++)
        if (deps->dependencies[i].kind == TACHO_DEPENDENCY_MEMORY)
            d = &deps->dependencies[i];
    assert_non_null(d);
    assert_int_equal(d->bytes, 2);
    assert_int_equal(d->load_bytes, 4);
    assert_int_equal(d->store_bytes, 8);
    tacho_deps_free(deps);
}

static void test_deps__bytes_on_both_sides_of_another_store_count(void **state)
{
    tacho_deps *deps = find("mov [rax], rbx; mov byte ptr [rax+3], 1; mov rdx, [rax]", NULL);
    unsigned bytes[2] = {0, 0};
    for (size_t i = 0; i < deps->count; i++)
        if (deps->dependencies[i].kind == TACHO_DEPENDENCY_MEMORY)
            bytes[deps->dependencies[i].source & 1] += deps->dependencies[i].bytes;
    assert_int_equal(bytes[0], 7);
    assert_int_equal(bytes[1], 1);
    tacho_deps_free(deps);
}

static void test_deps__what_is_known_beforehand(void **state)
{
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    const tacho_alias alias = {0, 3, 8}; /* rax = rbx + 8 */
    uint64_t values[16] = {0};
    const char *code = "mov [rbx+8], rcx; mov rdx, [rax]; mov rsi, [rdi]";
    o.no_registers = o.no_flags = true;
    check(code, &o, "");
    o.aliases = &alias;
    o.alias_count = 1;
    check(code, &o, "0>1@0 m");
    o.alias_count = 0;
    values[0] = 0x1008;
    values[3] = 0x1000;
    o.known_values = values;
    o.known_mask = 1 << 0 | 1 << 3;
    check(code, &o, "0>1@0 m");
    o.known_mask = 0;
    o.init = TACHO_INIT_SAME;
    check("mov [rbx], rcx; mov rdx, [rax]", &o, "0>1@0 m");
    check("mov [rbx], rcx; mov rdx, [rsi]; mov rax, [rdx]", &o, "0>1@0 m, 0>2@0 m"); /* memory, too */
}

static void test_deps__rip_relative_is_one_place(void **state)
{
    check_memory("hex:488905f9000000488b05f2000000",
                 "0>1@0 m"); /* mov [rip+0xf9], rax; mov rax, [rip+0xf2] */
    check_memory("hex:488905f9000000488b05f9000000", "0>1@0 m!"); /* overlapping by a byte */
}

static void test_deps__unknown_addresses_are_counted(void **state)
{
    tacho_deps *deps = find("cvttsd2si rax, xmm0; mov rbx, [rax]; mov rcx, [rdx]; mov [rsp], rbx", NULL);
    assert_int_equal(deps->access_count, 3);
    assert_int_equal(deps->unknown_count, 1);
    assert_true(deps->accesses[0].unknown && !deps->accesses[1].unknown && !deps->accesses[2].unknown);
    assert_true(deps->accesses[2].write && !deps->accesses[2].read);
    tacho_deps_free(deps);
}

/* What is left out of the answer is followed nonetheless. */
static void test_deps__kinds_do_not_change_what_is_unknown(void **state)
{
    const char *code = "cvttsd2si rax, xmm0; mov [rsp], rax; mov rbx, [rsp]; mov rcx, [rbx]";
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    for (int without_memory = 0; without_memory < 2; without_memory++) {
        o.no_memory = without_memory;
        tacho_deps *deps = find(code, &o);
        assert_int_equal(deps->unknown_count, 1);
        assert_true(deps->accesses[2].unknown);
        tacho_deps_free(deps);
    }
}

static const char *corpus;

/* What holds of every block's dependencies. */
static int check_block(const test_block *b, long at, const char *rest, void *payload)
{
    tacho_deps *deps;
    size_t *found = payload;
    int result = tacho_deps_find(&deps, b->bytes, b->size, NULL, &err);
    if (result == TACHO_ERR_INPUT)
        return 0; /* blocks that do not decode are in the corpus, too */
    assert_int_equal(result, 0);
    for (size_t i = 0; i < deps->count; i++) {
        const tacho_dependency *d = &deps->dependencies[i], *before = d - 1;
        uint64_t back = (uint64_t)d->distance * deps->insn_count + d->target;
        if (d->source >= deps->insn_count || d->target >= deps->insn_count || back <= d->source ||
            back - d->source > 512 || d->share < 0.8 || d->share > 1)
            fail_msg("line %ld: %u>%u@%u, share %g", at, d->source, d->target, d->distance, d->share);
        if (d->kind == TACHO_DEPENDENCY_MEMORY &&
            (!d->bytes || d->bytes > d->load_bytes || d->bytes > d->store_bytes))
            fail_msg("line %ld: %u bytes of %u", at, d->bytes, d->load_bytes);
        if (i && before->target > d->target)
            fail_msg("line %ld: not in order", at);
        found[d->kind]++;
    }
    tacho_deps_free(deps);
    return 0;
}

static void test_deps__of_the_whole_corpus_make_sense(void **state)
{
    size_t found[TACHO_DEPENDENCY_KIND_COUNT] = {0};
    assert_true(test_corpus_each(corpus, check_block, found) > 100);
    for (int k = 0; k < TACHO_DEPENDENCY_KIND_COUNT; k++)
        assert_true(found[k] > 50);
}

static int stop_after(void *payload)
{
    int *left = payload;
    return (*left)-- <= 0;
}

static void test_deps__is_given_up_when_the_caller_says_so(void **state)
{
    tacho_deps *deps = NULL;
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    static const uint8_t code[] = {0x48, 0x89, 0x03, 0x48, 0x8b, 0x0b}; /* mov [rbx], rax; mov rcx, [rbx] */
    int left = 2;
    o.seeds = 100;
    o.window = 1000000; /* hundreds of millions of instructions */
    o.progress = stop_after;
    o.payload = &left;
    assert_int_equal(tacho_deps_find(&deps, code, sizeof code, &o, &err), TACHO_ERR_CANCELLED);
    assert_null(deps);
    assert_int_equal(left, -1);
    o.window = 512;
    o.seeds = 3;
    left = 1000000;
    assert_int_equal(tacho_deps_find(&deps, code, sizeof code, &o, &err), 0);
    tacho_deps_free(deps);
}

static void test_deps__refuses_what_it_cannot_do(void **state)
{
    tacho_deps_options o = TACHO_DEPS_OPTIONS_INIT;
    tacho_deps *deps;
    const uint8_t good[] = {0x90}, bad[] = {0x90, 0x06};
    static uint8_t many[TACHO_MAX_BLOCK_BYTES + 1];
    assert_int_equal(tacho_deps_find(&deps, good, 0, NULL, &err), TACHO_ERR_INPUT);
    assert_int_equal(tacho_deps_find(&deps, bad, 2, NULL, &err), TACHO_ERR_INPUT);
    assert_int_equal(err.offset, 1);
    memset(many, 0x90, sizeof many);
    assert_int_equal(tacho_deps_find(&deps, many, sizeof many, NULL, &err), TACHO_ERR_LIMIT);
    assert_int_equal(tacho_deps_find(&deps, many, TACHO_MAX_BLOCK_INSNS + 1, NULL, &err), TACHO_ERR_LIMIT);
    assert_int_equal(tacho_deps_find(&deps, many, TACHO_MAX_BLOCK_INSNS, NULL, &err), 0);
    tacho_deps_free(deps);
    o.seeds = 0;
    assert_int_equal(tacho_deps_find(&deps, good, 1, &o, &err), TACHO_ERR_USAGE);
    o.seeds = 1;
    o.share = 0;
    assert_int_equal(tacho_deps_find(&deps, good, 1, &o, &err), TACHO_ERR_USAGE);
    o.share = 1;
    o.size = 3;
    assert_int_equal(tacho_deps_find(&deps, good, 1, &o, &err), TACHO_ERR_USAGE);
}

static void test_deps__out_of_memory_anywhere(void **state)
{
    test_block b;
    tacho_deps *deps;
    int result = TACHO_ERR_MEMORY;
    assert_int_equal(test_block_make(&b, "add rax, [rdi]; mov [rdi+8], rax; add rdi, 8", &err), 0);
    for (unsigned long n = 1; result; n++) {
        tacho_mem_fail_at(n);
        result = tacho_deps_find(&deps, b.bytes, b.size, NULL, &err);
        tacho_mem_fail_at(0);
        assert_true(result == 0 || result == TACHO_ERR_MEMORY);
        assert_true(n < 100);
    }
    tacho_deps_free(deps);
    test_block_free(&b);
}

int main(int argc, char **argv)
{
    corpus = argc > 1 ? argv[1] : "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deps__registers_within_and_across_iterations),
        cmocka_unit_test(test_deps__flags),
        cmocka_unit_test(test_deps__fibonacci_through_memory),
        cmocka_unit_test(test_deps__prefix_sum_in_place),
        cmocka_unit_test(test_deps__histogram_is_not_known),
        cmocka_unit_test(test_deps__stencil_in_place),
        cmocka_unit_test(test_deps__spilled_register),
        cmocka_unit_test(test_deps__mmx_registers_are_no_vector_registers),
        cmocka_unit_test(test_deps__system_call_returns_a_value),
        cmocka_unit_test(test_deps__vector_registers_less_themselves_are_zero),
        cmocka_unit_test(test_deps__logic_of_vector_registers),
        cmocka_unit_test(test_deps__what_moves_the_stack_pointer),
        cmocka_unit_test(test_deps__string_instructions),
        cmocka_unit_test(test_deps__repeated_string_instructions),
        cmocka_unit_test(test_deps__copies_with_known_offsets),
        cmocka_unit_test(test_deps__pointers_by_diverting_paths),
        cmocka_unit_test(test_deps__pointers_through_memory_and_vectors),
        cmocka_unit_test(test_deps__a_choice_may_be_either),
        cmocka_unit_test(test_deps__more_than_a_hundred_iterations_back),
        cmocka_unit_test(test_deps__sizes_and_partial_overlaps),
        cmocka_unit_test(test_deps__bytes_on_both_sides_of_another_store_count),
        cmocka_unit_test(test_deps__kinds_do_not_change_what_is_unknown),
        cmocka_unit_test(test_deps__what_is_known_beforehand),
        cmocka_unit_test(test_deps__rip_relative_is_one_place),
        cmocka_unit_test(test_deps__unknown_addresses_are_counted),
        cmocka_unit_test(test_deps__of_the_whole_corpus_make_sense),
        cmocka_unit_test(test_deps__is_given_up_when_the_caller_says_so),
        cmocka_unit_test(test_deps__refuses_what_it_cannot_do),
        cmocka_unit_test(test_deps__out_of_memory_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
