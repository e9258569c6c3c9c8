/* learn_write.c - the model as text, in the grammar of data/README.md: what differs from the core that
 * learning started from, or all of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "study/learn/host.h"
#include "study/learn/learn_internal.h"
#include "study/learn/learn_neutral.h"
#include "tacho/version.h"

enum {
    FUSION_SIZE = 16 << 10
};

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
    else if (*f->why || (neutral && neutral->why))
        tacho_str_printf(out, "\t%s", *f->why ? f->why : neutral->why);
    tacho_str_putc(out, '\n');
}

static void put_models(tacho_str *out, const learning *l)
{
    char family[32], models[16];
    if (!l->options.of && host_models(subject_identity(l->own), family, models))
        tacho_str_printf(out, "cpuid_family\t%s\tcpuid\ncpuid_models\t%s\tcpuid\n", family, models);
}

void learning_put_parameters(tacho_str *out, const learning *l)
{
    tacho_str_puts(out, "\n[params]\n");
    for (size_t i = 0; i < l->result.finding_count; i++)
        put_parameter(out, l, &l->result.findings[i]);
    if (l->from)
        tacho_str_printf(out, "long_name\t%s, as tacho learn found it here\tlearnt\n",
                         tacho_arch_long_name(l->from));
    else
        tacho_str_printf(out, "long_name\t%s\tlearnt\ntable\tmeasured by tacho learn\tlearnt\n",
                         l->result.processor);
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

static int put_fusion(tacho_str *out, const learning *l, tacho_error *err)
{
    char text[FUSION_SIZE];
    int failed = l->from ? 0 : learn_fusion_text(&l->lab, text, sizeof text);
    if (failed)
        return tacho_error_set(err, failed, "macro-fusion groups cannot be written");
    if (!l->from && *text)
        tacho_str_printf(out, "\n[fusion]\n%s", text);
    return 0;
}

static void put_forms(tacho_str *out, const learning *l)
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
    const char *of = l->options.of ? "in the simulator" : "on this processor";
    tacho_str_puts(out, "\n[sources]\n");
    tacho_str_printf(out, "learnt\tmeasured\t%s\tmeasured %s by tacho learn %s\n", l->name, of,
                     tacho_version());
    tacho_str_printf(out, "sister\testimated\t%s\ttaken from a form that is as fast\n", l->name);
    tacho_str_printf(out, "neutral\testimated\t%s\tno experiment decided it\n", l->name);
    tacho_str_printf(out, "cpuid\tmeasured\t%s\twhat the processor says of itself\n", l->name);
}

int learning_write(learning *l, tacho_error *err)
{
    tacho_str out = {0};
    put_head(&out, l);
    learning_put_parameters(&out, l);
    put_extensions(&out, l);
    int failed = put_fusion(&out, l, err);
    put_forms(&out, l);
    learning_put_sources(&out, l);
    l->result.text = out.failed || failed ? NULL : arena_text_n(&l->memory, out.data, out.length);
    tacho_str_free(&out);
    return failed || l->result.text ? failed : tacho_no_memory(err);
}
