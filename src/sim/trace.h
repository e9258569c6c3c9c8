/* trace.h - the hooks of tracing: the units call them behind `if (s->trace)`. */
#ifndef TACHO_SIM_TRACE_H
#define TACHO_SIM_TRACE_H

#include "sim/sim.h"
#include "tacho/trace.h"

/* A tracer for `listener`, in the arena; NULL when memory runs out. */
sim_trace *sim_trace_new(arena *a, const tacho_trace_listener *listener);
/* What a callback returned; 0 while all is well. */
int sim_trace_status(const sim_trace *t);

/* The decoders are about to deliver this instruction. */
void sim_trace_decoded(sim *s, const iq_entry *e);
/* The newest entry of the µop queue has been added. */
void sim_trace_queued(sim *s);
/* A µop being issued needs output `out` of µop `producer`. */
void sim_trace_operand(sim *s, const uop_instance *i, int edge, int32_t producer, uint8_t out);
/* A load reads what these two µops of a store write. */
void sim_trace_forward(sim *s, const uop_instance *load, int32_t address, int32_t data);
/* The reorder buffer's newest entry is complete; its µops come from the head of the µop queue. */
void sim_trace_issued(sim *s);
/* It is known when the µop has finished. */
void sim_trace_finished(sim *s, const uop_instance *i, int32_t cycle);
/* The oldest entry of the reorder buffer retires. */
void sim_trace_retired(sim *s);
/* The end of a cycle. */
void sim_trace_cycle(sim *s);

#endif
