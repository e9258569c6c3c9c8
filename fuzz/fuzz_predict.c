/* fuzz_predict.c - machine code through the predictor and what explains its predictions; the first two bytes
 * choose the options. */
#include "fuzz.h"
#include "tacho/tacho.h"

enum {
    EXPLAINED_BYTES = 48 /* explaining is a hundred predictions */
};

static int take_uop(const tacho_trace_uop *uop, void *payload)
{
    *(uint64_t *)payload += uop->edge_count;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tacho_predictor *predictor;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    static tacho_explainer *explainer;
    const tacho_prediction *p;
    const tacho_explanation *e;
    tacho_error err;
    if (!predictor)
        predictor = tacho_predictor_new();
    if (!explainer)
        explainer = tacho_explainer_new();
    if (size < 2 || size > 2000 || !predictor || !explainer)
        return 0;
    o.mode = (tacho_mode)(data[0] % 3);
    o.init = (tacho_init)(data[0] / 3 % 3);
    o.no_memory_deps = data[0] & 0x40;
    o.details = data[0] & 0x80;
    o.alignment = data[1] % 64;
    o.min_cycles = 50;
    uint64_t edges = 0;
    const tacho_trace_listener listener = {take_uop, NULL, &edges, 0, 2000};
    if (data[1] & 1)
        o.trace = &listener;
    const tacho_arch *arch = tacho_arch_get(data[1] / 64 % tacho_arch_count());
    if (!tacho_predict(predictor, arch, data + 2, size - 2, &o, &p, &err) && o.details &&
        size <= EXPLAINED_BYTES)
        tacho_explain(explainer, p, data + 2, size - 2, &o, &e, &err);
    return 0;
}
