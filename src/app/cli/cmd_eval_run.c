/* cmd_eval_run.c - tacho eval, once it is known what is asked for: from files and models to reports, pictures
 * and the exit status. */
#include <math.h>
#include <string.h>

#include "app/cli/cmd_eval.h"
#include "app/cli/output.h"
#include "app/cli/results.h"
#include "app/cli/signals.h"
#include "app/cli/tool.h"
#include "app/report/report.h"

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
    bool all = eval_run_models(r, e), stopped = !all && cli_signals_asked(NULL);
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
    tacho_str why = {0};
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
    tacho_str_free(&why);
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
    eval_left_out left_out = {0};
    if (r->list_models) {
        if (r->archs && !find_arch(r))
            return CLI_USAGE;
        return eval_list_models(r->in.arch);
    }
    if (!r->jobs)
        r->jobs = cli_processors();
    if (!find_arch(r) || !eval_expand_models(r))
        return CLI_USAGE;
    if (r->model_count) {
        cli_signals_ask();
        cli_signals_keep_pipe();
        r->model.stop = cli_signals_asked;
    }
    int status = eval_check_models(r);
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
    tacho_eval_left_out_free(&left_out);
    return status;
}
