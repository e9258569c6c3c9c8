/* learn_write.c - the model as text, in the grammar of data/README.md: what differs from the core that
 * learning started from, or all of it. */
#include <time.h>

#include "base/mem.h"
#include "learn/learn_internal.h"
#include "tacho/version.h"

enum {
    FUSION_SIZE = 16 << 10
};

static const char *learn_place(const tacho_learn_options *o)
{
    return o->of                                 ? " in the simulator"
           : o->record_count && !o->also_measure ? " from a record"
                                                 : " on its processor";
}

/* ---- the head ---- */

static void put_scores(tacho_str *out, const tacho_learnt *r)
{
    for (size_t i = 0; i < r->score_count; i++) {
        const tacho_learn_score *s = &r->scores[i];
        tacho_str_printf(out, "# %s, %s: mean error %.2f %%, median %.2f %%, tau %.4f on %zu blocks",
                         s->mode == TACHO_MODE_LOOP ? "loops" : "unrolled", s->model,
                         100 * s->score.mape.value, 100 * s->score.median.value, s->score.kendall_tau.value,
                         s->score.count);
        if (s->score.failures)
            tacho_str_printf(out, ", %zu not predicted", s->score.failures);
        tacho_str_putc(out, '\n');
    }
}

static void put_differences(tacho_str *out, const tacho_learnt *r)
{
    size_t parameters = 0, forms = 0;
    for (size_t i = 0; i < r->finding_count; i++)
        parameters += r->findings[i].differs;
    for (size_t i = 0; i < r->form_count; i++)
        forms += r->forms[i].differs;
    if (r->core)
        tacho_str_printf(out, "# differs from %s in %zu parameter%s, and in %zu of %zu forms\n", r->core,
                         parameters, tacho_plural(parameters), forms, r->form_count);
}

static size_t count_of(const tacho_learnt *r, const char *part, tacho_learn_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < r->finding_count; i++)
        for (const experiment *e = learn_experiments; e->part && r->findings[i].experiment; e++)
            count += !strcmp(e->name, r->findings[i].experiment) && !strcmp(e->part, part) &&
                     r->findings[i].state == state;
    return count;
}

/* How sure the model is, part by part. */
static void put_parts(tacho_str *out, const learning *l)
{
    const tacho_learnt *r = &l->result;
    size_t rows = 0, sisters = 0, unknown = 0;
    for (const experiment *e = learn_experiments; e->part; e++) {
        bool first = true;
        for (const experiment *before = learn_experiments; before < e; before++)
            first &= strcmp(before->part, e->part) != 0;
        if (first)
            tacho_str_printf(
                out, "# %s: %zu parameters found, %zu doubted, %zu not told, %zu not tried\n", e->part,
                count_of(r, e->part, TACHO_LEARN_FOUND), count_of(r, e->part, TACHO_LEARN_DOUBTED),
                count_of(r, e->part, TACHO_LEARN_UNDECIDED), count_of(r, e->part, TACHO_LEARN_NOT_TRIED));
    }
    for (size_t i = 0; i < l->learnt_count; i++) {
        rows += *l->learnt[i].row && l->learnt[i].state == LEARNT_MEASURED;
        sisters += l->learnt[i].state == LEARNT_BY_ANALOGY;
        unknown += l->learnt[i].state == LEARNT_NOT_MEASURED;
    }
    tacho_str_printf(out, "# forms: %zu rows from loops, %zu from sisters, %zu not stable\n", rows, sisters,
                     unknown);
}

static void put_head(tacho_str *out, const learning *l)
{
    const tacho_learnt *r = &l->result;
    tacho_str_puts(out, "tacho model 1\n");
    tacho_str_printf(out, "# %s\n", r->processor);
    tacho_str_printf(
        out, "# Made by tacho learn, version %s. doc/LEARN.md says how, data/README.md what it means.\n",
        tacho_version());
    put_differences(out, r);
    put_scores(out, r);
    put_parts(out, l);
    if (*r->problem)
        tacho_str_printf(out, "# It cannot be used as it is: %s\n", r->problem);
    tacho_str_printf(out, "name %s\n", l->name);
    if (l->from)
        tacho_str_printf(out, "inherit %s\n", tacho_arch_name(l->from));
}

/* ---- sections ---- */

static void put_parameter(tacho_str *out, const learning *l, const tacho_learn_finding *f)
{
    if (!f->model || (l->from && !f->differs))
        return;
    bool found = f->value && !strcmp(f->value, f->model);
    tacho_str_printf(out, "%s\t%s\t%s", f->name, f->model, found ? "learnt" : "neutral");
    const learn_neutral *neutral = found ? NULL : learn_neutral_of(f->name);
    if (found && f->experiment)
        tacho_str_printf(out, "\t%s", f->experiment);
    if (found && f->experiment && f->low < f->high)
        tacho_str_printf(out, ", %.4g to %.4g", f->low, f->high);
    if (!found && (*f->why || (neutral && neutral->why)))
        tacho_str_printf(out, "\t%s", *f->why ? f->why : neutral->why);
    tacho_str_putc(out, '\n');
}

/* What predictions with the model repeat: what error to expect. */
static void put_checked(tacho_str *out, const learning *l)
{
    const char *between = "mean error";
    bool any = false;
    for (size_t i = 0; i < l->result.score_count; i++) {
        const tacho_learn_score *s = &l->result.scores[i];
        if (strcmp(s->model, "learnt") != 0 || isnan(s->score.mape.value))
            continue;
        if (!any)
            tacho_str_printf(out, "checked\tby tacho learn on %zu %s a mode %s: ", s->score.count,
                             l->judged_by, l->options.of ? "in the simulator" : "timed on its processor");
        tacho_str_printf(out, "%s %.2f %% %s", between, 100 * s->score.mape.value,
                         s->mode == TACHO_MODE_LOOP ? "in loops" : "unrolled");
        between = ",";
        any = true;
    }
    if (any)
        tacho_str_puts(out, "\tlearnt\n");
}

static void put_models(tacho_str *out, const learning *l)
{
    char family[32], models[16];
    if (!l->options.of && host_models(l->own->identity, family, models))
        tacho_str_printf(out, "cpuid_family\t%s\tcpuid\ncpuid_models\t%s\tcpuid\n", family, models);
}

void learning_put_parameters(tacho_str *out, const learning *l)
{
    tacho_str_puts(out, "\n[params]\n");
    for (size_t i = 0; i < l->result.finding_count; i++)
        put_parameter(out, l, &l->result.findings[i]);
    if (l->from)
        tacho_str_printf(out, "long_name\t%s, as tacho learn found it%s\tlearnt\n",
                         tacho_arch_long_name(l->from), learn_place(&l->options));
    else
        tacho_str_printf(out, "long_name\t%s\tlearnt\ntable\tmeasured by tacho learn\tlearnt\n",
                         l->result.processor);
    put_checked(out, l);
    put_models(out, l);
}

static void put_extensions(tacho_str *out, const learning *l)
{
    bool any = false;
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++) {
        bool own = subject_has(l->own, (tacho_extension)e),
             core = l->from && tacho_arch_has_extension(l->from, (tacho_extension)e);
        if (own == core)
            continue;
        tacho_str_printf(out, any ? "" : "\n[extensions]\n");
        tacho_str_printf(out, "%s%s\tcpuid\n", own ? "" : "-", tacho_extension_name((tacho_extension)e));
        any = true;
    }
}

static void put_fusion(tacho_str *out, learning *l)
{
    char text[FUSION_SIZE];
    int failed = l->from ? 0 : learn_fusion_text(&l->lab, text, sizeof text);
    if (failed && !l->failed)
        l->failed = tacho_error_set(l->err, failed, "macro-fusion groups cannot be written");
    if (!failed && !l->from && *text)
        tacho_str_printf(out, "\n[fusion]\n%s", text);
}

void learning_put_rows(tacho_str *out, const learning *l)
{
    unsigned used = 0;
    tacho_str_puts(out, "\n[insns]\n");
    for (size_t i = 0; i < l->learnt_count; i++)
        if (*l->learnt[i].row)
            used |= 1u << l->learnt[i].source;
    for (unsigned n = 0; n < LEARNT_SOURCES; n++) {
        const char *line = used >> n & 1 ? learn_source_line(n) : NULL;
        if (line)
            tacho_str_printf(out, "%s\n", line);
    }
    for (size_t i = 0; i < l->learnt_count; i++)
        if (*l->learnt[i].row)
            tacho_str_printf(out, "%s\n", l->learnt[i].row);
}

void learning_put_sources(tacho_str *out, const learning *l)
{
    tacho_str_puts(out, "\n[sources]\n");
    tacho_str_printf(out, "learnt\tmeasured\t%s\tmeasured%s by tacho learn %s\n", l->name,
                     learn_place(&l->options), tacho_version());
    tacho_str_printf(out, "sister\testimated\t%s\ttaken from a form that is as fast\n", l->name);
    tacho_str_printf(out, "neutral\testimated\t%s\tno experiment decided it\n", l->name);
    tacho_str_printf(out, "cpuid\tmeasured\t%s\twhat the processor says of itself\n", l->name);
}

void learning_write(learning *l)
{
    tacho_str out = {0};
    put_head(&out, l);
    learning_put_parameters(&out, l);
    put_extensions(&out, l);
    put_fusion(&out, l);
    learning_put_rows(&out, l);
    learning_put_sources(&out, l);
    l->result.text = out.failed || l->failed ? NULL : arena_text_n(&l->memory, out.data, out.length);
    if (!l->failed && !l->result.text)
        l->failed = tacho_no_memory(l->err);
    tacho_str_free(&out);
}
