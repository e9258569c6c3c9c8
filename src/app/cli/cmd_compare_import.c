/* cmd_compare_import.c - tacho compare --import: results of benchmarks that other tools have written, or a
 * saved baseline. */
#include "app/cli/cmd_compare_import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/cmd_compare.h"
#include "app/cli/output.h"
#include "app/report/report.h"
#include "app/report/report_benchmarks.h"

static bool take_path(void *target, const char *option, const char *value)
{
    compare_import *i = target;
    (void)option;
    if (i->count < 2)
        i->paths[i->count] = value;
    i->count++;
    return true;
}

#define CLI_REQUEST compare_import
const cli_option compare_import_rows[] = {
    {CLI_CALL, "import", 0, "FILE",
     "judge results of benchmarks, old and new, files or folders:\nhyperfine, Google Benchmark, criterion, "
     "pytest-benchmark",
     CLI_ALL, .take = take_path, .many = true},
    {CLI_STRING, "baseline", 0, "FILE", "with --import NEW: the old results, as --save-baseline left them",
     CLI_AT(baseline)},
    {CLI_STRING, "save-baseline", 0, "FILE", "write the new results of --import, for --baseline",
     CLI_AT(saved)},
    {.kind = CLI_END},
};
#undef CLI_REQUEST

bool import_is_asked(const compare_import *i)
{
    return i->count || i->baseline || i->saved;
}

/* ---- --fail-if ---- */

bool compare_take_limit(void *target, const char *option, const char *value)
{
    compare_limit *l = target;
    const char *colon = strchr(value, ':');
    char word[20], *end;
    snprintf(word, sizeof word, "%.*s", colon ? (int)(colon - value) : (int)strlen(value), value);
    int what = cli_choice(option, word, "slower|faster|different");
    if (what < 0)
        return false;
    *l = (compare_limit){.what = COMPARE_FAIL_SLOWER + what};
    if (!colon)
        return true;
    l->above = strtod(colon + 1, &end) / 100;
    return (end > colon + 1 && !*end && l->above > 0 && l->above <= 10) ||
           cli_error("%s: '%s': behind the colon stands a number of percent, above 0 and up to 1000", option,
                     value);
}

bool compare_reaches(const compare_limit *l, tacho_verdict verdict, double ratio, bool interesting)
{
    bool large = l->above > 0 ? fabs(ratio - 1) > l->above : interesting;
    return large && ((verdict == TACHO_VERDICT_SLOWER && l->what & COMPARE_FAIL_SLOWER) ||
                     (verdict == TACHO_VERDICT_FASTER && l->what & COMPARE_FAIL_FASTER));
}

/* ---- reading ---- */

static tacho_benchmarks *read_side(const char *path, const char *metric)
{
    tacho_benchmarks *out;
    tacho_error err;
    tacho_benchmark_time time = !metric                  ? TACHO_BENCHMARK_AUTO
                                : !strcmp(metric, "cpu") ? TACHO_BENCHMARK_CPU
                                                         : TACHO_BENCHMARK_ELAPSED;
    if (tacho_benchmarks_read(&out, path, time, &err))
        cli_error("%s", err.message);
    return out;
}

static bool save(const compare_import *i, const tacho_benchmarks *b)
{
    char *text;
    tacho_str out = {0};
    tacho_error err;
    if (tacho_benchmarks_write(b, &text, &err))
        return cli_error("%s", err.message);
    tacho_str_puts(&out, text);
    tacho_str_putc(&out, '\n');
    tacho_benchmarks_text_free(text);
    return cli_output_text(i->saved, &out);
}

/* ---- judging ---- */

static bool show(const report_benchmarks *b, int format, int colour)
{
    tacho_str out = {0};
    if (format == CLI_JSON)
        report_put_json(&out, report_benchmarks_json(b), REPORT_JSON_DIGITS);
    else if (format == CLI_CSV)
        report_benchmarks_csv(&out, b);
    else if (format == COMPARE_MARKDOWN)
        report_benchmarks_markdown(&out, b);
    else
        report_benchmarks_text(&out, b, cli_use_colour(colour));
    return cli_put_text(&out);
}

static int status_of(const tacho_benchmarks_result *r, const compare_limit *limit)
{
    bool reached = false;
    for (size_t i = 0; i < r->count; i++)
        reached |= compare_reaches(limit, r->list[i].verdict, r->list[i].ratio, r->list[i].interesting);
    if (reached)
        return COMPARE_FAILED;
    if (r->slower + r->faster + r->same)
        return CLI_OK;
    cli_note(r->unknown ? "too few samples for a verdict" : "no benchmark is in both");
    return CLI_PARTIAL;
}

static int judge(const compare_import *i, tacho_benchmarks *const sides[2],
                 const tacho_judge_options *options, const compare_limit *limit, int format, int colour)
{
    report_benchmarks report = {.sides = {sides[0], sides[1]},
                                .paths = {i->baseline ? i->baseline : i->paths[0], i->paths[i->count - 1]},
                                .judge = options};
    tacho_benchmarks_result *result;
    tacho_error err;
    if (tacho_benchmarks_judge(sides[0], sides[1], options, cli_processors(), &result, &err))
        return cli_input_error("%s", err.message);
    report.result = result;
    bool good = show(&report, format, colour);
    int status = status_of(result, limit);
    tacho_benchmarks_result_free(result);
    return good ? status : CLI_INPUT;
}

static int check(const compare_import *i, const char *metric)
{
    size_t wanted = i->baseline || (i->saved && i->count == 1) ? 1 : 2;
    if (!i->count)
        return cli_usage_error("%s goes with --import", i->baseline ? "--baseline" : "--save-baseline");
    if (i->count > 2)
        return cli_usage_error(
            "--import takes two results, old and new, not %zu: several runs of one go into a "
            "folder",
            i->count);
    if (i->count != wanted)
        return cli_usage_error(i->baseline
                                   ? "either --baseline or the old results for --import, not both"
                                   : "--import takes two results, old and new, or one with --baseline "
                                     "or --save-baseline");
    if (metric && strcmp(metric, "cpu") && strcmp(metric, "elapsed"))
        return cli_usage_error("--metric of results is cpu or elapsed, not '%s'", metric);
    return -1;
}

static int run(const compare_import *i, tacho_benchmarks *sides[2], const char *metric,
               const tacho_judge_options *options, const compare_limit *limit, int format, int colour)
{
    const char *old_path = i->baseline ? i->baseline : i->count == 2 ? i->paths[0] : NULL;
    if (old_path && !(sides[0] = read_side(old_path, metric)))
        return CLI_INPUT;
    if (!(sides[1] = read_side(i->paths[i->count - 1], metric)))
        return CLI_INPUT;
    int status = sides[0] ? judge(i, sides, options, limit, format, colour) : CLI_OK;
    return status == CLI_INPUT || !i->saved || save(i, sides[1]) ? status : CLI_INPUT;
}

int import_run(const compare_import *i, const char *metric, const tacho_judge_options *options,
               const compare_limit *limit, int format, int colour)
{
    tacho_benchmarks *sides[2] = {NULL, NULL};
    int status = check(i, metric);
    if (status < 0)
        status = run(i, sides, metric, options, limit, format, colour);
    tacho_benchmarks_free(sides[0]);
    tacho_benchmarks_free(sides[1]);
    return status;
}
