/* test_elements.c - how many elements an iteration works on, of loops as compilers and people write them; and
 * by what two predictions are compared. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"

/* Elements, bytes of the smallest and the largest one, and bytes of a stream; 0: not known. */
typedef struct loop {
    const char *what, *code;
    tacho_elements expected;
} loop;

#define END "; cmp rax, rcx; jne l"
#define NOT_KNOWN                                                                                            \
    {                                                                                                        \
        0, 0, 0, 0                                                                                           \
    }

static const loop loops[] = {
    {"a scalar sum", "l: addss xmm0, [rdi+rax*4]; inc rax" END, {1, 4, 4, 4}},
    {"the same, eight at once", "l: vaddps ymm0, ymm0, [rdi+rax*4]; add rax, 8" END, {8, 4, 4, 32}},
    {"the same, unrolled four times",
     "l: vaddps ymm0, ymm0, [rdi+rax*4]; vaddps ymm1, ymm1, [rdi+rax*4+32]; vaddps ymm2, ymm2, "
     "[rdi+rax*4+64];"
     "vaddps ymm3, ymm3, [rdi+rax*4+96]; add rax, 32" END,
     {32, 4, 4, 128}},
    {"saxpy: two loads and a store",
     "l: vmovups ymm1, [rdi+rax*4]; vfmadd213ps ymm1, ymm0, [rsi+rax*4]; vmovups [rsi+rax*4], ymm1;"
     "add rax, 8" END,
     {8, 4, 4, 32}},
    {"doubles by pointers that count down",
     "l: movsd xmm0, [rdi]; mulsd xmm0, [rsi]; movsd [rdx], xmm0; sub rdi, 8; sub rsi, 8; add rdx, 8;"
     "dec ecx; jnz l",
     {1, 8, 8, 8}},
    {"integers of 32 bits, typed by what adds them",
     "l: movdqu xmm1, [rdi+rax]; paddd xmm0, xmm1; add rax, 16" END,
     {4, 4, 4, 16}},
    {"bytes",
     "l: movdqu xmm1, [rdi+rax]; paddb xmm1, xmm2; movdqu [rsi+rax], xmm1; add rax, 16" END,
     {16, 1, 1, 16}},
    {"words of 512 bits under a mask",
     "l: vmovdqu16 zmm1, [rdi+rax]; vpaddw zmm1{k1}, zmm1, zmm2; vmovdqu16 [rsi+rax], zmm1; add rax, 64" END,
     {32, 2, 2, 64}},
    {"a copy by vectors: only bytes",
     "l: movdqu xmm0, [rdi+rax]; movdqu [rsi+rax], xmm0; add rax, 16" END,
     {0, 0, 0, 16}},
    {"a copy by general registers",
     "l: mov rdx, [rdi+rax*8]; mov [rsi+rax*8], rdx; inc rax" END,
     {1, 8, 8, 8}},
    {"a search for a byte",
     "l: movdqu xmm0, [rdi]; pcmpeqb xmm0, xmm1; pmovmskb eax, xmm0; add rdi, 16; test eax, eax; jz l",
     {16, 1, 1, 16}},
    {"a stencil of three overlapping loads",
     "l: movsd xmm0, [rdi+rax*8-8]; addsd xmm0, [rdi+rax*8]; addsd xmm0, [rdi+rax*8+8];"
     "movsd [rsi+rax*8], xmm0; inc rax" END,
     {1, 8, 8, 8}},
    {"the same by vectors",
     "l: vmovupd ymm0, [rdi+rax*8-8]; vaddpd ymm0, ymm0, [rdi+rax*8]; vaddpd ymm0, ymm0, [rdi+rax*8+8];"
     "vmovupd [rsi+rax*8], ymm0; add rax, 4" END,
     {4, 8, 8, 32}},
    {"a column of a matrix", "l: addsd xmm0, [rdi]; add rdi, 800; cmp rdi, rdx; jne l", {1, 8, 8, 8}},
    {"a column whose distance is in a register, and a row",
     "l: movsd xmm1, [rdi]; mulsd xmm1, [rsi]; addsd xmm0, xmm1; add rdi, rdx; add rsi, 8; dec ecx; jnz l",
     {1, 8, 8, 8}},
    {"bytes to words of 32 bits",
     "l: vpmovzxbd ymm0, [rdi+rax]; vmovdqu [rsi+rax*4], ymm0; add rax, 8" END,
     {8, 1, 4, 0}},
    {"floats to doubles, one by one",
     "l: cvtss2sd xmm0, [rdi+rax*4]; movsd [rsi+rax*8], xmm0; inc rax" END,
     {1, 4, 8, 0}},
    {"a dot product of bytes",
     "l: vmovdqu ymm1, [rdi+rax]; vpmaddubsw ymm1, ymm1, [rsi+rax]; vpmaddwd ymm1, ymm1, ymm7;"
     "vpaddd ymm0, ymm0, ymm1; add rax, 32" END,
     {32, 1, 1, 32}},
    {"a gather by indices",
     "l: vmovdqu ymm1, [rdi+rax*4]; vpcmpeqd ymm2, ymm2, ymm2; vgatherdps ymm3, [rsi+ymm1*4], ymm2;"
     "vaddps ymm0, ymm0, ymm3; add rax, 8" END,
     {8, 4, 4, 32}},
    {"a histogram: the counters have no stream",
     "l: movzx edx, byte ptr [rdi+rax]; inc dword ptr [rsi+rdx*4]; inc rax" END,
     {1, 1, 1, 1}},
    {"two fields of a structure",
     "l: movss xmm1, [rdi]; mulss xmm1, [rdi+4]; addss xmm0, xmm1; add rdi, 16; dec ecx; jnz l",
     {2, 4, 4, 8}},
    {"code without optimisation: the counter is in memory",
     "l: mov eax, [rbp-4]; cdqe; movss xmm0, [rdi+rax*4]; addss xmm0, [rbp-8]; movss [rbp-8], xmm0;"
     "add dword ptr [rbp-4], 1; cmp dword ptr [rbp-4], 99; jle l",
     {1, 4, 4, 4}},
    {"spilt values and constants do not count",
     "l: movss xmm1, [rdi+rax*4]; mulss xmm1, [rsp+8]; addss xmm1, [rip+16]; movss [rsi+rax*4], xmm1; inc "
     "rax" END,
     {1, 4, 4, 4}},
    {"a hash of each byte's neighbourhood: no whole element",
     "l: mov rdx, [rdi+rax]; imul rdx, r8; add r9, rdx; inc rax" END,
     {0, 0, 0, 1}},
    {"a compaction: where it writes depends on data",
     "l: mov edx, [rdi+rax*4]; mov [rsi+r8*4], edx; cmp edx, r9d; adc r8, 0; inc rax" END,
     {1, 4, 4, 4}},
    {"bytes that are widened by unpacking",
     "l: movdqu xmm1, [rdi]; movdqa xmm2, xmm1; punpcklbw xmm1, xmm7; punpckhbw xmm2, xmm7; paddw xmm0, xmm1;"
     "paddw xmm3, xmm2; add rdi, 16; dec ecx; jnz l",
     {16, 1, 1, 16}},
    {"bytes to words by unpacking",
     "l: movdqu xmm1, [rdi]; movdqa xmm2, xmm1; punpcklbw xmm1, xmm7; punpckhbw xmm2, xmm7; movups [rsi], "
     "xmm1;"
     "movups [rsi+16], xmm2; add rdi, 16; add rsi, 32; dec ecx; jnz l",
     {16, 1, 2, 0}},
    {"words taken out of longer ones: not guessed",
     "l: movdqu xmm1, [rdi]; pand xmm1, xmm7; paddd xmm0, xmm1; add rdi, 16; dec ecx; jnz l",
     {0, 0, 0, 16}},
    {"readers that disagree",
     "l: movdqu xmm1, [rdi]; paddd xmm2, xmm1; addpd xmm3, xmm1; add rdi, 16; dec ecx; jnz l",
     {0, 0, 0, 16}},
    {"a list", "l: mov rax, [rax]; test rax, rax; jnz l", NOT_KNOWN},
    {"a sum over a list", "l: add rdx, [rax+8]; mov rax, [rax]; test rax, rax; jnz l", NOT_KNOWN},
    {"no memory", "l: imul rax, rdx; dec ecx; jnz l", NOT_KNOWN},
    {"always the same place", "l: add rax, [rdi]; dec ecx; jnz l", NOT_KNOWN},
    {"a distance that is not known", "l: addsd xmm0, [rdi]; add rdi, rdx; dec ecx; jnz l", NOT_KNOWN},
    {"colours to grey: three to one",
     "l: movzx eax, byte ptr [rdi]; movzx edx, byte ptr [rdi+1]; movzx r8d, byte ptr [rdi+2]; add eax, edx;"
     "add eax, r8d; mov [rsi], al; add rdi, 3; inc rsi; dec ecx; jnz l",
     NOT_KNOWN},
    {"a row by a number of a column: 16 to 1",
     "l: vbroadcastss ymm2, [rsi]; vfmadd231ps ymm0, ymm2, [rdi]; vfmadd231ps ymm1, ymm2, [rdi+32]; add rsi, "
     "4;"
     "add rdi, 64; dec ecx; jnz l",
     NOT_KNOWN},
    {"two places by turns", "l: addsd xmm0, [rdi]; xchg rdi, rsi; dec ecx; jnz l", NOT_KNOWN},
    {"repeated string instructions", "l: mov ecx, 64; rep movsb; dec edx; jnz l", NOT_KNOWN},
    {"pushes", "l: push rax; push rdx; dec ecx; jnz l", NOT_KNOWN},
};

static tacho_predictor *predictors[2];

static const tacho_prediction *predict(unsigned by, const char *text, const tacho_predict_options *o)
{
    const tacho_prediction *p = NULL;
    test_block code;
    tacho_error err;
    if (test_block_make(&code, text, &err) ||
        tacho_predict(predictors[by], tacho_arch_find("ICL", NULL), code.bytes, code.size, o, &p, &err))
        fail_msg("%s: %s", text, err.message);
    test_block_free(&code);
    return p;
}

static const tacho_predict_options usual = TACHO_PREDICT_OPTIONS_INIT;

static void test_elements__of_loops(void **state)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        const tacho_elements *x = &loops[i].expected, *y = &predict(0, loops[i].code, &usual)->elements;
        if (x->count == y->count && x->smallest_bytes == y->smallest_bytes &&
            x->largest_bytes == y->largest_bytes && x->stream_bytes == y->stream_bytes)
            continue;
        print_error("%s: %u of %u to %u bytes, %u of a stream\n", loops[i].what, y->count, y->smallest_bytes,
                    y->largest_bytes, y->stream_bytes);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void test_elements__addresses_that_are_taken_to_advance(void **state)
{
    const char *code = "movups xmm0, [rdi]; mulps xmm0, xmm1; movups [rdi], xmm0";
    tacho_predict_options o = usual;
    assert_int_equal(predict(0, code, &o)->elements.count, 0);
    o.advance = true;
    assert_int_equal(predict(0, code, &o)->elements.count, 4);
}

static void test_elements__may_be_given(void **state)
{
    tacho_predict_options o = usual;
    o.elements = 12;
    const tacho_prediction *p = predict(0, "l: imul rax, rdx; dec ecx; jnz l", &o);
    assert_int_equal(p->elements.count, 12);
    assert_true(tacho_prediction_cycles_per(p, TACHO_WORK_ELEMENT) == p->cycles / 12);
    assert_true(isnan(tacho_prediction_cycles_per(p, TACHO_WORK_BYTE)));
}

static void test_elements__need_details(void **state)
{
    tacho_predict_options o = usual;
    o.details = false;
    assert_int_equal(predict(0, loops[0].code, &o)->elements.count, 0);
}

/* ---- comparing ---- */

static const char *code_of(const char *what)
{
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (!strcmp(loops[i].what, what))
            return loops[i].code;
    fail_msg("no loop is called '%s'", what);
    return NULL;
}

static const char *work_of(const char *a, const char *b)
{
    return tacho_work_name(tacho_prediction_common_work(predict(0, a, &usual), predict(1, b, &usual)));
}

static void test_common_work__is_what_both_know_and_do_not_share(void **state)
{
    const char *scalar = code_of("a scalar sum"), *vector = code_of("the same, eight at once"),
               *copy = code_of("a copy by vectors: only bytes"), *list = code_of("a list"),
               *doubles = code_of("a column of a matrix");
    assert_string_equal(work_of(scalar, vector), "element");
    assert_string_equal(work_of(scalar, scalar), "iteration");
    assert_string_equal(work_of(scalar, list), "iteration");
    assert_string_equal(work_of(vector, copy), "byte");
    assert_string_equal(work_of(scalar, doubles), "byte");
}

static int start(void **state)
{
    predictors[0] = tacho_predictor_new();
    predictors[1] = tacho_predictor_new();
    return !predictors[0] || !predictors[1];
}

static int end(void **state)
{
    tacho_predictor_free(predictors[0]);
    tacho_predictor_free(predictors[1]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements__of_loops),
        cmocka_unit_test(test_elements__addresses_that_are_taken_to_advance),
        cmocka_unit_test(test_elements__may_be_given),
        cmocka_unit_test(test_elements__need_details),
        cmocka_unit_test(test_common_work__is_what_both_know_and_do_not_share),
    };
    return cmocka_run_group_tests(tests, start, end);
}
