/* learn_sisters.c - what was not measured is taken from a form of the same mnemonic and operands but for
 * their widths. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "learn/learn_forms.h"

enum {
    NAME_SIZE = 128
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* A form's name without what tells its widths: "OR (r, m)" of "OR (R64, M64)". */
static void without_widths(uint32_t form, char *out, size_t size)
{
    char name[NAME_SIZE];
    size_t n = 0;
    tacho_form_name(form, name, sizeof name);
    const char *operands = strchr(name, '(');
    for (const char *p = name; *p && n + 2 < size;) {
        const bool inside = operands && p > operands;
        const bool vector =
            inside && (starts_with(p, "XMM") || starts_with(p, "YMM") || starts_with(p, "ZMM"));
        const bool wide = inside && strchr("RMI", *p) && p[1] >= '1' && p[1] <= '9';
        out[n++] = vector ? 'x' : *p;
        p += vector ? 3 : 1;
        while (wide && *p >= '0' && *p <= '9')
            p++;
        if (wide && p[0] == 'l') /* R8l, but not R8h */
            p++;
    }
    out[n] = '\0';
}

static bool may_be_sister(const learnt_form *f, const learnt_form *of)
{
    char a[NAME_SIZE], b[NAME_SIZE];
    if (f == of || f->state != LEARNT_MEASURED || f->ports != LEARNT_FROM_LOOPS || !*f->row)
        return false;
    if (!isnan(of->cycles) && fabs(f->cycles - of->cycles) > 0.1 + 0.1 * of->cycles)
        return false;
    without_widths(f->form, a, sizeof a);
    without_widths(of->form, b, sizeof b);
    return !strcmp(a, b);
}

static void take_row(learnt_form *f, const learnt_form *sister)
{
    char name[NAME_SIZE];
    const char *figures = strchr(sister->row, '\t'), *end = strrchr(sister->row, '\t');
    if (!figures || end == figures)
        return;
    f->ports = f->latency = LEARNT_FROM_SISTER;
    f->front_end = sister->front_end == LEARNT_FROM_LOOPS ? LEARNT_FROM_SISTER : LEARNT_FROM_NOTHING;
    f->source = (unsigned)f->ports * 9 + (unsigned)f->latency * 3 + (unsigned)f->front_end;
    f->state = LEARNT_BY_ANALOGY;
    tacho_form_name(f->form, name, sizeof name);
    snprintf(f->row, sizeof f->row, "%s%.*s\t%u", name, (int)(end - figures), figures, f->source);
}

void learn_by_analogy(learnt_form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        learnt_form *f = &forms[i];
        const bool wanting = f->state == LEARNT_NOT_MEASURED ||
                             (f->state == LEARNT_MEASURED && f->ports == LEARNT_FROM_NOTHING);
        for (size_t k = 0; wanting && k < count; k++)
            if (may_be_sister(&forms[k], f)) {
                take_row(f, &forms[k]);
                break;
            }
    }
}
