/* cmd_eval_models.c - the models that tacho eval runs. */
#include "app/cli/study/cmd_eval.h"
#include "app/cli/running.h"

int eval_list_models(const tacho_arch *arch)
{
    tacho_model_list *list;
    tacho_error err;
    if (tacho_model_list_make(&list, arch, &err))
        return cli_input_error("%s", err.message);
    for (size_t i = 0; i < list->count; i++) {
        const tacho_model_info *m = &list->models[i];
        printf("%-30s %s%s%s%s\n", m->name, m->summary, m->missing ? " [" : "", m->missing ? m->missing : "",
               m->missing ? "]" : "");
    }
    tacho_model_list_free(list);
    return CLI_OK;
}

/* `value`: how it is opened; NULL: by its name. */
static bool add_model(eval_request *r, const char *name, const char *value)
{
    if (r->model_count == EVAL_MAX)
        return cli_error("more than %d models", EVAL_MAX);
    eval_named *m = &r->models[r->model_count++];
    m->value = value ? value : m->name;
    return eval_take_name(m->name, name, strlen(name));
}

/* Puts the models that `word` stands for behind the others. @return 0 if it is no such word, -1 with a
 * message */
static int expand(eval_request *r, const char *word)
{
    bool ours = !strcmp(word, "ours"), variants = !strcmp(word, "variants"), good = true;
    tacho_model_list *list;
    tacho_error err;
    if (!ours && !variants && strcmp(word, "all"))
        return 0;
    if (tacho_model_list_make(&list, r->in.arch, &err)) {
        cli_error("%s", err.message);
        return -1;
    }
    for (size_t i = 0; good && i < list->count; i++) {
        const tacho_model_info *m = &list->models[i];
        bool variant = !m->external && !strncmp(m->name, "tacho-", 6) && strcmp(m->name, "tacho-bounds");
        if (!m->missing && (variants ? variant : ours ? !m->external && !variant : !variant))
            good = add_model(r, m->name, NULL);
    }
    tacho_model_list_free(list);
    return good ? 1 : -1;
}

bool eval_expand_models(eval_request *r)
{
    eval_named given[EVAL_MAX];
    size_t count = r->model_count;
    memcpy(given, r->models, sizeof given);
    r->model_count = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = *given[i].name ? given[i].name : given[i].value;
        int done = *given[i].name ? 0 : expand(r, name);
        if (done < 0 || (!done && !add_model(r, name, given[i].value)))
            return false;
    }
    return true;
}

static void show_progress(void *payload, size_t done, size_t count)
{
    (done == count ? cli_progress_last : cli_progress)("%s: %zu of %zu blocks", (const char *)payload, done,
                                                       count);
}

static bool run_model(const eval_request *r, tacho_eval *e, const eval_named *m, bool bottlenecks,
                      bool scored)
{
    tacho_eval_run_options o = TACHO_EVAL_RUN_OPTIONS_INIT;
    tacho_error err;
    int predictor = scored ? tacho_eval_add_predictor(e, m->name, &err) : -1;
    if (scored && predictor < 0)
        return cli_error("%s", err.message);
    o.model = r->model;
    o.threads = r->jobs;
    o.bottlenecks = bottlenecks ? "bottleneck" : NULL;
    o.progress = show_progress;
    o.payload = (void *)m->name;
    int rc = tacho_eval_run_model(e, predictor, m->value, r->in.arch, &o, &err);
    return !rc || (rc != TACHO_ERR_CANCELLED && cli_error("%s: %s", m->name, err.message));
}

int eval_check_models(eval_request *r)
{
    size_t left = r->in.predicted_count;
    for (size_t i = 0; i < r->model_count; i++) {
        tacho_model *model;
        tacho_error err;
        int result = tacho_model_open(&model, r->models[i].value, r->in.arch, &r->model, &err);
        if (result == TACHO_ERR_CANCELLED)
            return cli_input_error("%s: nothing was predicted", cli_signals_words());
        if (result && result != TACHO_ERR_UNSUPPORTED)
            return cli_status(result, &err);
        if (result) {
            cli_error("left out: %s", err.message);
            r->models[i].value = NULL;
            r->models_left_out = true;
            continue;
        }
        tacho_model_close(model);
        left++;
    }
    return left || !r->model_count ? CLI_OK : cli_input_error("no predictor is left");
}

bool eval_run_models(const eval_request *r, tacho_eval *e)
{
    bool bottlenecks = r->in.by & EVAL_BY_BOTTLENECK && r->in.arch;
    for (size_t i = 0; i < r->model_count; i++) {
        if (!r->models[i].value)
            continue;
        bool tells = bottlenecks && !strcmp(r->models[i].value, "tacho");
        if (!run_model(r, e, &r->models[i], tells, true))
            return false;
        bottlenecks &= !tells;
    }
    const eval_named ours = {"tacho", "tacho"};
    return !bottlenecks || run_model(r, e, &ours, true, false);
}
