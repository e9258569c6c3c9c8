/* json.c - predictions as JSON; doc/JSON.md says what each field is. What was not computed is null. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/report.h"
#include "tacho/extension.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

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

static json_t *string_or_null(const char *text)
{
    return text && *text ? report_json_string(text) : json_null();
}

static json_t *hex(const uint8_t *bytes, size_t size)
{
    tacho_str s = {0};
    tacho_str_puts(&s, "");
    for (size_t i = 0; i < size; i++) {
        static const char digits[] = "0123456789abcdef";
        tacho_str_putc(&s, digits[bytes[i] >> 4]);
        tacho_str_putc(&s, digits[bytes[i] & 15]);
    }
    json_t *j = s.failed ? NULL : json_stringn(s.data, s.length);
    tacho_str_free(&s);
    return j;
}

static json_t *bounds(const tacho_prediction *p)
{
    json_t *o = json_object();
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        json_object_set_new(o, tacho_bound_name((tacho_bound)b), number(p->bounds[b]));
    return o;
}

static json_t *bottlenecks(const tacho_prediction *p)
{
    json_t *list = json_array();
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        if (p->bottlenecks & 1u << b)
            json_array_append_new(list, json_string(tacho_bound_name((tacho_bound)b)));
    return list;
}

static json_t *critical(const tacho_prediction *p)
{
    if (!p->critical_cycle_length)
        return json_null();
    report_carriers carriers;
    report_find_carriers(p, &carriers);
    json_t *instructions = json_array(), *through = json_array();
    for (size_t i = 0; i < p->critical_cycle_length; i++)
        json_array_append_new(instructions, json_integer(report_critical(p, i)));
    for (size_t i = 0; i < carriers.count; i++)
        json_array_append_new(through, json_string(carriers.names[i]));
    return json_pack("{s:o, s:o, s:o, s:o}", "instructions", instructions, "through", through, "iterations",
                     number(p->critical_cycle_iterations), "steps", report_chain_json(p));
}

static json_t *notes(uint32_t bits)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report_note_count; i++)
        if (bits & report_notes[i].bit)
            json_array_append_new(list, json_string(report_notes[i].name));
    return list;
}

static json_t *insn_number(int32_t insn)
{
    return insn < 0 ? json_null() : json_integer(insn);
}

static json_t *instruction(const report_subject *s, const tacho_insn_report *r)
{
    char text[160], name[160];
    report_asm(s->listing, &r->insn, r->code_offset, text, sizeof text);
    name[0] = '\0';
    if (r->has_form)
        tacho_form_name(r->form.id, name, sizeof name);
    json_t *ports = json_object();
    for (unsigned i = 0; i < s->arch->ports && i < TACHO_MAX_PORTS; i++) {
        char key[12];
        snprintf(key, sizeof key, "%u", i);
        json_object_set_new(ports, key, number(r->ports[i]));
    }
    json_t *uops = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "mite", number(r->uops_mite), "ms",
                             number(r->uops_ms), "dsb", number(r->uops_dsb), "lsd", number(r->uops_lsd),
                             "issued", number(r->uops_issued), "executed", number(r->uops_executed));
    return json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "asm",
                     report_json_string(text), "source", report_source_json(s->listing, r->code_offset),
                     "hex", hex(r->insn.bytes, r->insn.length), "offset", (json_int_t)r->code_offset, "form",
                     string_or_null(name), "figures",
                     r->has_form ? string_or_null(tacho_source_text(r->source)) : json_null(), "uops", uops,
                     "ports", ports, "latency", number(r->latency), "reciprocal_throughput",
                     number(r->reciprocal_throughput), "critical_latency", number(r->critical_latency),
                     "notes", notes(r->notes), "missing_extension",
                     string_or_null(tacho_extension_name(tacho_arch_lacks(s->arch, &r->insn))), "blocked_by",
                     insn_number(r->blocked_by), "aliased_by", insn_number(r->aliased_by));
}

static json_t *warnings(const report_subject *s)
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

static json_t *bounds_in_use(const tacho_prediction *p)
{
    json_t *list = json_array();
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        if (p->bounds[b] > 0 && tacho_prediction_uses_bound(p, (tacho_bound)b))
            json_array_append_new(list, json_string(tacho_bound_name((tacho_bound)b)));
    return list;
}

static json_t *next_limit(const tacho_prediction *p)
{
    int b = tacho_prediction_next_limit(p);
    return b < 0 ? json_null()
                 : json_pack("{s:s, s:f}", "bound", tacho_bound_name((tacho_bound)b), "cycles", p->bounds[b]);
}

static json_t *run(const tacho_prediction *p)
{
    return p->run_iterations ? json_pack("{s:I, s:I}", "iterations", (json_int_t)p->run_iterations, "cycles",
                                         (json_int_t)p->run_cycles)
                             : json_null();
}

static void put_prediction(json_t *o, const report_subject *s)
{
    const tacho_prediction *p = s->prediction;
    char exact[48];
    json_object_set_new(o, "cycles", number(p->cycles));
    report_missing_json(o, p);
    json_object_set_new(o, "cycles_exact", string_or_null(report_exact(p, exact)));
    json_object_set_new(o, "period_iterations",
                        p->period_iterations ? json_integer(p->period_iterations) : json_null());
    json_object_set_new(o, "bounds_only", json_boolean(p->bounds_only));
    json_object_set_new(o, "simulated_cycles", json_integer(p->simulated_cycles));
    json_object_set_new(o, "simulated_iterations", json_integer(p->simulated_iterations));
    json_object_set_new(o, "mode", json_string(tacho_mode_name(p->mode)));
    json_object_set_new(o, "source", json_string(tacho_uop_source_name(p->source)));
    json_object_set_new(o, "compared_with", string_or_null(tacho_compared_name(s->arch->compared)));
    json_object_set_new(o, "parameters_changed", report_parameters_changed_json(p->arch));
    json_object_set_new(o, "variants", report_variants_json(p));
    json_object_set_new(o, "bottlenecks", bottlenecks(p));
    json_object_set_new(o, "next_limit", next_limit(p));
    json_object_set_new(o, "bounds", bounds(p));
    json_object_set_new(o, "bounds_in_use", bounds_in_use(p));
    json_object_set_new(o, "ipc", number(tacho_prediction_ipc(p)));
    json_object_set_new(o, "uops_per_cycle", number(tacho_prediction_uops_per_cycle(p)));
    json_object_set_new(o, "run", run(p));
    json_object_set_new(o, "topdown", report_topdown_json(&p->topdown, s->arch));
    json_object_set_new(o, "critical_cycle", critical(p));
    json_object_set_new(o, "what_if", report_what_ifs_json(s->explanation));
    json_object_set_new(o, "advice", report_advice_json(s->explanation));
    json_object_set_new(o, "unknown_instructions", json_integer(p->unknown_count));
    json_object_set_new(o, "skipped_instructions", json_integer(p->skipped_count));
    json_object_set_new(o, "advance_bytes", p->advance_bytes ? json_integer(p->advance_bytes) : json_null());
    json_object_set_new(o, "unexecutable_instructions", json_integer(p->lacking_count));
    json_object_set_new(o, "derived_instructions", json_integer(p->derived_count));
    json_t *list = json_array();
    for (size_t i = 0; i < p->instruction_count; i++)
        json_array_append_new(list, instruction(s, &p->instructions[i]));
    json_object_set_new(o, "instructions", list);
}

json_t *report_json(const report_subject *s)
{
    const tacho_region *r = s->region;
    json_t *o = json_object();
    json_object_set_new(o, "schema", json_string("tacho-predict-1"));
    json_object_set_new(o, "input", report_json_string(s->input));
    json_object_set_new(o, "region", string_or_null(r->name));
    json_object_set_new(o, "line", r->line ? json_integer((json_int_t)r->line) : json_null());
    json_object_set_new(o, "address", json_integer((json_int_t)r->address));
    json_object_set_new(o, "bytes", json_integer((json_int_t)r->byte_count));
    json_object_set_new(o, "arch", json_string(s->arch->name));
    if (s->prediction)
        put_prediction(o, s);
    else
        json_object_set_new(o, "cycles", json_null());
    json_object_set_new(o, "warnings", warnings(s));
    json_object_set_new(o, "error", string_or_null(s->error));
    return o;
}
