/* compare_json.c - a comparison as JSON, and its runs as CSV. */
#include "app/report/report.h"
#include "app/report/compare/report_compare.h"
#include "base/csv.h"

#define root(at) ((const report_compare *)report_root(at))

static const char *side_name(uint32_t side)
{
    return side ? "B" : "A";
}

#define RECORD tacho_judged_side
GETTER(command, report_list(report_json_texts(root(at)->commands[r - root(at)->judgement->sides])))
GETTER(name, report_text_value(root(at)->names[r - root(at)->judgement->sides]))
static const report_field side_values[] = {
    {NAMED("count", values.count, NULL)},
    {MEMBER(missing, "runs with and without a value")},
    {NAMED("min", values.min, NULL)},
    {NAMED("q1", values.q1, NULL)},
    {NAMED("median", values.median, NULL)},
    {NAMED("q3", values.q3, NULL)},
    {NAMED("max", values.max, NULL)},
    {NAMED("mad", values.mad, "of the values, in `unit`; the last: median absolute deviation")},
    MEMBERS2(dip, dip_p, "Hartigan's dip test against one mode"),
    MEMBERS4(several_modes, group_low, group_high, group_high_share,
             "medians of two groups that the runs divide into best, and the share of the higher one"),
    {MEMBER(layout_share, "of the variance that comes from layouts")},
};
static const report_field sides[] = {
    {MADE_OR_NULL(LIST, "command", command, "its words")},
    {PART_BY(ROWS(side_values))},
    {MADE_OR_NULL(TEXT, "name", name, "of the command, where it has one: by `--name`")},
};
#undef RECORD
TABLE(report_side_table, sides, "side");

#define RECORD tacho_outlier
GETTER(run_of_outlier, report_whole(r->sample + 1))
GETTER(side_of_outlier, report_text_value(side_name(root(at)->samples[r->sample].side)))
GETTER(value_of_outlier, report_real(root(at)->samples[r->sample].value))
static const report_field outliers[] = {
    {MADE(WHOLE, "run", run_of_outlier, "from 1")},
    {MADE(TEXT, "side", side_of_outlier, NULL)},
    {MADE(REAL, "value", value_of_outlier, "its side and value")},
    {MEMBER(far, "outside of Tukey's outer fences")},
};
#undef RECORD

#define RECORD tacho_layout
static const report_field layout_places[] = {
    MEMBERS4(environment_bytes, stack_bytes, heap_bytes, mmap_pages,
             "where things were, if the runs are tacho's"),
};
#undef RECORD

#define RECORD tacho_layout_ratio
static const report_field layout_ratios[] = {
    MEMBERS3(layout, blocks, ratio, "the ratio there"),
};
#undef RECORD

#define RECORD tacho_judgement
static json_t *ratios_json(const report_at *at)
{
    const tacho_judgement *j = at->record;
    const tacho_compare_options *options = root(at)->options;
    json_t *list = json_array();
    for (size_t i = 0; i < j->layout_count; i++) {
        json_t *o = report_record_json(ROWS(layout_ratios), &j->layouts[i], at);
        if (options) {
            tacho_layout l = tacho_layout_draw(options->judge.seed + j->layouts[i].layout);
            report_record_put(o, ROWS(layout_places), &l, at);
        }
        json_array_append_new(list, o);
    }
    return list;
}

GETTER(ratios, report_list(ratios_json(at)))
static const report_field layouts[] = {
    {MADE(LIST, "ratios", ratios,
          "by `layout`: `blocks`, `ratio`, and of commands where things were: `environment_bytes`, "
          "`stack_bytes`, `heap_bytes`, `mmap_pages`")},
    {NAMED("p_value", layouts_p, "that ratios differ as much by chance")},
    {NAMED("verdict_depends", depends_on_layout, "they differ, and are on both sides of 1")},
};

static const report_field drift[] = {
    {MEMBER(drifts, "whether there is any")},
    {NAMED("rho", drift_rho, NULL)},
    {NAMED("p_value", drift_p, "Spearman's, with time")},
    {NAMED("change", drift_change, "of the last quarter relative to the first")},
};

ONLY(is_judged, r->verdict != TACHO_VERDICT_NONE)
ONLY(has_layouts, r->layout_count)
GETTER(threshold, report_real(root(at)->judge->threshold))
GETTER(test, report_text_value(report_compare_is_signed(r) ? "signed_rank" : "rank_sum"))
GETTER(units_are, report_text_value(r->layout_count ? "layouts" : r->paired ? "blocks" : "samples"))
static const report_field judgement[] = {
    {WORD("verdict", verdict, tacho_verdict_name,
          "`faster`, `slower`, `no_difference`: what B is compared with A; null: too few runs to say",
          .known = is_judged)},
    {MEMBER(interesting, "faster or slower, by more than the threshold", .known = is_judged)},
    MEMBERS3(ratio, ratio_low, ratio_high,
             "median of B by median of A, and its interval; of times, below 1 B is faster"),
    {MEMBER(confidence, NULL)},
    {MADE(REAL, "threshold", threshold, "fractions")},
    {MADE(TEXT, "test", test, NULL)},
    {MEMBER(p_value,
            "`signed_rank` (of the units) or `rank_sum` (of independent samples, or with `by_separation`)")},
    {MEMBER(by_separation, NULL, .known = is_judged)},
    {MEMBER(nearest,
            "whether the verdict is one of fewer units than are needed, as the sides are far apart "
            "(doc/COMPARE.md, *Few runs*); then, the ratio of the two values of B and A that are nearest")},
    MEMBERS2(standard_error, detectable,
             "of the ratio, relative; the relative difference that would have been found with 95 % "
             "probability; null with `by_separation`"),
    {MEMBER(step, "values come in steps of this size, relative to the median; 0: none to be seen")},
};
static const report_field evidence[] = {
    MEMBERS4(blocks, units, units_needed, units_needed_apart, NULL),
    {MADE(TEXT, "units_are", units_are,
          "blocks with both sides; independent pieces of evidence; how many a verdict needs, and how many "
          "where the sides are far apart; what they are (`blocks`, `layouts`, `samples`: of the smaller "
          "side)")},
    {MEMBER(left_out, "runs that do not count, as their block was not completed")},
};
static const report_field further[] = {
    {RECORD_IN("a", sides[0], &report_side_table, NULL)},
    {RECORD_IN("b", sides[1], &report_side_table, "the sides, below")},
    {RECORD_BY("drift", ROWS(drift), "over the time of all runs")},
    {RECORDS("outliers", outliers, outlier_count, ROWS(outliers), "they count as all others do")},
    {RECORD_BY("layouts", ROWS(layouts), "with `--layouts`", .known = has_layouts)},
};
#undef RECORD

#define RECORD tacho_metric
GETTER(ratio_of_medians, report_real(r->median[1] / r->median[0]))
static const report_field metrics[] = {
    MEMBERS2(name, unit, NULL),
    {NAMED("median_a", median[0], NULL)},
    {NAMED("median_b", median[1], NULL)},
    {MADE(REAL, "ratio_of_medians", ratio_of_medians, "of each thing that was measured")},
};
#undef RECORD

#define RECORD tacho_compare_result
static const report_field elapsed[] = {
    {WORD("verdict", elapsed.verdict, tacho_verdict_name, "as above; `none`: too few runs")},
    {NAMED("ratio", elapsed.ratio, NULL)},
    {NAMED("ratio_low", elapsed.ratio_low, NULL)},
    {NAMED("ratio_high", elapsed.ratio_high, NULL)},
    {NAMED("p_value", elapsed.p_value, "the same of the runs' elapsed time, whatever decides")},
    {NAMED("processors_a", processors[0], NULL)},
    {NAMED("processors_b", processors[1],
           "used on average: median of processor time by that of elapsed time")},
};
static const report_field result[] = {
    {RECORD_BY("elapsed", ROWS(elapsed), "real time, of commands, as are the next ones")},
    {RECORDS_IN("metrics", metrics, metric_count, ROWS(metrics), "each thing that was measured")},
    {WORD("end", end, tacho_compare_end_name,
          "why there were no more runs: `precise`, `runs`, `max_runs`, `max_time`, `layouts` (only more "
          "layouts would help), `stopped`")},
    {MEMBER(seconds, "that all runs took")},
};
#undef RECORD

static report_value block_number(uint32_t block)
{
    return block == TACHO_NO_BLOCK ? report_null() : report_whole(block);
}

#define RECORD tacho_sample
GETTER(run, report_whole(at->index + 1))
GETTER(block, block_number(r->block))
ONLY(sample_has_layout, root(at)->judgement->layout_count)
static const report_field runs[] = {
    {MADE(WHOLE, "run", run, NULL)},
    {WORD("side", side, side_name, NULL)},
    {MADE_OR_NULL(WHOLE, "block", block, "null: does not count")},
    {MEMBER(layout, NULL, .known = sample_has_layout)},
    {MEMBER(value, "of what decides")},
};
#undef RECORD

#define RECORD tacho_compare_options
static const report_field asked[] = {
    {MEMBER(warm_up, "runs of each command that were thrown away")},
};
#undef RECORD

#define RECORD tacho_compare_result
static const report_field done[] = {
    {MEMBER(cpu, "that the commands ran on; null: any", .none = REPORT_BELOW_0)},
    {WORD("clock", clock, tacho_clock_name, "that cycles come from: `perf`, `tsc-calibrated`")},
    {MEMBER(counters_missing, "why there are no performance counters", .none = REPORT_ZERO)},
    MEMBERS2(failed, timed_out, "runs"),
};
#undef RECORD

#define RECORD report_compare
TEXT_BY(answer, report_compare_answer)
ROOM_BY(ratio_of, snprintf(at->room, REPORT_ROOM, "%s of B / %s of A", r->metric, r->metric))
NOTES_BY(notes, report_compare_notes)
static const report_field comparison[] = {
    {SCHEMA("tacho-compare-1")},
    {MADE(TEXT, "answer", answer, "the answer in a sentence")},
    {MADE(TEXT, "ratio_of", ratio_of, "what the ratio is: \"cpu of B / cpu of A\"")},
    {PART_AT(judgement, ROWS(judgement))},
    MEMBERS2(metric, unit, NULL),
    {OF("higher_is_better", judge, higher_is_better, "what decides")},
    {PART_AT(judgement, ROWS(evidence))},
    {MEMBER(file, "where the samples come from", .none = REPORT_NO_TEXT)},
    {PART_AT(judgement, ROWS(further))},
    {PART_AT(result, ROWS(result))},
    {PART_AT(options, ROWS(asked))},
    {PART_AT(result, ROWS(done))},
    {MADE(LIST, "notes", notes, "list of sentences")},
    {RECORDS("runs", samples, sample_count, ROWS(runs), "in their order, from 1")},
};
#undef RECORD
TABLE(report_compare_table, comparison, "tacho-compare-1");

/* ---- CSV ---- */

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
GETTER(block_of_run, block_number(r->block))
ONLY(has_layout, root(at)->options->layouts)
ONLY(has_exited, !r->signal && !r->timed_out)
static const report_field columns_of[] = {
    {MADE_CELL(WHOLE, "run", number)},
    {.csv = true, WORD("side", side, side_name, NULL)},
    {MADE_CELL(WHOLE, "block", block_of_run)},
    {CELL("layout", layout), .known = has_layout},
    {CELL("exit_status", exit_status), .known = has_exited},
    {COLUMNS("metrics*", put_metrics)},
};
#undef RECORD

const char report_compare_columns[] = "run,side,block,layout,exit_status,metrics*";

void report_compare_csv(tacho_str *out, const report_compare *c)
{
    const tacho_compare_result *r = c->result;
    report_record_csv(out, report_compare_columns, ROWS(columns_of), r->runs, r->run_count, sizeof *r->runs,
                      &(report_at){.record = c});
}
