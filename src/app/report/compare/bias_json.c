/* bias_json.c - a bias sweep as JSON and CSV. */
#include "app/report/report.h"
#include "app/report/compare/report_compare.h"
#include "base/csv.h"

#define root(at) (((const report_bias *)report_root(at))->bias)

/* ---- a place ---- */

#define RECORD tacho_bias_point
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

OBJECT_OF(counters, root(at)->counter_count, root(at)->counter_names[i], report_json_real(r->counters[i]))
GETTER(factor_name, report_text_value(((const tacho_bias_factor *)at->up->record)->name))
static const report_field points[] = {
    {MADE_CELL(TEXT, "factor", factor_name)},
    {MEMBER(position, "bytes; null for variants")},
    {MEMBER(label, "in words")},
    {MEMBER(value, "median of the runs")},
    {MEMBER(ratio, "to the curve's median")},
    {MEMBER(runs, "that gave a value")},
    {MEMBER(spike, "slower than the median by more than noise and the threshold")},
    {MADE(OBJECT, "counters", counters, "by name, their medians; null: not counted")},
    {COLUMNS("counters*", put_counters)},
};
static const report_field extreme[] = {
    MEMBERS2(position, label, "as of `points`"),
};
#undef RECORD
static TABLE(point_table, points, NULL, .cell = REPORT_DIGITS + 9);

/* ---- why ---- */

#define RECORD tacho_bias_insn
static const report_field instruction[] = {
    MEMBERS2(address, object, "in that file", .none = REPORT_NO_TEXT),
    {MEMBER(symbol, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(offset, "function; in it")},
    {NAMED("asm", assembly, "the instruction", .none = REPORT_NO_TEXT)},
    {MEMBER(source, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(line, "file and line, where known", .none = REPORT_ZERO)},
};
#undef RECORD

#define RECORD tacho_bias_pair
static const report_field pairs[] = {
    {RECORD_IN("store", store, ROWS(instruction), NULL)},
    {RECORD_IN("load", load, ROWS(instruction),
               "instructions: `address`, `object`, `symbol`, `offset`, `asm`, `source`, `line`")},
    MEMBERS2(store_address, load_address, "of the data, once, in the slow layout"),
    {NAMED("slow_per_1000", slow, NULL)},
    {NAMED("fast_per_1000", fast, "times in 1,000 executed instructions, in the two layouts")},
};
#undef RECORD

#define RECORD tacho_bias_counted
GETTER(time_of, report_text_value(r->waits ? "waiting" : "cpu"))
static const report_field counted[] = {
    {MEMBER(counter, "its name")},
    MEMBERS2(slow, fast, "events a run"),
    {MEMBER(pearson, "correlation with the metric")},
    {MADE(TEXT, "time", time_of, "of what the following seconds are: cpu, waiting")},
    {MEMBER(more_seconds, "that the slow layout takes more")},
    {MEMBER(each_seconds, "by the events that it has more")},
    {MEMBER(known_seconds, "of a page fault on this machine")},
    MEMBERS2(least_seconds, most_seconds, "that one can take"),
};
#undef RECORD

#define RECORD tacho_bias_why
ONLY(is_hot_slow, r->hot_slow < 64)
ONLY(is_hot_fast, r->hot_fast < 64)
static const report_field hot_loop[] = {
    {PART_IN(hot, ROWS(instruction))},
    {NAMED("bytes", hot_bytes, "its size")},
    {NAMED("slow_modulo_64", hot_slow, NULL, .known = is_hot_slow)},
    {NAMED("fast_modulo_64", hot_fast, "its address in the two layouts; null: not hot there",
           .known = is_hot_fast)},
    MEMBERS2(predicted_slow, predicted_fast, "cycles per iteration at these addresses"),
    {MEMBER(predicted_arch, "for this microarchitecture", .none = REPORT_NO_TEXT)},
    {MEMBER(limit_slow, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(limit_fast, "what limits it there", .none = REPORT_NO_TEXT)},
};

static report_value per_1000(double slow, double fast)
{
    return report_object(
        json_pack("{s:o, s:o}", "slow", report_json_real(slow), "fast", report_json_real(fast)));
}

ONLY(is_counted, r->counted.counter)
ONLY(is_stepped, r->looked)
ONLY(has_hot_loop, r->hot_bytes)
GETTER(aliased, per_1000(r->aliased_slow, r->aliased_fast))
GETTER(lines, per_1000(r->line_slow, r->line_fast))
GETTER(pages, per_1000(r->page_slow, r->page_fast))
ONLY(has_sets, r->looked && r->cache_sets)
ONLY(has_tlb, r->looked && r->tlb_sets)
ONLY(has_missing, r->missing_per_1000 > 0)
GETTER(set_conflicts, per_1000(r->set_slow, r->set_fast))
GETTER(tlb_misses, per_1000(r->tlb_slow, r->tlb_fast))
static const report_field cache_fields[] = {
    MEMBERS4(cache_sets, cache_ways, tlb_sets, tlb_ways,
             "of the first-level data cache and its TLB; 0: not known"),
};
static const report_field missing[] = {
    {PART_IN(missing, ROWS(instruction))},
    {NAMED("slow_per_1000", missing_per_1000, "that it has in the slow layout")},
};
static const report_field why[] = {
    {MEMBER(sentence, "the cause in words")},
    {RECORD_IN("counted", counted, ROWS(counted), "what the system counts explains it", .known = is_counted)},
    {NAMED("instructions_slow", insns_slow, NULL, .known = is_stepped)},
    {NAMED("instructions_fast", insns_fast, "else: that were stepped", .known = is_stepped)},
    {MADE(OBJECT, "aliased_per_1000", aliased, NULL, .known = is_stepped)},
    {MADE(OBJECT, "line_crossing_per_1000", lines, NULL, .known = is_stepped)},
    {MADE(OBJECT, "page_crossing_per_1000", pages,
          "each `slow`, `fast`: loads behind a store whose address is a multiple of 4096 bytes away; "
          "accesses that cross a line of 64 bytes, a page",
          .known = is_stepped)},
    {RECORDS("pairs", pairs, pair_count, ROWS(pairs), "of such stores and loads, those that differ")},
    {RECORD_BY("hot_loop", ROWS(hot_loop), "where the loop begins that is hottest in the slow layout",
               .known = has_hot_loop)},
    {MADE(OBJECT, "set_conflicts_per_1000", set_conflicts, NULL, .known = has_sets)},
    {MADE(OBJECT, "tlb_misses_per_1000", tlb_misses,
          "each `slow`, `fast`: accesses to lines, and pages, that others of their set have thrown out of "
          "the first-level data cache, or its TLB, since they were used last, by following the addresses",
          .known = has_tlb)},
    {PART_BY(ROWS(cache_fields))},
    {RECORD_BY("missing", ROWS(missing), "the instruction that has most of them, with these causes",
               .known = has_missing)},
};
#undef RECORD

#define RECORD tacho_bias_advice
static const report_field advice[] = {
    MEMBERS2(sentence, tried, "what to do; the layout that carries it out, null: not tried",
             .none = REPORT_NO_TEXT),
    MEMBERS3(ratio, low, high, "to the slow layout, with its interval"),
    {MEMBER(helps, "the interval lies below 1, and the gain is above the threshold")},
};
#undef RECORD

#define RECORD tacho_bias_correlation
static const report_field correlations[] = {
    {MEMBER(counter, "its name")},
    MEMBERS2(pearson, spearman, "null: one of them does not vary"),
};
#undef RECORD

/* ---- a factor ---- */

#define RECORD tacho_bias_factor
ONLY(is_judged, isfinite(r->effect.value))
ONLY(is_explained, r->why.sentence)
ONLY(is_advised, r->advice.sentence)
GETTER(cause, report_word(tacho_bias_cause_name(r->cause)))
GETTER(slowest, report_object(report_record_json(ROWS(extreme), &r->points[r->slow], at)))
GETTER(fastest, report_object(report_record_json(ROWS(extreme), &r->points[r->fast], at)))
GETTER(slowest_label, report_text_value(r->points[r->slow].label))
GETTER(fastest_label, report_text_value(r->points[r->fast].label))
GETTER(effect_of, report_text_value(tacho_bias_effect_name(r)))
static const report_field factor[] = {
    {MEMBER(name,
            "environment, stack, heap, mappings, argument, directory, allocator, buffers, link-order, code")},
    {NAMED("effect", effect.value, NULL)},
    {NAMED("low", effect.low, NULL)},
    {NAMED("high", effect.high,
           "what the verdict rests on, with its interval: the same as `spread`; null: too few runs")},
    {MEMBER(biased, "the effect is above the threshold and its interval excludes 1; null: not known",
            .known = is_judged)},
    {MADE_OR_NULL(
        TEXT, "cause", cause,
        "4k_aliasing, line_crossing, page_crossing, code_alignment, other_code, page_faults, "
        "major_page_faults, waiting, set_conflicts, tlb, unknown; null: not biased, or not looked for")},
    {MEMBER(period_bytes, "after which spikes come again; null: not found")},
    {NAMED("gain", gain.value, NULL)},
    {NAMED("gain_low", gain.low, NULL)},
    {NAMED("gain_high", gain.high, "usual places to the fastest, by runs of their own")},
    {MEMBER(rounds, "of runs that `loss`, `gain` and `spread` rest on: 25, or as many as there was time for, "
                    "which a note says")},
    {MADE_CELL(TEXT, "slowest", slowest_label), .known = is_judged},
    {MADE_CELL(TEXT, "fastest", fastest_label), .known = is_judged},
    {MADE(OBJECT, "slowest", slowest, NULL, .known = is_judged)},
    {MADE(OBJECT, "fastest", fastest, "places", .table = ROWS(extreme), .known = is_judged)},
    MEMBERS3(median, passes, step_bytes, "of the curve: its median, and how it was made"),
    {MEMBER(partial, "ended early")},
    {MEMBER(noise, "standard deviation of a run about its place, relative")},
    {RECORDS("correlations", correlations, correlation_count, ROWS(correlations),
             "of counters with the metric, strongest first")},
    {RECORD_IN("why", why, ROWS(why), "of a biased factor", .known = is_explained)},
    {RECORD_IN("advice", advice, ROWS(advice), "where there is any", .known = is_advised)},
    {CELL("points", point_count)},
    {RECORDS("points", points, point_count, &point_table, "the curve")},
    {MADE(TEXT, "effect_of", effect_of, "what `effect` is: `slowest_to_fastest` (spread); null: too few runs",
          .known = is_judged)},
    {NAMED("loss", loss.value, NULL)},
    {NAMED("loss_low", loss.low, NULL)},
    {NAMED("loss_high", loss.high, "the slowest place to usual ones")},
    {NAMED("spread", spread.value, NULL)},
    {NAMED("spread_low", spread.low, NULL)},
    {NAMED("spread_high", spread.high, "the slowest place to the fastest")},
    {CELL("error", missing)},
    {MEMBER(missing, "why there are no figures; null: there are", .none = REPORT_NO_TEXT)},
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

#define RECORD report_bias
GETTER(command, report_list(report_json_texts(r->argv)))
static const report_field sweep[] = {
    {SCHEMA("tacho-bias-1")},     {MADE(LIST, "command", command, "its words")},
    {PART_AT(bias, ROWS(head))},  {MEMBER(confidence, "of intervals")},
    {PART_AT(bias, ROWS(found))},
};
#undef RECORD
TABLE(report_bias_table, sweep, "tacho-bias-1");

/* ---- CSV ---- */

const char report_bias_columns[] =
    "name,effect,low,high,biased,period_bytes,cause,gain,gain_low,gain_high,median,noise,slowest,fastest,"
    "points,passes,rounds,error,effect_of,loss,loss_low,loss_high,spread,spread_low,spread_high";
const char report_points_columns[] = "factor,position,label,value,ratio,runs,spike,counters*";

void report_bias_csv(tacho_str *out, const report_bias *r)
{
    report_record_csv(out, report_bias_columns, &report_factor_table, r->bias->factors, r->bias->factor_count,
                      sizeof *r->bias->factors, NULL);
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
