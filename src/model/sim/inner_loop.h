/* inner_loop.h - what the units ask for each µop and in each cycle. */
#ifndef TACHO_SIM_INNER_LOOP_H
#define TACHO_SIM_INNER_LOOP_H

#include "model/sim/sim.h"

/* ---- reservation tables and reorder buffer: see schedulers.c ---- */

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

/* What is taken in that cycle and the next three. */
static inline uint64_t reservations_from(const reservations *t, int32_t cycle)
{
    const uint32_t first = (uint32_t)cycle & RESERVED_SLOT;
    uint64_t four = 0;
    if (__builtin_expect(first <= SIM_HORIZON - CYCLES_AT_ONCE, 1)) {
        memcpy(&four, &t->taken[first], sizeof four);
        return four;
    }
    for (uint32_t k = 0; k < CYCLES_AT_ONCE; k++)
        four |= (uint64_t)t->taken[(first + k) & RESERVED_SLOT] << PLACE_BITS * k;
    return four;
}

/* A port, by its place, and a cycle in which it is free. */
typedef struct free_port {
    int place;
    int32_t cycle;
} free_port;

/* The port that is free first from that cycle on, of those at these places; of several the first. So AMD's
 * scheduler chooses. */
static inline free_port reservations_first_free(const reservations *t, port_places places, int32_t from)
{
    uint64_t free = ~reservations_from(t, from) & places;
    for (; !free; free = ~reservations_from(t, from) & places)
        from += CYCLES_AT_ONCE;
    const int first = __builtin_ctzll(free);
    return (free_port){first % PLACE_BITS, from + first / PLACE_BITS};
}

/* The same no further ahead than a µop may be placed. */
static inline free_port reservations_free_port(const sim *s, port_places places, int32_t ready)
{
    const int32_t farthest = s->cycle + RESERVED_FARTHEST;
    return reservations_first_free(&s->reserved, places, ready < farthest ? ready : farthest);
}

static inline void reservations_take(reservations *t, int place, int32_t cycle)
{
    t->taken[cycle & RESERVED_SLOT] |= (uint16_t)(1u << place);
}

/* Takes the first free cycle. */
static inline int32_t reservations_claim(reservations *t, int place, int32_t from)
{
    const int32_t cycle = reservations_first_free(t, IN_EACH_CYCLE << place, from).cycle;
    reservations_take(t, place, cycle);
    return cycle;
}

/* A µop is in the scheduler until cycle `start`; `place`: the bit of that of the port that it takes then, and
 * is bound to; 0: none, or it does not matter. */
static inline void reservations_leave(reservations *t, uint32_t place, int32_t start)
{
    t->leaving[start & RESERVED_SLOT] += RESERVED_ONE_UOP + place; /* once a cycle: sets the bit */
    t->occupancy++;
    t->last = start > t->last ? start : t->last;
}

int32_t reservations_first_open(const sim *s, const op *u, port_places places, int32_t ready);
void reservations_close(sim *s, const op *u, int32_t start);

/* One more µop is bound to the port at that place. */
static inline void reservations_bind(sim *s, int place)
{
    s->rn.uses.lane[port_lane((uint32_t)place, USE_NOW)]++;
}

/* The next retirement, as in reorder_buffer.next: in order, `width` a cycle, a cycle after the last part has
 * finished. */
static inline uint32_t rob_next(uint32_t next, uint32_t width, int32_t finish)
{
    return max_u32(next, (uint32_t)(finish + 1) * width);
}

static inline void rob_enter(sim *s, int32_t finish)
{
    reorder_buffer *r = &s->rob;
    const uint32_t next = rob_next(r->next, r->width, finish);
    r->retire[r->tail++ & (SIM_ROB - 1)] = next;
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
    return inside > r->check && (inside > s->arch->rob_entries || free_registers_lack(s));
}

/* At the start of a cycle: no room for a whole issue group. */
static inline bool backend_full(sim *s)
{
    uint32_t width = s->arch->issue_width;
    return rob_full(s) || s->reserved.occupancy + width > s->arch->rs_entries ||
           s->reserved.last - s->cycle > RESERVED_FAR ||
           (s->arch->store_buffer_by_group && store_buffer_full(s, width));
}

/* A new cycle: µops that left in the one before are out of the scheduler; the renamer learns of it a cycle
 * later. */
static inline void reservations_turn(sim *s)
{
    /* bit n of four becomes 1 in the n-th of four lanes */
#define UPPER(two) (two), (two) + 0x1, (two) + 0x10000, (two) + 0x10001
    static const uint64_t ones[16] = {UPPER(0), UPPER(0x100000000), UPPER(0x1000000000000),
                                      UPPER(0x1000100000000)};
#undef UPPER
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
        uint64_t(*uses)[PORT_WORDS] = s->rn.uses.word, use = uses[USE_NOW][w] - ones[*gone >> 4 * w & 15];
        uses[USE_PREVIOUS][w] = uses[USE_START][w];
        uses[USE_NOW][w] = uses[USE_START][w] = use;
        if (w < PORT_WORDS - 1)
            uses[USE_KEY][w] = ((before ? uses[USE_PREVIOUS][w] : use) << PORT_KEY_BITS) + numbers[w];
    }
    *gone = 0;
    if (now % 64 == 0)
        reservations_clear_word(s, (uint32_t)(now / 64 - 1) & RESERVED_WORD);
}

/* ---- operands ---- */

static inline int32_t operands_ready(const sim *s, const op *u)
{
    rat_value latest = SIM_LONG_AGO * RAT_CYCLE;
    for (const uint8_t *in = u->in, *end = in + u->in_count; in < end; in++)
        latest = max_i32(latest, s->rn.rat[*in]);
    return rat_ready(latest);
}

/* ---- ports: see ports.c ---- */

/* Odd slots take the second least used port of the set, unless it has port_margin more µops. Not for
 * branches: which port they get cannot be known in advance. */
static inline int ports_choose_of_four(const sim *s, uint32_t mask, uint32_t slot)
{
    const uint8_t *list = s->choices[mask].list;
    const uint16_t *key = s->rn.uses.lane;
    uint32_t a = key[list[0]], b = key[list[1]], c = key[list[2]], d = key[list[3]];
    uint32_t first = min_u32(min_u32(a, b), min_u32(c, d));
    uint32_t second = min_u32(max_u32(min_u32(a, b), min_u32(c, d)), min_u32(max_u32(a, b), max_u32(c, d)));
    bool far = (second >> PORT_KEY_BITS) - (first >> PORT_KEY_BITS) >= s->arch->port_margin;
    uint32_t taken = far || slot % 2 == 0 ? first : second;
    return PORT_KEY_NUMBER - (int)(taken & PORT_KEY_NUMBER);
}

static inline int ports_take_turn(sim *s, const op *u)
{
    const uint32_t rule = u->rule - PORT_LOADS, now = s->rn.turns[rule];
    s->rn.turns[rule] = s->prog.after[rule][now];
    return (int)now;
}

/* The least used port of a listed set. */
static inline uint8_t ports_least_used(const sim *s, const port_choice *c)
{
    const uint16_t *key = s->rn.uses.lane;
    uint32_t least = key[c->list[0]];
    for (int k = 1; k < PORTS_LISTED; k++)
        least = min_u32(least, key[c->list[k]]);
    return (uint8_t)(PORT_KEY_NUMBER - (least & PORT_KEY_NUMBER));
}

/* µops with the same set take the first, second ... port of its list in turn. Where only one comes in a
 * cycle, the rest of the list is not needed. */
static inline int ports_choose_by_turn(sim *s, uint32_t mask, uint32_t slot)
{
    port_choice *c = &s->choices[mask];
    if (c->stamp != s->stamp) {
        c->stamp = s->stamp;
        c->used = c->count = 0;
    }
    uint32_t nth = c->used++;
    if (s->arch->port_policy == TACHO_PORTS_10 && slot >= 3)
        nth = slot == 3 ? max_u32(nth, 1) : slot == 4 ? 0 : nth;
    if (!nth && !c->count && c->listed)
        return ports_least_used(s, c);
    if (!c->count)
        ports_order_by_turn(s, mask, c);
    return c->order[nth < c->count ? nth : nth % c->count];
}

/* The port, by its place, of a µop in the given issue slot that is ready in cycle `ready`. */
static inline int ports_choose(sim *s, const op *u, uint32_t slot, int32_t ready)
{
    if (u->rule < TACHO_MAX_PORTS)
        return u->rule;
    if (u->rule == PORT_OF_FOUR)
        return ports_choose_of_four(s, u->ports, slot);
    if (u->rule >= PORT_LOADS)
        return ports_take_turn(s, u);
    if (u->rule == PORT_BY_TURN)
        return ports_choose_by_turn(s, u->ports, slot);
    if (u->rule == PORT_BY_SLOT && s->choices[u->ports].stamp == s->stamp)
        return s->choices[u->ports].order[slot & 3];
    return ports_choose_among(s, u, slot, ready);
}

/* ---- schedulers of one kind of µops: see schedulers.c ---- */

static inline uint32_t queues_count(scheduler_counts counts, scheduler which)
{
    return (uint32_t)(counts >> SCHEDULER_BITS * which) & ((1u << SCHEDULER_BITS) - 1);
}

static inline uint32_t queues_inside(const scheduler_queues *q, scheduler which)
{
    return queues_count(q->inside - q->lack, which);
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
        if (!(q->inside & u->entry * QUEUE_FULL))
            return ready; /* and that is no earlier than a µop can leave */
        free = queues_wait(s, u->scheduler);
    }
    free += s->earliest - s->cycle;
    return free > ready ? free : ready;
}

/* Of the µop's places those of the scheduler that it has entered. */
static inline port_places queues_places(const sim *s, const op *u)
{
    if (u->scheduler != SCHEDULER_EITHER)
        return u->places;
    const port_places second = s->prog.second_places;
    return u->places & (s->queues.chosen == SCHEDULER_SECOND ? second : ~second);
}

/* The µop, which entered last, leaves in that cycle. */
static inline void queues_leave(sim *s, const op *u, int32_t cycle)
{
    scheduler_queues *q = &s->queues;
    scheduler_counts one = u->entry;
    if (!(u->flags & OP_INTEGER)) {
        one = (scheduler_counts)1 << SCHEDULER_BITS * q->chosen;
        cycle += s->arch->vector_release_cycles;
        q->ahead[q->chosen].count += cycle > q->ahead[q->chosen].cycle;
    }
    q->leaving[cycle & (SIM_HORIZON - 1)] += one;
    q->inside += one;
}

/* By how much the results of the µop that entered last come later than its latencies say. */
static inline int32_t queues_late(const sim *s, const op *u)
{
    return s->queues.crowded && u->quick;
}

/* No scheduler entry, or no room in the queue of vector µops, for a whole issue group. */
static inline bool queues_full(const sim *s)
{
    const scheduler_queues *q = &s->queues;
    const uint32_t room = s->arch->vector_queue_entries - s->arch->issue_width;
    return q->stopped > s->cycle ||
           (q->count > room && q->entered[(q->count - 1 - room) % QUEUE_MOST] > s->cycle);
}

/* ---- schedulers in parts: see scheduler_parts.c ---- */

static inline uint32_t parts_count(uint64_t counts, uint32_t part)
{
    return counts >> 8 * part & 0xff;
}

static inline void parts_turn(sim *s)
{
    scheduler_parts *p = &s->parts;
    uint64_t *gone = &p->leaving[s->cycle & (SIM_HORIZON - 1)];
    p->turned = s->cycle;
    p->waiting -= *gone;
    *gone = 0;
}

/* Where there are no two more than elsewhere, as the cycle begins. */
static inline void parts_compare(scheduler_parts *p)
{
    uint32_t least = UINT8_MAX;
    p->few = 0;
    for (uint32_t part = 0; part < p->count; part++)
        least = min_u32(least, parts_count(p->waiting, part));
    for (uint32_t part = 0; part < p->count; part++)
        p->few |= (uint8_t)((parts_count(p->waiting, part) <= least + 1) << part);
}

/* The entry of the µop, whose part was asked for last, and which leaves in that cycle, becomes free. */
static inline void parts_leave(sim *s, const op *u, int32_t cycle)
{
    scheduler_parts *p = &s->parts;
    cycle += s->binds && !(u->parts >> FIRST_COUNTED_ALU) ? s->arch->address_release_cycles : 0;
    const uint64_t one = (uint64_t)1 << 8 * p->chosen;
    p->leaving[cycle & (SIM_HORIZON - 1)] += one;
    p->waiting += one;
}

/* Whether the µop is one of those that are bound to parts: loads and store addresses by turns, and these. */
static inline bool parts_go_round(const sim *s, const op *u)
{
    return s->binds && u->parts;
}

/* The next in turn of the µop's parts, of those where few wait if it has such. */
static inline uint32_t parts_next(const scheduler_parts *p, const op *u)
{
    const uint32_t few = u->parts & p->few, any = few ? few : u->parts, later = any >> p->turn << p->turn;
    return (uint32_t)__builtin_ctz(later ? later : any);
}

/* Binds the µop to the part in turn, or to the group's ALU for it. @return its places */
static inline port_places parts_bind(sim *s, const op *u)
{
    scheduler_parts *p = &s->parts;
    if (u->parts >> FIRST_COUNTED_ALU) {
        const uint32_t to = (uint32_t)p->bound_alus & ((1u << BOUND_BITS) - 1);
        p->bound_alus >>= BOUND_BITS;
        p->chosen = (uint8_t)(to ? to - 1 : (uint32_t)__builtin_ctz(u->parts));
        return p->places[p->chosen];
    }
    const uint32_t planned = p->bound & ((1u << BOUND_BITS) - 1);
    p->bound >>= BOUND_BITS;
    p->chosen = (uint8_t)(planned ? planned - 1 : parts_next(p, u));
    p->turn = p->chosen + 1;
    return p->places[p->chosen];
}

/* Of the places of what is bound by alus_by_waiting, that where the fewest µops wait. */
static inline port_places alus_places(const sim *s, port_places places)
{
    const scheduler_parts *p = &s->parts;
    if (!p->alus || places != p->alus)
        return places;
    uint32_t best = FIRST_COUNTED_ALU;
    for (uint32_t k = best + 1; k < SCHEDULER_PARTS && p->places[k]; k++)
        if (parts_count(p->waiting, k) < parts_count(p->waiting, best))
            best = k;
    return p->places[best];
}

/* The µop leaves through that place. */
static inline void alus_leave(sim *s, int place, int32_t cycle)
{
    scheduler_parts *p = &s->parts;
    if (!(p->alus >> place & 1))
        return;
    const uint64_t one = (uint64_t)1 << 8 * (FIRST_COUNTED_ALU +
                                             (uint32_t)__builtin_popcountll(p->alus & ((1u << place) - 1)));
    p->leaving[cycle & (SIM_HORIZON - 1)] += one;
    p->waiting += one;
}

/* All parts together have as many entries as there are for ALUs. */
static inline bool parts_all_full(const sim *s)
{
    const scheduler_queues *q = &s->queues;
    return queues_inside(q, SCHEDULER_ALU) + queues_inside(q, SCHEDULER_ADDRESS) >= q->width[SCHEDULER_ALU];
}

/* Whether there are entries for the laminated µop. */
static inline bool parts_have_room(sim *s, const lam_op *l)
{
    static const uint64_t each = 0x0101010101010101;
    if (!s->binds)
        return true;
    if (s->parts.grouped)
        return s->parts.planned == s->cycle ? s->fe.idq_head - s->parts.planned_head < s->parts.planned_lams
                                            : parts_group_begins(s);
    const bool all_full = parts_all_full(s),
               any_full = (s->parts.waiting + each * (0x80u - s->arch->shared_scheduler_entries)) & each << 7;
    return !(all_full || any_full) || parts_find_room(s, l, all_full);
}

/* Whether the ALUs' scheduler, in parts, picks the µop before its operands are there. */
static inline bool early_picks_has(const sim *s, const op *u)
{
    return s->arch->alu_scheduler_parts && u->scheduler == SCHEDULER_ALU && !(u->flags & OP_NO_PORT);
}

/* Of the µop's places those of the part that it waits in, if it is bound to one: of two parts, at random,
 * that in which fewer wait. */
static inline port_places early_picks_part(sim *s, const op *u)
{
    scheduler_parts *p = &s->parts;
    if (!u->parts)
        return u->places;
    const uint32_t first = p->drawn + 1 == ALU_NUMBERS ? 0 : p->drawn + 1u,
                   second = first + 1 == ALU_NUMBERS ? 0 : first + 1, one = p->picks[first],
                   other = p->picks[second];
    p->drawn = (uint8_t)second;
    p->chosen = (uint8_t)(parts_count(p->waiting, other) < parts_count(p->waiting, one) ? other : one);
    return p->places[p->chosen];
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
    const bool early = u->scheduler == SCHEDULER_ALU && ready < base;
    for (uint32_t k = 0; k < u->out_count; k++) {
        const int32_t latency = op_latency(&u->out[k]);
        s->rn.told[u->out[k].slot] = (early && latency == 1 ? ready : base) + latency;
    }
}

#endif
