/* reservations.h - the reservation tables: which cycle is free on a port, when an entry of the reorder buffer
 * retires. They are asked for each µop and cycle. See reservations.c. */
#ifndef TACHO_SIM_RESERVATIONS_H
#define TACHO_SIM_RESERVATIONS_H

#include "model/sim/sim.h"

enum {
    RESERVED_SLOT = SIM_HORIZON - 1,
    RESERVED_ONE_UOP = 1 << 16,
    RESERVED_WORD = SIM_HORIZON / 64 - 1,
    RESERVED_FARTHEST = SIM_HORIZON - 2048, /* cycles ahead that a µop is placed at most */
    RESERVED_FAR = SIM_HORIZON / 2          /* beyond which no more are taken in */
};

static inline void reservations_set(uint64_t *bits, int32_t cycle)
{
    bits[(uint32_t)cycle / 64 & RESERVED_WORD] |= (uint64_t)1 << ((uint32_t)cycle % 64);
}

static inline int32_t reservations_first_free(const uint64_t *busy, int32_t from)
{
    uint32_t word = (uint32_t)from / 64;
    uint64_t left = ~busy[word & RESERVED_WORD] & ~(uint64_t)0 << ((uint32_t)from % 64);
    while (!left)
        left = ~busy[++word & RESERVED_WORD];
    return (int32_t)(word * 64 + (uint32_t)__builtin_ctzll(left));
}

/* Takes the first free cycle. */
static inline int32_t reservations_claim(uint64_t *busy, int32_t from)
{
    uint32_t cycle = (uint32_t)from;
    uint64_t *word = &busy[cycle / 64 & RESERVED_WORD], left = ~*word & ~(uint64_t)0 << (cycle % 64);
    while (!left) {
        cycle += 64;
        word = &busy[cycle / 64 & RESERVED_WORD];
        left = ~*word;
    }
    *word |= left & -left;
    return (int32_t)((cycle & ~63u) + (uint32_t)__builtin_ctzll(left));
}

/* A port, and a cycle in which it is free. */
typedef struct free_port {
    int port;
    int32_t cycle;
} free_port;

/* The port that is free first, of those at these places; so AMD's scheduler chooses. */
static inline free_port reservations_free_port(const sim *s, uint32_t places, int32_t ready)
{
    if (ready > s->cycle + RESERVED_FARTHEST)
        ready = s->cycle + RESERVED_FARTHEST;
    const uint32_t word = (uint32_t)ready / 64 & RESERVED_WORD, shift = (uint32_t)ready % 64;
    uint64_t all = UINT64_MAX >> shift; /* cycles from then on, to the end of the word, without a free port */
    for (uint32_t left = places; left; left &= left - 1) {
        const int port = s->prog.spare_first[__builtin_ctz(left)];
        const uint64_t busy = s->reserved.busy[port][word] >> shift;
        if (!(busy & 1))
            return (free_port){port, ready};
        all &= busy;
    }
    if (all != UINT64_MAX >> shift) {
        const uint32_t later = (uint32_t)__builtin_ctzll(~all);
        uint32_t left = places;
        while (s->reserved.busy[s->prog.spare_first[__builtin_ctz(left)]][word] >> shift >> later & 1)
            left &= left - 1;
        return (free_port){s->prog.spare_first[__builtin_ctz(left)], ready + (int32_t)later};
    }
    free_port best = {-1, INT32_MAX};
    for (uint32_t left = places; left; left &= left - 1) {
        const int port = s->prog.spare_first[__builtin_ctz(left)];
        const int32_t free = reservations_first_free(s->reserved.busy[port], ready);
        if (free < best.cycle)
            best = (free_port){port, free};
    }
    return best;
}

/* A µop is in the scheduler until cycle `start`; `port`: the bit of the one that it takes then, and is bound
 * to; 0: none, or it does not matter. */
static inline void reservations_leave(reservations *t, uint32_t port, int32_t start)
{
    t->leaving[start & RESERVED_SLOT] += RESERVED_ONE_UOP + port; /* once a cycle: sets the bit */
    t->occupancy++;
    t->last = start > t->last ? start : t->last;
}

/* One more µop is bound to the port. */
static inline void reservations_bind(sim *s, uint32_t port)
{
    s->rn.uses.lane[port_lane(port, USE_NOW)]++;
}

/* The cycle of the next retirement, as in reorder_buffer.next: in order, `width` a cycle, a cycle after the
 * last part has finished. */
static inline uint32_t rob_next(uint32_t next, uint32_t width, int32_t finish)
{
    uint32_t earliest = (uint32_t)(finish + 1) * ROB_CYCLE;
    next += next % ROB_CYCLE == width ? ROB_CYCLE - width : 0;
    return next > earliest ? next : earliest;
}

static inline void rob_enter(sim *s, int32_t finish)
{
    reorder_buffer *r = &s->rob;
    uint32_t next = rob_next(r->next, r->width, finish);
    r->retire[r->tail++ & (SIM_ROB - 1)] = (int32_t)(next / ROB_CYCLE);
    r->next = next + 1;
}

/* The reorder buffer has no room for a whole issue group, or there are no registers for one. */
static inline bool rob_full(sim *s)
{
    reorder_buffer *r = &s->rob;
    uint32_t width = s->arch->issue_width;
    if ((uint32_t)(r->tail - r->head) + width <= r->check)
        return false;
    rob_retire(r, s->cycle - 1);
    uint32_t inside = (uint32_t)(r->tail - r->head) + width;
    return inside > r->check && (inside > s->arch->rob_width || free_registers_lack(s));
}

/* At the start of a cycle: no room for a whole issue group. */
static inline bool backend_full(sim *s)
{
    uint32_t width = s->arch->issue_width;
    return rob_full(s) || s->reserved.occupancy + width > s->arch->rs_width ||
           s->reserved.last - s->cycle > RESERVED_FAR ||
           (s->arch->store_buffer_by_group && store_buffer_full(s, width));
}

/* A new cycle: µops that left in the one before are out of the scheduler; the renamer learns of it a cycle
 * later. */
static inline void reservations_turn(sim *s)
{
    /* bit n of four becomes 1 in the n-th of four lanes */
    static const uint64_t ones[16] = {
        0,
        0x1,
        0x10000,
        0x10001,
        0x100000000,
        0x100000001,
        0x100010000,
        0x100010001,
        0x1000000000000,
        0x1000000000001,
        0x1000000010000,
        0x1000000010001,
        0x1000100000000,
        0x1000100000001,
        0x1000100010000,
        0x1000100010001,
    };
    /* PORT_KEY_NUMBER less a port's number, in its lane */
    static const uint64_t numbers[PORT_WORDS] = {0x000c000d000e000f, 0x00080009000a000b, 0x0004000500060007,
                                                 0};
    reservations *t = &s->reserved;
    int32_t now = s->cycle;
    uint32_t *gone = &t->leaving[(now - 2) & RESERVED_SLOT];
    t->occupancy -= t->leaving[(now - 1) & RESERVED_SLOT] / RESERVED_ONE_UOP;
    const int words = s->counts_ports ? (s->arch->ports + 3) / 4 : 0;
    const bool before = s->arch->port_counts_age_cycles;
    for (int w = 0; w < words; w++) {
        uint64_t *word = s->rn.uses.word[w], use = word[USE_NOW] - ones[*gone >> 4 * w & 15];
        word[USE_PREVIOUS] = word[USE_START];
        word[USE_NOW] = word[USE_START] = use;
        if (w < PORT_WORDS - 1)
            word[USE_KEY] = ((before ? word[USE_PREVIOUS] : use) << PORT_KEY_BITS) + numbers[w];
    }
    *gone = 0;
    if (now % 64 == 0)
        reservations_clear_word(s, (uint32_t)(now / 64 - 1) & RESERVED_WORD);
}

#endif
