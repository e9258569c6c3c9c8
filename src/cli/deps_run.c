/* deps_run.c - tacho deps --run: runs the command and writes the report. */
#include "cli/deps_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/watch.h"
#include "report/deps_run.h"
#include "report/report.h"
#include "util/str.h"

bool deps_run_lifetimes(deps_run_request *r, const char *value)
{
    char word[24];
    uint32_t n = 0;
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        unsigned long long limit;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        bool any = tacho_str_same(word, "any");
        bool good = n < TACHO_DEPS_RUN_MAX_LIFETIMES &&
                    (any || (tacho_parse_u64(word, &limit) && limit && limit <= INT64_MAX));
        if (!good) {
            cli_usage_error(
                "--lifetimes: at most %d numbers of instructions, or 'any', such as any,1024,512, "
                "not '%s'",
                TACHO_DEPS_RUN_MAX_LIFETIMES, value);
            return false;
        }
        r->options.lifetimes[n++] = any ? TACHO_DEPS_RUN_FOREVER : limit;
        at += length;
        if (!*at)
            break;
    }
    r->options.lifetime_count = n;
    return true;
}

static bool make_report(const deps_run_request *r, const tacho_deps_run *run, tacho_str *out)
{
    const report_deps_run report = {r->command, run, r->options.hot, r->top};
    bool to_file = strcmp(r->output, "-") != 0;
    if (r->format == CLI_TEXT)
        report_deps_run_text(out, &report, r->colour == 1 || (!to_file && cli_use_colour(r->colour)));
    else if (r->format == CLI_CSV)
        report_deps_run_csv(out, &report);
    else
        report_put_json(out, report_deps_run_json(&report), 12);
    return !out->failed;
}

static bool write_report(const deps_run_request *r, const tacho_str *text)
{
    if (!strcmp(r->output, "-")) {
        fwrite(text->data, 1, text->length, stdout);
        return true;
    }
    FILE *f = fopen(r->output, "we");
    bool ok = f && fwrite(text->data, 1, text->length, f) == text->length;
    if (f && fclose(f))
        ok = false;
    if (!ok)
        cli_error("cannot write %s: %s", r->output, strerror(errno));
    return ok;
}

static int report(const deps_run_request *r, const tacho_deps_run *run)
{
    tacho_str text = {0};
    int status = run->run.ended ? CLI_OK : CLI_PARTIAL;
    if (!make_report(r, run, &text)) {
        cli_error("out of memory");
        status = CLI_INPUT;
    } else if (!write_report(r, &text)) {
        status = CLI_INPUT;
    }
    tacho_str_free(&text);
    return status;
}

int deps_run(deps_run_request *r)
{
    tacho_deps_run *run;
    tacho_error err;
    cli_watch w;
    cli_watch_begin(&w, r->quiet);
    r->options.progress = cli_watch_progress;
    r->options.payload = &w;
    int rc = tacho_deps_run_command(&run, r->command, &r->options, &err);
    cli_watch_end(&w);
    if (rc) {
        cli_error("%s", err.message);
        return rc == TACHO_ERR_USAGE ? CLI_USAGE : CLI_INPUT;
    }
    if (!r->quiet || !run->run.ended)
        cli_watch_say_end(&run->run);
    for (size_t i = 0; i < run->warning_count && !r->quiet; i++)
        cli_note("%s", run->warnings[i]);
    int status = report(r, run);
    tacho_deps_run_free(run);
    return status;
}
