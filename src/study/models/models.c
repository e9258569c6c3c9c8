/* models.c - the table of predictors, and what is common to all of them. */
#include "study/models/models_internal.h"

#include "base/mem.h"
#include "base/names.h"
#include "base/options_take.h"
#include "base/suggest.h"

static const model_kind *const kinds[] = {
    &model_tacho, &model_baseline, &model_llvm_mca, &model_known_tools, &model_description,
};
enum {
    KIND_COUNT = sizeof kinds / sizeof *kinds
};

NAMES_OF(tacho_model_status_name, tacho_model_status, "", "ok", "unsupported", "failed", "timeout")

/* ---- results ---- */

void model_result_cycles(tacho_model_result *r, double cycles)
{
    if (!isfinite(cycles) || cycles <= 0) {
        model_result_fail(r, TACHO_MODEL_FAILED, "%g is no number of cycles", cycles);
        return;
    }
    r->status = TACHO_MODEL_OK;
    r->cycles = cycles;
    r->message[0] = '\0';
}

void model_result_fail(tacho_model_result *r, tacho_model_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tacho_vformat_fit(r->message, sizeof r->message, format, args);
    va_end(args);
    for (char *p = r->message; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
    r->status = status;
    r->cycles = NAN;
    r->bottleneck[0] = '\0';
    r->lower_bound = false;
}

/* ---- the list ---- */

struct model_names {
    tacho_model_list *list;
    size_t capacity;
    bool external, failed;
};

void model_names_add(model_names *names, const char *name, const char *summary, const char *missing)
{
    tacho_model_list *list = names->list;
    if (names->failed ||
        tacho_mem_grow(&list->models, &names->capacity, list->count + 1, sizeof *list->models)) {
        names->failed = true;
        return;
    }
    tacho_model_info *info = &list->models[list->count++];
    *info = (tacho_model_info){.name = tacho_mem_strndup(name, strlen(name)),
                               .summary = tacho_mem_strndup(summary, strlen(summary)),
                               .external = names->external,
                               .missing = missing ? tacho_mem_strndup(missing, strlen(missing)) : NULL};
    names->failed = !info->name || !info->summary || (missing && !info->missing);
}

void tacho_model_list_free(tacho_model_list *list)
{
    for (size_t i = 0; list && i < list->count; i++) {
        TACHO_MEM_FREE(list->models[i].name, list->models[i].summary, list->models[i].missing);
    }
    if (list)
        tacho_mem_free(list->models);
    tacho_mem_free(list);
}

int tacho_model_list_make(tacho_model_list **out, const tacho_arch *arch, tacho_error *err)
{
    model_names names = {.list = tacho_mem_zalloc(1, sizeof **out)};
    *out = NULL;
    names.failed = !names.list;
    for (size_t i = 0; i < KIND_COUNT && !names.failed; i++) {
        names.external = kinds[i]->external;
        if (kinds[i]->list)
            kinds[i]->list(&names, arch);
    }
    if (names.failed) {
        tacho_model_list_free(names.list);
        return tacho_no_memory(err);
    }
    *out = names.list;
    return 0;
}

/* ---- models ---- */

static int no_such_model(const char *name, tacho_error *err)
{
    tacho_model_list *list;
    tacho_suggest s = {.wanted = name};
    int rc = tacho_model_list_make(&list, NULL, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < list->count; i++)
        tacho_suggest_offer(&s, list->models[i].name);
    tacho_model_list_free(list);
    return tacho_error_set(err, TACHO_ERR_USAGE, "there is no model '%.64s'%s", name, tacho_suggest_text(&s));
}

OPTIONS_DEFINE(model, TACHO_MODEL_OPTIONS_INIT)

static int check_options(const tacho_model_options *o, tacho_error *err)
{
    if (!(o->timeout_seconds > 0 && o->timeout_seconds <= 1e6))
        return tacho_error_set(err, TACHO_ERR_USAGE, "a timeout of %g seconds is not in (0, 1000000]",
                               o->timeout_seconds);
    if ((unsigned)o->mode > TACHO_MODE_UNROLL || (unsigned)o->init > TACHO_INIT_SAME)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no such mode or initial state");
    return 0;
}

int tacho_model_open(tacho_model **out, const char *name, const tacho_arch *arch,
                     const tacho_model_options *options, tacho_error *err)
{
    tacho_model_options o;
    const model_kind *kind = NULL;
    *out = NULL;
    int rc = OPTIONS_TAKE(model, &o, options, err);
    rc = rc ? rc : check_options(&o, err);
    for (size_t i = 0; i < KIND_COUNT && !kind; i++)
        if (kinds[i]->knows(name))
            kind = kinds[i];
    if (rc || !kind)
        return rc ? rc : no_such_model(name, err);
    tacho_model *m = tacho_mem_zalloc(1, sizeof *m);
    if (m)
        *m = (tacho_model){
            .kind = kind, .name = tacho_mem_strndup(name, strlen(name)), .arch = arch, .options = o};
    rc = m && m->name ? kind->open(m, err) : tacho_no_memory(err);
    if (!rc) {
        *out = m;
        return 0;
    }
    if (m)
        tacho_mem_free(m->name);
    tacho_mem_free(m);
    return rc;
}

int tacho_model_run(tacho_model *model, const tacho_model_block *blocks, size_t count,
                    tacho_model_result *results, tacho_error *err)
{
    for (size_t i = 0; i < count; i++)
        model_result_fail(&results[i], TACHO_MODEL_FAILED, "no answer");
    int rc = count ? model->kind->run(model, blocks, count, results, err) : 0;
    for (size_t i = 0; i < count && !model->runs_once; i++)
        if (blocks[i].once && blocks[i].instructions)
            results[i].cycles *= 1 - (double)blocks[i].warm_up / blocks[i].instructions;
    return rc;
}

void tacho_model_close(tacho_model *model)
{
    if (!model)
        return;
    model->kind->close(model);
    tacho_mem_free(model->name);
    tacho_mem_free(model);
}

const char *tacho_model_name(const tacho_model *model)
{
    return model->name;
}

const char *tacho_model_version(const tacho_model *model)
{
    return model->version;
}

bool tacho_model_is_external(const tacho_model *model)
{
    return model->kind->external;
}
