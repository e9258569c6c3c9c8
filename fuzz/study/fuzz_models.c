/* fuzz_models.c - what other people's tools say: the first byte chooses the model, the second how the tool
 * ends; then standard output and standard error of one run after the other, which end in a byte 0xff each.
 * What is taken for a prediction must be a number of cycles. */
#include <math.h>
#include <stdio.h>

#include "base/process.h"
#include "fuzz.h"
#include "given.h"
#include "tacho/tools.h"

static given said;
static tacho_process_end ending;

bool __wrap_tacho_process_find(const char *program, char *out, size_t size);
bool __wrap_tacho_process_find(const char *program, char *out, size_t size)
{
    snprintf(out, size, "/%s", program);
    return true;
}

int __wrap_tacho_process_run_text(const tacho_process *process, const char *input, size_t input_size,
                                  tacho_str *out, tacho_str *errors, tacho_process_end *end);
int __wrap_tacho_process_run_text(const tacho_process *process, const char *input, size_t input_size,
                                  tacho_str *out, tacho_str *errors, tacho_process_end *end)
{
    tacho_str *const texts[] = {out, errors};
    for (int i = 0; i < 2; i++) {
        size_t size;
        char *piece = given_piece(&said, &size);
        tacho_str_append(texts[i], piece, size);
        tacho_mem_free(piece);
    }
    *end = ending;
    return out->failed || errors->failed ? -1 : 0;
}

static void run(tacho_model *m)
{
    enum {
        BLOCKS = 4
    };
    static const tacho_model_block blocks[BLOCKS] = {
        {.code = (const uint8_t *)"\x48\x01\xc3", .size = 3},
        {.code = (const uint8_t *)"\x90", .size = 1},
        {.code = (const uint8_t *)"", .size = 0},
        {.code = (const uint8_t *)"\x0f\xaf\xc0\xc5", .size = 4}};
    tacho_model_result results[BLOCKS];
    tacho_error err = {.message = ""};
    if (tacho_model_run(m, blocks, BLOCKS, results, &err)) {
        if (!err.message[0])
            abort();
        return;
    }
    for (int i = 0; i < BLOCKS; i++) {
        const tacho_model_result *r = &results[i];
        if (r->status == TACHO_MODEL_OK ? !(r->cycles > 0 && isfinite(r->cycles)) : !r->message[0])
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {
        "llvm-mca", "llvm-mca-19:steady", "llvm-mca:rthroughput", "osaca", "uica", "iaca"};
    tacho_model *m;
    tacho_error err = {.message = ""};
    said = given_start(data, size);
    const char *name = names[given_byte(&said) % (sizeof names / sizeof *names)];
    uint8_t how = given_byte(&said);
    ending = (tacho_process_end){
        .exit_status = how & 1, .signal = how & 2 ? 11 : 0, .timed_out = (how & 12) == 12};
    if (tacho_model_open(&m, name, tacho_arch_find("SKL", NULL), NULL, &err)) {
        if (!err.message[0])
            abort();
        return 0;
    }
    run(m);
    tacho_model_close(m);
    return 0;
}
