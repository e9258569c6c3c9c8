/* many_json.c - a comparison of many commands as JSON, and its runs as CSV. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/report.h"
#include "app/report/report_compare.h"
#include "app/report/report_many.h"
#include "base/csv.h"

static const report_many *root(const report_at *at)
{
    return report_root(at);
}

static report_value number_of_block(uint32_t block)
{
    return block == TACHO_NO_BLOCK ? report_null() : report_whole(block);
}

/* ---- a command ---- */

static json_t *parameters_json(const report_many *m, size_t command)
{
    json_t *object = json_object();
    const char *const *values = m->commands[command].values;
    for (size_t p = 0; values && p < m->parameter_count; p++)
        json_object_set_new(object, m->parameters[p], report_json_string(values[p]));
    return object;
}

static json_t *medians_json(const report_many *m, size_t command)
{
    json_t *object = json_object();
    const tacho_compare_result *r = &m->result->runs;
    for (size_t i = 0; i < r->metric_count; i++)
        json_object_set_new(object, r->metrics[i].name,
                            report_json_real(m->result->medians[command * r->metric_count + i]));
    return object;
}

#define RECORD tacho_many_row
GETTER(number, report_whole(at->index + 1))
GETTER(name, report_text_value(root(at)->commands[at->index].name))
GETTER(words, report_list(report_json_texts(root(at)->commands[at->index].argv)))
GETTER(parameters, report_object(parameters_json(root(at), at->index)))
GETTER(medians, report_object(medians_json(root(at), at->index)))
GETTER(verdict, report_text_value(tacho_verdict_name(r->verdict)))
ONLY(is_judged, r->verdict != TACHO_VERDICT_NONE)
ONLY(has_medians, root(at)->result)
static const report_field rows[] = {
    {MADE(WHOLE, "number", number, NULL)},
    {MADE(TEXT, "name", name, "from 1, the baseline; what it is called")},
    {MADE_OR_NULL(LIST, "command", words, "its words")},
    {MADE(OBJECT, "parameters", parameters, "its values of them, texts; null: it does not have that one")},
    {MADE(TEXT, "verdict", verdict,
          "`faster`, `slower`, `no_difference`: what it is compared with the baseline; null: too few runs to "
          "say, and "
          "of the baseline",
          .known = is_judged)},
    {MEMBER(interesting, "faster or slower, by more than the threshold", .known = is_judged)},
    MEMBERS3(ratio, ratio_low, ratio_high,
             "its median by that of the baseline, and the interval; those of all commands hold at once"),
    MEMBERS2(p_value, p_corrected, "of its own rank test; corrected by Holm for all commands"),
    {MEMBER(by_separation,
            "whether the verdict is one of few units, as the two are far apart (doc/COMPARE.md, *Few "
            "runs*)",
            .known = is_judged)},
    MEMBERS2(
        standard_error, detectable,
        "of the ratio, relative; the relative difference that would have been found with 95 % probability"),
    {MEMBER(units, "independent pieces of evidence")},
    MEMBERS2(rank_low, rank_high,
             "its place is between these, of 1, the best; those of all commands at once"),
    {NAMED("median_low", median.low, NULL)},
    {NAMED("median_high", median.high, "interval of its median, for itself")},
    {MEMBER(outliers, "runs beyond Tukey's inner fences")},
    {PART_IN(side, &report_side_values)},
    {MADE(OBJECT, "medians", medians, "of all that was measured, by name: of commands",
          .known = has_medians)},
};
#undef RECORD
TABLE(report_many_command_table, rows, "compared");

/* ---- all ---- */

#define RECORD tacho_many_judgement
GETTER(units_are, report_text_value(r->has_layouts ? "layouts" : r->paired ? "blocks" : "samples"))
static const report_field evidence[] = {
    {MEMBER(confidence, "of all intervals at once, of all verdicts, and of all ranks")},
    {NAMED("critical_value", critical, "intervals reach so many standard errors on both sides")},
    MEMBERS3(blocks, units_needed, units_needed_for_ranks, NULL),
    {MADE(TEXT, "units_are", units_are,
          "blocks with all commands; pieces of evidence that a verdict needs, and ranks; what they are: "
          "`blocks`, "
          "`layouts`, `samples`")},
    {MEMBER(left_out, "runs that do not count, as their block was not completed")},
    {MEMBER(step, "values come in steps of this size, relative to the least median; 0: none to be seen")},
    {MEMBER(drifts, "whether runs change with time")},
    {RECORDS("commands", rows, count, &report_many_command_table, "in their order, below")},
};
#undef RECORD

#define RECORD tacho_compare_result
GETTER(end, report_text_value(tacho_compare_end_name(r->end)))
GETTER(warm_up, report_whole(root(at)->options->warm_up))
GETTER(clock_name, report_text_value(tacho_clock_name(r->clock)))
static const report_field result[] = {
    {MADE(TEXT, "end", end,
          "why there were no more runs: as in tacho-compare-1; of commands, as are the next ones")},
    {MEMBER(seconds, "that all runs took")},
    {MADE(WHOLE, "warm_up", warm_up, "runs of each command that were thrown away")},
    {MEMBER(cpu, "that the commands ran on; null: any", .none = REPORT_BELOW_0)},
    {MADE(TEXT, "clock", clock_name, "that cycles come from: `perf`, `tsc-calibrated`")},
    {MEMBER(counters_missing, "why there are no performance counters", .none = REPORT_ZERO)},
    MEMBERS2(failed, timed_out, "runs"),
};
#undef RECORD
#define RECORD tacho_many_result
static const report_field runs_of[] = {
    {PART_IN(runs, ROWS(result))},
};
#undef RECORD

#define RECORD tacho_sample
GETTER(run, report_whole(at->index + 1))
GETTER(command, report_whole(r->side + 1))
GETTER(block, number_of_block(r->block))
ONLY(sample_has_layout, root(at)->judgement->has_layouts)
static const report_field runs[] = {
    {MADE(WHOLE, "run", run, NULL)},
    {MADE(WHOLE, "command", command, "their numbers")},
    {MADE_OR_NULL(WHOLE, "block", block, "null: does not count")},
    {MEMBER(layout, NULL, .known = sample_has_layout)},
    {MEMBER(value, "of what decides")},
};
#undef RECORD

static json_t *notes_json(const report_many *m)
{
    report_sentences notes = {0};
    report_many_notes(&notes, m);
    json_t *list = report_sentences_json(&notes);
    report_sentences_free(&notes);
    return list;
}

static const char *answer_text(const report_at *at)
{
    tacho_str answer = {0};
    report_many_answer(&answer, at->record);
    tacho_format_fit(at->room, REPORT_ROOM, "%s", answer.data ? answer.data : "");
    tacho_str_free(&answer);
    return at->room;
}

#define RECORD report_many
GETTER(answer, report_text_value(answer_text(at)))
GETTER(higher_is_better, report_bool(r->judge->higher_is_better))
GETTER(threshold, report_real(r->judge->threshold))
GETTER(notes, report_list(notes_json(r)))
static const report_field comparison[] = {
    {SCHEMA("tacho-compare-many-1")},
    {MADE(TEXT, "answer", answer, "the answer in a sentence")},
    MEMBERS2(metric, unit, NULL),
    {MADE(BOOL, "higher_is_better", higher_is_better, "what decides")},
    {MADE(REAL, "threshold", threshold, "a fraction")},
    {MEMBER(file, "where the samples come from", .none = REPORT_NO_TEXT)},
    {PART_AT(judgement, ROWS(evidence))},
    {PART_AT(result, ROWS(runs_of))},
    {MADE(LIST, "notes", notes, "list of sentences")},
    {RECORDS("runs", samples, sample_count, ROWS(runs), "in their order, from 1")},
};
#undef RECORD
TABLE(report_many_table, comparison, "tacho-compare-many-1");

/* ---- CSV ---- */

static void put_metrics(tacho_str *out, const report_at *at, bool head)
{
    const tacho_compare_result *r = &root(at)->result->runs;
    char text[TACHO_NUMBER_SIZE];
    for (size_t m = 0; m < r->metric_count; m++) {
        const char *cell = head ? r->metrics[m].name
                                : tacho_format_number(text, r->values[at->index * r->metric_count + m], 9);
        tacho_str_putc(out, ',');
        tacho_csv_put(out, cell, strlen(cell));
    }
}

#define RECORD tacho_compare_run
GETTER(run_number, report_whole(at->index + 1))
GETTER(run_command, report_whole(r->side + 1))
GETTER(run_name, report_text_value(root(at)->commands[r->side].name))
GETTER(run_block, number_of_block(r->block))
ONLY(run_has_layout, root(at)->options->layouts)
ONLY(has_exited, !r->signal && !r->timed_out)
static const report_field columns[] = {
    {MADE_CELL(WHOLE, "run", run_number)},
    {MADE_CELL(WHOLE, "command", run_command)},
    {MADE_CELL(TEXT, "name", run_name)},
    {MADE_CELL(WHOLE, "block", run_block)},
    {CELL("layout", layout), .known = run_has_layout},
    {CELL("exit_status", exit_status), .known = has_exited},
    {COLUMNS("metrics*", put_metrics)},
};
#undef RECORD
const char report_many_columns[] = "run,command,name,block,layout,exit_status,metrics*";

void report_many_csv(tacho_str *out, const report_many *m)
{
    const tacho_compare_result *r = &m->result->runs;
    report_record_csv(out, report_many_columns, ROWS(columns), r->runs, r->run_count, sizeof *r->runs,
                      &(report_at){.record = m});
}
