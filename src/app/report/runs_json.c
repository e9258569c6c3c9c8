/* runs_json.c - the runs of a comparison, of two commands or of many, as JSON and CSV. */
#include <string.h>

#include "app/report/report.h"
#include "app/report/report_runs.h"
#include "base/csv.h"

report_value report_block_number(uint32_t block)
{
    return block == TACHO_NO_BLOCK ? report_null() : report_whole(block);
}

#define RECORD tacho_compare_options
static const report_field asked[] = {
    {MEMBER(warm_up, "runs of each command that were thrown away")},
};
#undef RECORD
const report_table report_runs_asked = {.fields = asked, .count = sizeof asked / sizeof *asked};

#define RECORD tacho_compare_result
GETTER(clock_name, report_text_value(tacho_clock_name(r->clock)))
static const report_field done[] = {
    {MEMBER(cpu, "that the commands ran on; null: any", .none = REPORT_BELOW_0)},
    {MADE(TEXT, "clock", clock_name, "that cycles come from: `perf`, `tsc-calibrated`")},
    {MEMBER(counters_missing, "why there are no performance counters", .none = REPORT_ZERO)},
    MEMBERS2(failed, timed_out, "runs"),
};
#undef RECORD
const report_table report_runs_done = {.fields = done, .count = sizeof done / sizeof *done};

/* ---- CSV ---- */

static const report_runs *root(const report_at *at)
{
    return report_root(at);
}

static void put_metrics(tacho_str *out, const report_at *at, bool head)
{
    const tacho_compare_result *r = root(at)->result;
    char text[TACHO_NUMBER_SIZE];
    for (size_t m = 0; m < r->metric_count; m++) {
        const char *cell = head ? r->metrics[m].name
                                : tacho_format_number(text, r->values[at->index * r->metric_count + m], 9);
        tacho_str_putc(out, ',');
        tacho_csv_put(out, cell, strlen(cell));
    }
}

#define RECORD tacho_compare_run
GETTER(number, report_whole(at->index + 1))
GETTER(side, report_text_value(r->side ? "B" : "A"))
GETTER(command, report_whole(r->side + 1))
GETTER(name, report_text_value(root(at)->commands[r->side].name))
GETTER(block, report_block_number(r->block))
ONLY(has_layout, root(at)->layouts)
ONLY(has_exited, !r->signal && !r->timed_out)
static const report_field columns_of[] = {
    {MADE_CELL(WHOLE, "run", number)},
    {MADE_CELL(TEXT, "side", side)},
    {MADE_CELL(WHOLE, "command", command)},
    {MADE_CELL(TEXT, "name", name)},
    {MADE_CELL(WHOLE, "block", block)},
    {CELL("layout", layout), .known = has_layout},
    {CELL("exit_status", exit_status), .known = has_exited},
    {COLUMNS("metrics*", put_metrics)},
};
#undef RECORD

void report_runs_csv(tacho_str *out, const char *columns, const report_runs *runs)
{
    const tacho_compare_result *r = runs->result;
    report_record_csv(out, columns, ROWS(columns_of), r->runs, r->run_count, sizeof *r->runs,
                      &(report_at){.record = runs});
}
