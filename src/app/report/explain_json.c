/* explain_json.c - why, and what would help, as JSON; doc/JSON.md says what each field is. */
#include <math.h>
#include <stdio.h>

#include "app/report/report.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* The steps of the critical cycle, in order. */
json_t *report_chain_json(const tacho_prediction *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->critical_cycle_length; i++) {
        report_carriers c;
        report_find_carrier(p, i, &c);
        json_t *carriers = json_array();
        for (size_t k = 0; k < c.count; k++)
            json_array_append_new(carriers, json_string(c.names[k]));
        json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:b}", "instruction",
                                              (json_int_t)report_critical(p, i), "latency",
                                              number(report_critical_latency(p, i)), "hands_on", carriers,
                                              "next_iteration", report_critical_wraps(p, i)));
    }
    return list;
}

static json_t *exact(int64_t num, int64_t den)
{
    char text[48];
    return den ? json_string(report_fraction(num, den, text)) : json_null();
}

static json_t *port_list(uint16_t ports)
{
    if (!ports)
        return json_null();
    json_t *list = json_array();
    for (int p = 0; p < TACHO_MAX_PORTS; p++)
        if (ports >> p & 1)
            json_array_append_new(list, json_integer(p));
    return list;
}

json_t *report_what_ifs_json(const tacho_explanation *e)
{
    if (!e)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < e->what_if_count; i++) {
        const tacho_what_if *w = &e->what_ifs[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "what", tacho_what_name(w->what), "also",
                      w->also == TACHO_WHAT_COUNT ? json_null() : json_string(tacho_what_name(w->also)),
                      "ports", port_list(w->ports), "instruction",
                      w->instruction < 0 ? json_null() : json_integer(w->instruction), "cycles",
                      number(w->cycles), "cycles_exact", exact(w->cycles_num, w->cycles_den), "gain",
                      number(w->gain), "text", w->text));
    }
    return list;
}

json_t *report_advice_json(const tacho_explanation *e)
{
    if (!e)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < e->advice_count; i++) {
        const tacho_advice *a = &e->advice[i];
        json_t *insns = json_array();
        for (size_t k = 0; k < a->instruction_count; k++)
            json_array_append_new(insns, json_integer(a->instructions[k]));
        json_array_append_new(list,
                              json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "kind", a->kind, "instructions",
                                        insns, "cycles_before", number(a->cycles_before), "cycles_after",
                                        number(a->cycles_after), "cycles_after_exact",
                                        exact(a->after_num, a->after_den), "text", a->text));
    }
    return list;
}

json_t *report_topdown_json(const tacho_topdown *t, const tacho_arch *arch)
{
    if (!isfinite(t->retiring))
        return json_null();
    json_t *lost = json_object(), *ports = json_object();
    for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++)
        json_object_set_new(lost, tacho_slot_reason_name((tacho_slot_reason)k), number(t->lost[k]));
    for (unsigned p = 0; p < arch->ports && p < TACHO_MAX_PORTS; p++) {
        char key[12];
        snprintf(key, sizeof key, "%u", p);
        json_object_set_new(ports, key, number(t->lost_to_port[p]));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "retiring", number(t->retiring), "frontend",
                     number(t->frontend), "backend_core", number(t->backend_core), "backend_dependencies",
                     number(t->backend_dependencies), "lost", lost, "lost_to_ports", ports);
}
