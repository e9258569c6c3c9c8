/* learn_judge.c - the blocks by which a model is taught and judged: of programs, from a record or a file,
 * where there are enough of them; else made of the forms that are learnt. Half of them, by a hash of their
 * bytes, teaches (learn_teach.c); the other half judges: by it the model, its bounds, and the core that
 * learning started from are scored. */

#include "base/hash.h"
#include "base/mem.h"
#include "base/seconds.h"
#include "learn/learn_internal.h"
#include "machine/characterise/instance.h"
#include "tacho/extract.h"
#include "tacho/suite.h"
#include "x86/decode/regs.h"

/* ---- blocks made of instruction forms ---- */

enum {
    LEAST = 3,
    MOST = 12,
    DRAWS = 60, /* of forms, for a block */
    LINE = 64
};

/* As often as in programs; without shares the first forms more often than the last: by the square of a number
 * that is drawn evenly. */
static uint32_t draw_form(uint64_t *state, const uint32_t *forms, const double *shares, size_t count)
{
    double drawn = hash_draw(state, 1 << 20) / (double)(1 << 20);
    size_t low = 0, high = count - 1;
    if (!shares || !(shares[high] > 0))
        return forms[(size_t)(drawn * drawn * (double)count)];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (shares[middle] <= drawn * shares[count - 1])
            low = middle + 1;
        else
            high = middle;
    }
    return forms[low];
}

static void draw_operands(uint64_t *state, uint32_t form, instance_choice *choice)
{
    tacho_form f;
    instance_defaults(choice, form);
    if (tacho_form_get(form, &f))
        return;
    for (unsigned i = 0; i < f.visible_count && i < sizeof choice->reg; i++) {
        /* one of four registers in half of the cases */
        int number = instance_register(form, i, hash_draw(state, hash_draw(state, 2) ? 4 : 8));
        if (number >= 0)
            choice->reg[i] = (uint8_t)number;
    }
    choice->base = (uint8_t)(RSI + hash_draw(state, 2));
    choice->disp = (int32_t)(LINE * hash_draw(state, 8));
    choice->imm8 = 1 + hash_draw(state, 7);
}

/* Whether the block may be in a sample: what it takes may not depend on what its registers hold. */
static bool learn_block_is_fit(const subject_loop *l)
{
    tacho_suite_filter_options o = TACHO_SUITE_FILTER_OPTIONS_INIT;
    tacho_suite_verdict v;
    return !tacho_suite_filter(&v, l->code, l->size, &o, NULL) && !v.reasons;
}

int learn_block_make(subject_loop *out, const uint32_t *forms, const double *shares, size_t count,
                     uint64_t number, tacho_error *err)
{
    uint64_t state = number * 1000003;
    uint32_t wanted = LEAST + hash_draw(&state, MOST - LEAST + 1);
    for (uint32_t made = 0, draws = 0; made < wanted && draws < DRAWS && count; draws++) {
        instance_choice choice;
        tacho_insn insn;
        const char *why;
        size_t before = out->size;
        uint32_t form = draw_form(&state, forms, shares, count);
        draw_operands(&state, form, &choice);
        if (instance_make(&insn, form, &choice, &why))
            continue;
        int failed = subject_add_bytes(out, insn.bytes, insn.length, 1, err);
        if (failed)
            return failed;
        if (learn_block_is_fit(out))
            made++;
        else
            out->size = before;
    }
    return 0;
}

enum {
    BATCH = 50,
    FEW_BLOCKS = 20, /* of programs: too few to judge by */
    SIDES = 3
};

/* What predictions and measurements are rounded to for ranks: finer than that is noise. */
#define TAU_STEP 0.02

static const tacho_mode modes[LEARN_MODES] = {TACHO_MODE_UNROLL, TACHO_MODE_LOOP};

/* ---- which blocks ---- */

static void take_program(learning *l, const char *path, loop_list *out)
{
    tacho_extract_options o = TACHO_EXTRACT_OPTIONS_INIT;
    tacho_extract *x = NULL;
    o.unique = true;
    o.max_insns = 60;
    l->failed = tacho_extract_new(&x, &o, l->err);
    if (!l->failed)
        l->failed = tacho_extract_file(x, path, l->err);
    for (size_t i = 0; !l->failed && i < x->count; i++) {
        subject_loop loop = {.code = (uint8_t *)(uintptr_t)x->blocks[i].bytes,
                             .size = x->blocks[i].byte_count};
        for (size_t m = 0; m < LEARN_MODES && !l->failed && learn_block_is_fit(&loop); m++) {
            loop.mode = modes[m];
            l->failed = loop_list_add(out, &loop, l->err);
        }
    }
    tacho_extract_free(x);
}

static void add_block(learning *l, const subject_loop *loop)
{
    if (!l->failed && tacho_mem_grow(&l->blocks, &l->block_capacity, l->block_count + 1, sizeof *l->blocks))
        l->failed = tacho_no_memory(l->err);
    if (l->failed)
        return;
    learn_block *b = &l->blocks[l->block_count++];
    *b = (learn_block){.loop.mode = loop->mode,
                       .held = hash_mix(hash_bytes(loop->code, loop->size)) >> 17 & 1};
    l->failed = subject_add_bytes(&b->loop, loop->code, loop->size, 1, l->err);
}

/* Evenly from all that there are of the mode; none where there are few. */
static void take_blocks(learning *l, const loop_list *from, tacho_mode mode, size_t wanted)
{
    size_t there = 0, taken = 0, seen = 0;
    for (size_t i = 0; i < from->count; i++)
        there += from->items[i].mode == mode;
    if (there < FEW_BLOCKS)
        return;
    wanted = wanted < there ? wanted : there;
    for (size_t i = 0; i < from->count && taken < wanted; i++)
        if (from->items[i].mode == mode && seen++ >= taken * there / wanted) {
            add_block(l, &from->items[i]);
            taken++;
        }
}

/* Of forms that the model has: every other block as programs have them, the others of all of them. */
static void make_blocks(learning *l, const tacho_arch *model, size_t m, size_t wanted)
{
    uint32_t *forms = tacho_mem_zalloc(l->learnt_count + 1, sizeof *forms);
    double *shares = tacho_mem_zalloc(l->learnt_count + 1, sizeof *shares);
    tacho_figures figures;
    size_t count = 0;
    if (!l->failed && !(forms && shares))
        l->failed = tacho_no_memory(l->err);
    for (size_t i = 0; !l->failed && i < l->learnt_count; i++)
        if (!tacho_form_figures(model, l->learnt[i].form, &figures))
            forms[count++] = l->learnt[i].form;
    if (!l->failed)
        l->failed = learn_form_shares(forms, count, shares, l->err);
    for (size_t i = 0; i < wanted && count && !l->failed; i++) {
        subject_loop loop = {.mode = modes[m]};
        l->failed = learn_block_make(&loop, forms, i % 2 ? shares : NULL, count, LEARN_MODES * i + m, l->err);
        if (loop.size) /* the forms may allow none */
            add_block(l, &loop);
        subject_loop_free(&loop);
    }
    TACHO_MEM_FREE(shares, forms);
}

static void time_blocks(learning *l)
{
    l->own->keeping = false; /* they decide nothing that they have raised */
    learning_stage(l, TACHO_LEARN_BLOCKS, l->block_count);
    for (size_t i = 0; i < l->block_count && !l->failed; i += BATCH) {
        subject_loop loops[BATCH];
        size_t n = l->block_count - i < BATCH ? l->block_count - i : BATCH;
        for (size_t k = 0; k < n; k++)
            loops[k] = l->blocks[i + k].loop;
        learning_step(l, "");
        l->failed = subject_time(l->own, loops, n, l->err);
        for (size_t k = 0; k < n && !l->failed; k++)
            l->blocks[i + k].loop = loops[k];
        learning_steps_end(l, n);
    }
    learning_stage_end(l);
    l->own->keeping = true;
    size_t timed = 0;
    for (size_t i = 0; i < l->block_count; i++) {
        const subject_loop *loop = &l->blocks[i].loop;
        if (loop->status == TACHO_MEASURED_OK && loop->cycles > 0)
            l->blocks[timed++] = l->blocks[i];
        else
            subject_loop_free(&l->blocks[i].loop);
    }
    l->block_count = timed;
}

void learning_blocks(learning *l, const tacho_arch *model)
{
    loop_list program = {0};
    const size_t wanted = LEARN_HALVES * (size_t)l->options.blocks;
    const bool own = !l->options.program && learning_measures(l);
    if (l->failed || l->blocks || !model)
        return;
    if (l->options.program || own)
        take_program(l, own ? "/proc/self/exe" : l->options.program, &program);
    if (own) /* there may be no such file */
        l->failed = l->failed == TACHO_ERR_MEMORY ? l->failed : 0;
    for (size_t m = 0; m < LEARN_MODES; m++) {
        const size_t before = l->block_count;
        take_blocks(l, &l->own->blocks, modes[m], wanted);
        if (l->block_count == before)
            take_blocks(l, &program, modes[m], own ? wanted / 2 : wanted);
        const size_t taken = l->block_count - before, made = own || !taken ? wanted - taken : 0;
        if (made)
            make_blocks(l, model, m, made);
        l->judged_by = !taken ? "made-up blocks"
                       : made ? "blocks of programs and made-up ones"
                              : "blocks of programs";
    }
    loop_list_free(&program);
    time_blocks(l);
}

void learning_blocks_free(learning *l)
{
    for (size_t i = 0; i < l->block_count; i++)
        subject_loop_free(&l->blocks[i].loop);
    tacho_mem_free(l->blocks);
}

/* ---- how near ---- */

static double predict(learning *l, const tacho_arch *arch, const subject_loop *loop, bool bounds)
{
    double cycles = NAN;
    if (!l->failed && !l->predictor && !(l->predictor = tacho_predictor_new()))
        l->failed = tacho_no_memory(l->err);
    const double begin = seconds_now();
    if (!l->failed)
        l->failed = subject_predict(l->predictor, arch, loop, bounds, &cycles, l->err);
    l->predicting += seconds_now() - begin;
    l->predictions++;
    return cycles;
}

double learning_cycles(learning *l, const tacho_arch *arch, const subject_loop *loop)
{
    return predict(l, arch, loop, false);
}

void learning_predict(learning *l, const tacho_arch *model, bool bounds)
{
    for (size_t i = 0; i < l->block_count; i++)
        l->blocks[i].predicted = predict(l, model, &l->blocks[i].loop, bounds);
}

double learn_error(const subject_loop *loop, double predicted)
{
    return isnan(predicted) ? 1 : fabs(predicted - loop->cycles) / loop->cycles;
}

double learn_block_error(const learn_block *b)
{
    return learn_error(&b->loop, b->predicted);
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

void learning_errors(learning *l, const tacho_arch *model, bool held, double out[LEARN_MODES])
{
    learning_predict(l, model, false);
    learning_errors_now(l, held, out);
}

/* ---- scores ---- */

/* Of the last prediction. */
static void put_score(learning *l, tacho_learn_score *score)
{
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    double *measured = tacho_mem_zalloc(2 * l->block_count + 1, sizeof *measured),
           *predicted = measured + l->block_count;
    size_t n = 0;
    if (!l->failed && !measured)
        l->failed = tacho_no_memory(l->err);
    for (size_t i = 0; i < l->block_count && !l->failed; i++)
        if (l->blocks[i].held && l->blocks[i].loop.mode == score->mode) {
            measured[n] = l->blocks[i].loop.cycles;
            predicted[n++] = l->blocks[i].predicted;
        }
    o.resamples = 0;
    o.tau_step = TAU_STEP;
    if (n >= 2 && !l->failed)
        l->failed = tacho_score_compute(measured, predicted, n, &o, &score->score, l->err);
    tacho_mem_free(measured);
}

void learning_score(learning *l, const tacho_arch *model)
{
    const struct {
        const tacho_arch *arch;
        const char *name;
        bool bounds;
    } sides[SIDES] = {{model, "learnt", false},
                      {l->from, l->from ? tacho_arch_name(l->from) : "", false},
                      {model, "bounds", true}};
    tacho_learn_score *scores =
        l->failed ? NULL : arena_alloc(&l->memory, LEARN_MODES * SIDES * sizeof *scores);
    if (!l->failed && !scores)
        l->failed = tacho_no_memory(l->err);
    for (size_t k = 0; k < SIDES && !l->failed; k++) {
        if (sides[k].arch)
            learning_predict(l, sides[k].arch, sides[k].bounds);
        for (size_t m = 0; m < LEARN_MODES && sides[k].arch; m++) {
            scores[m * SIDES + k] = (tacho_learn_score){.model = sides[k].name, .mode = modes[m]};
            put_score(l, &scores[m * SIDES + k]);
        }
    }
    l->result.scores = scores;
    l->result.score_count = 0;
    for (size_t i = 0; i < LEARN_MODES * SIDES && !l->failed; i++) /* without those that there are not */
        if (scores[i].model && scores[i].score.count + scores[i].score.failures)
            scores[l->result.score_count++] = scores[i];
}

static void doubt_by(learning *l, bool held)
{
    while (!l->failed && l->model && learning_doubt_by_blocks(l, held))
        l->reload(l);
}

void learning_judge(learning *l)
{
    learning_blocks(l, l->model);
    doubt_by(l, false);
    if (l->model)
        learning_teach(l);
    doubt_by(l, true);
    if (l->model)
        learning_score(l, l->model);
}
