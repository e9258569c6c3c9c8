/* cmd_eval_run.c - tacho eval, once it is known what is asked for: from files and models to reports,
 * pictures, what models predicted as CSV, and the exit status. */
#include "app/cli/running.h"
#include "app/cli/study/cmd_eval.h"
#include "app/report/report.h"
#include "base/csv.h"

/* ---- the models that tacho eval runs ---- */

/* Lists the models, for one microarchitecture or (NULL) any. @return an exit status */
static int list_models(const tacho_arch *arch)
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
        bool variant =
            !m->external && tacho_starts_with(m->name, "tacho-") && strcmp(m->name, "tacho-bounds");
        if (!m->missing && (variants ? variant : ours ? !m->external && !variant : !variant))
            good = add_model(r, m->name, NULL);
    }
    tacho_model_list_free(list);
    return good ? 1 : -1;
}

/* Words for several models become these; all have names then. @return false with a message */
static bool expand_models(eval_request *r)
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

/* Which can be had, before anything takes long; the others are left out, with a message. @return an exit
 * status, with a message: also where no predictor is left */
static int check_models(eval_request *r)
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

/* Asks the models; tacho's tells the bottlenecks besides. @return false with a message */
static bool ask_models(const eval_request *r, tacho_eval *e)
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

enum {
    GATHERED_BYTES = 256 << 10
};

static void put_row(tacho_str *out, const tacho_eval_result *r, size_t predictor, size_t block)
{
    const tacho_eval_prediction *p = &r->predictors[predictor].predictions[block];
    const char *hex = r->blocks[block].hex, *name = r->predictors[predictor].name;
    tacho_csv_put(out, hex, strlen(hex));
    tacho_str_putc(out, ',');
    tacho_csv_put(out, name, strlen(name));
    if (isnan(p->cycles))
        tacho_str_puts(out, ",,,");
    else
        tacho_str_printf(out, ",%.17g,%s,", p->cycles, p->lower_bound ? "true" : "false");
    tacho_csv_put(out, p->message, strlen(p->message));
}

/* Where a signal has ended the work, some blocks were not asked about. */
static bool was_asked(const tacho_eval_result *r, size_t predictor, size_t block)
{
    const tacho_eval_prediction *p = &r->predictors[predictor].predictions[block];
    return !isnan(p->cycles) || *p->message;
}

static bool put_rows(results *to, const tacho_eval_result *r, size_t first, tacho_str *text)
{
    tacho_str_puts(text, "hex,model,cycles,lower_bound,error\n");
    if (!results_write(to, text)) /* the header is a piece of its own */
        return false;
    tacho_str_clear(text);
    for (size_t block = 0; block < r->block_count; block++) {
        for (size_t p = first; p < r->predictor_count; p++) {
            if (!was_asked(r, p, block))
                continue;
            put_row(text, r, p, block);
            tacho_str_putc(text, '\n');
        }
        if (text->length < GATHERED_BYTES)
            continue;
        if (!results_write(to, text))
            return false;
        tacho_str_clear(text);
    }
    return !text->length || results_write(to, text);
}

/* Opens the file for the predictions; `path` must not be the file of the measurements.
 * @return false with a message */
static bool eval_save_open(results *to, const char *path, const char *measured)
{
    rows input;
    if (!rows_open(&input, measured, &results_caller))
        return false;
    bool good = results_open(to, path, &input, true);
    if (!good)
        results_close(to);
    rows_close(&input);
    return good;
}

/* Writes the predictions of the predictors from number `first` on, and closes. @return false with a message
 */
static bool eval_save(results *to, const tacho_eval_result *r, size_t first)
{
    TACHO_FREED tacho_str text = {0};
    bool good = results_begin(to) && put_rows(to, r, first, &text);
    results_close(to);
    return good;
}

/* ---- the evaluation ---- */

static bool find_arch(eval_request *r)
{
    const tacho_arch *archs[CLI_MAX_ARCHS];
    bool fallback;
    if (!r->archs && !r->model_count)
        return true;
    int count = cli_find_archs(r->archs, archs, &fallback);
    if (count < 0)
        return false;
    if (count > 1)
        return cli_error("measurements are of one microarchitecture: -a %s", archs[0]->name);
    r->in.arch = archs[0];
    r->fallback = fallback;
    return true;
}

static bool print_report(const eval_request *r, const report_eval *report)
{
    enum {
        DIGITS = 15 /* what is computed from the figures later should be exact */
    };
    tacho_str out = {0};
    if (r->format == CLI_JSON)
        report_put_json(&out, report_eval_json(report), DIGITS);
    else if (r->format == CLI_CSV)
        report_eval_csv(&out, report);
    else
        report_eval_text(&out, report, cli_use_colour(r->colour));
    return cli_put_text(&out);
}

static bool draw_heat_map(const char *path, const report_eval *report)
{
    tacho_str script = {0};
    report_plot_heat_maps(&script, report, tool_is_png(path));
    return tool_plot(&script, path);
}

static bool write_page(const char *path, const report_eval *report)
{
    tacho_str page = {0};
    report_eval_draw(&page, report);
    return cli_output_text(path, &page);
}

static bool score(const eval_request *r, tacho_eval *e)
{
    tacho_error err;
    if ((r->in.by & EVAL_BY_LENGTH && tacho_eval_group_by_length(e, &err) < 0) ||
        (r->in.by & EVAL_BY_CONTENT && tacho_eval_group_by_content(e, &err) < 0))
        return cli_error("%s", err.message);
    if (tacho_eval_score(e, &r->score, r->worst, r->jobs, &err) ||
        (r->in.arch && tacho_eval_explain(e, r->in.arch, &r->model, &err)))
        return cli_error("%s", err.message);
    return true;
}

static const char *measured_name(const eval_request *r)
{
    return strcmp(r->in.measured, "-") ? r->in.measured : "standard input";
}

static int judge(const eval_request *r, tacho_eval *e, const eval_left_out *left_out, bool predicted)
{
    if (!r->times)
        for (size_t i = 0; i < tacho_eval_view(e)->predictor_count; i++)
            tacho_eval_set_seconds(e, (int)i, NAN);
    if (!score(r, e))
        return CLI_INPUT;
    report_eval report = {.result = tacho_eval_view(e),
                          .measured = measured_name(r),
                          .reference_predicted = predicted,
                          .arch = r->in.arch ? r->in.arch->name : NULL,
                          .left_out = left_out->reasons,
                          .left_out_count = left_out->count};
    if (!print_report(r, &report) || (r->heat_map && !draw_heat_map(r->heat_map, &report)) ||
        (r->html && !write_page(r->html, &report)))
        return CLI_INPUT;
    return eval_check_limits(r, report.result);
}

static bool keep_common(tacho_eval *e, eval_left_out *left_out)
{
    size_t count;
    tacho_error err;
    if (tacho_eval_keep_common(e, &count, &err))
        return cli_error("%s", err.message);
    if (!tacho_eval_view(e)->block_count)
        return cli_error("--common: there is no block that all of them have a prediction for");
    return !count || tacho_eval_leave_out(left_out, "not predicted by all", count, &err) ||
           cli_error("%s", err.message);
}

/* There are no figures of some blocks of a suite: what a signal has ended has only what it saves. */
static int say_stopped(const eval_request *r)
{
    if (!r->save)
        return cli_input_error("%s: there are no figures, as these need all blocks", cli_signals_words());
    cli_note("%s: %s has the predictions so far; there are no figures, as these need all blocks",
             cli_signals_words(), r->save);
    return CLI_PARTIAL;
}

/* @return CLI_OK, or an exit status with a message */
static int run_models(const eval_request *r, tacho_eval *e)
{
    results to;
    size_t first = tacho_eval_view(e)->predictor_count;
    if (r->save && !eval_save_open(&to, r->save, r->in.measured))
        return CLI_INPUT;
    bool all = ask_models(r, e), stopped = !all && cli_signals_asked(NULL);
    if (!all && !stopped) {
        if (r->save)
            results_drop(&to);
        return CLI_INPUT;
    }
    if (r->save && !eval_save(&to, tacho_eval_view(e), first))
        return CLI_INPUT;
    return stopped ? say_stopped(r) : CLI_OK;
}

/* No row counts: why each does not, and what can be done. @return false */
static bool say_none_left(const eval_request *r, const eval_left_out *l)
{
    TACHO_FREED tacho_str why = {0};
    bool unstable = false;
    for (size_t i = 0; i < l->count; i++) {
        unstable |= !strcmp(l->reasons[i].words, "status unstable");
        tacho_str_printf(&why, "%s%s (%zu)", i ? ", " : ": ", l->reasons[i].words, l->reasons[i].count);
    }
    cli_error("%s: no row is left to compare with%s", measured_name(r),
              why.failed || !why.data ? "" : why.data);
    if (unstable)
        cli_error("unstable: passes disagreed; measure these rows again on a quieter machine ('tacho doctor' "
                  "says what disturbs), or take their medians as they are with --only status=unstable");
    return false;
}

static void say_note(const char *text)
{
    cli_note("%s", text);
}

static bool read_files(eval_request *r, tacho_eval *e, eval_left_out *left_out, bool *predicted)
{
    tacho_error err;
    r->in.note = say_note;
    if (!tacho_eval_read_measured(&r->in, e, left_out, predicted, &err))
        return cli_error("%s", err.message);
    if (!tacho_eval_view(e)->block_count)
        return say_none_left(r, left_out);
    return tacho_eval_read_predicted(&r->in, e, &err) || cli_error("%s", err.message);
}

static int evaluate(eval_request *r, tacho_eval *e, eval_left_out *left_out)
{
    bool predicted;
    if (!read_files(r, e, left_out, &predicted))
        return CLI_INPUT;
    int status = run_models(r, e);
    if (status)
        return status;
    cli_signals_leave();
    if (r->without_lower_bounds)
        tacho_eval_fail_lower_bounds(e);
    return !r->common || keep_common(e, left_out) ? judge(r, e, left_out, predicted) : CLI_INPUT;
}

int eval_run(eval_request *r)
{
    TACHO_ENDS(tacho_eval_left_out_free) eval_left_out left_out = {0};
    if (r->list_models) {
        if (r->archs && !find_arch(r))
            return CLI_USAGE;
        return list_models(r->in.arch);
    }
    if (!r->jobs)
        r->jobs = cli_processors();
    if (!find_arch(r) || !expand_models(r))
        return CLI_USAGE;
    if (r->model_count) {
        cli_signals_ask();
        cli_signals_keep_pipe();
        r->model.stop = cli_signals_asked;
    }
    int status = check_models(r);
    if (status)
        return status;
    tacho_eval *e = tacho_eval_new();
    if (e)
        status = evaluate(r, e, &left_out);
    else {
        cli_error("out of memory");
        status = CLI_INPUT;
    }
    if (!status && r->models_left_out)
        status = CLI_PARTIAL;
    cli_note_fallback(status, r->fallback);
    tacho_eval_free(e);
    return status;
}
