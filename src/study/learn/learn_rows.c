/* learn_rows.c - instruction forms: the most frequent ones that the processor executes are measured; where
 * learning starts from a core, only those whose loops take longer or shorter than on it. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "machine/characterise/instance.h"
#include "study/learn/learn_internal.h"

enum {
    NAME_SIZE = 160
};

/* Whether the processor has all that the form needs, and it may be run. */
static bool can_run(const subject *s, uint32_t form)
{
    instance_choice choice;
    tacho_insn insn;
    const char *why;
    instance_defaults(&choice, form);
    if (instance_make(&insn, form, &choice, &why))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (!subject_has(s, tacho_insn_extension(&insn, i)))
            return false;
    return true;
}

/* The forms that are to be learnt. */
static int choose(learning *l, tacho_error *err)
{
    size_t count = tacho_form_count();
    uint32_t *order = tacho_mem_zalloc(count + 1, sizeof *order);
    if (!order)
        return tacho_no_memory(err);
    size_t known = learn_form_order(order, count), wanted = l->options.forms;
    wanted = wanted < count ? wanted : count;
    l->learnt = tacho_mem_zalloc(wanted + 1, sizeof *l->learnt);
    l->forms = arena_alloc(&l->memory, (wanted + 1) * sizeof *l->forms);
    for (size_t i = 0; l->learnt && l->forms && i < known && l->learnt_count < wanted; i++)
        if (can_run(l->own, order[i]))
            l->learnt[l->learnt_count++].form = order[i];
    tacho_mem_free(order);
    return l->learnt && l->forms ? 0 : tacho_no_memory(err);
}

static int learn_one(learning *l, size_t i, tacho_error *err)
{
    char why[160] = "";
    bool differs = true;
    uint32_t form = l->learnt[i].form;
    tacho_learn_form *f = &l->forms[i];
    int failed =
        l->reference ? learn_form_differs(&l->lab, l->reference, form, &differs, why, sizeof why, err) : 0;
    if (!failed && differs && l->lab.resources && !l->ports_unnamed)
        failed = learn_form(&l->lab, form, &l->learnt[i], err);
    f->differs = l->reference && differs;
    f->measured = !differs || l->learnt[i].state == LEARNT_MEASURED;
    f->why = learning_text(l, "%s", *why ? why : l->learnt[i].why);
    return failed;
}

int learning_forms(learning *l, tacho_error *err)
{
    char name[NAME_SIZE];
    int failed = choose(l, err);
    learning_stage(l, TACHO_LEARN_FORMS, l->learnt_count);
    for (size_t i = 0; i < l->learnt_count && !failed; i++) {
        tacho_form_name(l->learnt[i].form, name, sizeof name);
        l->forms[i].name = learning_text(l, "%s", name);
        learning_step(l, l->forms[i].name);
        failed = learn_one(l, i, err);
        learning_step_end(l);
    }
    if (!failed && !l->from)
        learn_by_analogy(l->learnt, l->learnt_count);
    for (size_t i = 0; i < l->learnt_count && !failed; i++)
        l->forms[i].row = *l->learnt[i].row ? learning_text(l, "%s", l->learnt[i].row) : NULL;
    l->result.forms = l->forms;
    l->result.form_count = l->learnt_count;
    return failed;
}
