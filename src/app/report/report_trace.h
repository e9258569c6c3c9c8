/* report_trace.h - a simulated run kept for reports: every µop, every producer, the queues in every cycle. */
#ifndef TACHO_REPORT_TRACE_H
#define TACHO_REPORT_TRACE_H

#include "app/report/report.h"

enum {
    REPORT_TRACE_USUAL_UOPS = 2000, /**< without a limit: so many, up to the end of that iteration */
    REPORT_TRACE_MAX_UOPS = 100000, /**< more is an error */
    REPORT_TRACE_MAX_ITERATIONS = 10000
};

typedef struct report_trace {
    tacho_trace_uop *uops; /**< `edges` is not set; see report_trace_edges */
    size_t uop_count, uop_capacity;
    size_t *first_edge; /**< of each µop */
    size_t first_edge_capacity;
    tacho_trace_edge *edges;
    size_t edge_count, edge_capacity;
    tacho_trace_cycle *cycles;
    size_t cycle_count, cycle_capacity;
    tacho_trace_listener listener; /**< for tacho_predict_options */
    uint32_t iterations;           /**< kept: these are complete */
    bool full;                     /**< the usual number of µops has been reached */
} report_trace;

/** Prepares `t` (any contents are kept as memory) to take the first `iterations` iterations; 0: the usual
 * number of µops, at most to the end of the averaged part. Give &t->listener to tacho_predict, which then can
 * also fail with these. */
void report_trace_start(report_trace *t, uint32_t iterations);
enum {
    REPORT_TRACE_TOO_LONG = -1000,
    REPORT_TRACE_NO_MEMORY = -1001
};
/** After the prediction: cuts off what belongs to an incomplete iteration. */
void report_trace_finish(report_trace *t);
void report_trace_free(report_trace *t);

const tacho_trace_edge *report_trace_edges(const report_trace *t, size_t uop);

/** What carries a value to an instruction, by the name that it has there where that is a vector register:
 * "rax", "ymm0", "carry flag", "flags", "memory"; "" for the other carriers. */
const char *report_carrier_name(const report_subject *s, uint32_t instruction, tacho_trace_carrier carrier,
                                tacho_reg reg);
/** The name of the region, or else of the input. */
const char *report_title(const report_subject *s);

/** The whole trace as doc/JSON.md says, appended as text with one µop a line. */
void report_trace_json(tacho_str *out, const report_subject *s, const report_trace *t);
/** The same; a new reference, NULL: memory ran out. */
json_t *report_trace_object(const report_subject *s, const report_trace *t);

/** The limits of the timeline; 0: no limit. */
typedef struct report_timeline_limits {
    uint32_t iterations, cycles;
} report_timeline_limits;
void report_timeline(tacho_str *out, const report_subject *s, const report_trace *t,
                     report_timeline_limits limits);

#endif
