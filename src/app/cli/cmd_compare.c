/* cmd_compare.c - tacho compare: is program B faster than program A? */
#include <math.h>
#include <stdio.h>

#include "app/cli/cmd_compare.h"
#include "app/cli/progress_line.h"
#include "app/cli/signals.h"
#include "app/cli/tool.h"
#include "app/report/report.h"
#include "app/report/report_compare.h"

/* ---- what is written ---- */

static bool show(const compare_request *r, const report_compare *report)
{
    tacho_str out = {0};
    if (r->format == CLI_JSON)
        report_put_json(&out, report_compare_json(report), 12);
    else if (r->format == CLI_CSV)
        report_compare_csv(&out, report);
    else
        report_compare_text(&out, report, cli_use_colour(r->colour));
    return cli_put_text(&out);
}

static bool draw(const compare_request *r, const report_compare *report)
{
    tacho_str script = {0};
    if (!r->plot)
        return true;
    report_compare_plot(&script, report, tool_is_png(r->plot));
    return tool_plot(&script, r->plot);
}

static bool save(compare_request *r, const report_compare *report)
{
    tacho_str out = {0};
    if (!r->save)
        return true;
    report_compare_csv(&out, report);
    return cli_output_write(&r->saved, &out);
}

static int status_of(const compare_request *r, const tacho_judgement *j)
{
    if (j->verdict == TACHO_VERDICT_NONE)
        return CLI_PARTIAL;
    return compare_reaches(&r->limit, j->verdict, j->ratio, j->interesting) ? COMPARE_FAILED : CLI_OK;
}

static int report(compare_request *r, const report_compare *report)
{
    bool good = show(r, report);
    good = save(r, report) && good;
    good = draw(r, report) && good;
    int status = status_of(r, report->judgement);
    if (status == CLI_PARTIAL)
        cli_note("too few runs for a verdict");
    return good ? status : CLI_INPUT;
}

/* ---- the two ways ---- */

static int judge_file(compare_request *r)
{
    compare_samples s;
    tacho_judgement j;
    tacho_error err;
    if (!compare_samples_read(&s, r->samples, r->compare.metric, r->compare.unit))
        return CLI_INPUT;
    int status = CLI_INPUT;
    if (tacho_judge(s.samples, s.count, s.layouts, &r->compare.judge, &j, &err)) {
        cli_error("%s: %s", r->samples, err.message);
    } else {
        status = report(r, &(report_compare){.judgement = &j,
                                             .samples = s.samples,
                                             .sample_count = s.count,
                                             .judge = &r->compare.judge,
                                             .metric = s.metric,
                                             .unit = s.unit,
                                             .file = r->samples});
        tacho_judgement_free(&j);
    }
    compare_samples_free(&s);
    return status;
}

static int report_result(compare_request *r, const tacho_compare_result *result)
{
    const tacho_metric *metric = &result->metrics[result->metric];
    return report(r,
                  &(report_compare){.judgement = &result->judgement,
                                    .samples = result->samples,
                                    .sample_count = result->run_count,
                                    .judge = &r->compare.judge,
                                    .metric = metric->name,
                                    .unit = metric->unit,
                                    .commands = {r->commands.commands[0].argv, r->commands.commands[1].argv},
                                    .result = result,
                                    .options = &r->compare});
}

static int show_progress(const tacho_compare_progress *p, void *payload)
{
    char ratio[64] = "";
    (void)payload;
    if (p->links) {
        cli_progress("linking, %u of %u programs, %.0f s", p->linked, p->links, p->seconds);
        return cli_signals_asked(NULL);
    }
    if (!isnan(p->half_width))
        snprintf(ratio, sizeof ratio, ", B/A %.4f ± %.2f %%", p->ratio, 100 * p->half_width);
    cli_progress("%s%u runs, %.0f s%s", p->warm_up ? "warming up, " : "", p->runs, p->seconds, ratio);
    return cli_signals_asked(NULL);
}

static int run_commands(compare_request *r)
{
    tacho_compare_result result;
    tacho_error err;
    int status = running_open(&r->running, RUNNING_OFTEN, NULL);
    if (status)
        return status;
    r->compare.trials.output = r->running.output;
    r->compare.trials.errors = r->running.errors;
    r->compare.ignore_failure = r->running.ignore_failure;
    r->compare.hooks = r->commands.hooks;
    if (r->quiet)
        cli_progress_off();
    r->compare.stop = cli_signals_asked;
    r->compare.progress = show_progress;
    cli_signals_ask();
    int rc = tacho_compare(r->commands.commands, &r->compare, &result, &err);
    cli_progress_clear();
    running_close(&r->running);
    if (rc)
        return running_failed(rc, &err);
    status = report_result(r, &result);
    if (*result.cleanup_failed)
        cli_note("%s", result.cleanup_failed);
    if (result.end == TACHO_COMPARE_STOPPED && status != CLI_INPUT) {
        running_say_signal("");
        status = CLI_PARTIAL;
    }
    tacho_compare_free(&result);
    return status;
}

static int compare_commands(compare_request *r)
{
    if (r->plot && !tool_can_run("gnuplot", "gnuplot-nox", r->plot))
        return CLI_INPUT;
    if (r->save && !cli_output_open(&r->saved, r->save))
        return CLI_INPUT;
    int status = run_commands(r);
    cli_output_drop(&r->saved); /* what was not written to */
    return status;
}

static int run_compare(void *asked)
{
    compare_request *r = asked;
    int status = compare_check(r);
    if (status < 0 && import_is_asked(&r->import))
        status =
            import_run(&r->import, r->compare.metric, &r->compare.judge, &r->limit, r->format, r->colour);
    else if (status < 0)
        status = r->samples ? judge_file(r) : compare_commands(r);
    scan_free(&r->commands);
    return status;
}

CLI_DEFINE(cli_compare, "compare", "is program B faster than program A? with statistics",
           "[options] -- A [ARGUMENT]... -- B [ARGUMENT]...", compare_options, compare_help, run_compare,
           compare_request, .compare = TACHO_COMPARE_OPTIONS_INIT, .running = RUNNING_INIT,
           .separator = "--");
