/* prefixes.c FILE - every prefix of every block (hex, one a line) through the predictor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tacho/tools.h"

static int try_prefix(tacho_predictor *predictor, const tacho_arch *arch, const uint8_t *code, size_t size)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *p;
    tacho_error err = {.offset = -1};
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, code, size);
    int result = tacho_predict(predictor, arch, copy, size, &o, &p, &err);
    if (result == TACHO_ERR_UNSUPPORTED && err.offset >= 0) { /* the core cannot execute it */
        o.ignore_isa = true;
        result = tacho_predict(predictor, arch, copy, size, &o, &p, &err);
    }
    free(copy);
    return result == 0 || result == TACHO_ERR_INPUT ? 0 : -1;
}

int main(int argc, char **argv)
{
    char line[4096];
    uint8_t code[2048];
    unsigned long count = 0, failed = 0;
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    tacho_predictor *predictor = tacho_predictor_new();
    if (!f || !predictor)
        return 1;
    while (fgets(line, sizeof line, f)) {
        long size = tacho_hex_decode(code, line, strcspn(line, ",\n"), NULL);
        for (long n = 0; n <= size; n++)
            for (size_t a = 0; a < tacho_arch_count(); a++, count++)
                failed += try_prefix(predictor, tacho_arch_get(a), code, (size_t)n) != 0;
    }
    fclose(f);
    tacho_predictor_free(predictor);
    printf("%lu prefixes, %lu failed in a way that they must not\n", count, failed);
    return failed || !count;
}
