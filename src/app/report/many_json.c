/* many_json.c - a comparison of many commands as JSON, and its runs as CSV. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/report.h"
#include "app/report/report_compare.h"
#include "app/report/report_runs.h"

static const report_many *root(const report_at *at)
{
    return report_root(at);
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
static const report_field result[] = {
    {MADE(TEXT, "end", end,
          "why there were no more runs: as in tacho-compare-1; of commands, as are the next ones")},
    {MEMBER(seconds, "that all runs took")},
};
#undef RECORD
#define RECORD tacho_many_result
static const report_field runs_of[] = {
    {PART_IN(runs, ROWS(result))},
};
static const report_field done_of[] = {
    {PART_IN(runs, &report_runs_done)},
};
#undef RECORD

#define RECORD tacho_sample
GETTER(run, report_whole(at->index + 1))
GETTER(command, report_whole(r->side + 1))
GETTER(block, report_block_number(r->block))
ONLY(sample_has_layout, root(at)->judgement->has_layouts)
static const report_field runs[] = {
    {MADE(WHOLE, "run", run, NULL)},
    {MADE(WHOLE, "command", command, "their numbers")},
    {MADE_OR_NULL(WHOLE, "block", block, "null: does not count")},
    {MEMBER(layout, NULL, .known = sample_has_layout)},
    {MEMBER(value, "of what decides")},
};
#undef RECORD

#define RECORD report_many
TEXT_BY(answer, report_many_answer)
GETTER(higher_is_better, report_bool(r->judge->higher_is_better))
GETTER(threshold, report_real(r->judge->threshold))
NOTES_BY(notes, report_many_notes)
static const report_field comparison[] = {
    {SCHEMA("tacho-compare-many-1")},
    {MADE(TEXT, "answer", answer, "the answer in a sentence")},
    MEMBERS2(metric, unit, NULL),
    {MADE(BOOL, "higher_is_better", higher_is_better, "what decides")},
    {MADE(REAL, "threshold", threshold, "a fraction")},
    {MEMBER(file, "where the samples come from", .none = REPORT_NO_TEXT)},
    {PART_AT(judgement, ROWS(evidence))},
    {PART_AT(result, ROWS(runs_of))},
    {PART_AT(options, &report_runs_asked)},
    {PART_AT(result, ROWS(done_of))},
    {MADE(LIST, "notes", notes, "list of sentences")},
    {RECORDS("runs", samples, sample_count, ROWS(runs), "in their order, from 1")},
};
#undef RECORD
TABLE(report_many_table, comparison, "tacho-compare-many-1");

/* ---- CSV ---- */

const char report_many_columns[] = "run,command,name,block,layout,exit_status,metrics*";

void report_many_csv(tacho_str *out, const report_many *m)
{
    report_runs_csv(out, report_many_columns,
                    &(report_runs){&m->result->runs, m->options->layouts, m->commands});
}
