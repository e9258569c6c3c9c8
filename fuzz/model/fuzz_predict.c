/* fuzz_predict.c - machine code through the predictor and what explains its predictions; the first two bytes
 * choose the options, and a last byte of 0xab says that the eight before it choose what is known of pointers,
 * which parts of the model are simpler ones and whether the code is a stretch of a run. */
#include "fuzz.h"
#include "tacho/tools.h"

enum {
    EXPLAINED_BYTES = 48, /* explaining is a hundred predictions */
    MORE_OPTIONS = 0xab,
    MORE_BYTES = 9 /* with that byte */
};

/* Pointers, and parts of the model. */
typedef struct more {
    tacho_alias aliases[2];
    uint64_t values[16];
} more;

/* Offsets that make stores and loads meet: in part, as a whole, and on the other side of a page. */
static int64_t offset_of(uint8_t byte)
{
    return (int8_t)byte / 2 + (byte & 1 ? 4096 : 0);
}

static void take_more(more *m, tacho_predict_options *o, const uint8_t *data)
{
    m->aliases[0] = (tacho_alias){data[0] & 15, data[0] >> 4, offset_of(data[1])};
    m->aliases[1] = (tacho_alias){data[2] & 15, data[2] >> 4, offset_of(data[3])};
    o->aliases = m->aliases;
    o->alias_count = data[4] % 3;
    o->no_alias = data[4] & 0x80;
    o->once = data[4] & 0x40;
    o->warm_up = o->once ? data[3] & 7 : 0;
    o->ideal = data[4] >> 2 & 0xf;
    o->variants = data[5];
    o->known_mask = (uint16_t)(data[6] | data[7] << 8);
    for (int r = 0; r < 16; r++)
        m->values[r] = 0x10000u + (uint64_t)(data[r % 4] & 0x3f) * (r & 1 ? 64 : 1);
    o->known_values = o->known_mask ? m->values : NULL;
}

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
    more known;
    uint32_t other_arch = 0;
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
    o.ignore_isa = data[1] & 2;
    o.advance = data[1] & 4;
    o.min_cycles = 50;
    uint64_t edges = 0;
    const tacho_trace_listener listener = {take_uop, NULL, &edges, 0, 2000};
    if (data[1] & 1)
        o.trace = &listener;
    if (size >= 2 + MORE_BYTES && data[size - 1] == MORE_OPTIONS) {
        size -= MORE_BYTES;
        take_more(&known, &o, data + size);
        other_arch = data[size + 7]; /* beyond the first four */
    }
    if (o.once) {
        o.trace = NULL;
        o.details = false;
    }
    const tacho_arch *arch = tacho_arch_get((data[1] / 64 + other_arch) % tacho_arch_count());
    if (!tacho_predict(predictor, arch, data + 2, size - 2, &o, &p, &err) && o.details &&
        size <= EXPLAINED_BYTES)
        tacho_explain(explainer, p, data + 2, size - 2, &o, &e, &err);
    return 0;
}
