/* fuzz_predict.c - machine code through the predictor; the first two bytes choose the options. */
#include "fuzz.h"
#include "tacho/tacho.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tacho_predictor *predictor;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *p;
    tacho_error err;
    if (!predictor)
        predictor = tacho_predictor_new();
    if (size < 2 || size > 2000 || !predictor)
        return 0;
    o.mode = (tacho_mode)(data[0] % 3);
    o.init = (tacho_init)(data[0] / 3 % 3);
    o.no_memory_deps = data[0] & 0x40;
    o.details = data[0] & 0x80;
    o.alignment = data[1] % 64;
    o.min_cycles = 50;
    tacho_predict(predictor, tacho_arch_get(data[1] / 64 % tacho_arch_count()), data + 2, size - 2, &o, &p,
                  &err);
    return 0;
}
