/* cmd_deps_run.c - tacho deps --run: runs the command and writes the report. */
#include "app/cli/study/cmd_deps_run.h"

#include <string.h>

#include "app/cli/output.h"
#include "app/cli/running.h"
#include "app/report/report.h"
#include "app/report/study/report_deps_run.h"
#include "base/str.h"

bool deps_run_lifetimes(void *request, const char *option, const char *value)
{
    deps_run_request *r = request;
    const char *rest = value;
    uint32_t n = 0;
    for (cli_word word; cli_next_word(&rest, word);) {
        unsigned long long limit;
        bool any = tacho_str_same(word, "any");
        bool good = n < TACHO_DEPS_RUN_MAX_LIFETIMES &&
                    (any || (tacho_parse_u64(word, &limit) && limit && limit <= INT64_MAX));
        if (!good)
            return cli_error(
                "--lifetimes: at most %d numbers of instructions, or 'any', such as any,1024,512, "
                "not '%s'",
                TACHO_DEPS_RUN_MAX_LIFETIMES, value);
        r->options.lifetimes[n++] = any ? TACHO_DEPS_RUN_FOREVER : limit;
    }
    r->options.lifetime_count = n;
    return true;
}

static void make_report(const deps_run_request *r, const tacho_deps_run *run, tacho_str *out)
{
    const report_deps_run report = {r->command, run, r->options.hot, r->top};
    bool to_file = r->output && strcmp(r->output, "-") != 0;
    if (r->format == CLI_TEXT)
        report_deps_run_text(out, &report, r->colour == 1 || (!to_file && cli_use_colour(r->colour)));
    else if (r->format == CLI_CSV)
        report_deps_run_csv(out, &report);
    else
        report_put_json(out, report_deps_run_json(&report), 12);
}

/* @param judged as running_judge */
static int report(const deps_run_request *r, const tacho_deps_run *run, int judged, cli_output *to)
{
    tacho_str text = {0};
    make_report(r, run, &text);
    return !cli_output_write(to, &text)               ? CLI_INPUT
           : run->run.ended && run->judged && !judged ? CLI_OK
                                                      : CLI_PARTIAL;
}

static int run_and_report(deps_run_request *r, cli_output *to)
{
    tacho_deps_run *run;
    tacho_error err;
    cli_watch w;
    int status = cli_watch_command(&w, &r->running, r->output, r->quiet);
    if (status)
        return status;
    r->options.output = r->running.output;
    r->options.progress = cli_watch_progress;
    r->options.deps.progress = cli_watch_asked_to_end;
    r->options.payload = r->options.deps.payload = &w;
    int rc = tacho_deps_run_command(&run, r->command, &r->options, &err);
    status = cli_watch_judge(&r->running, rc, &err, rc ? NULL : &run->run, r->quiet);
    if (rc)
        return status;
    bool failed = status == CLI_INPUT;
    for (size_t i = 0; !failed && i < run->warning_count && (!r->quiet || !run->judged); i++)
        cli_note("%s", run->warnings[i]);
    if (!failed)
        status = report(r, run, status, to);
    tacho_deps_run_free(run);
    return status;
}

int deps_run(deps_run_request *r)
{
    cli_output to;
    if (!cli_output_open(&to, r->output))
        return CLI_INPUT;
    int status = run_and_report(r, &to);
    cli_output_drop(&to);
    return status;
}
