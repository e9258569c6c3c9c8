/* hot_causal_seen.h - between sampling and experiments with what runs (program/causal). */
#ifndef TACHO_HOT_CAUSAL_SEEN_H
#define TACHO_HOT_CAUSAL_SEEN_H

#include "program/causal/causal.h"
#include "program/hot/record.h"

/** Records then say when threads get a processor and give it up, and samples are told of at once. */
void hot_causal_ask(struct perf_event_attr *a);
/** The event that tells of visits of an address, beside samples with such attributes. */
struct perf_event_attr hot_causal_breakpoint(const struct perf_event_attr *samples, uint64_t address);
/** @return whether the sample is a visit of the progress point, and no more */
bool hot_causal_sampled(hot_tally *b, const record *r);
/** All other records. */
void hot_causal_told(hot_tally *b, const record *r);

#endif
