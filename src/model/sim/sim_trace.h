/* sim_trace.h - the hooks of tracing: the units call them behind `if (s->trace)`. */
#ifndef TACHO_SIM_TRACE_H
#define TACHO_SIM_TRACE_H

#include "model/sim/sim.h"
#include "tacho/trace.h"

/* A tracer for `listener`, in the arena; NULL when memory runs out. */
sim_trace *sim_trace_new(arena *a, const tacho_trace_listener *listener);
/* What a callback returned; 0 while all is well. */
int sim_trace_status(const sim_trace *t);

/* The decoders are about to deliver the oldest instruction of their queue. */
void sim_trace_decoded(sim *s);
/* The newest entry of the µop queue has been added. */
void sim_trace_queued(sim *s, delivery_source source);
/* A µop is renamed; `from`: where it gets its data, if it is a load. */
void sim_trace_uop(sim *s, const uop_times *times, const load_source *from);
/* All µops of an entry of the reorder buffer are renamed; `empty`: it had none. */
void sim_trace_issued(sim *s, bool empty);
/* A move was eliminated. */
void sim_trace_moved(sim *s, const block_insn *bi);
/* The instruction's remaining results become visible. */
void sim_trace_completed(sim *s, const block_insn *bi);
/* The cycle's retirements are over. */
void sim_trace_retired(sim *s);
/* The end of a cycle. */
void sim_trace_cycle(sim *s);

#endif
