/* learn_judge.c - how good a learnt model is: blocks that were not used for learning are timed on the
 * processor and predicted by the model, by its bounds, and by the core that learning started from. They are
 * blocks of programs, where a record has enough of them; else made of the forms that were learnt. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "study/learn/learn_blocks.h"
#include "study/learn/learn_internal.h"

enum {
    BATCH = 50,
    FEW_BLOCKS = 20, /* of a record: too few to judge by */
    MODES = LEARN_MODES,
    SIDES = 3
};

static const tacho_mode modes[MODES] = {TACHO_MODE_UNROLL, TACHO_MODE_LOOP};

/* The blocks of one mode. */
typedef struct sample {
    subject_loop *loops;
    double *measured, *predicted; /* of those that could be timed */
    size_t count, timed;
} sample;

/* The forms that blocks are made of: those that the model has. */
static uint32_t *forms_of_model(const learning *l, const tacho_arch *model, size_t *count)
{
    uint32_t *forms = tacho_mem_zalloc(l->learnt_count + 1, sizeof *forms);
    tacho_figures figures;
    *count = 0;
    for (size_t i = 0; forms && i < l->learnt_count; i++)
        if (!tacho_form_figures(model, l->learnt[i].form, &figures))
            forms[(*count)++] = l->learnt[i].form;
    return forms;
}

/* Blocks of programs from the record, evenly from all that it has; none where it has few. */
static int take_blocks(const subject *own, sample *s, tacho_mode mode, tacho_error *err)
{
    size_t all, there = 0, taken = 0, seen = 0;
    const subject_loop *blocks = subject_blocks(own, &all);
    for (size_t i = 0; i < all; i++)
        there += blocks[i].mode == mode;
    if (there < FEW_BLOCKS)
        return 0;
    int failed = 0;
    s->count = s->count < there ? s->count : there;
    for (size_t i = 0; i < all && taken < s->count && !failed; i++)
        if (blocks[i].mode == mode && seen++ >= taken * there / s->count) {
            s->loops[taken].mode = mode;
            failed = subject_add_bytes(&s->loops[taken++], blocks[i].code, blocks[i].size, 1, err);
        }
    return failed;
}

static int make_blocks(sample *s, const uint32_t *forms, size_t form_count, tacho_mode mode, tacho_error *err)
{
    int failed = 0;
    for (size_t i = 0; i < s->count && !failed; i++) {
        s->loops[i].mode = mode;
        if (s->loops[i].size) /* from a record */
            continue;
        failed = learn_block_make(&s->loops[i], forms, form_count, 2 * i + (mode == TACHO_MODE_LOOP), err);
        if (!failed && !s->loops[i].size) /* the forms allow none */
            failed = subject_add(&s->loops[i], "nop", 1, err);
    }
    return failed;
}

static int time_blocks(learning *l, sample *s, tacho_error *err)
{
    int failed = 0;
    for (size_t i = 0; i < s->count && !failed; i += BATCH) {
        size_t n = s->count - i < BATCH ? s->count - i : BATCH;
        learning_step(l, "");
        failed = subject_time(l->own, s->loops + i, n, err);
        learning_steps_end(l, n);
    }
    for (size_t i = 0; i < s->count && !failed; i++)
        if (s->loops[i].status == TACHO_MEASURED_OK && s->loops[i].cycles > 0)
            s->measured[s->timed++] = s->loops[i].cycles;
    return failed;
}

/* By the same loops in a simulator. */
static int predict_blocks(const sample *s, const tacho_arch *arch, bool bounds, tacho_error *err)
{
    size_t n = 0;
    int failed = 0;
    tacho_predictor *p = tacho_predictor_new();
    if (!p)
        return tacho_no_memory(err);
    for (size_t i = 0; i < s->count && !failed; i++)
        if (s->loops[i].status == TACHO_MEASURED_OK && s->loops[i].cycles > 0)
            failed = subject_predict(p, arch, &s->loops[i], bounds, &s->predicted[n++], err);
    tacho_predictor_free(p);
    return failed;
}

static int put_score(learning *l, const sample *s, const char *model, tacho_mode mode, tacho_error *err)
{
    tacho_score_options o = TACHO_SCORE_OPTIONS_INIT;
    tacho_learn_score *score = (tacho_learn_score *)(uintptr_t)&l->result.scores[l->result.score_count++];
    o.resamples = 0;
    *score = (tacho_learn_score){.model = model, .mode = mode};
    return tacho_score_compute(s->measured, s->predicted, s->timed, &o, &score->score, err);
}

static int score_mode(learning *l, sample *s, const tacho_arch *model, tacho_mode mode, tacho_error *err)
{
    const struct {
        const tacho_arch *arch;
        const char *name;
        bool bounds;
    } sides[SIDES] = {{model, "learnt", false},
                      {l->from, l->from ? tacho_arch_name(l->from) : "", false},
                      {model, "bounds", true}};
    int failed = 0;
    for (size_t k = 0; k < SIDES && !failed; k++) {
        if (!sides[k].arch || s->timed < 2)
            continue;
        failed = predict_blocks(s, sides[k].arch, sides[k].bounds, err);
        if (!failed)
            failed = put_score(l, s, sides[k].name, mode, err);
    }
    return failed;
}

static int errors_of(const void *payload, const tacho_arch *model, double out[MODES], tacho_error *err)
{
    const sample *samples = payload;
    int failed = 0;
    for (size_t m = 0; m < MODES && !failed; m++) {
        const sample *s = &samples[m];
        size_t count = 0;
        double sum = 0;
        failed = predict_blocks(s, model, false, err);
        for (size_t i = 0; i < s->timed && !failed; i++)
            if (!isnan(s->predicted[i])) {
                sum += fabs(s->predicted[i] - s->measured[i]) / s->measured[i];
                count++;
            }
        out[m] = count ? sum / (double)count : NAN;
    }
    return failed;
}

static int start_sample(learning *l, sample *s, const uint32_t *forms, size_t form_count, tacho_mode mode,
                        tacho_error *err)
{
    const size_t blocks = l->options.blocks;
    *s = (sample){.count = blocks};
    s->loops = tacho_mem_zalloc(blocks + 1, sizeof *s->loops);
    s->measured = tacho_mem_zalloc(blocks + 1, sizeof *s->measured);
    s->predicted = tacho_mem_zalloc(blocks + 1, sizeof *s->predicted);
    int failed = s->loops && s->measured && s->predicted ? 0 : tacho_no_memory(err);
    if (!failed)
        failed = take_blocks(l->own, s, mode, err);
    if (!failed)
        failed = make_blocks(s, forms, form_count, mode, err);
    return failed ? failed : time_blocks(l, s, err);
}

static void end_sample(sample *s)
{
    for (size_t i = 0; s->loops && i < s->count; i++)
        subject_loop_free(&s->loops[i]);
    TACHO_MEM_FREE(s->loops, s->measured, s->predicted);
}

int learning_judge(learning *l, tacho_arch **model, learn_reload *reload, tacho_error *err)
{
    sample samples[MODES] = {{.count = 0}};
    size_t form_count;
    uint32_t *forms = forms_of_model(l, *model, &form_count);
    l->result.scores = arena_alloc(&l->memory, MODES * SIDES * sizeof *l->result.scores);
    l->result.score_count = 0;
    int failed = forms && l->result.scores ? 0 : tacho_no_memory(err);
    learning_stage(l, TACHO_LEARN_BLOCKS, MODES * (size_t)l->options.blocks);
    for (size_t m = 0; m < MODES && !failed && form_count; m++)
        failed = start_sample(l, &samples[m], forms, form_count, modes[m], err);
    for (bool again = true; again && !failed && *model;) {
        failed = learning_doubt_by_blocks(l, *model, errors_of, samples, &again, err);
        if (!failed && again)
            failed = reload(l, model, err);
    }
    for (size_t m = 0; m < MODES && !failed && *model; m++)
        failed = score_mode(l, &samples[m], *model, modes[m], err);
    for (size_t m = 0; m < MODES; m++)
        end_sample(&samples[m]);
    tacho_mem_free(forms);
    return failed;
}
