/* report_insn.c - a form of the instruction table on a core, as JSON and CSV; microarchitectures as JSON. */
#include "app/report/tables/report_insn.h"
#include "tacho/extension.h"
#include "x86/arch/port_digits.h"

void insn_ports_text(const tacho_variant *v, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned g = 0; g < v->group_count && used + 32 < size; g++) {
        used += (size_t)snprintf(out + used, size - used, "%s%u*p", g ? "+" : "", v->groups[g].count);
        for (unsigned p = 0; p < TACHO_MAX_PORTS; p++)
            if (v->groups[g].ports & 1u << p)
                used += (size_t)snprintf(out + used, size - used, "%c", port_digit(p));
    }
    if (!v->group_count)
        snprintf(out, size, "none");
}

bool report_insn_latencies(const tacho_figures *f, int *low, int *high)
{
    bool any = false;
    for (unsigned i = 0; i < f->latency_count; i++) {
        const tacho_latency *l = &f->latencies[i];
        const int16_t all[] = {l->cycles, l->address, l->address_index, l->memory};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            if (all[k] == TACHO_NO_LATENCY)
                continue;
            *low = any && *low < all[k] ? *low : all[k];
            *high = any && *high > all[k] ? *high : all[k];
            any = true;
        }
    }
    return any;
}

bool report_insn_get(report_insn *e, const tacho_arch *arch, uint32_t id)
{
    e->arch = arch;
    e->id = id;
    return e->known = !tacho_form_get(id, &e->form) && !tacho_form_figures(arch, id, &e->figures);
}

#define RECORD tacho_port_group
static json_t *port_numbers(uint16_t ports)
{
    json_t *list = json_array();
    for (unsigned p = 0; p < TACHO_MAX_PORTS; p++)
        if (ports & 1u << p)
            json_array_append_new(list, json_integer(p));
    return list;
}

GETTER(ports_of_group, report_list(port_numbers(r->ports)))
static const report_field groups[] = {
    {NAMED("uops", count, NULL)},
    {MADE(LIST, "ports", ports_of_group, "so many on these")},
};
#undef RECORD

#define entry_of(at) ((const report_insn *)report_root(at))

#define RECORD tacho_variant
GETTER(complex_decoder, report_bool(r->complex_decoder))
GETTER(variant_latency, report_real(tacho_form_latency(&entry_of(at)->form, &entry_of(at)->figures, r)))
GETTER(variant_throughput, report_real(tacho_form_throughput(entry_of(at)->arch, &entry_of(at)->form, r)))
static const report_field cost[] = {
    MEMBERS2(uops, retire_slots, "unfused; fused"),
    MEMBERS2(uops_mite, uops_ms, "from the decoders, from the microcode sequencer"),
    {MADE(BOOL, "complex_decoder", complex_decoder, "only that decoder takes it")},
    {RECORDS("ports", groups, group_count, ROWS(groups), "where they are executed")},
    {MEMBER(div_cycles, "that the divider is blocked", .none = REPORT_ZERO)},
    {MEMBER(tp_cycles, "least cycles between two instances", .none = REPORT_ZERO)},
    {MADE(REAL, "latency", variant_latency, NULL)},
    {MADE(REAL, "reciprocal_throughput", variant_throughput, "as of `predict`'s `instructions`", .cell = 4)},
};
#undef RECORD
TABLE(insn_cost_table, cost, "cost");

#define RECORD tacho_latency
ROOM_BY(source_name, tacho_form_operand_text(&entry_of(at)->form, r->source, at->room, REPORT_ROOM))
ROOM_BY(target_name, tacho_form_operand_text(&entry_of(at)->form, r->target, at->room, REPORT_ROOM))
static const report_field latencies[] = {
    {MEMBER(source, NULL)},
    {MADE(TEXT, "source_name", source_name, NULL)},
    {MEMBER(target, NULL)},
    {MADE(TEXT, "target_name", target_name, "operand numbers, and what they are")},
    {MEMBER(cycles, "from the register", .none = REPORT_BELOW_0)},
    {MEMBER(address, NULL, .none = REPORT_BELOW_0)},
    {MEMBER(address_index, "from the base, from the index of the address", .none = REPORT_BELOW_0)},
    {MEMBER(memory, "from the data", .none = REPORT_BELOW_0)},
    {MEMBER(same_register, "where both are one register", .none = REPORT_BELOW_0)},
};
#undef RECORD

#define RECORD tacho_figures
GETTER(indexed,
       r->has_indexed ? report_object(report_record_json(&insn_cost_table, &r->indexed, at)) : report_null())
GETTER(same_register, r->has_same_register
                          ? report_object(report_record_json(&insn_cost_table, &r->same_register, at))
                          : report_null())
GETTER(source, report_text_value(tacho_arch_source_text(entry_of(at)->arch, r->source)))
GETTER(derived, report_bool(tacho_arch_source_fields(entry_of(at)->arch, r->source, TACHO_ORIGIN_SAME_CORE)))
static const report_field figures[] = {
    {RECORD_IN("cost", base, &insn_cost_table, "else: below")},
    {MADE_OR_NULL(OBJECT, "cost_indexed", indexed, NULL)},
    {MADE_OR_NULL(OBJECT, "cost_same_register", same_register, "null where there is no such difference")},
    {RECORDS("latencies", latencies, latency_count, ROWS(latencies),
             "of each pair of operands; cycles, null where not known")},
    {MADE(TEXT, "source", source, "of these figures")},
    {MADE(BOOL, "derived", derived, "not measured on this core")},
    {PART_IN(base, &insn_cost_table), .csv = true},
};
#undef RECORD

#define RECORD report_insn
static report_value latency_bound(const report_insn *e, bool highest)
{
    int low, high;
    return e->known && report_insn_latencies(&e->figures, &low, &high)
               ? report_whole((uint64_t)(highest ? high : low))
               : report_null();
}

ONLY(is_known, r->known)
ONLY(is_unknown, !r->known)
ROOM_BY(form, tacho_form_name(r->id, at->room, FORM_NAME_SIZE))
GETTER(no_cost, report_null())
ROOM_BY(ports, insn_ports_text(&r->figures.base, at->room, 200))
GETTER(latency_min, latency_bound(r, false))
GETTER(latency_max, latency_bound(r, true))
static const report_field form_fields[] = {
    {SCHEMA("tacho-insn-1")},
    {MADE(TEXT, "form", form, NULL)},
    {OF("arch", arch, name, "its name in the table; the microarchitecture")},
    {MADE_OR_NULL(OBJECT, "cost", no_cost,
                  "null, and the last one, where the microarchitecture does not have the form",
                  .only = is_unknown)},
    {MADE_CELL(TEXT, "ports", ports), .known = is_known},
    {MADE_CELL(WHOLE, "latency_min", latency_min)},
    {MADE_CELL(WHOLE, "latency_max", latency_max)},
    {PART_IN(figures, ROWS(figures)), .only = is_known},
};
#undef RECORD
TABLE(insn_table, form_fields, "tacho-insn-1");

const char insn_columns[] =
    "form,arch,uops,retire_slots,ports,latency_min,latency_max,source,reciprocal_throughput";

json_t *report_insn_json(const tacho_arch *arch, uint32_t form)
{
    report_insn e;
    report_insn_get(&e, arch, form);
    return report_record_json(&insn_table, &e, NULL);
}

/* ---- microarchitectures as JSON: how they are called, and all that is known of one ---- */

static json_t *aliases_json(const tacho_arch *a)
{
    json_t *list = json_array();
    const char *alias;
    for (size_t i = 0; (alias = tacho_arch_alias(a, i)); i++)
        json_array_append_new(list, json_string(alias));
    return list;
}

#define RECORD tacho_arch
GETTER(aliases, report_list(aliases_json(r)))
GETTER(compared, report_text_value(r->compared ? tacho_compared_name(r->compared) : NULL))
ONLY(is_from_file, tacho_arch_is_loaded(r))
GETTER(from_file, report_bool(true))
static const report_field head[] = {
    {SCHEMA("tacho-arch-1")},
    {NAMED("arch", name, NULL)},
    {NAMED("name", long_name, "short and long")},
    {MADE(LIST, "aliases", aliases, "other names that it answers to")},
    {MEMBER(table, "what the instruction timings are")},
    {MADE_OR_NULL(TEXT, "compared_with", compared,
                  "what predictions for it were compared with: `measurements`, only another `model` of it, "
                  "only measured single `instructions`, or null: nothing")},
    {MADE(BOOL, "from_file", from_file, "true: a model from a file", .only = is_from_file)},
};
#undef RECORD
TABLE(arch_table, head, "tacho-arch-1");

static json_t *extensions_json(const tacho_arch *a)
{
    json_t *o = json_object();
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++)
        if (tacho_arch_has_extension(a, (tacho_extension)e))
            json_object_set_new(o, tacho_extension_name((tacho_extension)e),
                                json_string(tacho_arch_extension_source(a, (tacho_extension)e)));
    return o;
}

json_t *report_arch_json(const tacho_arch *a)
{
    json_t *o = report_record_json(&arch_table, a, NULL), *list = json_object();
    tacho_arch_parameter p;
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++) {
        char text[80];
        tacho_arch_parameter_text(a, i, text, sizeof text);
        json_object_set_new(list, p.name,
                            json_pack("{s:o, s:s, s:s?, s:s?}", "value", report_parameter_json(a, i), "set",
                                      text, "unit", *p.unit ? p.unit : NULL, "source",
                                      tacho_arch_param_source(a, p.name)));
    }
    json_object_set_new(o, "parameters", list);
    json_object_set_new(o, "extensions", extensions_json(a));
    return o;
}

json_t *report_archs_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tacho_arch_count(); i++)
        json_array_append_new(list, report_record_json(&arch_table, tacho_arch_get(i), NULL));
    return list;
}
