/* test_explain.c - why and what would help: slots that must add up, ideal parts that must not cost anything,
 * and for each kind of advice code that calls for it and code that does not.
 *
 *   test_explain CORPUS */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"
#include "base/mem.h"
#include "x86/arch/arch_struct.h"
#include "x86/decode/encode.h"

static const char *corpus;

/* A prediction and its explanation. */
typedef struct explained {
    tacho_predictor *predictor;
    tacho_explainer *explainer;
    test_block code;
    const tacho_prediction *p;
    const tacho_explanation *e;
} explained;

static explained start(void)
{
    explained x = {.predictor = tacho_predictor_new(), .explainer = tacho_explainer_new()};
    assert_true(x.predictor && x.explainer);
    return x;
}

static void stop(explained *x)
{
    tacho_explainer_free(x->explainer);
    tacho_predictor_free(x->predictor);
    test_block_free(&x->code);
}

static void explain(explained *x, const char *arch, const tacho_predict_options *o)
{
    tacho_error err;
    static tacho_arch small;
    const tacho_arch *a = tacho_arch_find(strncmp(arch, "SKL", 3) ? arch : "SKL", NULL);
    assert_non_null(a);
    if (strcmp(arch, "SKL with a small LSD") == 0) {
        small = *a;
        small.lsd_enabled = true;
        small.idq_entries = 8;
        a = &small;
    }
    if (tacho_predict(x->predictor, a, x->code.bytes, x->code.size, o, &x->p, &err) ||
        tacho_explain(x->explainer, x->p, x->code.bytes, x->code.size, o, &x->e, &err))
        fail_msg("%s", err.message);
}

static const tacho_what_if *find_what_if(const explained *x, tacho_what what, uint16_t ports, int32_t insn)
{
    for (size_t i = 0; i < x->e->what_if_count; i++) {
        const tacho_what_if *w = &x->e->what_ifs[i];
        if (w->what == what && (!ports || w->ports == ports) && (insn < 0 || w->instruction == insn))
            return w;
    }
    return NULL;
}

static const tacho_advice *find_advice(const explained *x, const char *kind)
{
    for (size_t i = 0; i < x->e->advice_count; i++)
        if (!strcmp(x->e->advice[i].kind, kind))
            return &x->e->advice[i];
    return NULL;
}

/* ---- advice ---- */

typedef struct advice_case {
    const char *kind, *arch, *code;
    uint32_t alignment;
    const char *instructions; /* "0 2"; NULL: there must be no such advice */
    double before, after;
    const char *words; /* that the sentence has */
} advice_case;

/* Large immediates take two slots of the DSB's lines; in the LSD they do not. */
#define CONSTANT "movabs rax, 0x1122334455667788;"
#define LARGE_CONSTANTS                                                                                      \
    "l:" CONSTANT CONSTANT CONSTANT CONSTANT CONSTANT CONSTANT CONSTANT CONSTANT CONSTANT CONSTANT           \
    "dec r15; jnz l"

static const advice_case cases[] = {
    {"false_dependency", "SKL", "l: popcnt rax, rcx; add rdx, rax; dec r15; jnz l", 0, "0", 3, 1,
     "rax by xor"},
    {"false_dependency", "ICX", "l: popcnt rax, rcx; add rdx, rax; dec r15; jnz l", 0, NULL, 0, 0, NULL},
    {"false_dependency", "SKL", "l: popcnt rax, rax; add rdx, rax; dec r15; jnz l", 0, NULL, 3, 0, NULL},
    {"false_dependency", "SKL", "l: cvtsi2sd xmm0, rcx; addsd xmm1, xmm0; dec r15; jnz l", 0, NULL, 4.02, 0,
     NULL},
    {"false_dependency", "SKL", "l: cvtsi2sd xmm0, rcx; movsd [rsi], xmm0; dec r15; jnz l", 0, "0", 4, 1.25,
     "xmm0 by xorps before it, if the upper part is not needed"},
    {"false_dependency", "SKL", "l: vsqrtsd xmm0, xmm0, xmm1; vmovsd [rsi], xmm0; dec r15; jnz l", 0, "0", 13,
     4, "xmm0 by vxorps"},
    {"false_dependency", "SKL", "l: vsqrtsd xmm0, xmm1, xmm1; vmovsd [rsi], xmm0; dec r15; jnz l", 0, NULL, 4,
     0, NULL},
    {"partial_register", "SKL", "l: mov al, [rsi+rax]; dec r15; jnz l", 0, NULL, 6, 0, NULL},
    {"partial_register", "SKL",
     "l: mov al, [rsi]; mov al, [rsi+1]; mov al, [rsi+2]; mov al, [rsi+3]; dec r15; jnz l", 0, "0", 4, 2,
     "movzx"},
    {"partial_register", "SKL",
     "l: mov al, [rsi]; mov al, [rsi+1]; mov al, [rsi+2]; mov al, [rsi+3]; add rdx, rax; dec r15; jnz l", 0,
     NULL, 0, 0, NULL},
    {"accumulators", "SKL", "l: vfmadd231ps ymm0, ymm1, [rsi+rax]; add rax, 32; cmp rax, rdx; jne l", 0, "0",
     4, 1, "rounded differently"},
    {"accumulators", "SKL", "l: imul rax, [rsi]; add rsi, 8; cmp rsi, rdx; jne l", 0, "0", 3, 1.053,
     "unrolled"},
    {"accumulators", "SKL", "l: imul rax, [rsi]; mov [rdi], rax; add rsi, 8; cmp rsi, rdx; jne l", 0, NULL, 3,
     0, NULL},
    {"accumulators", "SKL", "l: imul rax, rax, 5; add rsi, 8; cmp rsi, rdx; jne l", 0, NULL, 3, 0, NULL},
    {"accumulators", "SKL", "l: vsubps ymm0, ymm1, ymm0; dec r15; jnz l", 0, NULL, 4, 0, NULL},
    {"narrow_division", "SKL", "l: xor edx, edx; mov eax, [rsi]; mov ecx, [rdi]; div rcx; dec r15; jnz l", 0,
     "3", 21, 7, "32-bit"},
    {"narrow_division", "SKL", "l: xor edx, edx; mov rax, [rsi]; mov ecx, [rdi]; div rcx; dec r15; jnz l", 0,
     NULL, 21, 0, NULL},
    {"narrow_division", "SKL", "l: mov edx, edi; mov eax, [rsi]; mov ecx, [rdi]; div rcx; dec r15; jnz l", 0,
     NULL, 21, 0, NULL},
    {"alignment", "SKL",
     "l: add rax, 1; add rbx, 1; add rcx, 1; add rdx, 1; add rsi, 1; add rdi, 1; add r8, 1; dec r15; jnz l",
     0, "", 3, 2, "starting the code"},
    {"alignment", "SKL", "l: imul rax, rbx; dec r15; jnz l", 0, NULL, 3, 0, NULL},
    {"jcc_erratum", "SKL", "l: add rax, rbx; dec r15; jnz l", 26, "1", 0, 0, "JCC erratum"},
    {"jcc_erratum", "SKL", "l: add rax, rbx; dec r15; jnz l", 0, NULL, 0, 0, NULL},
    {"jcc_erratum", "ICX", "l: add rax, rbx; dec r15; jnz l", 26, NULL, 0, 0, NULL},
    {"lcp", "SKL", "add ax, 0x1234; add bx, 0x1234", 0, "0 1", 6.56, 0, "prefix in instructions 0 and 1"},
    {"lcp", "SKL", "add ax, cx; add bx, cx", 0, NULL, 0, 0, NULL},
    {"macro_fusion", "SKL",
     "l: cmp rdi, rsi; mov rax, [rbx]; mov rcx, [rbx+8]; mov rdx, [rbx+16]; mov r8d, 1; mov r9d, 2; "
     "lea rdi, [rdi]; nop; jne l",
     0, NULL, 0, 0, NULL}, /* rdi is written in between */
    {"macro_fusion", "SKL", "l: cmp rdi, rsi; mov eax, 1; mov ecx, 2; mov edx, 3; jne l", 0, "0 4", 1.25, 1,
     "macro-fusion"},
    {"macro_fusion", "SKL", "l: mov eax, 1; mov ecx, 2; mov edx, 3; cmp rdi, rsi; jne l", 0, NULL, 1, 0,
     NULL},
    {"unlamination", "SKL",
     "l: vaddps ymm0, ymm1, [rsi+rcx]; vaddps ymm2, ymm1, [rdi+rcx]; nop; nop; dec r15; jnz l", 0, "0 1", 2,
     1.25, "pointer"},
    {"unlamination", "SKL", "l: vaddps ymm0, ymm1, [rsi]; vaddps ymm2, ymm1, [rdi]; nop; nop; dec r15; jnz l",
     0, NULL, 1.25, 0, NULL},
    {"high8_merge", "SKL", "l: mov ah, [rsi]; add edi, eax; dec r15; jnz l", 0, "1", 2, 1, "merged"},
    {"high8_merge", "SKL", "l: mov ah, [rsi]; add edi, ecx; dec r15; jnz l", 0, NULL, 1, 0, NULL},
    {"high8_merge", "ICX", "l: mov ah, [rsi]; add edi, eax; dec r15; jnz l", 0, NULL, 0, 0, NULL},
    {"move_elimination", "SKL",
     "l: mov rax, rbx; mov rcx, rax; mov rdx, rcx; mov rsi, rdx; mov rdi, rsi; mov r8, rdi; mov rbx, r8; dec "
     "r15; jnz l",
     0, "3 4 5 6", 4, 2, "4 slots"},
    {"move_elimination", "SKL", "l: mov rcx, rax; mov rax, rbx; mov rbx, rcx; dec r15; jnz l", 0, NULL, 1, 0,
     NULL},
    {"move_elimination", "ICX",
     "l: mov rax, rbx; mov rcx, rax; mov rdx, rcx; mov rsi, rdx; mov rdi, rsi; mov r8, rdi; mov rbx, r8; dec "
     "r15; jnz l",
     0, NULL, 0, 0, NULL},
    {"lsd_capacity", "SKL with a small LSD", LARGE_CONSTANTS, 0, "", 0, 3,
     "fits the LSD (at most 8 µops; now 11)"},
    {"lsd_capacity", "SKL", LARGE_CONSTANTS, 0, NULL, 0, 0, NULL},
    {"memory_to_register", "SKL", "l: mov rax, [rdi]; add [rsi+8], rax; dec r15; jnz l", 0, "1", 0, 1,
     "[rsi+0x8]"},
    {"memory_to_register", "SKL",
     "l: movsd xmm0, [rsi]; addsd xmm0, [rdi]; movsd [rsi], xmm0; dec r15; jnz l", 0, "0 2", 0, 4.667,
     "[rsi]"},
    {"memory_to_register", "SKL",
     "l: mov rax, [rsi]; inc rax; mov [rsi], rax; mov byte ptr [rsi+7], 1; dec r15; jnz l", 0, NULL, 0, 0,
     NULL},
    {"memory_to_register", "SKL", "l: mov rax, [rdi]; add [rsi], rax; add rsi, 8; dec r15; jnz l", 0, NULL, 0,
     0, NULL},
    {"accumulators", "SKL", "l: add rax, [rsi]; imul rax, rbx; dec r15; jnz l", 0, NULL, 4, 0, NULL},
    {"accumulators", "SKL", "l: imul rax, rbx; setc cl; dec r15; jnz l", 0, NULL, 3, 0, NULL},
    {"memory_to_register", "SKL",
     "l: add dword ptr [rsp+8], 1; imul rax, [rsp+16], 3; mov [rsp+16], rax; dec r15; jnz l", 0, "0 1 2", 0,
     3, "[rsp+0x8], [rsp+0x10] in registers"},
    {"advance", "SKL", "movsd xmm0, [rdi]; addsd xmm0, [rsi+rax*8]; movsd [rsi+rax*8], xmm0", 0, "1 2", 0,
     1.5, "--advance"},
    {"advance", "SKL", "add [rdi], rax", 0, "0", 0, 1, "--advance"},
    {"advance", "SKL", "l: add [rdi], rax; dec r15; jnz l", 0, NULL, 0, 0,
     NULL}, /* the code really does so */
    {"advance", "SKL", "add [rdi], rax; add rdi, 8", 0, NULL, 0, 0, NULL},
    {"advance", "SKL", "add [rsp+8], rax", 0, NULL, 0, 0, NULL},
    {"advance", "SKL", "mov [rdi], rax; mov rbx, [rdi]; imul rax, rbx", 0, NULL, 0, 0, NULL},
    {"unroll", "SKL", "l: mov rax, [rsi]; dec r15; jnz l", 0, "", 1, 0.5, "unrolling the loop"},
    {"unroll", "SKL", "l: imul rax, rbx; dec r15; jnz l", 0, NULL, 3, 0, NULL},
    {"unroll", "SKL", "l: nop; nop; cmp byte ptr [rsi], 0; jne l", 0, NULL, 1, 0,
     NULL}, /* each copy needs its branch */
    {"dsb_capacity", "SKL",
     "l: inc eax; inc ecx; inc edx; inc ebx; inc esi; inc edi; inc eax; inc ecx; inc edx; inc ebx; inc esi; "
     "inc edi; "
     "nop; nop; nop; nop; nop; nop; nop; nop; dec r15; jnz l",
     0, "", 0, 0, "lines of 6"},
    {"dsb_capacity", "SKL", "l: add rax, rbx; dec r15; jnz l", 0, NULL, 0, 0, NULL},
};

static void check_case(explained *x, const advice_case *c)
{
    char numbers[64] = "";
    const tacho_advice *a = find_advice(x, c->kind);
    if (c->before && fabs(x->p->cycles - c->before) > 0.01)
        fail_msg("%s on %s, '%s': %.3f cycles, expected %.3f", c->kind, c->arch, c->code, x->p->cycles,
                 c->before);
    if (!c->instructions) {
        if (a)
            fail_msg("'%s' must not say %s: %s", c->code, c->kind, a->text);
        return;
    }
    if (!a)
        fail_msg("'%s' on %s: no advice %s", c->code, c->arch, c->kind);
    for (size_t i = 0; i < a->instruction_count; i++)
        snprintf(numbers + strlen(numbers), sizeof numbers - strlen(numbers), "%s%u", i ? " " : "",
                 a->instructions[i]);
    if (*c->instructions && strcmp(numbers, c->instructions))
        fail_msg("'%s': %s for instructions %s, expected %s", c->code, c->kind, numbers, c->instructions);
    if (c->after && fabs(a->cycles_after - c->after) > 0.02)
        fail_msg("'%s': %s gives %.3f, expected %.3f", c->code, c->kind, a->cycles_after, c->after);
    if (!strstr(a->text, c->words))
        fail_msg("'%s': '%s' does not say '%s'", c->code, a->text, c->words);
}

static void test_advice__is_given_where_it_helps_and_nowhere_else(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        explained x = start();
        tacho_error err;
        tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
        o.alignment = cases[i].alignment;
        if (test_block_make(&x.code, cases[i].code, &err))
            fail_msg("%s: %s", cases[i].code, err.message);
        explain(&x, cases[i].arch, &o);
        check_case(&x, &cases[i]);
        stop(&x);
    }
}

static void test_advice__every_kind_is_tried_here(void **state)
{
    for (size_t k = 0; tacho_advice_kind(k); k++) {
        bool given = false, refused = false;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            if (!strcmp(cases[i].kind, tacho_advice_kind(k))) {
                given |= cases[i].instructions != NULL;
                refused |= cases[i].instructions == NULL;
            }
        if (!given || !refused)
            fail_msg("no case %s %s", given ? "against" : "for", tacho_advice_kind(k));
    }
}

/* ---- what-ifs ---- */

typedef struct what_if_case {
    const char *arch, *code;
    tacho_what what;
    uint16_t ports;
    int32_t instruction;
    double before, after;
} what_if_case;

static const what_if_case what_ifs[] = {
    /* two chained additions: nothing but the dependency holds them up, and one-cycle latencies do not help */
    {"SKL", "l: add rax, rbx; add rbx, rax; dec r15; jnz l", TACHO_WHAT_DEPENDENCIES, 0, -1, 2, 1},
    {"SKL", "l: add rax, rbx; add rbx, rax; dec r15; jnz l", TACHO_WHAT_LATENCIES, 0, -1, 2, 2},
    {"SKL", "l: imul rax, rbx; imul rax, rcx; dec r15; jnz l", TACHO_WHAT_LATENCY, 0, 1, 6, 4},
    {"SKL", "l: imul rax, rbx; imul rax, rcx; dec r15; jnz l", TACHO_WHAT_LATENCIES, 0, -1, 6, 2},
    /* three shuffles on port 5, then on any */
    {"SKL", "l: pshufd xmm0, xmm1, 1; pshufd xmm2, xmm1, 1; pshufd xmm3, xmm1, 1; dec r15; jnz l",
     TACHO_WHAT_PORTS, 1 << 5, -1, 3, 1},
    {"SKL", "l: pshufd xmm0, xmm1, 1; pshufd xmm2, xmm1, 1; pshufd xmm3, xmm1, 1; dec r15; jnz l",
     TACHO_WHAT_ALL_PORTS, 0, -1, 3, 1},
    {"SKL", "l: pshufd xmm0, xmm1, 1; pshufd xmm2, xmm1, 1; pshufd xmm3, xmm1, 1; dec r15; jnz l",
     TACHO_WHAT_PORTS, 1 << 6, -1, 3, 3},
    /* predecoding is the limit; then six µops, four or eight a cycle */
    {"SKL", "mov rax, rbx", TACHO_WHAT_FRONT_END, 0, -1, 0, 0.25},
    {"SKL", "l: nop; nop; nop; nop; nop; dec r15; jnz l", TACHO_WHAT_ISSUE, 0, -1, 1.5, 1},
    {"SKL", "l: vdivps ymm0, ymm1, ymm2; dec r15; jnz l", TACHO_WHAT_DIVIDER, 0, -1, 5, 1},
    {"SKL", "l: add [rsi], rax; dec r15; jnz l", TACHO_WHAT_MEMORY_DEPENDENCIES, 0, -1, 0, 1},
};

static void test_what_if__the_limiting_part_alone_helps(void **state)
{
    for (size_t i = 0; i < sizeof what_ifs / sizeof *what_ifs; i++) {
        const what_if_case *c = &what_ifs[i];
        explained x = start();
        tacho_error err;
        if (test_block_make(&x.code, c->code, &err))
            fail_msg("%s: %s", c->code, err.message);
        explain(&x, c->arch, NULL);
        const tacho_what_if *w = find_what_if(&x, c->what, c->ports, c->instruction);
        if (!w)
            fail_msg("'%s': no what-if %s", c->code, tacho_what_name(c->what));
        if ((c->before && fabs(x.p->cycles - c->before) > 0.01) || fabs(w->cycles - c->after) > 0.01)
            fail_msg("'%s', %s: from %.3f to %.3f cycles, expected %.3f to %.3f", c->code, w->text,
                     x.p->cycles, w->cycles, c->before, c->after);
        assert_true(fabs(w->gain - (1 - w->cycles / x.p->cycles)) < 1e-9);
        assert_true(!w->cycles_den || fabs((double)w->cycles_num / w->cycles_den - w->cycles) < 1e-9);
        stop(&x);
    }
}

/* A what-if applies only where there is something to idealise. */
static void test_what_if__none_for_what_the_code_does_not_have(void **state)
{
    explained x = start();
    assert_int_equal(test_block_make(&x.code, "l: add rax, rbx; dec r15; jnz l", NULL), 0);
    explain(&x, "SKL", NULL);
    assert_null(find_what_if(&x, TACHO_WHAT_DIVIDER, 0, -1));
    assert_null(find_what_if(&x, TACHO_WHAT_START_INTERVALS, 0, -1));
    assert_null(find_what_if(&x, TACHO_WHAT_MEMORY_DEPENDENCIES, 0, -1));
    assert_null(find_what_if(&x, TACHO_WHAT_LATENCY, 0, -1)); /* one cycle already */
    assert_non_null(find_what_if(&x, TACHO_WHAT_FRONT_END, 0, -1));
    stop(&x);
}

/* Two limits at the same place: neither alone is a gain. */
static void test_what_if__two_parts_where_one_is_not_enough(void **state)
{
    explained x = start();
    assert_int_equal(test_block_make(&x.code,
                                     "l: imul rax, rbx; pshufd xmm0, xmm1, 1; pshufd xmm2, xmm1, 1;"
                                     "pshufd xmm3, xmm1, 1; dec r15; jnz l",
                                     NULL),
                     0);
    explain(&x, "SKL", NULL);
    assert_true(fabs(x.p->cycles - 3) < 0.01);
    const tacho_what_if *w = NULL;
    for (size_t i = 0; i < x.e->what_if_count; i++) {
        const tacho_what_if *each = &x.e->what_ifs[i];
        if (each->also == TACHO_WHAT_COUNT)
            assert_true(each->gain < 0.01);
        if (each->what == TACHO_WHAT_ALL_PORTS && each->also == TACHO_WHAT_DEPENDENCIES)
            w = each;
    }
    if (!w)
        fail_msg("no run without waiting for ports and dependencies");
    assert_true(w->cycles < 2.01 && strstr(w->text, ", and "));
    stop(&x);

    x = start(); /* and none where one is */
    assert_int_equal(test_block_make(&x.code, "l: imul rax, rbx; dec r15; jnz l", NULL), 0);
    explain(&x, "SKL", NULL);
    for (size_t i = 0; i < x.e->what_if_count; i++)
        assert_true(x.e->what_ifs[i].also == TACHO_WHAT_COUNT);
    stop(&x);
}

/* ---- a corpus ---- */

typedef struct corpus_state {
    explained x;
    uint32_t runs, slower, advice, blamed, rightly;
    double worst;
} corpus_state;

static void check_slots(const tacho_topdown *t, long at)
{
    double sum = t->retiring, ports = 0, front = 0;
    for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++) {
        if (!(t->lost[k] >= 0))
            fail_msg("line %ld: %s is %f", at, tacho_slot_reason_name((tacho_slot_reason)k), t->lost[k]);
        sum += t->lost[k];
        front += k <= TACHO_SLOT_LSD ? t->lost[k] : 0;
    }
    for (int k = 0; k < TACHO_MAX_PORTS; k++)
        ports += t->lost_to_port[k];
    double four = t->retiring + t->frontend + t->backend_core + t->backend_dependencies;
    if (fabs(sum - 1) > 1e-9 || fabs(four - 1) > 1e-9 || fabs(front - t->frontend) > 1e-9 ||
        fabs(ports - t->lost[TACHO_SLOT_PORTS]) > 1e-9)
        fail_msg("line %ld: slots sum to %f and %f, ports to %f of %f", at, sum, four, ports,
                 t->lost[TACHO_SLOT_PORTS]);
}

static void check_what_ifs(corpus_state *c, long at)
{
    for (size_t i = 0; i < c->x.e->what_if_count; i++) {
        const tacho_what_if *w = &c->x.e->what_ifs[i];
        assert_true(w->cycles > 0 && w->text[0] && (w->what == TACHO_WHAT_PORTS) == (w->ports != 0));
        c->runs++;
        c->slower += -w->gain > 0.02;
        c->worst = -w->gain > c->worst ? -w->gain : c->worst;
    }
}

static void check_advice(corpus_state *c, long at)
{
    for (size_t i = 0; i < c->x.e->advice_count; i++) {
        const tacho_advice *a = &c->x.e->advice[i];
        c->advice++;
        if (a->cycles_before != c->x.p->cycles || a->cycles_after > 0.99 * a->cycles_before)
            fail_msg("line %ld: %s gives %f from %f", at, a->kind, a->cycles_after, a->cycles_before);
        for (size_t k = 0; k < a->instruction_count; k++)
            assert_true(a->instructions[k] < c->x.p->instruction_count &&
                        (!k || a->instructions[k] > a->instructions[k - 1]));
    }
}

/* Where most slots are lost to something, and one part alone gains much, that one should gain too. */
static void check_blame(corpus_state *c)
{
    static const tacho_what parts[TACHO_SLOT_REASON_COUNT] = {
        [TACHO_SLOT_PREDECODE] = TACHO_WHAT_FRONT_END,
        [TACHO_SLOT_DECODE] = TACHO_WHAT_FRONT_END,
        [TACHO_SLOT_MS] = TACHO_WHAT_FRONT_END,
        [TACHO_SLOT_DSB] = TACHO_WHAT_FRONT_END,
        [TACHO_SLOT_LSD] = TACHO_WHAT_FRONT_END,
        [TACHO_SLOT_RENAME] = TACHO_WHAT_COUNT,
        [TACHO_SLOT_PORTS] = TACHO_WHAT_ALL_PORTS,
        [TACHO_SLOT_DIVIDER] = TACHO_WHAT_DIVIDER,
        [TACHO_SLOT_START_INTERVALS] = TACHO_WHAT_START_INTERVALS,
        [TACHO_SLOT_ROB] = TACHO_WHAT_BUFFERS,
        [TACHO_SLOT_SCHEDULER] = TACHO_WHAT_BUFFERS,
        [TACHO_SLOT_DEPENDENCIES] = TACHO_WHAT_DEPENDENCIES,
    };
    const double *lost = c->x.p->topdown.lost;
    int most = 0;
    for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++)
        most = lost[k] > lost[most] ? k : most;
    double best = 0, blamed = 0;
    for (size_t i = 0; i < c->x.e->what_if_count; i++) {
        const tacho_what_if *w = &c->x.e->what_ifs[i];
        if (w->also != TACHO_WHAT_COUNT || w->what == TACHO_WHAT_ISSUE)
            continue;
        best = w->gain > best ? w->gain : best;
        blamed = w->what == parts[most] && w->gain > blamed ? w->gain : blamed;
    }
    if (lost[most] < 0.2 || best < 0.05 || parts[most] == TACHO_WHAT_COUNT)
        return;
    c->blamed++;
    c->rightly += blamed >= 0.01;
}

enum {
    CORPUS_SHARE = 4 /* one block of so many */
};

static int explain_block(const test_block *b, long at, const char *rest, void *payload)
{
    corpus_state *c = payload;
    if (at % CORPUS_SHARE)
        return 0;
    for (int v = 0; v < 4; v++) {
        tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
        c->x.code = (test_block){malloc(b->size + 16), b->size};
        memcpy(c->x.code.bytes, b->bytes, b->size);
        if (v % 2)
            test_block_close_loop(&c->x.code);
        o.mode = v % 2 ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
        o.ignore_isa = true;
        o.alignment = (uint32_t)at % 64;
        explain(&c->x, v / 2 ? "ICX" : "SKL", &o);
        check_slots(&c->x.p->topdown, at);
        check_what_ifs(c, at);
        check_blame(c);
        check_advice(c, at);
        test_block_free(&c->x.code);
    }
    return 0;
}

/* An ideal part may still cost cycles: ports are chosen without looking ahead, and what comes earlier can
 * take the port of what matters (Graham's anomalies of scheduling). Rarely, and not by much, but where twice
 * as many µops are issued in a cycle: they do not know of each other's ports. */
static void test_corpus__slots_add_up_and_ideal_parts_cost_nothing(void **state)
{
    corpus_state c = {.x = start()};
    assert_true(test_corpus_each(corpus, explain_block, &c) > 0);
    print_message(
        "%u what-if runs, %u of them slower by more than 2 %% (worst %.1f %%); %u pieces of advice\n", c.runs,
        c.slower, 100 * c.worst, c.advice);
    print_message("%u blocks lose slots to one reason above all; without it %u of them are faster\n",
                  c.blamed, c.rightly);
    assert_true(c.runs > 1000 && c.advice > 20);
    assert_true(c.blamed > 100 && c.rightly * 100 >= 95 * c.blamed);
    assert_true(c.slower * 100 <= 3 * c.runs && c.worst < 0.7);
    stop(&c.x);
}

/* ---- where slots go ---- */

typedef struct slot_case {
    const char *arch, *code;
    tacho_slot_reason reason;
    double share; /* at least */
} slot_case;

static const slot_case slots[] = {
    {"SKL", "add ax, 0x1234; add bx, 0x1234", TACHO_SLOT_PREDECODE, 0.8},
    {"SKL", "xchg rax, rbx; xchg rcx, rdx; xchg rsi, rdi", TACHO_SLOT_DECODE, 0.05},
    {"SKL", "l: cld; dec r15; jnz l", TACHO_SLOT_MS, 0.0},
    {"SKL", "l: nop; nop; nop; nop; nop; nop; dec r15; jnz l", TACHO_SLOT_DSB, 0.1},
    {"SKL", "l: lfence; dec r15; jnz l", TACHO_SLOT_RENAME, 0.3},
    {"SKL", "l: pshufd xmm0, xmm1, 1; pshufd xmm2, xmm1, 1; pshufd xmm3, xmm1, 1; dec r15; jnz l",
     TACHO_SLOT_PORTS, 0.6},
    /* the oldest µop in the scheduler waits for a load on its way, but what holds all up is the loads' ports
     */
    {"SKL", "cmp byte ptr [r15+53], 0", TACHO_SLOT_PORTS, 0.3},
    {"SKL", "l: vdivps ymm0, ymm1, ymm2; dec r15; jnz l", TACHO_SLOT_DIVIDER, 0.8},
    {"SKL", "l: imul rax, rbx; dec r15; jnz l", TACHO_SLOT_DEPENDENCIES, 0.8},
};

static void test_slots__go_to_what_holds_the_code_up(void **state)
{
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        explained x = start();
        tacho_error err;
        if (test_block_make(&x.code, slots[i].code, &err))
            fail_msg("%s: %s", slots[i].code, err.message);
        explain(&x, slots[i].arch, NULL);
        const tacho_topdown *t = &x.p->topdown;
        tacho_slot_reason most = TACHO_SLOT_PREDECODE;
        for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++)
            most = t->lost[k] > t->lost[most] ? (tacho_slot_reason)k : most;
        if (most != slots[i].reason || t->lost[most] < slots[i].share)
            fail_msg("'%s': most slots (%.2f) are lost to %s, not to %s (%.2f)", slots[i].code, t->lost[most],
                     tacho_slot_reason_name(most), tacho_slot_reason_name(slots[i].reason),
                     t->lost[slots[i].reason]);
        stop(&x);
    }
}

/* ---- errors ---- */

static void test_explain__each_failing_allocation_is_an_error(void **state)
{
    explained x = start();
    assert_int_equal(
        test_block_make(&x.code, "l: popcnt rax, rcx; add rdx, [rsi+rax]; div rbx; dec r15; jnz l", NULL), 0);
    explain(&x, "SKL", NULL);
    for (unsigned long n = 1;; n++) {
        const tacho_explanation *e = NULL;
        tacho_error err = {.message = ""};
        tacho_mem_fail_at(n);
        tacho_explainer *explainer = tacho_explainer_new();
        int rc = explainer ? tacho_explain(explainer, x.p, x.code.bytes, x.code.size, NULL, &e, &err)
                           : TACHO_ERR_MEMORY;
        tacho_mem_fail_at(0);
        assert_true(rc == 0 || rc == TACHO_ERR_MEMORY);
        assert_true(!explainer || (rc == 0) == (e != NULL));
        if (rc && explainer)
            assert_int_equal(tacho_explain(explainer, x.p, x.code.bytes, x.code.size, NULL, &e, &err), 0);
        tacho_explainer_free(explainer);
        if (rc == 0)
            break;
        assert_true(n < 1000);
    }
    stop(&x);
}

static void test_explain__without_details_is_refused(void **state)
{
    explained x = start();
    tacho_error err;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.details = false;
    assert_int_equal(test_block_make(&x.code, "add rax, rbx", NULL), 0);
    const tacho_arch *arch = tacho_arch_find("SKL", NULL);
    assert_int_equal(tacho_predict(x.predictor, arch, x.code.bytes, x.code.size, &o, &x.p, &err), 0);
    assert_int_equal(tacho_explain(x.explainer, x.p, x.code.bytes, x.code.size, &o, &x.e, &err),
                     TACHO_ERR_USAGE);
    o.details = true;
    assert_int_equal(tacho_predict(x.predictor, arch, x.code.bytes, x.code.size, &o, &x.p, &err), 0);
    assert_int_equal(tacho_explain(x.explainer, x.p, x.code.bytes, 2, &o, &x.e, &err), TACHO_ERR_USAGE);
    assert_int_equal(tacho_predict_bounds(x.predictor, arch, x.code.bytes, x.code.size, &o, &x.p, &err), 0);
    assert_int_equal(tacho_explain(x.explainer, x.p, x.code.bytes, x.code.size, &o, &x.e, &err),
                     TACHO_ERR_USAGE);
    o.size = 4;
    assert_int_equal(tacho_explain(x.explainer, x.p, x.code.bytes, x.code.size, &o, &x.e, &err),
                     TACHO_ERR_USAGE);
    stop(&x);
}

/* One piece is plain code; of several, nobody knows where they would lie after a change. */
static void test_explain__code_in_pieces_is_not_changed(void **state)
{
    explained x = start();
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_piece pieces[2] = {{0, 0x1000}, {0, 0x2000}};
    assert_int_equal(test_block_make(&x.code, "l: popcnt rax, rcx; add rdx, rax; dec r15; jnz l", NULL), 0);
    o.pieces = pieces;
    o.piece_count = 1;
    explain(&x, "SKL", &o);
    assert_non_null(find_advice(&x, "false_dependency"));
    pieces[1].code_offset = x.p->instructions[1]->code_offset;
    o.piece_count = 2;
    explain(&x, "SKL", &o);
    assert_null(find_advice(&x, "false_dependency"));
    assert_non_null(find_what_if(&x, TACHO_WHAT_FRONT_END, 0, -1));
    stop(&x);
}

/* ---- changed instructions ---- */

static void check_bytes(const char *what, const uint8_t *out, uint8_t length, const char *expected)
{
    char text[64] = "";
    tacho_insn insn;
    if (length)
        assert_int_equal(tacho_decode(&insn, out, length, NULL), 0);
    if (length)
        tacho_insn_format(&insn, 0, 1, text, sizeof text);
    if (strcmp(text, expected))
        fail_msg("%s gives '%s', expected '%s'", what, text, expected);
}

static tacho_insn assemble_one(const char *code)
{
    test_block b;
    tacho_insn insn;
    assert_int_equal(test_block_make(&b, code, NULL), 0);
    assert_int_equal(tacho_decode(&insn, b.bytes, b.size, NULL), 0);
    test_block_free(&b);
    return insn;
}

static void test_encode__registers_are_renamed_everywhere_or_not_at_all(void **state)
{
    static const struct {
        const char *code;
        tacho_reg from;
        uint8_t to;
        const char *expected;
    } table[] = {
        {"vfmadd231ps ymm0, ymm1, [rsi+rax*4+64]",
         {TACHO_REG_YMM, 0},
         9,
         "vfmadd231ps ymm9, ymm1, [rsi+rax*4+0x40]"},
        {"addsd xmm3, xmm3", {TACHO_REG_XMM, 3}, 12, "addsd xmm12, xmm12"},
        {"add rax, [rax+rax*2]", {TACHO_REG_R64, 0}, 8, "add r8, [r8+r8*2]"},
        {"add eax, ebx", {TACHO_REG_R64, 0}, 9, "add r9d, ebx"},
        {"add rax, rbx", {TACHO_REG_R64, 1}, 9, "add rax, rbx"},
        {"mul rbx", {TACHO_REG_R64, 0}, 9, ""},    /* rax is not encoded */
        {"add al, bl", {TACHO_REG_R64, 0}, 9, ""}, /* bytes are not renamed */
        {"movsx r8d, r8b", {TACHO_REG_R64, 8}, 15, ""},
        {"add dh, al", {TACHO_REG_R64, 2}, 9, ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint8_t out[TACHO_MAX_INSN_BYTES];
        tacho_insn insn = assemble_one(table[i].code);
        check_bytes(table[i].code, out, encode_renamed(&insn, table[i].from, table[i].to, out),
                    table[i].expected);
    }
}

static void test_encode__other_changes(void **state)
{
    uint8_t out[TACHO_MAX_INSN_BYTES];
    static const char *const without_index[][2] = {
        {"addps xmm0, [rsi+r12*4+8]", "addps xmm0, [rsi+0x8]"},
        {"vaddps ymm9, ymm1, [r13+r12*8]", "vaddps ymm9, ymm1, [r13]"},
        {"vaddps zmm1, zmm2, [rsi+r12*8+64]", "vaddps zmm1, zmm2, [rsi+0x40]"},
        {"vaddps ymm0, ymm1, [rsi+rcx]", "vaddps ymm0, ymm1, [rsi]"},
        {"add rax, rsp", ""},
        {"add rax, [rsi]", ""},
    };
    for (size_t i = 0; i < sizeof without_index / sizeof *without_index; i++) {
        tacho_insn insn = assemble_one(without_index[i][0]);
        check_bytes(without_index[i][0], out, encode_without_index(&insn, out), without_index[i][1]);
    }
    static const char *const in_register[][2] = {
        {"add [rsi+8], rax", "add r9, rax"},
        {"mov dword ptr [rsi], 7", "mov r9d, 0x7"},
        {"imul ecx, [rsi+rdi*4]", "imul ecx, r9d"},
        {"addsd xmm0, [rsi]", "addsd xmm0, xmm9"},
        {"movsd [rsi], xmm0", "movaps xmm9, xmm0"},
        {"vmovups ymm1, [rsi]", "vmovups ymm1, ymm9"},
        {"add byte ptr [rsi], 1", ""},
        {"lock add [rsi], rax", ""},
        {"movzx eax, byte ptr [rsi]", ""},
        {"cvtsi2sd xmm0, qword ptr [rsi]", ""},
        {"add rax, rbx", ""},
    };
    for (size_t i = 0; i < sizeof in_register / sizeof *in_register; i++) {
        tacho_insn each = assemble_one(in_register[i][0]);
        check_bytes(in_register[i][0], out, encode_register_for_memory(&each, 9, out), in_register[i][1]);
    }
    check_bytes("zero rax", out, encode_zeroing((tacho_reg){TACHO_REG_R64, 0}, false, out), "xor eax, eax");
    check_bytes("zero r9w", out, encode_zeroing((tacho_reg){TACHO_REG_R16, 9}, false, out), "xor r9d, r9d");
    check_bytes("zero xmm9", out, encode_zeroing((tacho_reg){TACHO_REG_XMM, 9}, false, out),
                "xorps xmm9, xmm9");
    check_bytes("zero ymm9", out, encode_zeroing((tacho_reg){TACHO_REG_YMM, 9}, true, out),
                "vxorps xmm9, xmm9, xmm9");
    tacho_insn insn = assemble_one("mov r9b, [rsi]");
    check_bytes("mov r9b, [rsi]", out, encode_widened_move(&insn, out), "movzx r9d, byte ptr [rsi]");
    insn = assemble_one("mov ax, bx");
    check_bytes("mov ax, bx", out, encode_widened_move(&insn, out), "movzx eax, bx");
    insn = assemble_one("mov ah, [rsi]");
    assert_int_equal(encode_widened_move(&insn, out), 0);
    insn = assemble_one("mov eax, [rsi]");
    assert_int_equal(encode_widened_move(&insn, out), 0);
    insn = assemble_one("div r9");
    check_bytes("div r9", out, encode_with_32_bits(&insn, out), "div r9d");
    insn = assemble_one("div ecx");
    assert_int_equal(encode_with_32_bits(&insn, out), 0);
}

/* ---- the explainer's predictor ---- */

static void test_explain__its_predictor_can_be_used_between_two_explanations(void **state)
{
    explained x = start();
    tacho_error err;
    const tacho_prediction *p;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    assert_int_equal(test_block_make(&x.code, "l: imul rax, rcx; dec r15; jnz l", NULL), 0);
    explain(&x, "SKL", NULL);
    const double before = x.e->what_ifs[0].cycles, here = x.p->cycles;
    const size_t count = x.e->what_if_count;
    for (o.alignment = 0; o.alignment < 64; o.alignment += 8) {
        assert_int_equal(tacho_predict(tacho_explainer_predictor(x.explainer), x.p->arch, x.code.bytes,
                                       x.code.size, &o, &p, &err),
                         0);
        assert_ptr_not_equal(p, x.p);
        assert_true(p->cycles == here);
    }
    assert_true(x.e->what_ifs[0].cycles == before && x.p->cycles == here);
    assert_int_equal(tacho_explain(x.explainer, x.p, x.code.bytes, x.code.size, NULL, &x.e, &err), 0);
    assert_true(x.e->what_if_count == count && x.e->what_ifs[0].cycles == before);
    stop(&x);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_advice__is_given_where_it_helps_and_nowhere_else),
        cmocka_unit_test(test_advice__every_kind_is_tried_here),
        cmocka_unit_test(test_what_if__the_limiting_part_alone_helps),
        cmocka_unit_test(test_what_if__none_for_what_the_code_does_not_have),
        cmocka_unit_test(test_what_if__two_parts_where_one_is_not_enough),
        cmocka_unit_test(test_corpus__slots_add_up_and_ideal_parts_cost_nothing),
        cmocka_unit_test(test_slots__go_to_what_holds_the_code_up),
        cmocka_unit_test(test_explain__each_failing_allocation_is_an_error),
        cmocka_unit_test(test_explain__without_details_is_refused),
        cmocka_unit_test(test_explain__code_in_pieces_is_not_changed),
        cmocka_unit_test(test_explain__its_predictor_can_be_used_between_two_explanations),
        cmocka_unit_test(test_encode__registers_are_renamed_everywhere_or_not_at_all),
        cmocka_unit_test(test_encode__other_changes),
    };
    if (argc != 2)
        return 2;
    corpus = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
