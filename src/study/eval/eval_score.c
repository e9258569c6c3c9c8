/* eval_score.c - scores of all predictors on all blocks and on each group. Each score is a task of its own,
 * so that threads change nothing but the time. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/options_take.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/str.h"
#include "study/eval/eval_bins.h"
#include "study/eval/eval_internal.h"
#include "tacho/predict.h"
#include "x86/arch/own_words.h"

typedef struct work {
    tacho_eval *e;
    const tacho_score_options *options;
    size_t groups, worst;
} work;

/* The group of a number counted over all groupings. */
static const tacho_eval_group *group_at(const tacho_eval *e, size_t number)
{
    for (size_t i = 0; i < e->result.grouping_count; i++) {
        if (number < e->groupings[i].group_count)
            return &e->own_groupings[i].groups[number];
        number -= e->groupings[i].group_count;
    }
    return NULL;
}

static int score_some(const work *w, const tacho_eval_prediction *predictions, const tacho_eval_group *group,
                      tacho_score *out, tacho_error *err)
{
    size_t count = group ? group->member_count : w->e->result.block_count, n = count ? count : 1;
    TACHO_MEM_FREED double *measured = tacho_mem_zalloc(n, sizeof *measured),
                           *predicted = tacho_mem_zalloc(n, sizeof *predicted);
    for (size_t i = 0; measured && predicted && i < count; i++) {
        size_t block = group ? group->members[i] : i;
        measured[i] = w->e->blocks[block].measured;
        predicted[i] = predictions[block].cycles;
    }
    return measured && predicted ? tacho_score_compute(measured, predicted, count, w->options, out, err)
                                 : tacho_no_memory(err);
}

typedef struct ranked_block {
    double error;
    uint32_t block;
} ranked_block;

ORDER_AS(worst_first, ranked_block, ORDER(b->error, a->error) ?: ORDER(a->block, b->block));

static int find_worst(const work *w, size_t number, tacho_error *err)
{
    const tacho_eval *e = w->e;
    const tacho_eval_prediction *predictions = e->own_predictors[number].predictions;
    size_t n = 0;
    TACHO_MEM_FREED ranked_block *ranked = tacho_mem_zalloc(e->result.block_count + 1, sizeof *ranked);
    if (!ranked)
        return tacho_no_memory(err);
    for (size_t i = 0; i < e->result.block_count; i++)
        if (!isnan(predictions[i].cycles) && predictions[i].cycles != e->blocks[i].measured)
            ranked[n++] = (ranked_block){
                fabs(e->blocks[i].measured - predictions[i].cycles) / e->blocks[i].measured, (uint32_t)i};
    tacho_sort(ranked, n, sizeof *ranked, worst_first);
    if (n > w->worst)
        n = w->worst;
    for (size_t i = 0; i < n; i++)
        e->own_predictors[number].worst[i] = ranked[i].block;
    e->predictors[number].worst_count = n;
    return 0;
}

/* Task predictor * (groups + 1) + group, where group 0 is all blocks. */
static int score_task(void *payload, void *state, size_t task, tacho_error *err)
{
    const work *w = payload;
    const tacho_eval *e = w->e;
    size_t predictor = task / (w->groups + 1), group = task % (w->groups + 1);
    const eval_predictor *own = &e->own_predictors[predictor];
    int result = score_some(w, own->predictions, group ? group_at(e, group - 1) : NULL,
                            group ? &own->scores[group - 1] : &e->predictors[predictor].overall, err);
    return !result && !group ? find_worst(w, predictor, err) : result;
}

/* @return -1 when memory runs out */
static int prepare(work *w)
{
    tacho_eval *e = w->e;
    for (size_t i = 0; i < e->result.predictor_count; i++) {
        eval_predictor *p = &e->own_predictors[i];
        TACHO_MEM_FREE(p->scores, p->by_group, p->worst);
        p->scores = tacho_mem_zalloc(w->groups + 1, sizeof *p->scores);
        p->by_group = tacho_mem_zalloc(e->result.grouping_count + 1, sizeof *p->by_group);
        size_t worst = w->worst < e->result.block_count ? w->worst : e->result.block_count;
        p->worst = tacho_mem_zalloc(worst + 1, sizeof *p->worst);
        if (!p->scores || !p->by_group || !p->worst)
            return -1;
        size_t first = 0;
        for (size_t g = 0; g < e->result.grouping_count; g++) {
            p->by_group[g] = p->scores + first;
            first += e->groupings[g].group_count;
        }
        e->predictors[i].lower_bounds = 0;
        for (size_t b = 0; b < p->filled; b++)
            e->predictors[i].lower_bounds += p->predictions[b].lower_bound;
        e->predictors[i].by_group = p->by_group;
        e->predictors[i].worst = p->worst;
    }
    return eval_fill_predictors(e);
}

int tacho_eval_score(tacho_eval *e, const tacho_score_options *options, size_t worst, unsigned threads,
                     tacho_error *err)
{
    tacho_score_options o;
    work w = {.e = e, .options = &o, .worst = worst};
    int result = OPTIONS_TAKE(score, &o, options, err);
    if (result)
        return result;
    for (size_t i = 0; i < e->result.grouping_count; i++)
        w.groups += e->groupings[i].group_count;
    if (prepare(&w))
        return tacho_no_memory(err);
    parallel_loop loop = {.count = e->result.predictor_count * (w.groups + 1),
                          .threads = threads,
                          .turn = score_task,
                          .payload = &w};
    result = parallel_run(&loop, err);
    if (!result)
        e->result.options = o;
    return result;
}

/* ---- what the model sees in the worst blocks ---- */

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
    tacho_str_printf(out, "%s; µops from %s", any ? "" : "no single part",
                     tacho_own_word(p->arch, tacho_uop_source_name(p->source)));
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
    TACHO_FREED tacho_str text = {0};
    int result = OPTIONS_TAKE(model, &model, options, err);
    if (result)
        return result;
    TACHO_MEM_FREED uint8_t *done = tacho_mem_zalloc(e->result.block_count + 1, 1);
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
    tacho_mem_free(code.data);
    return result ? tacho_no_memory(err) : 0;
}

/* ---- blocks counted by cycles and by error, for pictures ---- */

/* The bin of so many cycles, -1: beyond. */
static int bin(double cycles)
{
    double k = floor(cycles * EVAL_HEAT_PER_CYCLE + 0.5);
    return k < EVAL_HEAT_BINS ? (int)k : -1;
}

void tacho_eval_heat_fill(eval_heat *out, const tacho_eval_result *r, size_t predictor)
{
    memset(out, 0, sizeof *out);
    for (size_t b = 0; b < r->block_count; b++) {
        double cycles = r->predictors[predictor].predictions[b].cycles;
        int x = bin(r->blocks[b].measured), y = isnan(cycles) ? -1 : bin(cycles);
        if (x < 0 || isnan(cycles))
            continue;
        if (y < 0) {
            out->beyond++;
            continue;
        }
        uint32_t n = ++out->counts[y][x];
        out->most = n > out->most ? n : out->most;
        out->shown++;
    }
}

size_t tacho_eval_heat_measured(const tacho_eval_result *r)
{
    size_t n = 0;
    for (size_t b = 0; b < r->block_count; b++)
        n += bin(r->blocks[b].measured) >= 0;
    return n;
}

double tacho_eval_error_at(size_t point)
{
    return 0.001 * pow(10, (double)point / EVAL_ERROR_PER_DECADE);
}

/* The first point that is not below the error; EVAL_ERROR_POINTS: none. */
static size_t point_of(double error)
{
    if (error <= tacho_eval_error_at(0))
        return 0;
    double at = ceil(log10(error / 0.001) * EVAL_ERROR_PER_DECADE - 1e-9);
    return at < EVAL_ERROR_POINTS ? (size_t)at : EVAL_ERROR_POINTS;
}

void tacho_eval_error_shares(double out[EVAL_ERROR_POINTS], const tacho_eval_result *r, size_t predictor)
{
    size_t counts[EVAL_ERROR_POINTS + 1] = {0}, blocks = 0, sum = 0;
    for (size_t b = 0; b < r->block_count; b++) {
        double measured = r->blocks[b].measured, cycles = r->predictors[predictor].predictions[b].cycles;
        if (isnan(cycles))
            continue;
        counts[point_of(fabs(measured - cycles) / measured)]++;
        blocks++;
    }
    for (size_t i = 0; i < EVAL_ERROR_POINTS; i++) {
        sum += counts[i];
        out[i] = blocks ? (double)sum / (double)blocks : NAN;
    }
}
