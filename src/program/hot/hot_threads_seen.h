/* hot_threads_seen.h - looking at threads while a program is sampled. */
#ifndef TACHO_HOT_THREADS_SEEN_H
#define TACHO_HOT_THREADS_SEEN_H

#include "program/hot/record.h"
#include "program/threads/threads.h"

/** Samples then have some of the stack, and times by the clock of those who look. */
void hot_threads_ask(struct perf_event_attr *a);
/** Looks at the threads of all processes for a moment: until there may be records to read. */
void hot_threads_look(hot_tally *b);
/** A sample of a thread that runs. @return whether it is none, but of a lock that is made */
bool hot_threads_sampled(hot_tally *b, const record *r);

#endif
