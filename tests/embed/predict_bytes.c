/* predict_bytes.c CORE HEX: the cycles of machine code, by libtacho and Zydis alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tacho/tacho.h"

static size_t read_hex(uint8_t *out, size_t capacity, const char *hex)
{
    size_t n = 0;
    unsigned byte;
    for (; n < capacity && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        out[n++] = (uint8_t)byte;
    return *hex ? 0 : n;
}

int main(int argc, char **argv)
{
    uint8_t code[256];
    tacho_error err = {0};
    const size_t size = argc == 3 ? read_hex(code, sizeof code, argv[2]) : 0;
    const tacho_arch *arch = argc == 3 ? tacho_arch_find(argv[1], &err) : NULL;
    tacho_predictor *predictor = tacho_predictor_new();
    tacho_predict_options options = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *p;
    int status = 1;
    if (!size)
        fprintf(stderr, "usage: %s CORE HEX\n", argv[0]);
    else if (!arch || !predictor || tacho_predict(predictor, arch, code, size, &options, &p, &err))
        fprintf(stderr, "%s\n", predictor ? err.message : "out of memory");
    else
        status = printf("%.2f\n", p->cycles) < 0;
    tacho_predictor_free(predictor);
    return status;
}
