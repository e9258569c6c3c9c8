/* report_learn.c - what was learnt of a processor, for people. */
#include "app/report/learn/report_learn.h"

#include <math.h>
#include <string.h>

#include "app/report/report.h"

enum {
    NAME_COLUMNS = 30,
    SHOWN_FORMS = 20
};

/* ---- the experiments ---- */

static void put_listed(tacho_str *out, const tacho_learn_experiment *e)
{
    tacho_str_printf(out, "  %s\n", e->name);
    if (*e->parameters) {
        tacho_str_puts(out, "      finds ");
        report_wrapped(out, e->parameters, 12);
    }
    tacho_str_puts(out, "      ");
    report_wrapped(out, e->method, 6);
}

/* Whether no experiment before the i-th one is of its part. */
static bool is_first_of_part(size_t i)
{
    tacho_learn_experiment e, before;
    tacho_learn_experiment_get(i, &e);
    for (size_t k = 0; k < i; k++)
        if (!tacho_learn_experiment_get(k, &before) && !strcmp(before.part, e.part))
            return false;
    return true;
}

void report_learn_experiments(tacho_str *out)
{
    tacho_learn_experiment part, e;
    for (size_t i = 0; !tacho_learn_experiment_get(i, &part); i++) {
        if (!is_first_of_part(i))
            continue;
        tacho_str_printf(out, "%s%s\n", i ? "\n" : "", part.part);
        for (size_t k = i; !tacho_learn_experiment_get(k, &e); k++)
            if (!strcmp(e.part, part.part))
                put_listed(out, &e);
    }
}

json_t *report_learn_experiments_json(void)
{
    tacho_learn_experiment e;
    json_t *list = json_array();
    for (size_t i = 0; !tacho_learn_experiment_get(i, &e); i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "part", e.part, "name", e.name,
                                              "parameters", e.parameters, "method", e.method));
    return list;
}

/* ---- how good it is ---- */

static void put_percent(tacho_str *out, double share)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, " %7s", isnan(share) ? "-" : tacho_format_number(number, 100 * share, 2));
}

static void put_scores(tacho_str *out, const tacho_learnt *l)
{
    if (!l->score_count)
        return;
    tacho_str_printf(out, "\nHow good it is, on the %zu blocks a mode that judge it:\n",
                     l->scores[0].score.count);
    tacho_str_puts(out, "  error in %          mean  median     tau  not predicted\n");
    for (size_t i = 0; i < l->score_count; i++) {
        const tacho_learn_score *s = &l->scores[i];
        tacho_str_printf(out, "  %-8s %-8s", s->model, s->mode == TACHO_MODE_LOOP ? "loops" : "unrolled");
        put_percent(out, s->score.mape.value);
        put_percent(out, s->score.median.value);
        tacho_str_printf(out, isnan(s->score.kendall_tau.value) ? "       -" : "  %6.4f",
                         s->score.kendall_tau.value);
        tacho_str_printf(out, "  %zu\n", s->score.failures);
    }
}

/* ---- parameters ---- */

static void put_name(tacho_str *out, const char *name, const char *value)
{
    tacho_str_printf(out, "  %-*s %s", NAME_COLUMNS, name, value);
}

static size_t count_of(const tacho_learnt *l, tacho_learn_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < l->finding_count; i++)
        count += l->findings[i].state == state;
    return count;
}

static void put_differences(tacho_str *out, const tacho_learnt *l)
{
    bool any = false;
    for (size_t i = 0; i < l->finding_count; i++) {
        const tacho_learn_finding *f = &l->findings[i];
        if (!f->differs)
            continue;
        if (!any)
            tacho_str_printf(out, "\nParameters that differ from those of %s:\n", l->core);
        any = true;
        put_name(out, f->name, f->model);
        tacho_str_printf(out, "  instead of %s (%s)\n", f->core, f->experiment ? f->experiment : "");
    }
}

static void put_state(tacho_str *out, const tacho_learnt *l, tacho_learn_state state, const char *title)
{
    if (!count_of(l, state))
        return;
    tacho_str_printf(out, "\n%s:\n", title);
    for (size_t i = 0; i < l->finding_count; i++) {
        const tacho_learn_finding *f = &l->findings[i];
        if (f->state != state)
            continue;
        put_name(out, f->name, f->value ? f->value : "");
        if (isfinite(f->low) && isfinite(f->high) && f->low < f->high)
            tacho_str_printf(out, "  (%.4g to %.4g)", f->low, f->high);
        if (*f->why && f->value)
            tacho_str_printf(out, "\n%*s", NAME_COLUMNS + 3, "");
        if (*f->why)
            report_wrapped(out, f->why, NAME_COLUMNS + 3);
        else
            tacho_str_putc(out, '\n');
    }
}

/* ---- forms ---- */

static void put_forms(tacho_str *out, const tacho_learnt *l)
{
    size_t differ = 0, measured = 0;
    for (size_t i = 0; i < l->form_count; i++) {
        differ += l->forms[i].differs;
        measured += l->forms[i].measured;
    }
    if (!l->form_count)
        return;
    tacho_str_printf(out, "\nInstruction forms: %zu timed", measured);
    if (l->core)
        tacho_str_printf(out, ", of which %zu differ from %s", differ, l->core);
    tacho_str_puts(out, differ ? ":\n" : "\n");
    size_t shown = 0;
    for (size_t i = 0; i < l->form_count && shown < SHOWN_FORMS; i++)
        if (l->forms[i].differs) {
            shown++;
            tacho_str_printf(out, "  %-40s ", l->forms[i].name);
            report_wrapped(out, l->forms[i].why, 43);
        }
    if (differ > shown)
        tacho_str_printf(out, "  and %zu more; --json lists them\n", differ - shown);
}

void report_learn_text(tacho_str *out, const report_learn *r, bool colour)
{
    (void)colour;
    const tacho_learnt *l = r->learnt;
    tacho_str_printf(out, "%s\n", l->processor);
    tacho_str_printf(out, l->core ? "learnt with %s as a start" : "learnt from nothing%s",
                     l->core ? l->core : "");
    tacho_str_printf(out, ": %zu loops timed in %.0f s\n", l->loops, l->seconds);
    if (l->answered || l->open)
        tacho_str_printf(out, "record: %zu questions answered, %zu left open\n", l->answered, l->open);
    if (r->file)
        tacho_str_printf(out, "model: %s\n", r->file);
    if (*l->problem)
        tacho_str_printf(out, "The model cannot be used as it is: %s\n", l->problem);
    put_scores(out, l);
    if (l->core)
        put_differences(out, l);
    put_forms(out, l);
    put_state(out, l, TACHO_LEARN_FOUND, "Parameters that experiments found");
    put_state(out, l, TACHO_LEARN_DOUBTED,
              "What was found, and is doubted: the model has what it started from");
    put_state(out, l, TACHO_LEARN_UNDECIDED, "Parameters that experiments could not determine");
    put_state(out, l, TACHO_LEARN_MOOT, "Parameters without effect here");
    size_t rest = count_of(l, TACHO_LEARN_NOT_TRIED);
    if (rest)
        tacho_str_printf(out, "\n%zu other parameters: %s%s\n", rest,
                         l->core ? "as on " : "neutral values, since no experiment is about them",
                         l->core ? l->core : "");
}
