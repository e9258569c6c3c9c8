/* explain_json.c - why, and what would help, as JSON. */
#include <math.h>
#include <stdio.h>

#include "app/report/report.h"

static report_value exact(int64_t num, int64_t den, char room[48])
{
    return den ? report_text_value(report_fraction(num, den, room)) : report_null();
}

static json_t *port_list(uint16_t ports)
{
    json_t *list = json_array();
    for (int p = 0; p < TACHO_MAX_PORTS; p++)
        if (ports >> p & 1)
            json_array_append_new(list, json_integer(p));
    return list;
}

#define RECORD tacho_what_if
GETTER(what, report_text_value(tacho_what_name(r->what)))
GETTER(also, report_text_value(r->also == TACHO_WHAT_COUNT ? NULL : tacho_what_name(r->also)))
GETTER(ports, r->ports ? report_list(port_list(r->ports)) : report_null())
GETTER(exactly, exact(r->cycles_num, r->cycles_den, at->room))
static const report_field what_ifs[] = {
    {MADE(TEXT, "what", what,
          "`front_end`, `issue`, `ports`, `all_ports`, `divider`, `start_intervals`, `latency`, `latencies`, "
          "`memory_dependencies`, `dependencies`, `buffers`; include/tacho/explain.h says what each is")},
    {MADE_OR_NULL(TEXT, "also", also,
                  "a second part that is ideal at the same time; tried where no single one gains 1 %")},
    {MADE_OR_NULL(LIST, "ports", ports, "list of numbers, for `ports`")},
    {MEMBER(instruction, "for `latency`: its number", .none = REPORT_BELOW_0)},
    {MEMBER(cycles, NULL)},
    {MADE_OR_NULL(TEXT, "cycles_exact", exactly, "then")},
    {MEMBER(gain, "1 - `cycles` / those of the code as it is; may be negative: an improvement of one part "
                  "can make others get in each other's way")},
    {MEMBER(text, "what is ideal, for people")},
};
#undef RECORD
static TABLE(what_if_table, what_ifs, NULL);

#define RECORD tacho_advice
static json_t *numbers_json(const uint32_t *numbers, size_t count)
{
    json_t *list = json_array();
    for (size_t k = 0; k < count; k++)
        json_array_append_new(list, json_integer(numbers[k]));
    return list;
}

GETTER(concerned, report_list(numbers_json(r->instructions, r->instruction_count)))
GETTER(exactly_after, exact(r->after_num, r->after_den, at->room))
static const report_field advice[] = {
    {MEMBER(kind, "`advance`, `false_dependency`, `partial_register`, `accumulators`, `narrow_division`, "
                  "`alignment`, `jcc_erratum`, `lcp`, `macro_fusion`, `unlamination`, `high8_merge`, "
                  "`move_elimination`, `dsb_capacity`, `lsd_capacity`, `memory_to_register`, `unroll`")},
    {MADE(LIST, "instructions", concerned, "their numbers")},
    {MEMBER(cycles_before, NULL)},
    {MEMBER(cycles_after, NULL)},
    {MADE_OR_NULL(TEXT, "cycles_after_exact", exactly_after, NULL)},
    {MEMBER(text, "the cycles per iteration, and a sentence with them")},
};
#undef RECORD
static TABLE(advice_table, advice, NULL);

#define RECORD tacho_topdown
static const tacho_arch *arch_of(const report_at *at)
{
    const tacho_prediction *p = at->up->record;
    return p->arch;
}

static json_t *lost_json(const tacho_topdown *t)
{
    json_t *lost = json_object();
    for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++)
        json_object_set_new(lost, tacho_slot_reason_name((tacho_slot_reason)k), report_json_real(t->lost[k]));
    return lost;
}

GETTER(lost, report_object(lost_json(r)))
GETTER(lost_to_ports, report_object(report_ports_json(r->lost_to_port, arch_of(at))))
static const report_field topdown[] = {
    {MEMBER(retiring, NULL)},
    {MEMBER(frontend, NULL)},
    {MEMBER(backend_core, NULL)},
    {MEMBER(backend_dependencies, "these sum to 1")},
    {MADE(
        OBJECT, "lost", lost,
        "the empty slots by reason; with `retiring` they sum to 1 too. `frontend` is `predecode`, `decode`, "
        "`ms`, `dsb` and `lsd` (the unit that delivered too little); `backend_core` is `rename` (the next "
        "µop does not fit the group), `ports`, `divider`, `start_intervals` (locked instructions and the "
        "like), `rob` and `scheduler` (full, while their oldest µop waits for nothing); "
        "`backend_dependencies` is `dependencies`")},
    {MADE(OBJECT, "lost_to_ports", lost_to_ports, "by port; sums to `lost.ports`")},
};
#undef RECORD
static TABLE(topdown_table, topdown, NULL);

/* ---- the critical cycle, and its steps: the record is the prediction ---- */

static json_t *carriers_json(const report_carriers *c)
{
    json_t *list = json_array();
    for (size_t k = 0; k < c->count; k++)
        json_array_append_new(list, json_string(c->names[k]));
    return list;
}

static json_t *step_carriers(const tacho_prediction *p, size_t i)
{
    report_carriers c;
    report_find_carrier(p, i, &c);
    return carriers_json(&c);
}

static json_t *all_carriers(const tacho_prediction *p)
{
    report_carriers c;
    report_find_carriers(p, &c);
    return carriers_json(&c);
}

static json_t *critical_instructions(const tacho_prediction *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->critical_cycle_length; i++)
        json_array_append_new(list, json_integer(report_critical(p, i)));
    return list;
}

#define RECORD tacho_prediction
GETTER(step, report_whole(report_critical(r, at->index)))
GETTER(step_latency, report_real(report_critical_latency(r, at->index)))
GETTER(hands_on, report_list(step_carriers(r, at->index)))
GETTER(wraps, report_bool(report_critical_wraps(r, at->index)))
static const report_field steps[] = {
    {MADE(WHOLE, "instruction", step, "its number")},
    {MADE(REAL, "latency", step_latency, "cycles that it adds")},
    {MADE(LIST, "hands_on", hands_on, "what carries its result to the next step")},
    {MADE(BOOL, "next_iteration", wraps, "whether that is one of a later iteration")},
};
static TABLE(step_table, steps, NULL);

GETTER(instructions, report_list(critical_instructions(r)))
GETTER(through, report_list(all_carriers(r)))
GETTER(all_steps, report_list(report_records_json(&step_table, r, r->critical_cycle_length, 0, at)))
static const report_field critical[] = {
    {MADE(LIST, "instructions", instructions, "in order")},
    {MADE(LIST, "through", through, "registers, `the flags`, `the carry flag`, `memory`")},
    {NAMED("iterations", critical_cycle_iterations, "that it spans")},
    {MADE(LIST, "steps", all_steps, "one for each instruction", .table = &step_table)},
};
static TABLE(critical_table, critical, NULL);

static const tacho_explanation *explanation_of(const report_at *at)
{
    const report_subject *s = at->up->up->record;
    return s->explanation;
}

static report_value what_if(const report_at *at)
{
    const tacho_explanation *e = explanation_of(at);
    return e ? report_list(report_records_json(&what_if_table, e->what_ifs, e->what_if_count,
                                               sizeof *e->what_ifs, at))
             : report_null();
}

static report_value advised(const report_at *at)
{
    const tacho_explanation *e = explanation_of(at);
    return e ? report_list(
                   report_records_json(&advice_table, e->advice, e->advice_count, sizeof *e->advice, at))
             : report_null();
}

GETTER(slots, isfinite(r->topdown.retiring)
                  ? report_object(report_record_json(&topdown_table, &r->topdown, at))
                  : report_null())
GETTER(critical_cycle,
       r->critical_cycle_length ? report_object(report_record_json(&critical_table, r, at)) : report_null())
static const report_field explanation[] = {
    {MADE_OR_NULL(OBJECT, "topdown", slots, "shares of issue slots", .table = &topdown_table)},
    {MADE_OR_NULL(OBJECT, "critical_cycle", critical_cycle, "the critical dependency cycle",
                  .table = &critical_table)},
    {MADE_OR_NULL(LIST, "what_if", what_if,
                  "parts of the machine taken as ideal, each simulated; null in batches",
                  .table = &what_if_table)},
    {MADE_OR_NULL(LIST, "advice", advised,
                  "changes that a simulation shows to help by 1 % or more, the best first",
                  .table = &advice_table)},
};
#undef RECORD
TABLE(report_explanation_table, explanation, NULL);
