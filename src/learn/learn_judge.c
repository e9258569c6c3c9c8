/* learn_judge.c - the blocks by which a model is taught and judged: of programs, from a record or a file,
 * where there are enough of them; else made of the forms that are learnt. Half of them, by a hash of their
 * bytes, teaches (learn_teach.c); the other half judges: by it the model, its bounds, and the core that
 * learning started from are scored. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "learn/learn_blocks.h"
#include "learn/learn_internal.h"
#include "tacho/extract.h"
#include "tacho/suite.h"

enum {
    BATCH = 50,
    FEW_BLOCKS = 20, /* of programs: too few to judge by */
    SIDES = 3
};

/* What predictions and measurements are rounded to for ranks: finer than that is noise. */
#define TAU_STEP 0.02

static const tacho_mode modes[LEARN_MODES] = {TACHO_MODE_UNROLL, TACHO_MODE_LOOP};

/* ---- which ---- */

/* Whether it may be among them: what it takes may not depend on what its registers hold. */
static bool is_fit(const tacho_extract_block *b)
{
    tacho_suite_filter_options o = TACHO_SUITE_FILTER_OPTIONS_INIT;
    tacho_suite_verdict v;
    return !tacho_suite_filter(&v, b->bytes, b->byte_count, &o, NULL) && !v.reasons;
}

static int take_program(const char *path, loop_list *out, tacho_error *err)
{
    tacho_extract_options o = TACHO_EXTRACT_OPTIONS_INIT;
    tacho_extract *x = NULL;
    o.unique = true;
    o.max_insns = 60;
    int failed = tacho_extract_new(&x, &o, err);
    if (!failed)
        failed = tacho_extract_file(x, path, err);
    for (size_t i = 0; !failed && i < x->count; i++)
        for (size_t m = 0; m < LEARN_MODES && !failed && is_fit(&x->blocks[i]); m++) {
            const subject_loop loop = {.code = (uint8_t *)(uintptr_t)x->blocks[i].bytes,
                                       .size = x->blocks[i].byte_count,
                                       .mode = modes[m]};
            failed = loop_list_add(out, &loop, err);
        }
    tacho_extract_free(x);
    return failed;
}

static int add_block(learning *l, const subject_loop *loop, tacho_error *err)
{
    if (tacho_mem_grow(&l->blocks, &l->block_capacity, l->block_count + 1, sizeof *l->blocks))
        return tacho_no_memory(err);
    learn_block *b = &l->blocks[l->block_count++];
    *b = (learn_block){.loop.mode = loop->mode,
                       .held = hash_mix(hash_bytes(loop->code, loop->size)) >> 17 & 1};
    return subject_add_bytes(&b->loop, loop->code, loop->size, 1, err);
}

/* Evenly from all that there are of the mode; none where there are few. */
static int take_blocks(learning *l, const loop_list *from, tacho_mode mode, size_t wanted, tacho_error *err)
{
    size_t there = 0, taken = 0, seen = 0;
    int failed = 0;
    for (size_t i = 0; i < from->count; i++)
        there += from->items[i].mode == mode;
    if (there < FEW_BLOCKS)
        return 0;
    wanted = wanted < there ? wanted : there;
    for (size_t i = 0; i < from->count && taken < wanted && !failed; i++)
        if (from->items[i].mode == mode && seen++ >= taken * there / wanted) {
            failed = add_block(l, &from->items[i], err);
            taken++;
        }
    if (taken)
        l->judged_by = "blocks of programs";
    return failed;
}

/* Of forms that the model has: every other block as programs have them, the others of all of them. */
static int make_blocks(learning *l, const tacho_arch *model, size_t m, size_t wanted, tacho_error *err)
{
    uint32_t *forms = tacho_mem_zalloc(l->learnt_count + 1, sizeof *forms);
    tacho_figures figures;
    size_t count = 0;
    int failed = forms ? 0 : tacho_no_memory(err);
    for (size_t i = 0; !failed && i < l->learnt_count; i++)
        if (!tacho_form_figures(model, l->learnt[i].form, &figures))
            forms[count++] = l->learnt[i].form;
    double *shares = tacho_mem_zalloc(count + 1, sizeof *shares);
    if (!failed)
        failed = shares ? learn_form_shares(forms, count, shares, err) : tacho_no_memory(err);
    for (size_t i = 0; i < wanted && count && !failed; i++) {
        subject_loop loop = {.mode = modes[m]};
        failed = learn_block_make(&loop, forms, i % 2 ? shares : NULL, count, LEARN_MODES * i + m, err);
        if (!failed && loop.size) /* the forms may allow none */
            failed = add_block(l, &loop, err);
        subject_loop_free(&loop);
    }
    TACHO_MEM_FREE(shares, forms);
    return failed;
}

static int time_blocks(learning *l, tacho_error *err)
{
    int failed = 0;
    subject_keep(l->own, false); /* they decide nothing that they have raised */
    learning_stage(l, TACHO_LEARN_BLOCKS, l->block_count);
    for (size_t i = 0; i < l->block_count && !failed; i += BATCH) {
        subject_loop loops[BATCH];
        size_t n = l->block_count - i < BATCH ? l->block_count - i : BATCH;
        for (size_t k = 0; k < n; k++)
            loops[k] = l->blocks[i + k].loop;
        learning_step(l, "");
        failed = subject_time(l->own, loops, n, err);
        for (size_t k = 0; k < n && !failed; k++)
            l->blocks[i + k].loop = loops[k];
        learning_steps_end(l, n);
    }
    subject_keep(l->own, true);
    size_t timed = 0;
    for (size_t i = 0; i < l->block_count; i++) {
        const subject_loop *loop = &l->blocks[i].loop;
        if (loop->status == TACHO_MEASURED_OK && loop->cycles > 0)
            l->blocks[timed++] = l->blocks[i];
        else
            subject_loop_free(&l->blocks[i].loop);
    }
    l->block_count = timed;
    return failed;
}

int learning_blocks(learning *l, const tacho_arch *model, tacho_error *err)
{
    loop_list program = {0};
    const size_t wanted = LEARN_HALVES * (size_t)l->options.blocks;
    int failed = 0;
    if (l->blocks || !model)
        return 0;
    l->judged_by = "made-up blocks";
    if (l->options.program)
        failed = take_program(l->options.program, &program, err);
    for (size_t m = 0; m < LEARN_MODES && !failed; m++) {
        const size_t before = l->block_count;
        failed = take_blocks(l, subject_blocks(l->own), modes[m], wanted, err);
        if (!failed && l->block_count == before)
            failed = take_blocks(l, &program, modes[m], wanted, err);
        if (!failed && l->block_count == before)
            failed = make_blocks(l, model, m, wanted, err);
    }
    loop_list_free(&program);
    return failed ? failed : time_blocks(l, err);
}

void learning_blocks_free(learning *l)
{
    for (size_t i = 0; i < l->block_count; i++)
        subject_loop_free(&l->blocks[i].loop);
    tacho_mem_free(l->blocks);
}

/* ---- how near ---- */

int learning_predict(learning *l, const tacho_arch *model, bool bounds, tacho_error *err)
{
    int failed = 0;
    tacho_predictor *p = tacho_predictor_new();
    if (!p)
        return tacho_no_memory(err);
    for (size_t i = 0; i < l->block_count && !failed; i++)
        failed = subject_predict(p, model, &l->blocks[i].loop, bounds, &l->blocks[i].predicted, err);
    tacho_predictor_free(p);
    return failed;
}

double learn_block_error(const learn_block *b)
{
    return isnan(b->predicted) ? 1 : fabs(b->predicted - b->loop.cycles) / b->loop.cycles;
}

void learning_errors_now(const learning *l, bool held, double out[LEARN_MODES])
{
    for (size_t m = 0; m < LEARN_MODES; m++) {
        size_t count = 0;
        double sum = 0;
        for (size_t i = 0; i < l->block_count; i++) {
            const learn_block *b = &l->blocks[i];
            if (b->held == held && b->loop.mode == modes[m]) {
                sum += learn_block_error(b);
                count++;
            }
        }
        out[m] = count ? sum / (double)count : NAN;
    }
}

int learning_errors(learning *l, const tacho_arch *model, bool held, double out[LEARN_MODES],
                    tacho_error *err)
{
    int failed = learning_predict(l, model, false, err);
    learning_errors_now(l, held, out);
    return failed;
}

/* ---- scores ---- */

/* Of the last prediction. */
static int put_score(learning *l, const char *model, tacho_mode mode, tacho_error *err)
{
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    tacho_learn_score score = {.model = model, .mode = mode};
    double *measured = tacho_mem_zalloc(2 * l->block_count + 1, sizeof *measured),
           *predicted = measured + l->block_count;
    size_t n = 0;
    int failed = 0;
    if (!measured)
        return tacho_no_memory(err);
    for (size_t i = 0; i < l->block_count; i++)
        if (l->blocks[i].held && l->blocks[i].loop.mode == mode) {
            measured[n] = l->blocks[i].loop.cycles;
            predicted[n++] = l->blocks[i].predicted;
        }
    o.resamples = 0;
    o.tau_step = TAU_STEP;
    if (n >= 2)
        failed = tacho_score_compute(measured, predicted, n, &o, &score.score, err);
    if (!failed && n >= 2)
        ((tacho_learn_score *)(uintptr_t)l->result.scores)[l->result.score_count++] = score;
    tacho_mem_free(measured);
    return failed;
}

int learning_score(learning *l, const tacho_arch *model, tacho_error *err)
{
    const struct {
        const tacho_arch *arch;
        const char *name;
        bool bounds;
    } sides[SIDES] = {{model, "learnt", false},
                      {l->from, l->from ? tacho_arch_name(l->from) : "", false},
                      {model, "bounds", true}};
    int failed = 0;
    l->result.score_count = 0;
    if (!l->result.scores)
        l->result.scores = arena_alloc(&l->memory, LEARN_MODES * SIDES * sizeof *l->result.scores);
    if (!l->result.scores)
        return tacho_no_memory(err);
    for (size_t i = 0; i < LEARN_MODES * SIDES && !failed; i++) {
        const size_t k = i % SIDES;
        if (!sides[k].arch)
            continue;
        failed = learning_predict(l, sides[k].arch, sides[k].bounds, err);
        if (!failed)
            failed = put_score(l, sides[k].name, modes[i / SIDES], err);
    }
    return failed;
}

static int doubt_by(learning *l, tacho_arch **model, bool held, learn_reload *reload, tacho_error *err)
{
    int failed = 0;
    for (bool again = true; again && !failed && *model;) {
        failed = learning_doubt_by_blocks(l, *model, held, &again, err);
        if (!failed && again)
            failed = reload(l, model, err);
    }
    return failed;
}

int learning_judge(learning *l, tacho_arch **model, learn_reload *reload, tacho_error *err)
{
    int failed = learning_blocks(l, *model, err);
    if (!failed)
        failed = doubt_by(l, model, false, reload, err);
    if (!failed && *model)
        failed = learning_teach(l, model, reload, err);
    if (!failed)
        failed = doubt_by(l, model, true, reload, err);
    return failed || !*model ? failed : learning_score(l, *model, err);
}
