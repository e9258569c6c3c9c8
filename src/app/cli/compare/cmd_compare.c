/* cmd_compare.c - tacho compare: is program B faster than program A? Of three and more commands the first
 * one is compared with each of the others, at such a confidence that all verdicts hold together (C.
 * Bonferroni). */
#include "app/cli/compare/cmd_compare.h"
#include "app/report/report.h"
#include "program/compare/compare_samples.h"

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

static bool save(compare_request *r, const report_compare *report)
{
    tacho_str out = {0};
    if (!r->save)
        return true;
    report_compare_csv(&out, report);
    return cli_output_write(&r->saved, &out);
}

/* @return the exit status that a judgement has */
static int compare_status_of(const compare_request *r, const tacho_judgement *j)
{
    if (j->verdict == TACHO_VERDICT_NONE)
        return CLI_PARTIAL;
    return compare_reaches(&r->limit, j->verdict, j->ratio, j->interesting) ? COMPARE_FAILED : CLI_OK;
}

static int report(compare_request *r, const report_compare *report)
{
    bool good = show(r, report);
    good = save(r, report) && good;
    int status = compare_status_of(r, report->judgement);
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
    if (!tacho_compare_samples_read(&s, r->samples, r->compare.metric, r->compare.unit, &err))
        return cli_input_error("%s", err.message);
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
    tacho_compare_samples_free(&s);
    return status;
}

/* "12.3 ms" */
static void put_mean(char *out, size_t size, double mean, const char *unit)
{
    bool seconds = !strcmp(unit, "s");
    double scale = !seconds ? 1 : mean < 1e-3 ? 1e6 : mean < 1 ? 1e3 : 1;
    snprintf(out, size, "%.4g%s%s", mean * scale, *unit ? " " : "",
             !seconds       ? unit
             : scale == 1e6 ? "µs"
             : scale == 1e3 ? "ms"
                            : "s");
}

static int show_progress(const tacho_compare_progress *p, void *payload)
{
    char width[64] = "", left[40] = "", mean[80] = "";
    (void)payload;
    if (!isnan(p->half_width))
        snprintf(width, sizeof width, ", B/A %.4f ± %.2f %%", p->ratio, 100 * p->half_width);
    if (!isnan(p->seconds_left))
        snprintf(left, sizeof left, ", about %.0f s left", p->seconds_left);
    if (!isnan(p->mean))
        put_mean(mean, sizeof mean, p->mean, p->unit);
    cli_progress("%s%u runs, %.0f s%s%s%s%s%s%s", p->warm_up ? "warming up, " : "", p->runs, p->seconds,
                 width, left, *mean ? "; mean of " : "", *mean ? p->command ? "B" : "A" : "",
                 *mean ? ": " : "", mean);
    return cli_signals_asked(NULL);
}

/* Before runs: options of the library. @return as running_open; then compare_end_running */
static int compare_start_running(compare_request *r)
{
    int status = running_open(&r->running, RUNNING_OFTEN, NULL);
    if (status)
        return status;
    r->compare.trials.output = r->running.output;
    r->compare.trials.errors = r->running.errors;
    r->compare.ignore_failure = r->running.ignore_failure;
    r->hooks[1] = r->hooks[0];
    r->compare.hooks = r->hooks;
    if (r->quiet)
        cli_progress_off();
    r->compare.stop = cli_signals_asked;
    r->compare.progress = show_progress;
    r->compare.payload = r;
    cli_signals_ask();
    return CLI_OK;
}

static void compare_end_running(compare_request *r)
{
    cli_progress_clear();
    running_close(&r->running);
}

/* Compares the first command with another one, by its number, after compare_start_running.
 *  @return 0 and *out, to be freed; else it has said why */
static int compare_run_pair(compare_request *r, size_t other, tacho_compare_result *out,
                            report_compare *report)
{
    tacho_command pair[] = {r->commands.list[0], r->commands.list[other]};
    tacho_error err;
    int rc = tacho_compare(pair, &r->compare, out, &err);
    if (rc)
        return running_failed(rc, &err);
    const tacho_metric *metric = &out->metrics[out->metric];
    *report = (report_compare){.judgement = &out->judgement,
                               .samples = out->samples,
                               .sample_count = out->run_count,
                               .judge = &r->compare.judge,
                               .metric = metric->name,
                               .unit = metric->unit,
                               .commands = {pair[0].argv, pair[1].argv},
                               .names = {r->names.list[0], r->names.list[other]},
                               .result = out,
                               .options = &r->compare};
    if (*out->cleanup_failed)
        cli_note("%s", out->cleanup_failed);
    return CLI_OK;
}

static int run_commands(compare_request *r)
{
    tacho_compare_result result;
    report_compare found;
    int status = compare_run_pair(r, 1, &result, &found);
    compare_end_running(r);
    if (status)
        return status;
    status = report(r, &found);
    if (result.end == TACHO_COMPARE_STOPPED && status != CLI_INPUT) {
        running_say_signal("");
        status = CLI_PARTIAL;
    }
    tacho_compare_free(&result);
    return status;
}

/* ---- three and more commands ---- */

enum {
    COLUMNS = 4,
    NAME_SIZE = 60
};

typedef struct several_row {
    char name[NAME_SIZE];
    double ratio, low, high;
    const char *verdict;
} several_row;

typedef struct several {
    several_row rows[COMPARE_MAX_COMMANDS]; /* the least ratio first, then those without one */
    size_t count;
    json_t *list; /* of the comparisons; NULL: they are text */
    bool none, reached, stopped;
} several;

static void put_name(several_row *out, const compare_request *r, size_t command)
{
    const char *name = r->names.list[command];
    size_t at = 0;
    if (name)
        snprintf(out->name, sizeof out->name, "%s", name);
    for (char *const *word = r->commands.list[command].argv; !name && *word && at < sizeof out->name; word++)
        at += (size_t)snprintf(out->name + at, sizeof out->name - at, "%s%s", at ? " " : "", *word);
}

static void insert(several *s, const several_row *row)
{
    size_t at = s->count++;
    for (; at && (isnan(s->rows[at - 1].ratio) || row->ratio < s->rows[at - 1].ratio); at--)
        s->rows[at] = s->rows[at - 1];
    s->rows[at] = *row;
}

static bool show_one(const compare_request *r, several *s, const report_compare *found)
{
    tacho_str out = {0};
    if (s->list)
        return !json_array_append_new(s->list, report_compare_json(found)) || cli_error("out of memory");
    report_compare_text(&out, found, cli_use_colour(r->colour));
    tacho_str_putc(&out, '\n');
    return cli_put_text(&out);
}

static int compare_one(compare_request *r, several *s, size_t command)
{
    static const char *const words[] = {"too few runs", "no difference found", "faster", "slower"};
    tacho_compare_result result;
    report_compare found;
    int status = compare_run_pair(r, command, &result, &found);
    if (status)
        return status;
    const tacho_judgement *j = &result.judgement;
    several_row row = {.ratio = j->ratio, .low = j->ratio_low, .high = j->ratio_high};
    put_name(&row, r, command);
    row.verdict = words[j->verdict];
    insert(s, &row);
    status = compare_status_of(r, j);
    s->none |= status == CLI_PARTIAL;
    s->reached |= status == COMPARE_FAILED;
    s->stopped = result.end == TACHO_COMPARE_STOPPED;
    cli_progress_clear();
    bool good = show_one(r, s, &found);
    tacho_compare_free(&result);
    return good ? CLI_OK : CLI_INPUT;
}

static void put_numbers(report_grid *g, const several_row *row)
{
    if (isnan(row->ratio))
        report_grid_cell(g, "-");
    else
        report_grid_cellf(g, "%.4f", row->ratio);
    if (isnan(row->low))
        report_grid_cell(g, "-");
    else
        report_grid_cellf(g, "%.4f to %.4f", row->low, row->high);
}

/* The table at the end. */
static bool show_order(const compare_request *r, const several *s)
{
    tacho_str out = {0};
    report_grid g;
    report_grid_start(&g, COLUMNS, 1);
    report_grid_cell(&g, "command");
    report_grid_cell(&g, "ratio");
    report_grid_cellf(&g, "%.4g %% interval", 100 * r->compare.judge.confidence);
    report_grid_cell(&g, "");
    for (size_t i = 0; i < s->count; i++) {
        const several_row *row = &s->rows[i];
        report_grid_cell(&g, row->name);
        put_numbers(&g, row);
        report_grid_cell(&g, row->verdict);
    }
    report_grid_put(&out, &g, cli_use_colour(r->colour));
    return cli_put_text(&out);
}

/* Three and more commands. @return the exit status */
static int compare_several(compare_request *r)
{
    several s = {.list = r->format == CLI_JSON ? json_array() : NULL};
    several_row baseline = {.ratio = 1, .low = NAN, .high = NAN, .verdict = "the first"};
    size_t others = r->commands.count - 1;
    int status = CLI_OK;
    put_name(&baseline, r, 0);
    insert(&s, &baseline);
    r->compare.judge.confidence = 1 - (1 - r->compare.judge.confidence) / (double)others;
    r->compare.max_seconds /= (double)others;
    for (size_t c = 1; c <= others && !status && !s.stopped; c++)
        status = compare_one(r, &s, c);
    compare_end_running(r);
    if (status) {
        json_decref(s.list);
        return status;
    }
    if (s.stopped)
        running_say_signal("");
    bool good = s.list ? cli_put_json(s.list) : show_order(r, &s);
    if (s.none)
        cli_note("too few runs for a verdict");
    return !good ? CLI_INPUT : s.none || s.stopped ? CLI_PARTIAL : s.reached ? COMPARE_FAILED : CLI_OK;
}

/* ---- the command ---- */

static int compare_commands(compare_request *r)
{
    if (r->save && !cli_output_open(&r->saved, r->save))
        return CLI_INPUT;
    int status = compare_start_running(r) ?: (r->commands.count > 2 ? compare_several(r) : run_commands(r));
    cli_output_drop(&r->saved); /* what was not written to */
    return status;
}

static int run_compare(void *asked)
{
    compare_request *r = asked;
    int status = compare_check(r) ?: (r->samples ? judge_file(r) : compare_commands(r));
    arena_free(&r->commands.memory);
    return status;
}

CLI_DEFINE(cli_compare, "compare", "is program B faster than program A? with statistics",
           "[options] -- A [ARGUMENT]... -- B [ARGUMENT]... [-- C [ARGUMENT]...]... | 'A ...' 'B ...'...",
           compare_options, help_compare, run_compare, compare_request, .compare = TACHO_COMPARE_OPTIONS_INIT,
           .running = RUNNING_INIT, .separator = "--");
