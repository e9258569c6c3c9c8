/* report_trace.h - a simulated run in reports. */
#ifndef TACHO_REPORT_TRACE_H
#define TACHO_REPORT_TRACE_H

#include "app/report/report.h"
#include "model/explain/kept_trace.h"

/** What carries a value to an instruction, by the name that it has there where that is a vector register:
 * "rax", "ymm0", "carry flag", "flags", "memory"; "" for the other carriers. */
const char *report_carrier_name(const report_subject *s, uint32_t instruction, tacho_trace_carrier carrier,
                                tacho_reg reg);
/** The name of the region, or else of the input. */
const char *report_title(const report_subject *s);

/** The whole trace as doc/JSON.md says, appended as text with one µop a line. */
void report_trace_json(tacho_str *out, const report_subject *s, const kept_trace *t);
/** The same; a new reference, NULL: memory ran out. */
json_t *report_trace_object(const report_subject *s, const kept_trace *t);

/** The limits of the timeline; 0: no limit. */
typedef struct report_timeline_limits {
    uint32_t iterations, cycles;
} report_timeline_limits;
void report_timeline(tacho_str *out, const report_subject *s, const kept_trace *t,
                     report_timeline_limits limits);

#endif
