/* explain_json.c - why, and what would help, as JSON. */
#include "app/report/report.h"
#include "model/explain/critical.h"

#define RECORD tacho_what_if
ONLY(has_ports, r->ports)
GETTER(also, report_text_value(r->also == TACHO_WHAT_COUNT ? NULL : tacho_what_name(r->also)))
LIST_OF(ports, TACHO_MAX_PORTS, r->ports >> i & 1, json_integer((json_int_t)i))
GETTER(exactly, report_word(report_fraction(r->cycles_num, r->cycles_den, at->room)))
static const report_field what_ifs[] = {
    {WORD("what", what, tacho_what_name,
          "`front_end`, `issue`, `ports`, `all_ports`, `divider`, `start_intervals`, `latency`, `latencies`, "
          "`memory_dependencies`, `dependencies`, `buffers`; include/tacho/explain.h says what each is")},
    {MADE_OR_NULL(TEXT, "also", also,
                  "a second part that is ideal at the same time; tried where no single one gains 1 %")},
    {MADE(LIST, "ports", ports, "list of numbers, for `ports`", .known = has_ports)},
    {MEMBER(instruction, "for `latency`: its number", .none = REPORT_BELOW_0)},
    {MEMBER(cycles, NULL)},
    {MADE_OR_NULL(TEXT, "cycles_exact", exactly, "then")},
    {MEMBER(gain, "1 - `cycles` / those of the code as it is; may be negative: an improvement of one part "
                  "can increase the contention among the others")},
    {MEMBER(text, "what is ideal, for people")},
};
#undef RECORD

#define RECORD tacho_advice
LIST_OF(concerned, r->instruction_count, true, json_integer(r->instructions[i]))
GETTER(exactly_after, report_word(report_fraction(r->after_num, r->after_den, at->room)))
static const report_field advice[] = {
    {MEMBER(kind, "`advance`, `false_dependency`, `partial_register`, `accumulators`, `narrow_division`, "
                  "`alignment`, `jcc_erratum`, `lcp`, `macro_fusion`, `unlamination`, `high8_merge`, "
                  "`move_elimination`, `dsb_capacity`, `lsd_capacity`, `memory_to_register`, `unroll`")},
    {MADE(LIST, "instructions", concerned, "their numbers")},
    MEMBERS2(cycles_before, cycles_after, NULL),
    {MADE_OR_NULL(TEXT, "cycles_after_exact", exactly_after, NULL)},
    {MEMBER(text, "the cycles per iteration, and a sentence with them")},
};
#undef RECORD

#define RECORD tacho_topdown
OBJECT_OF(lost, TACHO_SLOT_REASON_COUNT, tacho_slot_reason_name((tacho_slot_reason)i),
          report_json_real(r->lost[i]))
GETTER(lost_to_ports,
       report_object(report_ports_json(r->lost_to_port, ((const tacho_prediction *)at->up->record)->arch)))
static const report_field topdown[] = {
    MEMBERS4(retiring, frontend, backend_core, backend_dependencies, "these sum to 1"),
    {MADE(OBJECT, "lost", lost,
          "the empty slots by reason; with `retiring` they sum to 1 too. `frontend` is `predecode`, "
          "`decode`, `ms`, `dsb` and `lsd` (the unit that delivered too little); `backend_core` is `rename` "
          "(the next µop does not fit the group), `ports`, `divider`, `start_intervals` (locked instructions "
          "and the like), `rob` and `scheduler` (full, while their oldest µop waits for nothing); "
          "`backend_dependencies` is `dependencies`")},
    {MADE(OBJECT, "lost_to_ports", lost_to_ports, "by port; sums to `lost.ports`")},
};
#undef RECORD

/* ---- the critical cycle, and its steps: the record is the prediction ---- */

/* Those of one step, or (-1) of all. */
static json_t *carriers_json(const tacho_prediction *p, size_t step)
{
    critical_carriers c;
    json_t *list = json_array();
    if (step == (size_t)-1)
        tacho_critical_carriers(p, &c);
    else
        tacho_critical_carrier(p, step, &c);
    for (size_t k = 0; k < c.count; k++)
        json_array_append_new(list, json_string(c.names[k]));
    return list;
}

#define RECORD tacho_prediction
GETTER(step, report_whole(tacho_critical_insn(r, at->index)))
GETTER(step_latency, report_real(tacho_critical_latency(r, at->index)))
GETTER(hands_on, report_list(carriers_json(r, at->index)))
GETTER(wraps, report_bool(tacho_critical_wraps(r, at->index)))
static const report_field steps[] = {
    {MADE(WHOLE, "instruction", step, "its number")},
    {MADE(REAL, "latency", step_latency, "cycles that it adds")},
    {MADE(LIST, "hands_on", hands_on, "what carries its result to the next step")},
    {MADE(BOOL, "next_iteration", wraps, "whether that is one of a later iteration")},
};

LIST_OF(instructions, r->critical_cycle_length, true, json_integer(tacho_critical_insn(r, i)))
GETTER(through, report_list(carriers_json(r, (size_t)-1)))
GETTER(all_steps, report_list(report_records_json(ROWS(steps), r, r->critical_cycle_length, 0, at)))
static const report_field critical[] = {
    {MADE(LIST, "instructions", instructions, "in order")},
    {MADE(LIST, "through", through, "registers, `the flags`, `the carry flag`, `memory`")},
    {NAMED("iterations", critical_cycle_iterations, "that it spans")},
    {MADE(LIST, "steps", all_steps, "one for each instruction", .table = ROWS(steps))},
};

#define explanation_of(at) (((const report_subject *)(at)->up->up->record)->explanation)

ONLY(is_simulated, isfinite(r->topdown.retiring))
ONLY(has_critical_cycle, r->critical_cycle_length)
ONLY(is_explained, explanation_of(at))
GETTER(what_ifs_of,
       report_list(report_records_json(ROWS(what_ifs), explanation_of(at)->what_ifs,
                                       explanation_of(at)->what_if_count, sizeof(tacho_what_if), at)))
GETTER(advice_of,
       report_list(report_records_json(ROWS(advice), explanation_of(at)->advice,
                                       explanation_of(at)->advice_count, sizeof(tacho_advice), at)))
static const report_field explanation[] = {
    {RECORD_IN("topdown", topdown, ROWS(topdown), "shares of issue slots", .known = is_simulated)},
    {RECORD_BY("critical_cycle", ROWS(critical), "the critical dependency cycle",
               .known = has_critical_cycle)},
    {MADE(LIST, "what_if", what_ifs_of,
          "parts of the machine taken as ideal, each simulated; null in batches", .table = ROWS(what_ifs),
          .known = is_explained)},
    {MADE(LIST, "advice", advice_of, "changes that a simulation shows to help by 1 % or more, the best first",
          .table = ROWS(advice), .known = is_explained)},
};
#undef RECORD
TABLE(report_explanation_table, explanation, NULL);
