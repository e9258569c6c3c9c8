/* causal.h - causal profiling while a program is sampled: experiments, one after the other, in each of which
 * one place takes less time in appearance. Not for use by several threads at once. */
#ifndef TACHO_CAUSAL_H
#define TACHO_CAUSAL_H

#include <stdbool.h>
#include <sys/types.h>

#include "tacho/hot_causal.h"

typedef struct causal causal;

/** `progress`, `place` (NULL: the hottest functions): as people write them; they live as long. @return NULL:
 * memory ran out */
causal *causal_new(const char *progress, const char *place);
void causal_free(causal *c);
/** A process is there, or executes another program. `kept`: it is the caller's child. */
void causal_process(causal *c, pid_t pid, bool kept);
/** Seconds of a thread that each sample and each visit of the progress point takes. */
void causal_costs(causal *c, double sample, double visit);
/** Where the progress point is, looked for now and then until it is found. @return its process, where it has
 *  just been found; 0: not, or before */
pid_t causal_find_point(causal *c, uint64_t *address);

/* What happens, in the order of time. Only causal_sampled and causal_visited take a little longer. */
void causal_appears(causal *c, uint64_t pid, uint64_t tid, uint64_t parent, double time);
void causal_ends(causal *c, uint64_t tid, double time);
void causal_switched(causal *c, uint64_t pid, uint64_t tid, double time, bool out, bool preempted);
/** `seconds`: for which it stands. */
void causal_sampled(causal *c, uint64_t pid, uint64_t tid, double time, uint64_t address, double seconds);
/** The progress point is passed. */
void causal_visited(causal *c, uint64_t tid, double time);

/** Delays threads as is due. @return seconds until it is to be done again, at most */
double causal_turn(causal *c);
/** All threads go on; there are no further experiments. */
void causal_end(causal *c);
/** What came of them; lives as long as the rest. @return NULL: memory ran out */
const tacho_causal *causal_result(causal *c);

#endif
