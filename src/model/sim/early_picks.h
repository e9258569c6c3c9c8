/* early_picks.h - what each µop and cycle asks of ALUs that pick µops early; see early_picks.c. */
#ifndef TACHO_SIM_EARLY_PICKS_H
#define TACHO_SIM_EARLY_PICKS_H

#include "model/sim/hot.h"

static inline uint32_t early_picks_count(uint64_t counts, uint32_t part)
{
    return counts >> 8 * part & 0xff;
}

static inline void early_picks_turn(sim *s)
{
    alu_parts *a = &s->alu;
    uint64_t *gone = &a->leaving[s->cycle & (SIM_HORIZON - 1)];
    a->turned = s->cycle;
    a->waiting -= *gone;
    *gone = 0;
}

/* Whether the µop waits in a part of the ALUs' scheduler. */
static inline bool early_picks_has(const sim *s, const op *u)
{
    return s->arch->alu_scheduler_parts && u->scheduler == SCHEDULER_ALU;
}

/* Of the µop's places those of the part that it waits in: of two parts, at random, that in which fewer wait.
 */
static inline uint32_t early_picks_part(sim *s, const op *u)
{
    alu_parts *a = &s->alu;
    if (!u->parts)
        return u->places;
    const uint8_t *pick = a->picks[u->parts];
    const uint32_t first = a->turn + 1 == ALU_TURNS ? 0 : a->turn + 1u,
                   second = first + 1 == ALU_TURNS ? 0 : first + 1, one = pick[first], other = pick[second];
    a->turn = (uint8_t)second;
    a->chosen =
        (uint8_t)(early_picks_count(a->waiting, other) < early_picks_count(a->waiting, one) ? other : one);
    return u->places & a->places[a->chosen];
}

/* The µop whose part was asked for last leaves in that cycle. */
static inline void early_picks_leave(sim *s, int32_t cycle)
{
    alu_parts *a = &s->alu;
    const uint64_t one = (uint64_t)1 << 8 * a->chosen;
    a->leaving[cycle & (SIM_HORIZON - 1)] += one;
    a->waiting += one;
    a->last = cycle > a->last ? cycle : a->last;
}

/* The cycle from which on the µop is picked; its operands are there in `ready`. */
static inline int32_t early_picks_wake(const sim *s, const op *u, int32_t ready)
{
    int32_t woken = s->earliest;
    if (ready == woken)
        return woken;
    for (uint32_t k = 0; k < u->in_count; k++) {
        const int32_t there = rat_ready(s->rn.rat[u->in[k]]), told = s->rn.told[u->in[k]];
        /* what has left already has told the truth */
        const int32_t when = there <= s->cycle + 1 || told > there ? there : told;
        woken = when > woken ? when : woken;
    }
    return woken < ready ? woken : ready;
}

/* Announces the results of a µop that leaves in cycle `base` and could have left in `ready`. */
static inline void early_picks_tell(sim *s, const op *u, int32_t base, int32_t ready)
{
    const bool early = u->ports == s->arch->alu_ports && ready < base;
    for (uint32_t k = 0; k < u->out_count; k++) {
        const int32_t latency = op_latency(&u->out[k]);
        s->rn.told[u->out[k].slot] = (early && latency == 1 ? ready : base) + latency;
    }
}

#endif
