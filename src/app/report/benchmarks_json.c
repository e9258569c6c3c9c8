/* benchmarks_json.c - two results of benchmarks compared, as JSON and CSV. */
#include <math.h>
#include <stdio.h>

#include "app/report/report.h"
#include "app/report/report_benchmarks.h"

#define RECORD    tacho_benchmark_change
#define IS_JUDGED (r->verdict != TACHO_VERDICT_NONE)
ONLY(is_judged, r->verdict != TACHO_VERDICT_NONE)
ONLY(is_in_both, r->sides[0] && r->sides[1])
GETTER(verdict, report_text_value(IS_JUDGED ? tacho_verdict_name(r->verdict) : NULL))
GETTER(there, report_text_value(!r->sides[0] ? "new" : !r->sides[1] ? "old" : "both"))
GETTER(old_samples, report_whole(r->sides[0] ? r->sides[0]->count : 0))
GETTER(new_samples, report_whole(r->sides[1] ? r->sides[1]->count : 0))
GETTER(old_runs, report_whole(r->sides[0] ? r->sides[0]->run_count : 0))
GETTER(new_runs, report_whole(r->sides[1] ? r->sides[1]->run_count : 0))
GETTER(units_are, report_text_value(r->by_runs ? "runs" : "samples"))
GETTER(old_trouble, report_word(r->sides[0] ? r->sides[0]->trouble : NULL))
GETTER(new_trouble, report_word(r->sides[1] ? r->sides[1]->trouble : NULL))
static const report_field changes[] = {
    {MEMBER(name, NULL)},
    {MADE(TEXT, "in", there, "the benchmark, and which results have it: `both`, `old`, `new`")},
    {MADE_OR_NULL(TEXT, "verdict", verdict,
                  "`faster`, `slower`, `no_difference`; null: too few samples, or it is not in both")},
    {MEMBER(interesting, "faster or slower, by more than the threshold", .known = is_judged)},
    {MEMBER(ratio, NULL)},
    {NAMED("ratio_low", low, NULL)},
    {NAMED("ratio_high", high, "median of new by median of old, and its interval")},
    MEMBERS2(p_value, q_value,
             "that there is no difference; the share of false discoveries among all benchmarks with this "
             "p-value or a smaller one, at most"),
    {MEMBER(standard_error, "of the ratio, relative")},
    {NAMED("old_median", medians[0], NULL)},
    {NAMED("new_median", medians[1], "seconds")},
    {MADE(WHOLE, "old_samples", old_samples, NULL)},
    {MADE(WHOLE, "new_samples", new_samples, NULL)},
    {MADE(WHOLE, "old_runs", old_runs, NULL)},
    {MADE(WHOLE, "new_runs", new_runs, "of the suite")},
    {NAMED("old_units", units[0], NULL)},
    {NAMED("new_units", units[1], NULL)},
    {MADE(TEXT, "units_are", units_are,
          "what the verdict rests on: medians of `runs`, or `samples`, of which neighbours were put together "
          "where there are more than 40 of a run",
          .known = is_in_both)},
    {MADE_OR_NULL(TEXT, "old_trouble", old_trouble, NULL)},
    {MADE_OR_NULL(TEXT, "new_trouble", new_trouble, "why there are no samples, or fewer")},
};
#undef RECORD

static const report_benchmarks *root(const report_at *at)
{
    return report_root(at);
}

#define RECORD tacho_benchmarks
GETTER(path, report_text_value(root(at)->paths[r == root(at)->sides[1]]))
GETTER(runs, report_whole(root(at)->result->runs[r == root(at)->sides[1]]))
static const report_field sides[] = {
    {MADE(TEXT, "path", path, "as it was given")},
    {MEMBER(tool, "`hyperfine`, `google-benchmark`, `criterion`, `pytest-benchmark`, `tacho` (a baseline), "
                  "`several`")},
    {NAMED("benchmarks", count, NULL)},
    {MEMBER(files, "how many")},
    {MADE(WHOLE, "runs", runs, "of the suite: the most that a benchmark has")},
    {TEXTS("warnings", warnings, warning_count, "sentences")},
};
#undef RECORD

#define RECORD tacho_benchmarks_result
GETTER(judged, report_whole(r->slower + r->faster + r->same))
GETTER(spread_by, report_text_value(r->run_spread_by ? tacho_run_spread_name(r->run_spread_by) : NULL))
static const report_field suite[] = {
    {NAMED("ratio", suite.value, NULL)},
    {NAMED("ratio_low", suite.low, NULL)},
    {NAMED("ratio_high", suite.high, "geometric mean of the ratios, and its interval")},
    {NAMED("count", suite_count, "of how many benchmarks")},
};
static const report_field result[] = {
    {RECORD_BY("suite", ROWS(suite), "all benchmarks together")},
    {MADE(WHOLE, "judged", judged, NULL)},
    MEMBERS3(slower, faster, same, NULL),
    {NAMED("too_few_samples", unknown, NULL)},
    {MEMBER(interesting_slower, NULL)},
    {MEMBER(interesting_faster, NULL)},
    {NAMED("only_old", gone, NULL)},
    {NAMED("only_new", fresh, "how many benchmarks")},
    {MEMBER(run_spread,
            "what runs of the same code differ by beyond what their samples show: a standard deviation, "
            "relative; null: not known")},
    {MADE_OR_NULL(TEXT, "run_spread_by", spread_by,
                  "what it is known by: `runs` of one side, or most benchmarks of the `suite`")},
};
static const report_field lists[] = {
    {RECORDS("benchmarks", list, count, ROWS(changes),
             "slower ones first, then faster ones, those without a difference, without a verdict, and of one "
             "side only")},
};
#undef RECORD

#define RECORD report_benchmarks
TEXT_BY(answer, report_benchmarks_answer)
GETTER(confidence, report_real(r->judge->confidence))
GETTER(threshold, report_real(r->judge->threshold))
GETTER(false_share, report_real(1 - r->judge->confidence))
NOTES_BY(notes, report_benchmarks_notes)
static const report_field report[] = {
    {SCHEMA("tacho-benchmarks-1")},
    {MADE(TEXT, "answer", answer, "in a sentence")},
    {RECORD_AT("old", sides[0], ROWS(sides), NULL)},
    {RECORD_AT("new", sides[1], ROWS(sides), "the results that were compared")},
    {MADE(REAL, "confidence", confidence, NULL)},
    {MADE(REAL, "threshold", threshold, "fractions")},
    {MADE(REAL, "false_discovery_rate", false_share,
          "the share of false ones among those that are called faster or slower, at most, on average")},
    {PART_AT(result, ROWS(result))},
    {MADE(LIST, "notes", notes, "list of sentences")},
    {PART_AT(result, ROWS(lists))},
};
#undef RECORD
TABLE(report_benchmarks_json_table, report, "tacho-benchmarks-1");

const char report_benchmarks_columns[] =
    "name,in,verdict,interesting,ratio,ratio_low,ratio_high,p_value,q_value,standard_error,old_median,"
    "new_median,old_samples,new_samples,old_runs,new_runs,old_units,new_units,units_are,old_trouble,"
    "new_trouble";

void report_benchmarks_csv(tacho_str *out, const report_benchmarks *b)
{
    static const report_table exact = {
        .fields = changes, .count = sizeof changes / sizeof *changes, .cell = REPORT_DIGITS + 9};
    report_record_csv(out, report_benchmarks_columns, &exact, b->result->list, b->result->count,
                      sizeof *b->result->list, &(report_at){.record = b});
}
