/* queues.h - what each µop and cycle asks of the schedulers of one kind of µops; see queues.c. */
#ifndef TACHO_SIM_QUEUES_H
#define TACHO_SIM_QUEUES_H

#include "model/sim/hot.h"

static inline uint32_t queues_count(scheduler_counts counts, scheduler which)
{
    return (uint32_t)(counts >> SCHEDULER_BITS * which) & ((1u << SCHEDULER_BITS) - 1);
}

/* A new cycle: µops that leave in it are out. */
static inline void queues_turn(sim *s)
{
    scheduler_queues *q = &s->queues;
    scheduler_counts *gone = &q->leaving[s->cycle & (SIM_HORIZON - 1)];
    q->turned = s->cycle;
    q->inside -= *gone;
    *gone = 0;
}

/* Gives the µop, whose operands are ready in that cycle, a scheduler entry. @return the cycle from which on
 * it can leave */
static inline int32_t queues_enter(sim *s, const op *u, int32_t ready)
{
    scheduler_queues *q = &s->queues;
    int32_t free;
    if (!(u->flags & OP_INTEGER)) {
        free = queues_enter_vectors(s, u, ready);
    } else {
        q->chosen = u->scheduler;
        if (queues_count(q->inside, u->scheduler) < q->width[u->scheduler])
            return ready; /* and that is no earlier than a µop can leave */
        free = queues_wait(s, u->scheduler);
    }
    free += s->earliest - s->cycle;
    return free > ready ? free : ready;
}

/* Of the µop's places those of the scheduler that it has entered. */
static inline uint32_t queues_places(const sim *s, const op *u)
{
    if (u->scheduler != SCHEDULER_EITHER)
        return u->places;
    const uint32_t second = s->prog.second_places;
    return u->places & (s->queues.chosen == SCHEDULER_SECOND ? second : ~second);
}

/* The µop that entered last leaves in that cycle. */
static inline void queues_leave(sim *s, int32_t cycle)
{
    scheduler_queues *q = &s->queues;
    const scheduler_counts one = (scheduler_counts)1 << SCHEDULER_BITS * q->chosen;
    cycle += q->chosen < SCHEDULER_ALU ? s->arch->vector_release_cycles : 0;
    q->leaving[cycle & (SIM_HORIZON - 1)] += one;
    q->inside += one;
    q->last = cycle > q->last ? cycle : q->last;
}

/* By how much the results of the µop that entered last come later than its latencies say. */
static inline int32_t queues_late(const sim *s, const op *u)
{
    return !(u->flags & OP_INTEGER) && s->queues.crowded && u->kind == UOP_COMPUTE &&
           u->first_latency == 1; /* as block_is_quick */
}

/* No scheduler entry, or no room in the queue of vector µops, for a whole issue group. */
static inline bool queues_full(const sim *s)
{
    const scheduler_queues *q = &s->queues;
    const uint32_t room = s->arch->vector_queue_width - s->arch->issue_width;
    return q->stopped > s->cycle ||
           (q->count > room && q->entered[(q->count - 1 - room) % QUEUE_MOST] > s->cycle);
}

#endif
