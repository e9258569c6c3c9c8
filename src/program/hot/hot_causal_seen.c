/* hot_causal_seen.c - visits of the progress point are samples by a breakpoint in the processor's debug
 * registers, which comes with each execution: its period is 1, that of a sample by the clock its nanoseconds.
 */
#include "program/hot/hot_causal_seen.h"

#include <linux/hw_breakpoint.h>
#include <time.h>

enum {
    VISIT_PERIOD = 1,
    SELDOM = 1 << 15 /* bytes, or visits */
};

void hot_causal_ask(struct perf_event_attr *a)
{
    a->use_clockid = 1;
    a->clockid = CLOCK_MONOTONIC;
    a->context_switch = 1;
    a->watermark = 0;
    a->wakeup_events = 1;
}

struct perf_event_attr hot_causal_breakpoint(const struct perf_event_attr *samples, uint64_t address)
{
    return (struct perf_event_attr){.type = PERF_TYPE_BREAKPOINT,
                                    .size = sizeof(struct perf_event_attr),
                                    .sample_type = samples->sample_type,
                                    .sample_regs_user = samples->sample_regs_user,
                                    .sample_id_all = 1,
                                    .sample_period = VISIT_PERIOD,
                                    .use_clockid = 1,
                                    .clockid = CLOCK_MONOTONIC,
                                    .inherit = 1,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1,
                                    .watermark = 1,
                                    .wakeup_watermark = SELDOM,
                                    .bp_type = HW_BREAKPOINT_X,
                                    .bp_addr = address,
                                    .bp_len = sizeof(long)};
}

bool hot_causal_sampled(hot_tally *b, const record *r)
{
    const double time = (double)r->time * 1e-9;
    if (!b->causal)
        return false;
    if (r->period == VISIT_PERIOD)
        causal_visited(b->causal, r->tid, time);
    else
        causal_sampled(b->causal, r->pid, r->tid, time, r->address, (double)r->period * 1e-9);
    return r->period == VISIT_PERIOD;
}

void hot_causal_told(hot_tally *b, const record *r)
{
    const double time = (double)r->time * 1e-9;
    if (!b->causal)
        return;
    switch (r->type) {
    case PERF_RECORD_SWITCH:
        causal_switched(b->causal, r->pid, r->tid, time, r->misc & PERF_RECORD_MISC_SWITCH_OUT,
                        r->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
        return;
    case PERF_RECORD_FORK:
        causal_appears(b->causal, r->pid, r->tid, r->parent_tid, time);
        if (r->pid != r->parent)
            causal_process(b->causal, (pid_t)r->pid, false);
        return;
    case PERF_RECORD_EXIT:
        causal_ends(b->causal, r->tid, time);
        return;
    case PERF_RECORD_COMM:
        if (r->exec)
            causal_process(b->causal, (pid_t)r->pid, false);
        return;
    default:
        return;
    }
}
