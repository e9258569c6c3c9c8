/* hot_diff_json.c - two versions of a program as JSON. */

#include "app/report/report_hot_diff.h"

static void put_wait(tacho_str *out, const tacho_hot_change *c)
{
    report_thread_wait_words(out, c->wait);
}

/* ---- the two ---- */

#define RECORD report_hot
GETTER(command, report_list(report_json_texts(r->command)))
static const report_field version[] = {
    {MADE_OR_NULL(LIST, "command", command, NULL)},
    {MEMBER(file, "what was sampled: list of words, or perf.data", .none = REPORT_NO_TEXT)},
    {OF("event", profile, event, "what triggered samples")},
    {OF("samples", profile, samples, NULL)},
    {OF("frequency", profile, hz, "in all runs; samples a second of processor time")},
};
#undef RECORD

#define RECORD tacho_hot_change
GETTER(state_of_whole, isfinite(r->p) ? report_text_value(tacho_hot_state_name(r->state)) : report_null())
static const report_field times[] = {
    {NAMED("before", before.value, NULL)},
    {NAMED("before_low", before.low, NULL)},
    {NAMED("before_high", before.high, "time of a run in A, and its 95 % interval (null: not known)")},
    {NAMED("after", after.value, NULL)},
    {NAMED("after_low", after.low, NULL)},
    {NAMED("after_high", after.high, "in B")},
    {NAMED("change", change.value, NULL)},
    {NAMED("change_low", change.low, NULL)},
    {NAMED("change_high", change.high, "B less A")},
    {MEMBER(p, "of such a change, or a larger one, by chance; null: not known")},
    {MEMBER(share, "of the whole change; null where that could be chance")},
};
static const report_field whole[] = {
    {MADE_OR_NULL(TEXT, "state", state_of_whole, "same (it could be chance), faster, slower")},
    {PART_BY(ROWS(times))},
};
#undef RECORD

#define RECORD tacho_hot_role
static const report_field roles[] = {
    {MEMBER(name,
            "that they gave themselves, without numbers, or the function that they begin in; null: neither",
            .none = REPORT_NO_TEXT)},
    MEMBERS2(first, by_start, "the program's first thread; whether it is the function"),
    {NAMED("threads_a", threads[0], NULL)},
    {NAMED("threads_b", threads[1], "of a run, on average")},
};
#undef RECORD

#define RECORD tacho_hot_change
TEXT_BY(waits_for, put_wait)
ONLY(waits, r->wait != NULL)
static const report_field elapsed_changes[] = {
    {PART_AT(role, ROWS(roles))},
    {WORD("part", part, tacho_hot_part_name, "runs, spins, ready, waits, absent")},
    {MADE(TEXT, "wait", waits_for, "for what; null: not `waits`, or several small ones", .known = waits)},
    {MADE_OR_NULL(TEXT, "state", state_of_whole, "as above")},
    {PART_BY(ROWS(times))},
};
#undef RECORD

#define RECORD tacho_hot_diff
ONLY(knows_threads, r->elapsed_count)
GETTER(elapsed_of_runs, report_object(report_record_json(ROWS(whole), &r->elapsed, at)))
static const report_field elapsed[] = {
    {MADE(OBJECT, "elapsed", elapsed_of_runs,
          "time of the runs, in seconds; null: threads were not looked at", .table = ROWS(whole),
          .known = knows_threads)},
    {RECORDS("threads", elapsed_changes, elapsed_count, ROWS(elapsed_changes),
             "what one thread of each kind does of it: the times of a kind add up to those of `elapsed`")},
};
#undef RECORD

#define RECORD report_hot_diff
GETTER(unit, report_text_value(tacho_hot_unit_name(r->side[0]->unit)))
GETTER(runs, report_whole(r->side[0]->runs < r->side[1]->runs ? r->side[0]->runs : r->side[1]->runs))
GETTER(arch, report_text_value(r->of[0].arch->name))
GETTER(native, report_bool(r->of[0].own_arch))
GETTER(version_a, report_object(report_record_json(ROWS(version), &r->of[0], at)))
GETTER(version_b, report_object(report_record_json(ROWS(version), &r->of[1], at)))
GETTER(the_whole, report_object(report_record_json(ROWS(whole), &r->diff->whole, at)))
static const report_field head[] = {
    {SCHEMA("tacho-hot-diff-1")},
    {MADE(OBJECT, "a", version_a, NULL, .table = ROWS(version))},
    {MADE(OBJECT, "b", version_b, "the two versions", .table = ROWS(version))},
    {MADE(WHOLE, "runs", runs, "of each, in turns")},
    {MADE(TEXT, "unit", unit, "of times: s (of processor time), cycles, samples")},
    {OF("kernel", diff, kernel, "whether the kernel's time is in them")},
    {MADE(TEXT, "arch", arch, NULL)},
    {MADE(BOOL, "native", native, "of the predictions; whether it is this machine's")},
    {MADE(OBJECT, "whole", the_whole, "the change of all time", .table = ROWS(whole))},
    {PART_AT(diff, ROWS(elapsed))},
};
#undef RECORD

typedef struct diff_report {
    const report_hot_diff *diff;
    json_t *changes;
} diff_report;

static json_t *warnings_json(const report_hot_diff *d)
{
    json_t *list = json_array();
    for (int i = 0; i < 2; i++) {
        const report_hot *h = &d->of[i];
        for (size_t w = 0; w < h->profile->warning_count; w++)
            json_array_append_new(list, json_pack("{s:s, s:o}", "of", i ? "b" : "a", "text",
                                                  report_json_string(h->profile->warnings[w])));
        for (size_t w = 0; w < h->hot->warning_count; w++)
            json_array_append_new(list, json_pack("{s:s, s:o}", "of", i ? "b" : "a", "text",
                                                  report_json_string(h->hot->warnings[w])));
    }
    return list;
}

#define RECORD diff_report
GETTER(changes, report_list(r->changes))
GETTER(warnings, report_list(warnings_json(r->diff)))
static const report_field all[] = {
    {PART_AT(diff, ROWS(head))},
    {MADE(LIST, "changes", changes, "largest first; their times add up to those of the whole; below")},
    {MADE(LIST, "warnings", warnings, "list of objects: of (a, b), text")},
};
#undef RECORD
TABLE(report_hot_diff_table_of, all, "tacho-hot-diff-1");

json_t *report_hot_diff_json(const report_hot_diff *d, json_t *changes)
{
    return report_record_json(&report_hot_diff_table_of, &(diff_report){d, changes}, NULL);
}

/* ---- a change ---- */

static json_t *place_json(const report_hot_change *c, int i, uint32_t number)
{
    const tacho_hot_place *p = &c->in->of[i].hot->places[number];
    const tacho_loop *l = p->loop;
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o}", "kind", p->is_loop ? "loop" : "block",
                     "function", report_json_string(l->function), "inlined", report_json_string(l->inlined),
                     "object", report_json_string(p->object->path), "start", (json_int_t)l->start, "end",
                     (json_int_t)l->end, "source_file", report_json_string(l->source_file),
                     "source_first_line", l->source_first ? json_integer(l->source_first) : json_null(),
                     "source_last_line", l->source_last ? json_integer(l->source_last) : json_null());
}

static json_t *function_json(const report_hot_change *c, int i, uint32_t number)
{
    const tacho_hot_function *f = &c->in->of[i].hot->functions[number];
    return json_pack("{s:s, s:o, s:o, s:I, s:I}", "kind", "function", "function", report_json_string(f->name),
                     "object", report_json_string(f->object->path), "start", (json_int_t)f->start, "end",
                     (json_int_t)f->end);
}

static json_t *side_json(const report_hot_change *c, const tacho_hot_change *of, int i)
{
    const uint32_t *numbers = i ? of->b : of->a;
    json_t *list = json_array();
    for (size_t k = 0; k < (i ? of->b_count : of->a_count); k++)
        json_array_append_new(list, of->part == TACHO_HOT_PLACES ? place_json(c, i, numbers[k])
                                                                 : function_json(c, i, numbers[k]));
    return list;
}

static json_t *blocks_json(const report_hot_change *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->change->block_count; i++) {
        const tacho_hot_change *b = &c->change->blocks[i];
        json_array_append_new(list, json_pack("{s:f, s:f, s:f, s:o, s:o}", "before", b->before.value, "after",
                                              b->after.value, "change", b->change.value, "a",
                                              side_json(c, b, 0), "b", side_json(c, b, 1)));
    }
    return list;
}

static json_t *reasons_json(const report_hot_change *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->reasons.count; i++)
        json_array_append_new(list, json_pack("{s:s, s:o}", "kind", c->reasons.list[i].kind, "text",
                                              report_json_string(c->reasons.list[i].text)));
    return list;
}

static json_t *aligned_json(const report_hot_change *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->pair_count; i++) {
        const tacho_hot_pair *p = &c->pairs[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:b}", "a", p->a < 0 ? json_null() : json_integer(p->a), "b",
                            p->b < 0 ? json_null() : json_integer(p->b), "same", (int)p->same));
    }
    return list;
}

static report_value place_value(const report_hot_change *c, int i)
{
    if (!c->full || !c->place[i])
        return report_null();
    return report_object(report_hot_place_json(&c->in->of[i], c->place[i]));
}

#define RECORD report_hot_change
GETTER(part, report_text_value(tacho_hot_part_name(r->change->part)))
GETTER(change_state, report_text_value(tacho_hot_state_name(r->change->state)))
GETTER(matched, report_text_value(tacho_hot_match_name(r->change->matched)))
GETTER(cycles_a, r->place[0] && r->place[0]->subject.prediction
                     ? report_real(r->place[0]->subject.prediction->cycles)
                     : report_null())
GETTER(cycles_b, r->place[1] && r->place[1]->subject.prediction
                     ? report_real(r->place[1]->subject.prediction->cycles)
                     : report_null())
GETTER(side_a, report_list(side_json(r, r->change, 0)))
GETTER(side_b, report_list(side_json(r, r->change, 1)))
GETTER(blocks, report_list(blocks_json(r)))
GETTER(reasons, report_list(reasons_json(r)))
GETTER(full_a, place_value(r, 0))
GETTER(full_b, place_value(r, 1))
GETTER(aligned, report_list(aligned_json(r)))
static const report_field fields[] = {
    {NAMED("number", number, NULL)},
    {MADE(TEXT, "part", part, "places, function (what is not in places of it), other (code), kernel")},
    {MADE(TEXT, "state", change_state, "same (it could be chance), faster, slower, new, gone")},
    {PART_AT(change, ROWS(times))},
    {MADE_OR_NULL(TEXT, "matched_by", matched, "name, source, code; null: nothing")},
    {OF("likeness", change, likeness, "of the code of the first two, 0 to 1")},
    {MADE_OR_NULL(REAL, "predicted_a", cycles_a, NULL)},
    {MADE_OR_NULL(REAL, "predicted_b", cycles_b, "cycles of an iteration of the first places")},
    {MADE(LIST, "a", side_a, NULL)},
    {MADE(
        LIST, "b", side_b,
        "list of objects: kind (loop, block, function), function, inlined, object, start, end, source_file, "
        "source_first_line, source_last_line (no inlined and no source for functions)")},
    {MADE(LIST, "blocks", blocks,
          "of a function: what it consists of, largest change first: list of objects: before, after, change, "
          "a, b")},
    {MADE(LIST, "reasons", reasons,
          "list of objects: kind, text; of the first `--top` that differ (of functions, for their first "
          "block), as are:")},
    {MADE_OR_NULL(OBJECT, "place_a", full_a, NULL)},
    {MADE_OR_NULL(OBJECT, "place_b", full_b,
                  "the first places, as `tacho hot --json` has them; null: none, or not wanted")},
    {MADE(LIST, "aligned", aligned,
          "list of objects: a, b (numbers in `code` of these; null: none), same (up to registers, "
          "displacements and "
          "targets)")},
};
#undef RECORD
TABLE(report_hot_change_table, fields, "change");
