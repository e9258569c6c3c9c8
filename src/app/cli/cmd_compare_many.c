/* cmd_compare_many.c - tacho compare of many commands, in one table. */
#include <stdio.h>

#include "app/cli/cmd_compare.h"
#include "app/cli/tool.h"
#include "app/report/report.h"
#include "app/report/report_many.h"

static bool show(const compare_request *r, const report_many *m)
{
    tacho_str out = {0};
    if (r->format == CLI_JSON)
        report_put_json(&out, report_many_json(m), 12);
    else if (r->format == CLI_CSV)
        report_many_csv(&out, m);
    else if (r->format == COMPARE_MARKDOWN)
        report_many_markdown(&out, m);
    else
        report_many_text(&out, m, cli_use_colour(r->colour));
    return cli_put_text(&out);
}

static bool save(compare_request *r, const report_many *m)
{
    tacho_str out = {0};
    if (!r->save)
        return true;
    report_many_csv(&out, m);
    return cli_output_write(&r->saved, &out);
}

static bool draw(const compare_request *r, const report_many *m)
{
    tacho_str script = {0};
    if (!r->plot)
        return true;
    report_many_plot(&script, m, tool_is_png(r->plot));
    return tool_plot(&script, r->plot);
}

static int status_of(const compare_request *r, const tacho_many_judgement *j)
{
    bool none = false, reached = false;
    for (size_t c = 1; c < j->count; c++) {
        const tacho_many_row *row = &j->rows[c];
        none |= row->verdict == TACHO_VERDICT_NONE;
        reached |= compare_reaches(&r->limit, row->verdict, row->ratio, row->interesting);
    }
    return none ? CLI_PARTIAL : reached ? COMPARE_FAILED : CLI_OK;
}

static int report(compare_request *r, const report_many *m)
{
    bool good = show(r, m);
    good = save(r, m) && good;
    good = draw(r, m) && good;
    int status = status_of(r, m->judgement);
    if (status == CLI_PARTIAL)
        cli_note("too few runs for a verdict");
    return good ? status : CLI_INPUT;
}

static int report_result(compare_request *r, const tacho_many_result *result)
{
    report_many_command list[TACHO_COMPARE_MAX_COMMANDS];
    const tacho_metric *metric = &result->runs.metrics[result->runs.metric];
    for (size_t c = 0; c < r->commands.count; c++) {
        const scanned *s = &r->commands.scanned[c];
        list[c] = (report_many_command){s->name, s->written, r->commands.commands[c].argv, s->values};
    }
    return report(r, &(report_many){.judgement = &result->judgement,
                                    .samples = result->runs.samples,
                                    .sample_count = result->runs.run_count,
                                    .judge = &r->compare.judge,
                                    .metric = metric->name,
                                    .unit = metric->unit,
                                    .commands = list,
                                    .parameters = r->commands.parameters,
                                    .parameter_count = r->commands.parameter_count,
                                    .result = result,
                                    .options = &r->compare});
}

int compare_many_run(compare_request *r)
{
    tacho_many_result result;
    tacho_error err;
    int status = compare_start_running(r);
    if (status)
        return status;
    int rc = tacho_compare_many(r->commands.commands, r->commands.count, &r->compare, &result, &err);
    compare_end_running(r);
    if (rc)
        return running_failed(rc, &err);
    status = compare_end_status(&result.runs, report_result(r, &result));
    tacho_many_result_free(&result);
    return status;
}

int compare_many_judge(compare_request *r, const compare_samples *s)
{
    report_many_command list[TACHO_COMPARE_MAX_COMMANDS];
    char numbers[TACHO_COMPARE_MAX_COMMANDS][32];
    tacho_many_judgement j;
    tacho_error err;
    if (tacho_judge_many(s->samples, s->count, s->commands, s->layouts, &r->compare.judge, &j, &err))
        return cli_input_error("%s: %s", r->samples, err.message);
    for (size_t c = 0; c < s->commands; c++) {
        if (s->of_many)
            snprintf(numbers[c], sizeof numbers[c], "command %zu", c + 1);
        else
            snprintf(numbers[c], sizeof numbers[c], "%c", c ? 'B' : 'A');
        list[c] = (report_many_command){.name = s->names && *s->names[c] ? s->names[c] : numbers[c]};
    }
    int status = report(r, &(report_many){.judgement = &j,
                                          .samples = s->samples,
                                          .sample_count = s->count,
                                          .judge = &r->compare.judge,
                                          .metric = s->metric,
                                          .unit = s->unit,
                                          .commands = list,
                                          .file = r->samples});
    tacho_many_judgement_free(&j);
    return status;
}
