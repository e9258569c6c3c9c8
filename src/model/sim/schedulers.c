/* reservations.c - scheduler, divider and reorder buffer as reservation tables. uiCA paper, section 4.1.3;
 * pipeline model, section 5.
 *
 * The oldest ready µop goes first, one for each port and cycle. So µops, entered in the order of renaming,
 * take the first cycle that older µops have left free. Only the divider, and units with an initiation
 * interval, are busy for longer. In the processor a younger division begins if it is ready, although an older
 * one becomes ready before its end, and delays the older one. Here the older one keeps its place, and those
 * after both are delayed; the rate is the same. */
#include "model/sim/hot.h"

#include <string.h>

static void clear_words(uint64_t *bits, int32_t from, int32_t to)
{
    for (int32_t w = from / 64; w <= to / 64; w++)
        bits[w & RESERVED_WORD] = 0;
}

static void clear_cycles(uint32_t *leaving, int32_t from, int32_t to)
{
    uint32_t first = (uint32_t)from % SIM_HORIZON, count = (uint32_t)(to - from) + 1;
    if (count > SIM_HORIZON)
        count = SIM_HORIZON;
    uint32_t before_end = count < SIM_HORIZON - first ? count : SIM_HORIZON - first;
    memset(leaving + first, 0, before_end * sizeof *leaving);
    memset(leaving, 0, (count - before_end) * sizeof *leaving);
}

void reservations_reset(sim *s)
{
    reservations *t = &s->reserved;
    int32_t from = s->cycle < 192 ? 0 : s->cycle - 192, to = t->last > s->cycle ? t->last : s->cycle;
    to += 256; /* a division may last beyond */
    for (int p = 0; p < TACHO_MAX_PORTS; p++)
        clear_words(t->busy[p], from, to);
    for (uint32_t d = 0; d < DIVIDERS_MOST; d++)
        clear_words(t->divider[d], from, to);
    clear_words(t->loads, from, to);
    clear_words(t->wide_loads, from, to);
    clear_cycles(t->leaving, from > 2 ? from - 2 : 0, to);
    t->last = 0;
    t->occupancy = 0;
}

void reservations_clear_word(sim *s, uint32_t word)
{
    for (int p = 0; p < s->arch->ports; p++)
        s->reserved.busy[p][word] = 0;
    for (uint32_t d = 0; d < s->arch->dividers; d++)
        s->reserved.divider[d][word] = 0;
    s->reserved.loads[word] = s->reserved.wide_loads[word] = 0;
}

static bool is_set(const uint64_t *bits, int32_t cycle)
{
    return bits[(cycle / 64) & RESERVED_WORD] >> (cycle % 64) & 1;
}

bool divider_busy(const sim *s, int32_t cycle)
{
    bool busy = true;
    for (uint32_t d = 0; d < s->arch->dividers; d++)
        busy &= is_set(s->reserved.divider[d], cycle);
    return busy;
}

/* The first cycle in which both the port and a divider are free. From then on the division takes as many
 * free cycles of that divider as it needs, also on both sides of an older one that has its place already. */
static int32_t first_free_division(reservations *t, const uint64_t *busy, uint32_t dividers, int32_t from,
                                   int32_t cycles)
{
    int32_t start = INT32_MAX;
    uint64_t *divider = t->divider[0];
    for (uint32_t d = 0; d < dividers; d++) {
        int32_t c = from;
        while (is_set(t->divider[d], c) || is_set(busy, c))
            c++;
        if (c < start) {
            start = c;
            divider = t->divider[d];
        }
    }
    for (int32_t c = start; cycles > 0; c++) {
        cycles -= !is_set(divider, c);
        reservations_set(divider, c);
    }
    return start;
}

int32_t throttle_first_free(const throttle *t, int32_t ready, int32_t cycles)
{
    int32_t free = t->floor;
    if (ready < free)
        ready = free;
    for (uint32_t k = 0; k < t->count && t->starts[k] <= ready; k++) {
        free = (t->starts[k] > free ? t->starts[k] : free) + cycles;
        if (ready < free)
            ready = free;
    }
    return ready;
}

void throttle_enter(throttle *t, int32_t start, int32_t cycles)
{
    if (t->count == THROTTLE_STARTS) {
        t->floor = (t->starts[0] > t->floor ? t->starts[0] : t->floor) + cycles;
        memmove(t->starts, t->starts + 1, --t->count * sizeof *t->starts);
    }
    uint32_t k = t->count++;
    for (; k > 0 && t->starts[k - 1] > start; k--)
        t->starts[k] = t->starts[k - 1];
    t->starts[k] = start;
}

/* The first cycle in which the port is free, and in the next one, too. */
static int32_t first_two_free(reservations *t, int port, int32_t from)
{
    int32_t c = reservations_first_free(t->busy[port], from);
    while (is_set(t->busy[port], c + 1))
        c = reservations_first_free(t->busy[port], c + 1);
    reservations_set(t->busy[port], c + 1);
    return c;
}

/* A wide load needs the ways of both ports to the cache: no other load starts in that cycle. */
static int32_t first_free_load(reservations *t, int port, int32_t from, bool wide)
{
    int32_t c = reservations_first_free(t->busy[port], from);
    while (is_set(wide ? t->loads : t->wide_loads, c))
        c = reservations_first_free(t->busy[port], c + 1);
    reservations_set(t->loads, c);
    if (wide)
        reservations_set(t->wide_loads, c);
    return c;
}

int32_t reservations_enter_twice(sim *s, int port, int32_t ready)
{
    reservations *t = &s->reserved;
    int32_t start =
        first_two_free(t, port, ready < s->cycle + RESERVED_FARTHEST ? ready : s->cycle + RESERVED_FARTHEST);
    reservations_set(t->busy[port], start);
    reservations_bind(s, (uint32_t)port);
    reservations_leave(t, 1u << port, start);
    return start;
}

int32_t reservations_enter(sim *s, const op *u, int port, int32_t ready)
{
    static const uint64_t never_busy[SIM_HORIZON / 64];
    reservations *t = &s->reserved;
    const uint64_t *busy = u->flags & OP_NO_PORT ? never_busy : t->busy[port];
    int32_t start;
    if (ready > s->cycle + RESERVED_FARTHEST)
        ready = s->cycle + RESERVED_FARTHEST;
    if (u->div_cycles)
        start = first_free_division(t, busy, s->arch->dividers, ready, u->div_cycles);
    else if ((u->flags & OP_LOAD) && busy != never_busy)
        start = first_free_load(t, port, ready, u->flags & OP_WIDE);
    else if ((u->flags & OP_WIDE) && busy != never_busy)
        start = first_two_free(t, port, ready);
    else
        start = reservations_first_free(busy, ready);
    if (busy != never_busy) {
        reservations_set(t->busy[port], start);
        reservations_bind(s, (uint32_t)port);
    }
    reservations_leave(t, busy != never_busy ? 1u << port : 0, start);
    return start;
}
