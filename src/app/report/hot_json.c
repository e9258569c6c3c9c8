/* hot_json.c - hot places as JSON and CSV. */

#include "app/report/report_hot.h"

/* ---- the run ---- */

#define RECORD tacho_hot_object
static double share_of(const report_at *at)
{
    const tacho_hot_object *o = at->record;
    const tacho_hot_profile *p = at->up->record;
    return o->weight / p->weight;
}

static const char *const kinds[] = {"file", "vdso", "memory", "unknown"};
GETTER(kind_of_object, report_text_value(kinds[r->kind]))
GETTER(object_share, report_real(share_of(at)))
static const report_field objects[] = {
    MEMBERS2(path, name, "as the program opened it; its last part"),
    {MADE(TEXT, "kind", kind_of_object, "file, vdso, memory, unknown")},
    {MEMBER(samples, NULL)},
    {MADE(REAL, "share", object_share, "there")},
    {MEMBER(process, "of memory: whose", .none = REPORT_ZERO)},
};
#undef RECORD

#define RECORD tacho_hot_function
static const report_field functions[] = {
    {MEMBER(name, "null: unknown", .none = REPORT_NO_TEXT)},
    {OF("object", object, path, NULL)},
    MEMBERS2(start, end, "addresses in it"),
    MEMBERS2(samples, share, "there"),
};
#undef RECORD

#define RECORD tacho_hot_profile
ONLY(is_of_command, r->command)
static const report_field profile[] = {
    {WORD("via", via, tacho_hot_via_name, "cycles, clock, ptrace, file")},
    {MEMBER(event, "what triggered samples")},
    {MEMBER(skid, "a sentence: where samples lie", .none = REPORT_ZERO)},
    {NAMED("not_better_because", missing, "why no better way of sampling was taken", .none = REPORT_ZERO)},
    {NAMED("frequency", hz, "samples a second of processor time")},
    {MEMBER(samples, "taken in the program's own code")},
    {MEMBER(lost, "taken and lost")},
    {MEMBER(throttled, "times that the kernel held sampling back")},
    {NAMED("kernel_samples", kernel, "seen in the kernel (ptrace, files, threads)")},
    MEMBERS3(seconds, user_seconds, system_seconds, "real and processor time of the run"),
    {NAMED("processes", process_count, NULL)},
    {NAMED("threads", thread_count, "seen; threads beside the first of each process")},
    {MEMBER(ended, NULL, .known = is_of_command)},
    {MEMBER(exit_status, NULL, .none = REPORT_BELOW_0, .known = is_of_command)},
    {MEMBER(signal, "of a command: by itself; its status; the signal", .none = REPORT_ZERO,
            .known = is_of_command)},
};
static const report_field windows[] = {
    {NAMED("windows", window_count, NULL)},
    MEMBERS2(window_insns, window_seconds,
             "taken, each some hundred instructions executed one by one; those; the time"),
    {MEMBER(no_windows, "why there are none", .none = REPORT_ZERO)},
    {MEMBER(watched, "lines that were watched until they were touched again")},
    {MEMBER(no_watch, "why there are none, though there are windows", .none = REPORT_ZERO)},
};
static const report_field profile_objects[] = {
    {RECORDS("objects", objects, object_count, ROWS(objects), "most samples first")},
};
#undef RECORD

#define RECORD tacho_hot
static const report_field found[] = {
    {RECORDS("functions", functions, function_count, ROWS(functions), "largest share first")},
    MEMBERS2(covered, elsewhere, "shares: of all places together; of code that is not analysed"),
};
#undef RECORD

#define RECORD report_hot
GETTER(command, report_list(report_json_texts(r->command)))
static const report_field run[] = {
    {SCHEMA("tacho-hot-1")},
    {MADE_OR_NULL(LIST, "command", command, NULL)},
    {MEMBER(pid, NULL, .none = REPORT_ZERO)},
    {MEMBER(file, "what was sampled: list of words, process, perf.data; the others null",
            .none = REPORT_NO_TEXT)},
    {PART_AT(profile, ROWS(profile))},
    {OF("arch", arch, name, NULL)},
    {NAMED("native", own_arch, "of the predictions; whether it is this machine's")},
    {MEMBER(core_hz, "the core's clock, where cycles are observed by time")},
    {PART_AT(profile, ROWS(profile_objects))},
    {PART_AT(hot, ROWS(found))},
};
static const report_field run_end[] = {
    {PART_AT(profile, ROWS(windows))},
};
#undef RECORD

static const report_hot *run_of(const report_at *at)
{
    return report_root(at);
}

/* ---- the roofline ---- */

#define RECORD tacho_hot_peak
static const report_field peaks[] = {
    {MEMBER(name, "scalar, vector, FMA; products: of whole numbers, products that are added")},
    {NAMED("floating_point", floats, NULL)},
    {MEMBER(element_bytes, "of the numbers that are computed with")},
    {NAMED("operations_per_cycle", operations,
           "by the bounds of independent additions, or multiplications; a fused product and sum are two")},
};
#undef RECORD
#define RECORD tacho_memory_level
GETTER(bandwidth, report_real(tacho_hot_bandwidth(r)))
static const report_field bandwidths[] = {
    {MEMBER(name, "L1, L2, L3, memory")},
    {MADE_OR_NULL(REAL, "bytes_per_cycle", bandwidth,
                  "the highest of its streams of loads, stores, and copies (both sides); of L1 loads and "
                  "stores together")},
};
#undef RECORD

static const tacho_memory *memory_of(const report_at *at)
{
    return run_of(at)->memory;
}

#define RECORD tacho_hot_point
OBJECT_OF(level_bytes, memory_of(at)->level_count, memory_of(at)->levels[i].name,
          report_json_real(r->work.level_bytes[i]))
ONLY(has_memory, memory_of(at))
GETTER(number_of_place, report_whole((uint64_t)(r->place - run_of(at)->hot->places)))
static const report_field points[] = {
    {MADE(WHOLE, "place", number_of_place, "its number")},
    {NAMED("floating_point", work.floats, NULL)},
    {NAMED("element_bytes", work.element_bytes, "of most of its operations", .none = REPORT_ZERO)},
    {NAMED("operations", work.operations,
           "of an iteration: of floating point, where there are any, else of whole numbers, also those that "
           "make addresses; one a lane of a vector, two where a product is added; not moves, comparisons, "
           "conversions")},
    {NAMED("bytes", work.bytes, "that an iteration loads and stores")},
    {MADE(OBJECT, "level_bytes", level_bytes,
          "of these by the level that serves them; those whose level is not known are L1's; null without a "
          "description of memory",
          .known = has_memory)},
    {NAMED("cycles", work.cycles, NULL)},
    {NAMED("observed", work.observed, "of an iteration; whether they are observed, or predicted")},
    {NAMED("operations_per_byte", per_byte, "null: it accesses nothing")},
    {NAMED("operations_per_cycle", per_cycle, NULL)},
    {NAMED("roof", roof, "operations a cycle that core and memory allow with these bytes")},
    {NAMED("roof_name", limit, "of the peak or the level that this comes from", .none = REPORT_NO_TEXT)},
};
#undef RECORD
#define RECORD tacho_hot_roofline
GETTER(bandwidth_list,
       report_list(report_records_json(ROWS(bandwidths), memory_of(at)->levels, memory_of(at)->level_count,
                                       sizeof *memory_of(at)->levels, at)))
static const report_field roofline_fields[] = {
    {RECORDS_IN("peaks", peaks, peak_count, ROWS(peaks), "of the core")},
    {MADE(LIST, "bandwidths", bandwidth_list, "null without a description (`tacho doctor --memory`)",
          .known = has_memory, .table = ROWS(bandwidths))},
    {RECORDS("points", points, count, ROWS(points), "the places")},
};
#undef RECORD
TABLE(report_roofline_table, roofline_fields, NULL);

/* ---- all of it ---- */

typedef struct hot_report {
    const report_hot *run;
    json_t *places;
    const report_hot_worths *worths;
    const tacho_hot_roofline *roofline;
} hot_report;

static json_t *warnings_json(const report_hot *h)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->profile->warning_count; i++)
        json_array_append_new(list, report_json_string(h->profile->warnings[i]));
    for (size_t i = 0; i < h->hot->warning_count; i++)
        json_array_append_new(list, report_json_string(h->hot->warnings[i]));
    return list;
}

#define RECORD hot_report
GETTER(places, report_list(r->places))
GETTER(worth, report_list(report_hot_worths_json(r->worths)))
GETTER(warnings, report_list(warnings_json(r->run)))
GETTER(waiting, r->run->threads ? report_object(report_threads_json(r->run->threads)) : report_null())
GETTER(causal, r->run->profile->causal
                   ? report_object(report_record_json(&report_causal_table, r->run->profile->causal, NULL))
                   : report_null())
GETTER(roofline_of,
       report_object(report_record_json(&report_roofline_table, r->roofline, &(report_at){.record = r->run})))
static const report_field all[] = {
    {PART_AT(run, ROWS(run))},
    {MADE(LIST, "places", places, "hottest first; below")},
    {MADE(LIST, "warnings", warnings, "list of sentences")},
    {MADE(LIST, "worth", worth, "each advice on the first `--top` places, those worth most first",
          .table = &report_hot_worth_table)},
    {PART_AT(run, ROWS(run_end))},
    {MADE(OBJECT, "roofline", roofline_of, "what the places compute and access, and what the machine allows",
          .table = &report_roofline_table)},
    {MADE_OR_NULL(OBJECT, "waiting", waiting,
                  "what threads wait for, and who has it; null without `--threads`, and where none was seen",
                  .table = &report_threads_table)},
    {MADE_OR_NULL(OBJECT, "causal", causal,
                  "what the program would gain where places took less time; null without `--progress`",
                  .table = &report_causal_table)},
};
#undef RECORD
TABLE(report_hot_table, all, "tacho-hot-1");

json_t *report_hot_json(const report_hot *h, json_t *list, const report_hot_worths *worths,
                        const tacho_hot_roofline *roofline)
{
    return report_record_json(&report_hot_table, &(hot_report){h, list, worths, roofline}, NULL);
}

/* ---- a place, of a run ---- */

#define RECORD tacho_hot_insn
static const char *source_of(const tacho_hot_insn *insn, const report_at *at)
{
    const char *text;
    size_t length = source_line(run_of(at)->sources, insn->source_file, insn->source_line, &text);
    if (!text || length >= REPORT_ROOM)
        return NULL;
    memcpy(at->room, text, length);
    at->room[length] = '\0';
    return at->room;
}

GETTER(hex, report_hex(r->bytes, r->length < 16 ? r->length : 16))
GETTER(instruction_text, report_text_value(report_hot_insn(run_of(at), r, at->room)))
GETTER(source, report_text_value(source_of(r, at)))
static const report_field code[] = {
    {MEMBER(address, NULL)},
    {MADE(HEX, "hex", hex, NULL)},
    {MADE(TEXT, "asm", instruction_text, "the instruction")},
    {NAMED("instruction", on_path, "its number in `prediction.instructions`; null: not on the path",
           .none = REPORT_BELOW_0)},
    MEMBERS2(samples, share, "of the place's samples"),
    {MEMBER(source_file, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(source_line, NULL, .none = REPORT_ZERO)},
    {MADE_OR_NULL(TEXT, "source", source, "file, line and its text; null where not known")},
};
#undef RECORD

#define RECORD tacho_hot_place
GETTER(kind, report_text_value(r->is_loop ? "loop" : "block"))
static const report_field place[] = {
    {MADE(TEXT, "kind", kind, "loop, block")},
    {NAMED("has_inner_loops", has_inner, "these are places of their own")},
    {OF("object", object, path, "path")},
    MEMBERS4(samples, share, share_low, share_high, "and its 95 % interval"),
    {MEMBER(executions, "iterations of the loop, executions of the block; null: not counted",
            .cell = REPORT_ROUNDED)},
    {MEMBER(observed_cycles, "for one of them", .cell = 4)},
    {MEMBER(observed_by, "lbr, count, progress", .none = REPORT_NO_TEXT)},
};
static const report_field place_code[] = {
    {RECORDS("code", insns, insn_count, ROWS(code), "the instructions of all its blocks, by address")},
    MEMBERS2(observed_low, observed_high, "95 % interval of the observed cycles, by progress"),
};
static const report_field place_end[] = {
    {MEMBER(window_rounds, "iterations (executions) of it that windows saw, in part at least")},
};
#undef RECORD

static report_value points_at(const report_at *at)
{
    return report_word(report_hot_gap_words(run_of(at), at->record, at->room, REPORT_ROOM));
}

static json_t *prediction_json(const report_hot_place *p)
{
    json_t *prediction = report_json(&p->subject);
    report_loop_json(prediction, &p->loop);
    return prediction;
}

static report_value limited_by(const report_at *at)
{
    return report_text_value(report_hot_limit(run_of(at), at->record, at->room, REPORT_ROOM));
}

#define RECORD report_hot_place
GETTER(gap, report_real(report_hot_gap(r)))
GETTER(contradicted, report_bool(report_hot_contradicts(r)))
GETTER(prediction, report_object(prediction_json(r)))
GETTER(memory, report_object(report_hot_memory_json(run_of(at), r)))
GETTER(path_code, report_hex(r->place->loop->code, r->place->loop->code_bytes))
static const report_field numbered[] = {
    {NAMED("place", number, "its number")},
    {PART_AT(place, ROWS(place))},
    {MADE(REAL, "observed_to_predicted", gap, NULL)},
    {MADE_OR_NULL(TEXT, "points_at", points_at, "the gap between the two, and a sentence on it")},
    {MADE(BOOL, "contradicted", contradicted,
          "the time taken is more than twice the predicted one: no advice on the code follows from that")},
    {MADE(TEXT, "limited_by", limited_by,
          "in words: as predicted, or what the prediction lacks (`not predicted`); by memory (`L3 "
          "latency`); or `not as predicted`, where the time taken is not that of the prediction and memory "
          "does not explain it")},
    {MADE(OBJECT, "prediction", prediction,
          "as `tacho predict --loops --json` has it for the path (`what_if` and `advice` only of the first "
          "`--top` places)")},
    {PART_AT(place, ROWS(place_code))},
    {PART_AT(place, ROWS(place_end))},
    {RECORDS("causes", causes, cause_count, &report_hot_cause_table,
             "what windows show, those first that are told, the most expensive of them first; below")},
    {MADE(OBJECT, "memory", memory, "what it accesses, and whether it waits for that; below",
          .table = &report_hot_memory_table)},
    {MADE_CELL(HEX, "hex", path_code)},
    {PART_IN(subject, &report_subject_table), .csv = true},
    {PART_IN(loop, &report_loop_table), .csv = true},
};
#undef RECORD
TABLE(report_hot_place_table, numbered, "place");

json_t *report_hot_place_json(const report_hot *h, const report_hot_place *p)
{
    return report_record_json(&report_hot_place_table, p, &(report_at){.record = h});
}

const char report_hot_columns[] =
    "hex,cycles,cycles_exact,arch,bottlenecks,place,kind,share,share_low,share_high,samples,executions,"
    "observed_cycles,observed_by,object,function,start,end,source_file,source_first_line,source_last_line,"
    "unknown,lower_bound,error";

void report_hot_csv_head(tacho_str *out)
{
    report_record_head(out, report_hot_columns, &report_hot_place_table, NULL);
}

void report_hot_csv_row(tacho_str *out, const report_hot *h, const report_hot_place *p)
{
    report_record_row(out, report_hot_columns, &report_hot_place_table, p, &(report_at){.record = h});
}
