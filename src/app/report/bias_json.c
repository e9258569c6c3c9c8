/* bias_json.c - a bias sweep as JSON and CSV. */
#include <math.h>
#include <string.h>

#include "app/report/report.h"
#include "app/report/report_bias.h"
#include "base/csv.h"

static const tacho_bias *root(const report_at *at)
{
    const report_bias *r = report_root(at);
    return r->bias;
}

/* ---- a place ---- */

#define RECORD tacho_bias_point
static json_t *counters_json(const tacho_bias_point *p, const tacho_bias *b)
{
    json_t *counters = json_object();
    for (uint32_t c = 0; c < b->counter_count; c++)
        json_object_set_new(counters, b->counter_names[c], report_json_real(p->counters[c]));
    return counters;
}

static void put_counters(tacho_str *out, const report_at *at, bool head)
{
    const tacho_bias *b = root(at);
    const tacho_bias_point *p = at->record;
    for (uint32_t c = 0; c < b->counter_count; c++) {
        tacho_str_putc(out, ',');
        if (head)
            tacho_csv_put(out, b->counter_names[c], strlen(b->counter_names[c]));
        else if (isfinite(p->counters[c]))
            tacho_str_printf(out, "%.9g", p->counters[c]);
    }
}

static const char *factor_of(const report_at *at)
{
    const tacho_bias_factor *f = at->up->record;
    return f->name;
}

GETTER(counters, report_object(counters_json(r, root(at))))
GETTER(factor_name, report_text_value(factor_of(at)))
static const report_field points[] = {
    {MADE_CELL(TEXT, "factor", factor_name)},
    {MEMBER(position, "bytes; null for variants")},
    {MEMBER(label, "in words")},
    {MEMBER(value, "median of the runs")},
    {MEMBER(ratio, "to the curve's median")},
    {MEMBER(runs, "that gave a value")},
    {MEMBER(spike, "slower than the median by more than noise and the threshold")},
    {MADE(OBJECT, "counters", counters, "by name, null: not counted")},
    {COLUMNS("counters*", put_counters)},
};
static const report_field extreme[] = {
    {MEMBER(position, NULL)},
    {MEMBER(label, "as of `points`")},
};
#undef RECORD
static TABLE(point_table, points, NULL, .cell = REPORT_DIGITS + 9);
static TABLE(extreme_table, extreme, NULL);

/* ---- why ---- */

#define RECORD tacho_bias_insn
static const report_field instruction[] = {
    {MEMBER(address, NULL)},
    {MEMBER(object, "in that file")},
    {MEMBER(symbol, NULL)},
    {MEMBER(offset, "function; in it")},
    {NAMED("asm", assembly, "the instruction")},
    {MEMBER(source, NULL)},
    {MEMBER(line, "file and line, where known", .none = REPORT_ZERO)},
};
#undef RECORD
static TABLE(instruction_table, instruction, NULL);

#define RECORD tacho_bias_pair
static const report_field pairs[] = {
    {RECORD_IN("store", store, &instruction_table, NULL)},
    {RECORD_IN("load", load, &instruction_table,
               "instructions: `address`, `object`, `symbol`, `offset`, `asm`, `source`, `line`")},
    {MEMBER(store_address, NULL)},
    {MEMBER(load_address, "of the data, once, in the slow layout")},
    {NAMED("slow_per_1000", slow, NULL)},
    {NAMED("fast_per_1000", fast, "times in 1,000 executed instructions, in the two layouts")},
};
#undef RECORD
static TABLE(pair_table, pairs, NULL);

#define RECORD tacho_bias_counted
GETTER(time_of, report_text_value(r->waits ? "waiting" : "cpu"))
static const report_field counted[] = {
    {MEMBER(counter, "its name")},
    {MEMBER(slow, NULL)},
    {MEMBER(fast, "events a run")},
    {MEMBER(pearson, "correlation with the metric")},
    {MADE(TEXT, "time", time_of, "of what the following seconds are: cpu, waiting")},
    {MEMBER(more_seconds, "that the slow layout takes more")},
    {MEMBER(each_seconds, "by the events that it has more")},
    {MEMBER(known_seconds, "of a page fault on this machine")},
    {MEMBER(least_seconds, NULL)},
    {MEMBER(most_seconds, "that one can take")},
};
#undef RECORD
static TABLE(counted_table, counted, NULL);

#define RECORD tacho_bias_why
GETTER(slow_at, r->hot_slow < 64 ? report_whole(r->hot_slow) : report_null())
GETTER(fast_at, r->hot_fast < 64 ? report_whole(r->hot_fast) : report_null())
static const report_field hot_loop[] = {
    {PART_IN(hot, &instruction_table)},
    {NAMED("bytes", hot_bytes, "its size")},
    {MADE_OR_NULL(WHOLE, "slow_modulo_64", slow_at, NULL)},
    {MADE_OR_NULL(WHOLE, "fast_modulo_64", fast_at, "its address in the two layouts; null: not hot there")},
    {MEMBER(predicted_slow, NULL)},
    {MEMBER(predicted_fast, "cycles per iteration at these addresses")},
    {MEMBER(predicted_arch, "for this microarchitecture")},
};
static TABLE(hot_loop_table, hot_loop, NULL);

static report_value per_1000(const tacho_bias_why *w, double slow, double fast)
{
    return w->looked ? report_object(json_pack("{s:o, s:o}", "slow", report_json_real(slow), "fast",
                                               report_json_real(fast)))
                     : report_null();
}

GETTER(counted_of, r->counted.counter ? report_object(report_record_json(&counted_table, &r->counted, at))
                                      : report_null())
GETTER(stepped_slow, r->looked ? report_whole(r->insns_slow) : report_null())
GETTER(stepped_fast, r->looked ? report_whole(r->insns_fast) : report_null())
GETTER(aliased, per_1000(r, r->aliased_slow, r->aliased_fast))
GETTER(lines, per_1000(r, r->line_slow, r->line_fast))
GETTER(pages, per_1000(r, r->page_slow, r->page_fast))
GETTER(hot, r->hot_bytes ? report_object(report_record_json(&hot_loop_table, r, at)) : report_null())
static const report_field why[] = {
    {MEMBER(sentence, "the cause in words")},
    {MADE_OR_NULL(OBJECT, "counted", counted_of, "what the system counts explains it",
                  .table = &counted_table)},
    {MADE_OR_NULL(WHOLE, "instructions_slow", stepped_slow, NULL)},
    {MADE_OR_NULL(WHOLE, "instructions_fast", stepped_fast, "else: that were stepped")},
    {MADE_OR_NULL(OBJECT, "aliased_per_1000", aliased, NULL)},
    {MADE_OR_NULL(OBJECT, "line_crossing_per_1000", lines, NULL)},
    {MADE_OR_NULL(OBJECT, "page_crossing_per_1000", pages,
                  "each `slow`, `fast`: loads behind a store whose address is a multiple of 4096 bytes away; "
                  "accesses that cross a line of 64 bytes, a page")},
    {RECORDS("pairs", pairs, pair_count, &pair_table, "of such stores and loads, those that differ")},
    {MADE_OR_NULL(OBJECT, "hot_loop", hot, "where the loop begins that is hottest in the slow layout",
                  .table = &hot_loop_table)},
};
#undef RECORD
static TABLE(why_table, why, NULL);

#define RECORD tacho_bias_advice
static const report_field advice[] = {
    {MEMBER(sentence, NULL)},
    {MEMBER(tried, "what to do; the layout that carries it out, null: not tried")},
    {MEMBER(ratio, NULL)},
    {MEMBER(low, NULL)},
    {MEMBER(high, "to the slow layout, with its interval")},
    {MEMBER(helps, "the interval lies below 1, and the gain is above the threshold")},
};
#undef RECORD
static TABLE(advice_table, advice, NULL);

#define RECORD tacho_bias_correlation
static const report_field correlations[] = {
    {MEMBER(counter, "its name")},
    {MEMBER(pearson, NULL)},
    {MEMBER(spearman, "null: one of them does not vary")},
};
#undef RECORD
static TABLE(correlation_table, correlations, NULL);

/* ---- a factor ---- */

#define RECORD tacho_bias_factor
ONLY(is_judged, isfinite(r->effect.value))
static report_value extreme_of(const report_at *at, uint32_t number)
{
    const tacho_bias_factor *f = at->record;
    return f->missing || !f->point_count || isnan(f->effect.value)
               ? report_null()
               : report_object(report_record_json(&extreme_table, &f->points[number], at));
}

GETTER(biased, is_judged(at) ? report_bool(r->biased) : report_null())
GETTER(cause, report_word(tacho_bias_cause_name(r->cause)))
GETTER(slowest, extreme_of(at, r->slow))
GETTER(fastest, extreme_of(at, r->fast))
GETTER(slowest_label, report_text_value(is_judged(at) ? r->points[r->slow].label : NULL))
GETTER(fastest_label, report_text_value(is_judged(at) ? r->points[r->fast].label : NULL))
GETTER(why_of, r->why.sentence ? report_object(report_record_json(&why_table, &r->why, at)) : report_null())
GETTER(advised,
       r->advice.sentence ? report_object(report_record_json(&advice_table, &r->advice, at)) : report_null())
GETTER(effect_of, report_text_value(is_judged(at) ? tacho_bias_effect_name(r) : NULL))
static const report_field factor[] = {
    {MEMBER(name, "environment, stack, heap, mappings, argument, directory, allocator, buffers, link-order, "
                  "code")},
    {NAMED("effect", effect.value, NULL)},
    {NAMED("low", effect.low, NULL)},
    {NAMED("high", effect.high,
           "what the verdict rests on, with its interval: `loss` or `gain`, whichever makes the factor "
           "biased, the larger one where both do or neither does; null: too few runs")},
    {MADE_OR_NULL(BOOL, "biased", biased,
                  "loss or gain is above the threshold and its interval excludes 1; null: not known")},
    {MADE_OR_NULL(TEXT, "cause", cause,
                  "4k_aliasing, line_crossing, page_crossing, code_alignment, other_code, page_faults, "
                  "major_page_faults, waiting, unknown; null: not biased, or not looked for")},
    {MEMBER(period_bytes, "after which spikes come again; null: not found")},
    {NAMED("gain", gain.value, NULL)},
    {NAMED("gain_low", gain.low, NULL)},
    {NAMED("gain_high", gain.high, "usual places to the fastest, by runs of their own")},
    {MEMBER(rounds, "that these rest on: 25, or as many as there was time for, which a note says")},
    {MADE_CELL(TEXT, "slowest", slowest_label)},
    {MADE_CELL(TEXT, "fastest", fastest_label)},
    {MADE_OR_NULL(OBJECT, "slowest", slowest, NULL)},
    {MADE_OR_NULL(OBJECT, "fastest", fastest, "places", .table = &extreme_table)},
    {MEMBER(median, NULL)},
    {MEMBER(passes, NULL)},
    {MEMBER(step_bytes, "of the curve: its median, and how it was made")},
    {MEMBER(partial, "ended early")},
    {MEMBER(noise, "standard deviation of a run about its place, relative")},
    {RECORDS("correlations", correlations, correlation_count, &correlation_table,
             "of counters with the metric, strongest first")},
    {MADE_OR_NULL(OBJECT, "why", why_of, "of a biased factor", .table = &why_table)},
    {MADE_OR_NULL(OBJECT, "advice", advised, "where there is any", .table = &advice_table)},
    {CELL("points", point_count)},
    {RECORDS("points", points, point_count, &point_table, "the curve")},
    {MADE_OR_NULL(TEXT, "effect_of", effect_of,
                  "what `effect` is: `slowest_to_usual` (loss), `usual_to_fastest` (gain); null: too few "
                  "runs")},
    {NAMED("loss", loss.value, NULL)},
    {NAMED("loss_low", loss.low, NULL)},
    {NAMED("loss_high", loss.high, "the slowest place to usual ones")},
    {NAMED("spread", spread.value, NULL)},
    {NAMED("spread_low", spread.low, NULL)},
    {NAMED("spread_high", spread.high, "the slowest place to the fastest")},
    {CELL("error", missing)},
    {MEMBER(missing, "why there are no figures; null: there are")},
    {TEXTS("notes", notes, note_count, "sentences")},
};
#undef RECORD
TABLE(report_factor_table, factor, "factor", .cell = REPORT_DIGITS + 9);

/* ---- the sweep ---- */

#define RECORD tacho_bias
static const report_field head[] = {
    {MEMBER(metric, NULL)},
    {NAMED("unit", metric_unit, "what was measured; null for events", .none = REPORT_ZERO)},
    {MEMBER(clock, "of cycles: perf, tsc-calibrated")},
    {MEMBER(cpu, "null: any", .none = REPORT_BELOW_0)},
};
static const report_field found[] = {
    {MEMBER(seconds, "that all took")},
    {MEMBER(partial, "ended early")},
    {TEXTS("notes", notes, note_count, "sentences")},
    {RECORDS("factors", factors, factor_count, &report_factor_table, "below")},
};
#undef RECORD
static TABLE(head_table, head, NULL);
static TABLE(found_table, found, NULL);

#define RECORD report_bias
GETTER(command, report_list(report_json_texts(r->argv)))
static const report_field sweep[] = {
    {SCHEMA("tacho-bias-1")},      {MADE(LIST, "command", command, "its words")},
    {PART_AT(bias, &head_table)},  {MEMBER(confidence, "of intervals")},
    {PART_AT(bias, &found_table)},
};
#undef RECORD
TABLE(report_bias_table, sweep, "tacho-bias-1");

json_t *report_bias_json(const report_bias *r)
{
    return report_record_json(&report_bias_table, r, NULL);
}

/* ---- CSV ---- */

const char report_bias_columns[] =
    "name,effect,low,high,biased,period_bytes,cause,gain,gain_low,gain_high,median,noise,slowest,fastest,"
    "points,passes,rounds,error,effect_of,loss,loss_low,loss_high,spread,spread_low,spread_high";
const char report_points_columns[] = "factor,position,label,value,ratio,runs,spike,counters*";

void report_bias_csv(tacho_str *out, const report_bias *r)
{
    report_record_head(out, report_bias_columns, &report_factor_table, NULL);
    report_record_rows(out, report_bias_columns, &report_factor_table, r->bias->factors,
                       r->bias->factor_count, sizeof *r->bias->factors, NULL);
}

void report_bias_points(tacho_str *out, const report_bias *r)
{
    report_at sweep_at = {.record = r};
    report_record_head(out, report_points_columns, &point_table, r);
    for (uint32_t i = 0; i < r->bias->factor_count; i++) {
        const tacho_bias_factor *f = &r->bias->factors[i];
        report_record_rows(out, report_points_columns, &point_table, f->points, f->point_count,
                           sizeof *f->points, &(report_at){.record = f, .up = &sweep_at});
    }
}
