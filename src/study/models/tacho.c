/* tacho.c - our own models: the simulator, with a part of it simplified (uiCA paper, Table 4), the bounds
 * alone, and formulas that know almost nothing. */
#include "base/mem.h"
#include "base/number.h"
#include "study/models/models_internal.h"
#include "tacho/characterise.h"
#include "tacho/predict.h"
#include "tacho/version.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/ops.h"

typedef struct state {
    tacho_predictor *predictor;
    tacho_predict_options options;
    bool bounds_only; /* nothing is simulated */
    bool foresees;    /* all branches */
} state;

enum {
    BOUNDS = 1,
    NO_MEMORY = 2,
    NO_MISPREDICTIONS = 3,
    FIRST_VARIANT = 4,
    NAME_COUNT = FIRST_VARIANT + TACHO_VARIANT_COUNT
};

/* The i-th model's name, and what it is. */
static void describe(unsigned i, char name[TACHO_MODEL_NAME_SIZE], char summary[128])
{
    if (i < FIRST_VARIANT) {
        static const char *const names[] = {"tacho", "tacho-bounds", "tacho-no-memory-deps",
                                            "tacho-no-mispredictions"};
        static const char *const summaries[] = {"tacho's pipeline simulator",
                                                "the highest of tacho's bounds, nothing simulated",
                                                "tacho's simulator without dependencies through memory",
                                                "tacho's simulator, foreseeing all branches"};
        snprintf(name, TACHO_MODEL_NAME_SIZE, "%s", names[i]);
        snprintf(summary, 128, "%s", summaries[i]);
        return;
    }
    char words[TACHO_MODEL_NAME_SIZE - sizeof "tacho-"];
    snprintf(words, sizeof words, "%s", tacho_variant_name(i - FIRST_VARIANT));
    for (char *p = words; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    snprintf(summary, 128, "tacho's simulator with a part simplified: %s", words);
    snprintf(name, TACHO_MODEL_NAME_SIZE, "tacho-%s", words);
    for (char *p = name; *p; p++)
        *p = *p == ' ' ? '-' : *p;
}

/* NAME_COUNT where it is none of them. */
static unsigned number_of(const char *wanted)
{
    char name[TACHO_MODEL_NAME_SIZE], summary[128];
    unsigned i = 0;
    for (; i < NAME_COUNT; i++) {
        describe(i, name, summary);
        if (tacho_str_same(name, wanted))
            break;
    }
    return i;
}

static bool knows(const char *name)
{
    return number_of(name) < NAME_COUNT;
}

static void list(model_names *names, const tacho_arch *arch)
{
    char name[TACHO_MODEL_NAME_SIZE], summary[128];
    for (unsigned i = 0; i < NAME_COUNT; i++) {
        describe(i, name, summary);
        model_names_add(names, name, summary, NULL);
    }
}

static int open_model(tacho_model *m, tacho_error *err)
{
    unsigned number = number_of(m->name);
    const tacho_predict_options defaults = TACHO_PREDICT_OPTIONS_INIT;
    state *s = tacho_mem_zalloc(1, sizeof *s);
    tacho_predictor *predictor = tacho_predictor_new();
    if (!s || !predictor) {
        tacho_mem_free(s);
        tacho_predictor_free(predictor);
        return tacho_no_memory(err);
    }
    s->predictor = predictor;
    s->options = defaults;
    s->options.mode = m->options.mode;
    s->options.init = m->options.init;
    s->options.ignore_isa = m->options.ignore_isa;
    s->options.details = false;
    s->bounds_only = number == BOUNDS;
    s->options.no_memory_deps = number == NO_MEMORY;
    m->runs_once = number != BOUNDS;
    s->foresees = number == NO_MISPREDICTIONS;
    s->options.variants = number >= FIRST_VARIANT ? 1u << (number - FIRST_VARIANT) : 0;
    m->state = s;
    snprintf(m->version, sizeof m->version, "tacho %s", tacho_version());
    return 0;
}

static void take(tacho_model_result *r, const tacho_prediction *p)
{
    model_result_cycles(r, p->cycles);
    if (r->status != TACHO_MODEL_OK)
        return;
    r->lower_bound = tacho_prediction_is_lower_bound(p);
    tacho_bottleneck_names(p->bottlenecks, ";", r->bottleneck, sizeof r->bottleneck);
    if (!p->bottlenecks)
        snprintf(r->bottleneck, sizeof r->bottleneck, "none");
}

static tacho_predict_options options_for(const state *s, const tacho_model_block *block)
{
    tacho_predict_options o = s->options;
    o.known_values = block->registers;
    o.known_mask = block->registers ? UINT16_MAX : 0;
    o.pieces = block->pieces;
    o.piece_count = block->piece_count;
    o.alignment = block->piece_count ? block->pieces[0].address % 64 : o.alignment;
    o.once = block->once && !s->bounds_only;
    o.warm_up = o.once ? block->warm_up : 0;
    if (!s->foresees) {
        o.mispredicted = block->mispredicted;
        o.mispredicted_count = block->mispredicted_count;
    }
    return o;
}

static int run(tacho_model *m, const tacho_model_block *blocks, size_t count, tacho_model_result *results,
               tacho_error *err)
{
    const state *s = m->state;
    for (size_t i = 0; i < count; i++) {
        const tacho_prediction *p;
        const tacho_predict_options o = options_for(s, &blocks[i]);
        tacho_error why;
        int rc = (s->bounds_only ? tacho_predict_bounds : tacho_predict)(
            s->predictor, m->arch, blocks[i].code, blocks[i].size, &o, &p, &why);
        if (rc == TACHO_ERR_MEMORY || rc == TACHO_ERR_USAGE)
            return tacho_error_set(err, rc, "%s", why.message);
        if (!rc)
            take(&results[i], p);
        else
            model_result_fail(&results[i], TACHO_MODEL_UNSUPPORTED, "%s", why.message);
    }
    return 0;
}

static void close_model(tacho_model *m)
{
    state *s = m->state;
    tacho_predictor_free(s->predictor);
    tacho_mem_free(s);
}

const model_kind model_tacho = {
    .knows = knows, .list = list, .open = open_model, .run = run, .close = close_model};

/* ---- loops of a form ---- */

typedef struct simulator {
    const tacho_arch *arch;
    tacho_predictor *predictor;
} simulator;

/* A loop that the core cannot execute, or that it has no timing for, has no time; all else is an error. */
static int time_block(const simulator *s, tacho_measure_job *job, const tacho_predict_options *o,
                      tacho_error *err)
{
    const tacho_prediction *p;
    tacho_measurement *r = &job->result;
    int rc = tacho_predict(s->predictor, s->arch, job->code, job->code_size, o, &p, err);
    *r = (tacho_measurement){.cycles = NAN, .uncertainty = NAN, .mode = o->mode, .offset = -1};
    if (rc == TACHO_ERR_UNSUPPORTED) {
        r->status = TACHO_MEASURED_UNSUPPORTED;
        snprintf(r->message, sizeof r->message, "%.*s", (int)sizeof r->message - 1, err->message);
        return 0;
    }
    if (rc)
        return rc;
    r->status = TACHO_MEASURED_OK;
    r->cycles = p->cycles;
    r->uncertainty = 0;
    return 0;
}

static int time_blocks(void *payload, tacho_measure_job *jobs, size_t count,
                       const tacho_measure_options *options, tacho_error *err)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_error own;
    int rc = 0;
    o.mode = options->mode;
    o.known_values = options->known_values;
    o.known_mask = options->known_mask;
    o.bounds = o.details = false;
    o.unknown = TACHO_UNKNOWN_ERROR;
    for (size_t i = 0; i < count && !rc; i++)
        rc = time_block(payload, &jobs[i], &o, err ? err : &own);
    return rc;
}

int tacho_characterise_predicted(const tacho_arch *arch, uint32_t form, tacho_characterisation *out,
                                 tacho_error *err)
{
    simulator s = {arch, tacho_predictor_new()};
    int rc =
        s.predictor ? tacho_characterise_by(time_blocks, &s, form, NULL, out, err) : tacho_no_memory(err);
    tacho_predictor_free(s.predictor);
    return rc;
}

/* ---- how good is it to know almost nothing ---- */

/* The two formulas of the uiCA paper, section 6.1:
 *
 *   unrolled  max(n/d, r/l, w/s)           n instructions, r memory reads, w memory writes, d decoders,
 *   loop      max(1, (n-1)/i, r/l, w/s)    i issue width, l loads and s stores a cycle
 *
 * n, r and w come from decoding alone: a memory operand counts once as a read and once as a write, as it
 * is accessed, also the stack's of push, pop, call and ret; not that of a NOP or a prefetch. d, i, l and s
 * are the microarchitecture's, the paper's d = 4 and l = 2 on all that it is about: l is the number of
 * ports for loads, s that of those that take store data. */

typedef struct counts {
    unsigned insns, reads, writes;
    bool ends_in_branch;
} counts;

static bool only_hints(const tacho_insn *insn)
{
    return insn->is_nop || insn_is(insn, INSN_PREFETCHES);
}

static void count_insn(counts *c, const tacho_insn *insn)
{
    c->insns++;
    c->ends_in_branch = insn->is_branch;
    for (int k = 0; k < insn->operand_count && !only_hints(insn); k++) {
        const tacho_operand *o = &insn->operands[k];
        if (o->kind != TACHO_OPERAND_MEM)
            continue;
        c->reads += (o->access & TACHO_READ) != 0;
        c->writes += (o->access & TACHO_WRITE) != 0;
    }
}

static double formula(const counts *c, const tacho_arch *arch, bool loop)
{
    double loads = fmax(1, bits_in_16(arch->load_ports)),
           stores = fmax(1, bits_in_16(arch->store_data_ports));
    double memory = fmax(c->reads / loads, c->writes / stores);
    return loop ? fmax(fmax(1, (c->insns - 1.0) / arch->issue_width), memory)
                : fmax((double)c->insns / arch->decoders, memory);
}

static void predict(const tacho_model *m, const tacho_model_block *block, tacho_model_result *result)
{
    counts c = {0};
    for (size_t at = 0; at < block->size;) {
        tacho_insn insn;
        tacho_error err;
        if (tacho_decode(&insn, block->code + at, block->size - at, &err)) {
            model_result_fail(result, TACHO_MODEL_UNSUPPORTED, "offset 0x%zx: %s", at, err.message);
            return;
        }
        count_insn(&c, &insn);
        at += insn.length;
    }
    tacho_mode mode = m->options.mode;
    if (!c.insns)
        model_result_fail(result, TACHO_MODEL_UNSUPPORTED, "the block is empty");
    else
        model_result_cycles(
            result,
            formula(&c, m->arch, mode == TACHO_MODE_LOOP || (mode == TACHO_MODE_AUTO && c.ends_in_branch)));
}

static bool baseline_knows(const char *name)
{
    return tacho_str_same(name, "baseline");
}

static void baseline_list(model_names *names, const tacho_arch *arch)
{
    model_names_add(names, "baseline", "the uiCA paper's formulas of instructions, loads and stores", NULL);
}

static int baseline_open_model(tacho_model *m, tacho_error *err)
{
    return 0;
}

static int baseline_run(tacho_model *m, const tacho_model_block *blocks, size_t count,
                        tacho_model_result *results, tacho_error *err)
{
    for (size_t i = 0; i < count; i++)
        predict(m, &blocks[i], &results[i]);
    return 0;
}

static void baseline_close_model(tacho_model *m)
{
}

const model_kind model_baseline = {.knows = baseline_knows,
                                   .list = baseline_list,
                                   .open = baseline_open_model,
                                   .run = baseline_run,
                                   .close = baseline_close_model};
