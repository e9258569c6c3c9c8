/* explain_json.c - why, and what would help, as JSON; doc/JSON.md says what each field is. */
#include <math.h>
#include <stdio.h>

#include "report/report.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
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
