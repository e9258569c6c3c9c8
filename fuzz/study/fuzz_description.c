/* fuzz_description.c - the description of a tool in JSON (doc/HOWTO-add-a-predictor.md), and a run of it that
 * answers with a number. Patterns that the C library needs exponential time or memory for are not tried: who
 * writes a description has a program run by it. */
#include <jansson.h>
#include <regex.h>
#include <stdio.h>

#include "base/process.h"
#include "fuzz.h"
#include "given.h"
#include "tacho/tools.h"

static given text;

json_t *__wrap_json_load_file(const char *path, size_t flags, json_error_t *error);
json_t *__wrap_json_load_file(const char *path, size_t flags, json_error_t *error)
{
    return json_loadb(text.at, text.left, flags, error);
}

int __real_regcomp(regex_t *regex, const char *pattern, int flags);
int __wrap_regcomp(regex_t *regex, const char *pattern, int flags);
int __wrap_regcomp(regex_t *regex, const char *pattern, int flags)
{
    enum {
        MAX_PATTERN_BYTES = 100
    };
    return strlen(pattern) > MAX_PATTERN_BYTES || strpbrk(pattern, "{\\")
               ? REG_ESPACE
               : __real_regcomp(regex, pattern, flags);
}

bool __wrap_tacho_process_find(const char *program, char *out, size_t size);
bool __wrap_tacho_process_find(const char *program, char *out, size_t size)
{
    snprintf(out, size, "%s", program);
    return true;
}

int __wrap_tacho_process_run_text(const tacho_process *process, const char *input, size_t input_size,
                                  tacho_str *out, tacho_str *errors, tacho_process_end *end);
int __wrap_tacho_process_run_text(const tacho_process *process, const char *input, size_t input_size,
                                  tacho_str *out, tacho_str *errors, tacho_process_end *end)
{
    tacho_str_puts(out, "cycles: 4.25, a, b\n");
    tacho_str_puts(errors, "");
    *end = (tacho_process_end){0};
    return out->failed || errors->failed ? -1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tacho_model_block block = {.code = (const uint8_t *)"\x48\x01\xc3", .size = 3};
    tacho_model *m;
    tacho_model_result result;
    tacho_error err = {.message = ""};
    text = given_start(data, size);
    if (tacho_model_open(&m, "/fuzz/tool.json", tacho_arch_find("SKL", NULL), NULL, &err)) {
        if (!err.message[0])
            abort();
        return 0;
    }
    if (tacho_model_run(m, &block, 1, &result, &err) && !err.message[0])
        abort();
    tacho_model_close(m);
    return 0;
}
