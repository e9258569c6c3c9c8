/* learn_rows.c - instruction forms: the most frequent ones that the processor executes are measured; where
 * learning starts from a core, only those whose loops take longer or shorter than on it. */

#include "base/mem.h"
#include "learn/learn_internal.h"
#include "machine/characterise/instance.h"
#include "x86/decode/danger.h"

/* ---- rows that are adopted ---- */

/* Whether a row that was learnt is taken: where learning starts from a core, a form may take longer or
 * shorter in some loops for reasons that its row has nothing to do with. The row is taken if with it the
 * simulator comes nearer to what was measured, over the loops of the form to which it makes a difference. */

/* A row must remove this share of the core's error, and this much of it. */
#define LEAST_SHARE 0.25
#define LEAST_ERROR 0.005

/* The core with the parameters that were found, and the rows that are taken; NULL: it failed, or a row names
 * what the core has not. */
static tacho_arch *load_with_rows(learning *l)
{
    tacho_str text = {0};
    tacho_arch *out = NULL;
    tacho_str_printf(&text, "inherit %s\nname %s\n", tacho_arch_name(l->from), l->name);
    learning_put_parameters(&text, l);
    learning_put_rows(&text, l);
    learning_put_sources(&text, l);
    int failed =
        text.failed ? tacho_no_memory(l->err) : tacho_arch_load(&out, text.data, text.length, NULL, l->err);
    tacho_str_free(&text);
    if (!l->failed)
        l->failed = failed == TACHO_ERR_INPUT ? 0 : failed;
    return failed ? NULL : out;
}

static double predict_first(learning *l, const tacho_arch *arch, const subject_loop *loop, size_t number,
                            learn_known *known)
{
    if (!known)
        return learning_cycles(l, arch, loop);
    if (tacho_mem_grow(&known->cycles, &known->capacity, number + 1, sizeof *known->cycles)) {
        l->failed = tacho_no_memory(l->err);
        return NAN;
    }
    for (; known->count <= number; known->count++)
        known->cycles[known->count] = -1;
    if (known->cycles[number] < 0)
        known->cycles[number] = learning_cycles(l, arch, loop);
    return known->cycles[number];
}

learn_vote learn_compare(learning *l, const tacho_arch *const arch[2], const loop_list *loops,
                         learn_known *known)
{
    enum {
        STEP = 7919, /* a prime: loops of all kinds come early */
        ENOUGH = 200,
        MOST_LOOKED = 6000
    };
    learn_vote out = {0};
    for (size_t n = 0; n < loops->count && n < MOST_LOOKED && out.count < ENOUGH && !l->failed; n++) {
        const size_t i = loops->count % STEP ? n * STEP % loops->count : n;
        const subject_loop *loop = &loops->items[i];
        if (loop->status != TACHO_MEASURED_OK || !(loop->cycles > 0))
            continue;
        const double one = predict_first(l, arch[0], loop, i, known),
                     other = learning_cycles(l, arch[1], loop);
        const bool alike = isnan(one) ? isnan(other) : fabs(one - other) <= LEAST_ERROR * loop->cycles;
        if (l->failed || alike)
            continue;
        out.errors[0] += learn_error(loop, one);
        out.errors[1] += learn_error(loop, other);
        out.count++;
    }
    for (unsigned k = 0; k < 2 && out.count; k++)
        out.errors[k] /= (double)out.count;
    return out;
}

bool learn_is_nearer(const learn_vote *v)
{
    return v->errors[0] - v->errors[1] > fmax(LEAST_ERROR, LEAST_SHARE * v->errors[0]);
}

/* Whether the core with this row, beside those that are taken by now, predicts the recorded loops of `own`
 * better than it does without. */
static bool learning_adopt(learning *l, learnt_form *f)
{
    const char first = *f->row;
    learn_vote vote = {0};
    tacho_arch *both[2] = {NULL, load_with_rows(l)};
    *f->row = '\0';
    both[0] = load_with_rows(l);
    *f->row = first;
    if (both[0] && both[1])
        vote = learn_compare(l, (const tacho_arch *const *)both, &l->own->records, NULL);
    tacho_arch_free(both[0]);
    tacho_arch_free(both[1]);
    return !l->failed && learn_is_nearer(&vote);
}

/* ---- which forms ---- */

enum {
    NAME_SIZE = 160,
    TOGETHER = 40
};

typedef enum kind_of_form {
    FORM_OTHER, /* the processor has it not, or it must not be run */
    FORM_RUNS,
    FORM_BRANCH, /* no part of blocks, but their end: costs no time */
} kind_of_form;

/* Its copies over- or underflow the x87 stack, which costs what no block of a program does. */
static bool is_unbalanced(uint32_t form)
{
    instance_choice choice;
    tacho_insn insn;
    const char *why;
    x87_stack stack = {0};
    instance_defaults(&choice, form);
    if (instance_make(&insn, form, &choice, &why))
        return false;
    tacho_x87_stack_step(&stack, &insn);
    return tacho_x87_stack_is_unbalanced(&stack);
}

static kind_of_form classify(const subject *s, uint32_t form)
{
    instance_choice choice;
    tacho_insn insn;
    const char *why;
    instance_defaults(&choice, form);
    if (instance_make(&insn, form, &choice, &why))
        return strcmp(why, "is a branch") ? FORM_OTHER : FORM_BRANCH;
    for (size_t i = 0; i < 2; i++)
        if (!subject_has(s, tacho_insn_extension(&insn, i)))
            return FORM_OTHER;
    return FORM_RUNS;
}

/* Of the counter that loops have: their predictions need it, however rare it is. */
static uint32_t counter_form(void)
{
    static const uint8_t counter[] = {0x49, 0xff, 0xcf}; /* dec r15 */
    tacho_insn insn;
    tacho_form form;
    tacho_figures figures;
    if (tacho_decode(&insn, counter, sizeof counter, NULL))
        return UINT32_MAX;
    tacho_insndb_match(tacho_arch_get(0), &insn, &form, &figures);
    return form.id;
}

/* The forms that are to be learnt: as many as are wanted, and from scratch all branches. */
void learning_choose_forms(learning *l)
{
    const uint32_t counter = counter_form();
    size_t count = tacho_form_count(), wanted = l->options.forms, taken = 0;
    uint32_t *order = tacho_mem_zalloc(count + 1, sizeof *order);
    l->learnt = tacho_mem_zalloc(count + 1, sizeof *l->learnt);
    l->forms = arena_alloc(&l->memory, (count + 1) * sizeof *l->forms);
    if (!l->failed && !(order && l->learnt && l->forms))
        l->failed = tacho_no_memory(l->err);
    if (!l->failed)
        learn_form_order(order, count);
    for (size_t i = 0; i < count && !l->failed; i++) {
        const bool asked = taken < wanted || order[i] == counter;
        const kind_of_form kind = asked || !l->from ? classify(l->own, order[i]) : FORM_OTHER;
        const bool runs = kind == FORM_RUNS && asked;
        taken += runs;
        if (runs && l->from && is_unbalanced(order[i]))
            continue;
        if (runs || (kind == FORM_BRANCH && !l->from))
            l->learnt[l->learnt_count++].form = order[i];
    }
    tacho_mem_free(order);
}

/* Macro-fusion groups are the core's: those that were found have other names. */
static void keep_fusion(const learning *l, learnt_form *f)
{
    enum {
        FUSION_FIELD = 5
    };
    char row[LEARNT_ROW], group[8] = "-";
    tacho_figures figures;
    char *field = f->row;
    for (unsigned i = 0; i < FUSION_FIELD && field; i++)
        field = strchr(field, '\t') ? strchr(field, '\t') + 1 : NULL;
    if (!field)
        return;
    if (!tacho_form_figures(l->from, f->form, &figures) && figures.fusion_group)
        snprintf(group, sizeof group, "G%u", figures.fusion_group - 1u);
    snprintf(row, sizeof row, "%.*s%s%s", (int)(field - f->row), f->row, group, field + strcspn(field, "\t"));
    memcpy(f->row, row, sizeof row);
}

/* What differs from the core's row is the model's if it explains the loops better. */
static void learn_from_core(learning *l, learnt_form *learnt, tacho_learn_form *f)
{
    char why[160];
    const bool named = l->lab.resources && !l->ports_unnamed;
    if (learn_form_differs(&l->lab, l->reference, learnt->form, why, sizeof why) && named)
        learn_form(&l->lab, learnt->form, learnt);
    if (!l->lab.failed && *learnt->row) {
        keep_fusion(l, learnt);
        f->differs = learning_adopt(l, learnt);
    }
    if (!f->differs)
        *learnt->row = '\0';
    f->measured = true;
    if (!l->lab.failed)
        f->why = learning_text(l, "%s%s", why, *why && !f->differs ? "; no row explains it" : "");
}

/* @return false: it needs an answer that is put off */
static bool learn_one(learning *l, size_t i)
{
    learnt_form *learnt = &l->learnt[i];
    tacho_learn_form *f = &l->forms[i];
    subject_record(l->own, l->from != NULL);
    if (l->from)
        learn_from_core(l, learnt, f);
    else if (l->lab.resources)
        learn_form(&l->lab, learnt->form, learnt);
    const bool put_off = l->lab.failed == SUBJECT_DEFERRED;
    l->lab.failed = put_off ? 0 : l->lab.failed;
    l->failed = l->failed ? l->failed : l->lab.failed;
    if (!l->from) {
        f->measured = learnt->state == LEARNT_MEASURED;
        f->why = learning_text(l, "%s", learnt->why);
    }
    subject_record(l->own, false);
    return !put_off;
}

/* Forms whose loops are timed together: each goes on until it needs an answer that is not there, and begins
 * again when it is. */
static void learn_some(learning *l, size_t first, size_t count)
{
    bool done[TOGETHER] = {false};
    for (size_t left = count; left && !l->failed;) {
        l->own->deferring = true;
        for (size_t i = 0; i < count && !l->failed; i++)
            if (!done[i])
                left -= done[i] = learn_one(l, first + i);
        l->own->deferring = false;
        if (!l->failed)
            l->failed = subject_answer(l->own, l->err);
    }
}

/* From the i-th one on, as many as there is time for beside what blocks teach. */
static void learn_from(learning *l, size_t first, double share)
{
    char name[NAME_SIZE];
    learning_stage(l, TACHO_LEARN_FORMS, l->learnt_count - first);
    for (size_t i = first; i < l->learnt_count; i++) {
        tacho_form_name(l->learnt[i].form, name, sizeof name);
        l->forms[i].name = learning_text(l, "%s", name);
    }
    for (size_t i = first; i < l->learnt_count && !l->failed; i += TOGETHER) {
        size_t count = l->learnt_count - i < TOGETHER ? l->learnt_count - i : TOGETHER;
        if (learning_late(l, share)) {
            l->learnt_count = i;
            break;
        }
        learning_step(l, l->forms[i].name);
        learn_some(l, i, count);
        learning_steps_end(l, count);
        learning_part_done(l, "forms");
    }
    learning_stage_end(l);
    if (!l->failed && !l->from)
        learn_by_analogy(l->learnt, l->learnt_count);
    for (size_t i = first; i < l->learnt_count; i++)
        l->forms[i].row = *l->learnt[i].row ? learning_text(l, "%s", l->learnt[i].row) : NULL;
    l->result.forms = l->forms;
    l->result.form_count = l->learnt_count;
}

void learning_forms(learning *l)
{
    if (!l->failed)
        learn_from(l, 0, LEARN_FORMS_END);
    if (l->from) /* what fills ports has its row by now */
        learning_rows_again(l, true, LEARN_MORE_FORMS_END);
}

void learning_more_forms(learning *l, const uint32_t *forms, size_t count)
{
    const size_t before = l->learnt_count;
    for (size_t i = 0; i < count; i++)
        if (classify(l->own, forms[i]) == FORM_RUNS && !is_unbalanced(forms[i]))
            l->learnt[l->learnt_count++].form = forms[i];
    learn_from(l, before, LEARN_MORE_FORMS_END);
}

void learning_rows_again(learning *l, bool refused, double share)
{
    for (size_t i = 0; i < l->learnt_count && !l->failed && !learning_late(l, share); i++)
        if (*l->learnt[i].row || (refused && l->from && l->forms[i].why && *l->forms[i].why)) {
            if (i % TOGETHER == 0)
                learning_look_at(l, l->forms[i].name);
            *l->learnt[i].row = '\0';
            l->forms[i].differs = false;
            learn_one(l, i);
            l->forms[i].row = *l->learnt[i].row ? learning_text(l, "%s", l->learnt[i].row) : NULL;
        }
}
