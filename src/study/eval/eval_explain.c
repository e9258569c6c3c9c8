/* eval_explain.c - what tacho's model sees in the blocks that were predicted worst. */

#include "base/mem.h"
#include "base/options_take.h"
#include "base/str.h"
#include "study/eval/eval_internal.h"
#include "tacho/predict.h"

/* What in a block is rare, or badly known. */
static const struct {
    uint32_t note;
    const char *words;
} remarkable[] = {
    {TACHO_NOTE_UNKNOWN, "without figures"},
    {TACHO_NOTE_ESTIMATED, "with carried-over or estimated figures"},
    {TACHO_NOTE_MICROCODED, "from the microcode sequencer"},
    {TACHO_NOTE_COMPLEX_DECODER, "for the complex decoder"},
    {TACHO_NOTE_DIVIDER, "on the divider"},
    {TACHO_NOTE_STORE_FORWARD, "loading what the block stored"},
    {TACHO_NOTE_STORE_BLOCKED, "loading what cannot be forwarded"},
    {TACHO_NOTE_ALIAS_4K, "loading from 4096 bytes away from a store"},
    {TACHO_NOTE_JCC_ERRATUM, "hit by the JCC erratum"},
    {TACHO_NOTE_LCP, "with a length-changing prefix"},
    {TACHO_NOTE_SERIALIZING, "serialising"},
    {TACHO_NOTE_HIGH8_MERGE, "needing a high-byte merge"},
    {TACHO_NOTE_STACK_SYNC, "needing a stack synchronisation"},
    {TACHO_NOTE_ELIMINATED, "that may be eliminated"},
};

static void join(tacho_str *text, const char *separator)
{
    if (text->length)
        tacho_str_puts(text, separator);
}

static void describe(const tacho_prediction *p, tacho_str *out)
{
    bool any = false;
    join(out, "; ");
    tacho_str_puts(out, "limited by ");
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        if (p->bottlenecks >> b & 1) {
            tacho_str_printf(out, "%s%s", any ? ", " : "", tacho_bound_name((tacho_bound)b));
            any = true;
        }
    tacho_str_printf(out, "%s; µops from %s", any ? "" : "no single part", tacho_uop_source_name(p->source));
    for (size_t i = 0; i < sizeof remarkable / sizeof *remarkable; i++) {
        size_t n = 0;
        for (size_t k = 0; k < p->instruction_count; k++)
            n += (p->instructions[k]->notes & remarkable[i].note) != 0;
        bool all =
            n == p->instruction_count && remarkable[i].note == TACHO_NOTE_ESTIMATED; /* as always there */
        if (n && !all)
            tacho_str_printf(out, "; %zu instruction%s %s", n, n > 1 ? "s" : "", remarkable[i].words);
    }
}

/* @return -1 when memory runs out */
static int explain_block(tacho_eval *e, uint32_t block, tacho_predictor *predictor, const tacho_arch *arch,
                         const tacho_predict_options *options, eval_code *code, tacho_str *text)
{
    const tacho_prediction *p;
    tacho_error err;
    long size = eval_code_of(&e->blocks[block], code);
    tacho_str_clear(text);
    tacho_str_puts(text, e->blocks[block].note);
    if (size > 0 && !tacho_predict(predictor, arch, code->data, (size_t)size, options, &p, &err))
        describe(p, text);
    else if (size > 0) {
        join(text, "; ");
        tacho_str_printf(text, "tacho: %s", err.message);
    }
    const char *note = size == -2 || text->failed ? NULL : eval_text(e, text->data);
    if (note)
        e->blocks[block].note = note;
    return note ? 0 : -1;
}

int tacho_eval_explain(tacho_eval *e, const tacho_arch *arch, const tacho_model_options *options,
                       tacho_error *err)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_model_options model;
    eval_code code = {0};
    tacho_str text = {0};
    int result = OPTIONS_TAKE(model, &model, options, err);
    if (result)
        return result;
    uint8_t *done = tacho_mem_zalloc(e->result.block_count + 1, 1);
    tacho_predictor *predictor = tacho_predictor_new();
    result = done && predictor ? 0 : -1;
    o.mode = model.mode;
    o.init = model.init;
    for (size_t p = 0; !result && p < e->result.predictor_count; p++)
        for (size_t i = 0; !result && i < e->predictors[p].worst_count; i++) {
            uint32_t block = e->predictors[p].worst[i];
            if (!done[block])
                result = explain_block(e, block, predictor, arch, &o, &code, &text);
            done[block] = 1;
        }
    tacho_predictor_free(predictor);
    tacho_mem_free(done);
    tacho_mem_free(code.data);
    tacho_str_free(&text);
    return result ? tacho_no_memory(err) : 0;
}
