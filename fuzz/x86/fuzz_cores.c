/* fuzz_cores.c - microarchitectures from texts. What is accepted fits together, has figures that can be
 * written as rows again, and predicts. */
#include "fuzz.h"
#include "form_row.h"
#include "given.h"
#include "tacho/tools.h"

static void check(int ok)
{
    if (!ok)
        abort();
}

static void count_problem(void *context, uint64_t line, const char *text)
{
    check(line < 1u << 24 && *text);
    ++*(size_t *)context;
}

static void write_rows(const tacho_arch *arch)
{
    tacho_str row = {0};
    tacho_figures f;
    for (uint32_t id = 0; id < tacho_form_count(); id++) {
        if (tacho_form_figures(arch, id, &f))
            continue;
        check(*tacho_arch_source_text(arch, f.source) != '\0' ||
              !tacho_arch_source_fields(arch, f.source, 1));
        if (id % 64 == 0)
            form_row(&row, id, &f, 1);
    }
    tacho_str_free(&row);
}

/* imul rax, rax; imul rax, [rbx]; add rcx, rdx; jnz; vaddps xmm0, xmm1, xmm2; mov [rdi], rcx */
static void predict(const tacho_arch *arch)
{
    static const uint8_t code[] = {0x48, 0x0f, 0xaf, 0xc0, 0x48, 0x0f, 0xaf, 0x03, 0x48, 0x01,
                                   0xd1, 0x75, 0xf3, 0xc5, 0xf0, 0x58, 0xc2, 0x48, 0x89, 0x0f};
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_predictor *predictor = tacho_predictor_new();
    const tacho_prediction *p;
    tacho_error err = {.message = ""};
    o.ignore_isa = true;
    o.details = false;
    if (predictor && tacho_predict(predictor, arch, code, sizeof code, &o, &p, &err))
        check(err.message[0]);
    tacho_predictor_free(predictor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t problems = 0;
    tacho_arch_load_options o = TACHO_ARCH_LOAD_OPTIONS_INIT;
    tacho_error err = {.message = ""};
    tacho_arch *arch, *copy;
    o.problem = count_problem;
    o.context = &problems;
    int rc = tacho_arch_load(&arch, (const char *)data, size, &o, &err);
    check(!rc == (arch != NULL) && (rc == TACHO_ERR_INPUT) == (problems > 0) && !rc == !err.message[0]);
    if (rc)
        return 0;
    check(!tacho_arch_check(arch, &err));
    copy = tacho_arch_copy(arch);
    tacho_arch_free(arch);
    if (!copy)
        return 0;
    write_rows(copy);
    predict(copy);
    tacho_arch_free(copy);
    return 0;
}
