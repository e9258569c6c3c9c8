/* cmd_compare_several.c - tacho compare of three and more commands: the first one with each of the others,
 * one after the other. The confidence of each is such that all of it holds together (C. Bonferroni). */
#include <math.h>
#include <stdio.h>

#include "app/cli/compare/cmd_compare.h"
#include "app/cli/progress_line.h"
#include "app/report/grid.h"
#include "app/report/report.h"

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

static bool show(const compare_request *r, several *s, const report_compare *found)
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
    bool good = show(r, s, &found);
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
    report_grid_text(&out, &g, cli_use_colour(r->colour));
    out.failed |= g.failed;
    report_grid_free(&g);
    return cli_put_text(&out);
}

int compare_several(compare_request *r)
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
