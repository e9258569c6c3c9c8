/* learn_forms.c - rows of instruction forms. */
#include "study/learn/learn_forms.h"

#include <stdio.h>

int learn_form(lab *l, uint32_t form, learnt_form *out, tacho_error *err)
{
    (void)l;
    (void)err;
    *out = (learnt_form){.form = form, .state = LEARNT_NOT_MEASURED};
    snprintf(out->why, sizeof out->why, "forms are not learnt yet");
    return 0;
}

void learn_by_analogy(learnt_form *forms, size_t count)
{
    (void)forms;
    (void)count;
}

const char *learn_source_line(unsigned number)
{
    (void)number;
    return NULL;
}

int learn_fusion_text(const lab *l, char *out, size_t size)
{
    (void)l;
    if (size)
        *out = '\0';
    return 0;
}

int learn_form_differs(lab *l, subject *reference, uint32_t form, bool *differs, char *why, size_t size,
                       tacho_error *err)
{
    (void)l;
    (void)reference;
    (void)form;
    (void)err;
    *differs = false;
    if (size)
        *why = '\0';
    return 0;
}
