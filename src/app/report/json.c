/* json.c - predictions as JSON and as CSV. */
#include "app/report/report.h"
#include "model/explain/critical.h"
#include "tacho/extension.h"

/* ---- why, and what would help, as JSON ---- */

/* An object with a number for each port. */
static json_t *ports_json(const double *values, const tacho_arch *arch)
{
    json_t *ports = json_object();
    for (unsigned i = 0; i < arch->ports && i < TACHO_MAX_PORTS; i++) {
        char key[12];
        snprintf(key, sizeof key, "%u", i);
        json_object_set_new(ports, key, report_json_real(values[i]));
    }
    return ports;
}

#define RECORD tacho_what_if
ONLY(is_of_ports, r->ports)
GETTER(also, report_text_value(r->also == TACHO_WHAT_COUNT ? NULL : tacho_what_name(r->also)))
LIST_OF(numbers_of_ports, TACHO_MAX_PORTS, r->ports >> i & 1, json_integer((json_int_t)i))
GETTER(exactly, report_word(report_fraction(r->cycles_num, r->cycles_den, at->room)))
static const report_field what_ifs[] = {
    {WORD("what", what, tacho_what_name,
          "`front_end`, `issue`, `ports`, `all_ports`, `divider`, `start_intervals`, `latency`, `latencies`, "
          "`memory_dependencies`, `dependencies`, `buffers`; include/tacho/explain.h says what each is")},
    {MADE_OR_NULL(TEXT, "also", also,
                  "a second part that is ideal at the same time; tried where no single one gains 1 %")},
    {MADE(LIST, "ports", numbers_of_ports, "list of numbers, for `ports`", .known = is_of_ports)},
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
       report_object(ports_json(r->lost_to_port, ((const tacho_prediction *)at->up->record)->arch)))
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

void report_put_json(tacho_str *out, json_t *json, size_t digits)
{
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(digits)) : NULL;
    if (text) {
        tacho_str_puts(out, text);
        tacho_str_putc(out, '\n');
    }
    out->failed |= !text;
    free(text);
    json_decref(json);
}

/* ---- an instruction, of a prediction, of a subject ---- */

#define subject_of(at) ((const report_subject *)(at)->up->up->record)

#define RECORD tacho_insn_report
static const report_field uops[] = {
    {NAMED("mite", uops_mite, NULL)},
    {NAMED("ms", uops_ms, NULL)},
    {NAMED("dsb", uops_dsb, NULL)},
    {NAMED("lsd", uops_lsd, "fused µops delivered, by source")},
    {NAMED("issued", uops_issued, "fused µops issued")},
    {NAMED("executed", uops_executed, "unfused µops executed")},
};

ROOM_BY(text_of, report_asm(subject_of(at)->listing, r->insn, r->code_offset, at->room, REPORT_ROOM))
ROOM_BY(form, tacho_form_name(r->form.id, at->room, REPORT_ROOM))
ONLY(has_form, r->has_form)
GETTER(source, report_source(subject_of(at)->listing, r->code_offset))
GETTER(hex, report_hex(r->insn->bytes, r->insn->length))
GETTER(figures, report_word(tacho_arch_source_text(subject_of(at)->arch, r->source)))
GETTER(ports, report_object(ports_json(r->ports, subject_of(at)->arch)))
LIST_OF(notes, report_note_count, r->notes &report_notes[i].bit, json_string(report_notes[i].name))
GETTER(lacking, report_word(tacho_extension_name(tacho_arch_lacks(subject_of(at)->arch, r->insn))))
static const report_field instruction[] = {
    {MADE(TEXT, "asm", text_of,
          "disassembly: in the syntax of the assembly text that was read, else Intel, or as `--output-syntax "
          "att` or `intel` says; branch targets are addresses (of machine code and relocatable objects, "
          "offsets), RIP-relative addresses offsets")},
    {MADE_OR_NULL(
        OBJECT, "source", source,
        "of assembly text: `line` (from 1), `text` (the instruction as typed), `comment` (or null). null "
        "where nothing was typed for the instruction (bytes, alignment), for text that the GNU assembler "
        "reads (macros), for other input, and with `--output-syntax att` or `intel`")},
    {MADE(HEX, "hex", hex, NULL)},
    {NAMED("offset", code_offset, "its bytes, and its place in the block")},
    {MADE(TEXT, "form", form, "its form in the instruction table", .known = has_form)},
    {MADE_OR_NULL(TEXT, "figures", figures, "source of its figures", .known = has_form)},
    {RECORD_BY("uops", ROWS(uops), "averages per iteration")},
    {MADE(OBJECT, "ports", ports, "µops executed on each port, by the port's number")},
    {MEMBER(latency, "of the instruction alone: the largest of its latencies from a register, the flags or "
                     "an address to a register or the flags, loads with the first-level cache; null where "
                     "none is known (stores, branches, NOPs)")},
    {MEMBER(reciprocal_throughput,
            "cycles between independent copies of the instruction: the largest of what its µops need of "
            "their ports, the divider's time, the least interval between two of them, and issue slots / "
            "issue width; null without figures")},
    {MEMBER(critical_latency,
            "cycles that it adds to the critical dependency cycle; null when it is not on it")},
    {MADE(
        LIST, "notes", notes,
        "list of `macro_fused`, `fused_into_previous`, `micro_fused`, `unlaminated`, `eliminated`, "
        "`zero_idiom`, `nop`, `unknown`, `estimated`, `same_core` (figures measured on another product with "
        "the same core), `lcp`, `jcc_erratum`, `microcoded`, `complex_decoder`, `stack_sync`, `high8_merge`, "
        "`critical`, `store_forward`, `store_blocked`, `alias_4k`, `divider`, `serializing`")},
    {MADE_OR_NULL(TEXT, "missing_extension", lacking,
                  "with `--ignore-isa`: the first extension of the instruction set that the instruction "
                  "needs and the microarchitecture has not (`AVX-512F`)")},
    {MEMBER(blocked_by,
            "number of the instruction with the store that a `store_blocked` load waited for last",
            .none = REPORT_BELOW_0)},
    {MEMBER(aliased_by, "number of the instruction whose store an `alias_4k` load was taken to need",
            .none = REPORT_BELOW_0)},
};
#undef RECORD
TABLE(report_instruction_table, instruction, "instruction");

/* ---- the prediction, of a subject ---- */

#define RECORD tacho_prediction
static report_value next_limit(const report_at *at)
{
    const tacho_prediction *p = at->record;
    int b = tacho_prediction_next_limit(p);
    return b < 0 ? report_null()
                 : report_object(json_pack("{s:s, s:f}", "bound", tacho_bound_name((tacho_bound)b), "cycles",
                                           p->bounds[b]));
}

static const report_field run_fields[] = {
    {NAMED("iterations", run_iterations, NULL)},
    {NAMED("cycles", run_cycles,
           "N, and the cycles that all of them take, from the first fetch with an empty pipeline to the last "
           "retirement")},
};

GETTER(lower_bound, report_bool(tacho_prediction_is_lower_bound(r)))
GETTER(missing, report_word(report_missing(r, at->room, REPORT_ROOM)))
GETTER(exact, report_word(report_exact(r, at->room)))
GETTER(compared, report_word(tacho_compared_name(((const report_subject *)at->up->record)->arch->compared)))
GETTER(changed, report_object(report_parameters_changed_json(r->arch)))
LIST_OF(variants, TACHO_VARIANT_COUNT, r->variants >> i & 1, json_string(tacho_variant_name((unsigned)i)))
LIST_OF(bottlenecks, TACHO_BOUND_COUNT, r->bottlenecks >> i & 1,
        json_string(tacho_bound_name((tacho_bound)i)))
OBJECT_OF(bounds, TACHO_BOUND_COUNT, tacho_bound_name((tacho_bound)i), report_json_real(r->bounds[i]))
LIST_OF(bounds_in_use, TACHO_BOUND_COUNT, r->bounds[i] > 0 && tacho_prediction_uses_bound(r, (tacho_bound)i),
        json_string(tacho_bound_name((tacho_bound)i)))
GETTER(ipc, report_real(tacho_prediction_ipc(r)))
GETTER(uops_per_cycle, report_real(tacho_prediction_uops_per_cycle(r)))
ONLY(has_run, r->run_iterations)
ONLY(is_from_file, tacho_arch_is_loaded(r->arch))
GETTER(from_file, report_bool(true))
ONLY(is_checked, tacho_arch_is_loaded(r->arch) && r->arch->checked)
LIST_OF(busiest_list, TACHO_MAX_PORTS, r->busiest_ports >> i & 1, json_integer((json_int_t)i))
LIST_OF(busiest_users, r->busiest_cycles ? r->instruction_count : 0, r->busiest_cycles[i] > 0,
        json_integer((json_int_t)i))
ROOM_BY(busiest_words, report_busiest_text(r, at->room))
static const report_field busiest[] = {
    {MADE(
        LIST, "ports", busiest_list,
        "their numbers, as in `instructions`; empty where stores on their way to the cache are what limits")},
    {MADE(LIST, "instructions", busiest_users, "numbers of those with µops that can go nowhere else")},
    {MADE(TEXT, "text", busiest_words, "a sentence: which ports, what needs them, and how long")},
};
ONLY(has_ports, r->bounds[TACHO_BOUND_PORTS] > 0)
ONLY(has_elements, r->elements.count || r->elements.stream_bytes)
GETTER(per_element, report_real(tacho_prediction_cycles_per(r, TACHO_WORK_ELEMENT)))
GETTER(per_byte, report_real(tacho_prediction_cycles_per(r, TACHO_WORK_BYTE)))
static const report_field elements[] = {
    {NAMED("count", elements.count, "elements that an iteration works on; null: not known",
           .none = REPORT_ZERO)},
    {MADE(REAL, "cycles", per_element, "`cycles` / `count`")},
    {NAMED("smallest_bytes", elements.smallest_bytes, NULL, .none = REPORT_ZERO)},
    {NAMED("largest_bytes", elements.largest_bytes,
           "bytes of an element; they differ where it is converted, and are null where `count` is, or was "
           "given (`--elements`)",
           .none = REPORT_ZERO)},
    {NAMED("stream_bytes", elements.stream_bytes,
           "bytes that an iteration takes from, or puts to, each stream; null: they differ",
           .none = REPORT_ZERO)},
    {MADE(REAL, "cycles_per_byte", per_byte, "`cycles` of the prediction / `stream_bytes`")},
};
GETTER(vendor, report_text_value(arch_vendor(r->arch)))
static const report_field prediction[] = {
    {NAMED("unknown", unknown_count, "number of instructions without figures, left out or not")},
    {MADE(BOOL, "lower_bound", lower_bound,
          "true where `cycles` rests on such instructions, which have no time of their own in it or are left "
          "out: the real number may be higher. False where each was given a latency (`--unknown N`: the "
          "result is as good as that guess). It says nothing about `bounds_only`")},
    {MADE_OR_NULL(TEXT, "missing", missing,
                  "how many instructions have no figures, and what was assumed instead, in words; null where "
                  "all have some")},
    {MADE_OR_NULL(TEXT, "cycles_exact", exact,
                  "`cycles` as a fraction (`\"7/3\"`, `\"2\"`); null where no steady state was found. Found "
                  "by observation in part (rooms/model.md): of 1,260, two were off by 1 %")},
    {MEMBER(period_iterations, "iterations after which the steady state repeats", .none = REPORT_ZERO)},
    {MEMBER(bounds_only, "true with `--bounds-only`: `cycles` is the highest bound that applies, nothing was "
                         "simulated; `topdown`, µops and ports are null")},
    MEMBERS2(simulated_cycles, simulated_iterations, "how long the simulation ran"),
    {WORD("mode", mode, tacho_mode_name, "`loop` or `unroll`")},
    {WORD("source", source, tacho_uop_source_name, "where µops come from: `MITE`, `DSB`, `LSD`, `mixed`")},
    {MADE(TEXT, "vendor", vendor,
          "`Intel` or `AMD`: whose words pages use, as `op cache` for `DSB` in what is for people")},
    {MADE_OR_NULL(TEXT, "compared_with", compared,
                  "what predictions for it were compared with: `measurements`, only another `model` of it, "
                  "only measured single `instructions`, or null: nothing; [ACCURACY](ACCURACY.md)")},
    {MADE(BOOL, "from_file", from_file, "true: the model of the core is from a file", .only = is_from_file)},
    {OF("checked", arch, checked, "how good that model is, as its file says", .only = is_checked)},
    {MADE(OBJECT, "parameters_changed", changed,
          "parameters changed by `--set`: by name, `value` and what the `model` has; empty for the plain "
          "model")},
    {MADE(LIST, "variants", variants,
          "what of the model was replaced for a what-if run: list of `simple_front_end`, "
          "`simple_port_assignment`, `no_micro_fusion`, `no_macro_fusion`, `no_lsd_unrolling`, "
          "`no_move_elimination`, `full_move_elimination`, `simple_memory`; empty for the plain model")},
    {MADE(LIST, "bottlenecks", bottlenecks,
          "names of bounds; empty where no single component explains the result")},
    {MADE_OR_NULL(OBJECT, "next_limit", next_limit,
                  "the highest of the bounds that apply and are no bottleneck: `bound` (its name), `cycles`. "
                  "Where `bottlenecks` is empty, it is the nearest to being one")},
    {MADE(OBJECT, "bounds", bounds,
          "cycles if that component alone limited the code: `predecode`, `decode`, `dsb`, `lsd`, `issue`, "
          "`ports`, `divider`, `dependencies`, `start_intervals` (locked instructions and the like), "
          "`port_conflicts` (with `--bounds-only` alone, and not a limit but an expectation: chains of a "
          "cycle an iteration that share ports); null where it does not apply")},
    {MADE(LIST, "bounds_in_use", bounds_in_use,
          "names of the bounds above 0 of what µops come through, all or some; the other bounds say what the "
          "code would take another way")},
    {MADE(REAL, "ipc", ipc, NULL)},
    {MADE(
        REAL, "uops_per_cycle", uops_per_cycle,
        "instructions, and fused µops issued, a cycle. Where `cycles` is a lower bound `ipc` is an upper "
        "one, and `uops_per_cycle` null: how many µops the instructions without figures have is not known")},
    {RECORD_BY("run", ROWS(run_fields), "with `--iterations N`; else null", .known = has_run)},
    {RECORD_BY("elements", ROWS(elements),
               "how much data an iteration works on, by the rule below; null: not known",
               .known = has_elements)},
    {PART_BY(&report_explanation_table)},
    {NAMED("unknown_instructions", unknown_count, "the same as `unknown`")},
    {NAMED("skipped_instructions", skipped_count,
           "of these, how many were left out (`--unknown skip`); they are not in `instructions`")},
    {MEMBER(advance_bytes,
            "with `--advance`: by how many bytes addresses are assumed to advance each iteration; null: none "
            "does",
            .none = REPORT_ZERO)},
    {NAMED("unexecutable_instructions", lacking_count,
           "with `--ignore-isa`: number of instructions that the microarchitecture cannot execute; else 0")},
    {NAMED("derived_instructions", derived_count,
           "number of instructions whose figures are carried over from another core or estimated")},
    {RECORDS_AT("instructions", instructions, instruction_count, &report_instruction_table, "below")},
    {RECORD_BY("busiest_ports", ROWS(busiest), "what the bound `ports` comes from; null: no µop needs a port",
               .known = has_ports)},
};
#undef RECORD

/* ---- the subject ---- */

#define RECORD tacho_region
static const report_field region[] = {
    {NAMED("region", name, NULL, .none = REPORT_ZERO)},
    {MEMBER(line, "name and first line of the region", .none = REPORT_ZERO)},
    {MEMBER(address, NULL)},
    {NAMED("bytes", byte_count, "of the region: address or offset in its section, size")},
};
#undef RECORD

static json_t *warnings_json(const report_subject *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->warning_count; i++)
        json_array_append_new(list, report_json_string(s->warnings[i]));
    for (size_t i = 0; s->prediction && i < s->prediction->warning_count; i++)
        json_array_append_new(list, report_json_string(s->prediction->warnings[i]));
    char flow[300] = "";
    if (s->prediction && *report_flow_warning(s->prediction, flow, sizeof flow))
        json_array_append_new(list, report_json_string(flow));
    return list;
}

#define RECORD report_subject
GETTER(cycles, report_real(r->prediction ? r->prediction->cycles : NAN))
GETTER(warnings, report_list(warnings_json(r)))
ONLY(is_predicted, r->prediction)
GETTER(bottlenecks_cell,
       report_text_value(tacho_bottleneck_names(r->prediction->bottlenecks, ";", at->room, REPORT_ROOM)))
static const report_field subject[] = {
    {SCHEMA("tacho-predict-1")},
    {MEMBER(input, "the file's name, `standard input` or `--hex`")},
    {PART_AT(region, ROWS(region))},
    {OF("arch", arch, name, "microarchitecture, e.g. `SKL`")},
    {MADE(REAL, "cycles", cycles,
          "cycles per iteration; null if the prediction failed, then only the fields above, `warnings` and "
          "`error` are there")},
    {MADE_CELL(TEXT, "bottlenecks", bottlenecks_cell), .known = is_predicted},
    {PART_AT(prediction, ROWS(prediction))},
    {MADE(LIST, "warnings", warnings, "sentences")},
    {MEMBER(error, "message", .none = REPORT_ZERO)},
};
#undef RECORD
TABLE(report_subject_table, subject, "tacho-predict-1");

/* ---- CSV ---- */

typedef struct csv_row {
    const char *hex; /* as it was given; NULL: the region's code */
    size_t hex_length;
    const report_subject *subject;
} csv_row;

#define RECORD csv_row
GETTER(code, r->hex ? report_text_n(r->hex, r->hex_length)
                    : report_hex(r->subject->region->bytes, r->subject->region->byte_count))
static const report_field row[] = {
    {.csv = true, MADE(ANY, "hex", code, NULL)},
    {PART_AT(subject, &report_subject_table)},
};
#undef RECORD
static TABLE(row_table, row, NULL);
static const char columns[] =
    "hex,cycles,cycles_exact,mode,arch,source,bottlenecks,unknown,lower_bound,error";
const char report_prediction_columns[] =
    "hex,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound,error";

void report_csv_header(tacho_str *out, bool with_region)
{
    report_record_head(out, with_region ? report_prediction_columns : columns, &row_table, NULL);
}

void report_csv_columns(report_columns *out)
{
    report_columns_find(out, columns, &row_table);
}

void report_csv_row(tacho_str *out, const report_columns *c, const char *hex, size_t hex_length,
                    const report_subject *s)
{
    report_columns_row(out, c, &(csv_row){hex, hex_length, s});
}

void report_csv_region(tacho_str *out, const report_subject *s)
{
    report_record_row(out, report_prediction_columns, &row_table, &(csv_row){.subject = s}, NULL);
}
