/* suite_perplexity.c - judging blocks by categories that were learned without them, and with them. */
#include "study/suite/suite_perplexity.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

typedef tacho_suite_perplexity_options options;

/* Takes over the model. */
static int judge(tacho_suite_perplexities *p, const options *o, const char *name, tacho_cluster_model *model,
                 const tacho_suite_corpus *judged, tacho_error *err)
{
    tacho_suite_perplexity *out = &p->list[p->count++];
    *out = (tacho_suite_perplexity){.name = tacho_mem_strndup(name, strlen(name)), .model = model};
    if (!out->name)
        return tacho_no_memory(err);
    int rc = tacho_cluster_evaluate(model, judged->corpus, o->learn.threads, &out->fit, err);
    p->undecodable = judged->undecodable;
    out->without_words = judged->without_words;
    out->blocks = judged->suite->row_count - out->without_words - p->undecodable;
    return rc;
}

int tacho_suite_judge(tacho_suite_perplexities *out, const tacho_suite_perplexity_options *o,
                      const char *name, tacho_cluster_model *model, const tacho_suite *s, tacho_error *err)
{
    tacho_suite_corpus c = {0};
    tacho_corpus *corpus;
    int rc = tacho_corpus_new_like(&corpus, model, err);
    if (!rc)
        rc = tacho_suite_corpus_fill(&c, s, corpus, o->weight, err);
    if (rc)
        tacho_cluster_model_free(model);
    else
        rc = judge(out, o, name, model, &c, err);
    tacho_suite_corpus_free(&c);
    return rc;
}

/* Learns from some rows; `name` is that of the model. */
static int learn(tacho_cluster_model **model, const options *o, const char *name, const tacho_suite *from,
                 tacho_error *err)
{
    tacho_suite_corpus c = {0};
    tacho_corpus *corpus;
    tacho_error why;
    int rc = tacho_corpus_new(&corpus, o->arch, err);
    if (rc)
        return rc;
    rc = tacho_suite_corpus_fill(&c, from, corpus, o->weight, err);
    if (!rc && (rc = tacho_cluster_train(model, c.corpus, &o->learn, &why)))
        tacho_error_set(err, rc, "categories learned %s: %s", name, why.message);
    tacho_suite_corpus_free(&c);
    return rc;
}

static int learn_and_judge(tacho_suite_perplexities *p, const options *o, const char *name,
                           const tacho_suite *from, const tacho_suite_corpus *judged, tacho_error *err)
{
    tacho_cluster_model *model;
    int rc = learn(&model, o, name, from, err);
    return rc ? rc : judge(p, o, name, model, judged, err);
}

/* Learns from `without` and from `with`, and judges `judged`. */
static int compare(tacho_suite_perplexities *p, const options *o, const tacho_suite *without,
                   const tacho_suite *with, const tacho_suite *judged, tacho_error *err)
{
    tacho_suite_corpus c = {0};
    tacho_corpus *corpus;
    int rc = tacho_corpus_new(&corpus, o->arch, err);
    if (rc)
        return rc;
    rc = tacho_suite_corpus_fill(&c, judged, corpus, o->weight, err);
    if (!rc)
        rc = learn_and_judge(p, o, "without them", without, &c, err);
    if (!rc)
        rc = learn_and_judge(p, o, "with them", with, &c, err);
    tacho_suite_corpus_free(&c);
    return rc;
}

/* Some rows of a suite, as a suite that borrows all else. @return false when memory runs out */
static bool select_rows(tacho_suite *out, const tacho_suite *s, const bool *chosen, bool wanted)
{
    *out = *s;
    out->rows = tacho_mem_alloc((s->row_count + 1) * sizeof *out->rows);
    out->row_count = 0;
    for (size_t i = 0; out->rows && i < s->row_count; i++)
        if (chosen[i] == wanted)
            out->rows[out->row_count++] = s->rows[i];
    return out->rows != NULL;
}

int tacho_suite_judge_rows(tacho_suite_perplexities *out, const tacho_suite_perplexity_options *o,
                           const tacho_suite *s, const bool *chosen, tacho_error *err)
{
    tacho_suite judged = {0}, others = {0};
    bool ok = select_rows(&judged, s, chosen, true) && select_rows(&others, s, chosen, false);
    int rc = ok ? compare(out, o, &others, s, &judged, err) : tacho_no_memory(err);
    tacho_mem_free(judged.rows);
    tacho_mem_free(others.rows);
    return rc;
}

/* ---- applications ---- */

static bool is_listed(const char *list, const char *name, size_t length)
{
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",;");
        if (n == length && !memcmp(at, name, n))
            return true;
        at += n + (at[n] != '\0');
    }
    return false;
}

static bool belongs_to(const tacho_suite *s, const tacho_suite_row *row, const char *list)
{
    const char *apps = tacho_suite_cell(s, row, s->app), *name;
    size_t length;
    while (tacho_suite_next_app(&apps, &name, &length))
        if (is_listed(list, name, length))
            return true;
    return false;
}

/* Each of the names is an application of some row. */
static int check_apps(const tacho_suite *s, const char *list, tacho_error *err)
{
    const char *file = s->files[0].table.name;
    if (s->app < 0)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%s: --hold-out needs a column 'app'", file);
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",;"), i = 0;
        char name[200];
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), at);
        while (i < s->row_count && !belongs_to(s, &s->rows[i], name))
            i++;
        if (i == s->row_count)
            return tacho_error_set(err, TACHO_ERR_INPUT, "%s: no block is of the application '%s'", file,
                                   name);
        at += n + (at[n] != '\0');
    }
    return 0;
}

int tacho_suite_judge_apps(tacho_suite_perplexities *out, const tacho_suite_perplexity_options *o,
                           const tacho_suite *s, const char *apps, tacho_error *err)
{
    int rc = check_apps(s, apps, err);
    if (rc)
        return rc;
    bool *chosen = tacho_mem_zalloc(s->row_count + 1, sizeof *chosen);
    for (size_t i = 0; chosen && i < s->row_count; i++)
        chosen[i] = belongs_to(s, &s->rows[i], apps);
    rc = chosen ? tacho_suite_judge_rows(out, o, s, chosen, err) : tacho_no_memory(err);
    tacho_mem_free(chosen);
    return rc;
}

void tacho_suite_perplexities_free(tacho_suite_perplexities *p)
{
    for (size_t i = 0; i < p->count; i++) {
        tacho_cluster_model_free(p->list[i].model);
        tacho_mem_free(p->list[i].name);
    }
    p->count = 0;
}
