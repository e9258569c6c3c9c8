/* waiting_loads.c - loads that come before the data of the store which they read from. Measured on Cascade
 * Lake (doc/ACCURACY.md): a few of them wait in a place where the data find them at once, and have them
 * store_forward_cycles after the store; the others begin again, and have them forward_missed_cycles later. A
 * place that is taken stays so until the load is done, so with more loads than places the share of those that
 * wait in one is places / loads, whatever else happens. Loads that wait keep their entries of the scheduler;
 * those that stand in the part for addresses have rs_address_width there. Their chains go through the other
 * part, of rs_alu_width, which bounds the loads in flight where a link has several instructions.
 *
 * On Ice Lake server a link of a chain through memory that computes something takes forward_link_cycles at
 * least (8: with one load an iteration, which goes to either port in turn, 7.5), however short the
 * computation; one that only moves, as push and pop, does not. What makes it so is not known. */
#include "base/hash.h"
#include "model/sim/hot.h"

void waiting_reset(sim *s)
{
    waiting_loads *w = &s->waiting;
    if (!s->waits)
        return;
    for (int k = 0; k < FORWARD_WAITING_MOST; k++)
        w->until[k] = SIM_LONG_AGO;
    memset(w->change, 0, sizeof w->change);
    w->held = 0;
}

/* A place that is free in cycle `start`, NULL if there is none. */
static int32_t *free_place(sim *s, int32_t start)
{
    for (uint32_t k = 0; k < s->arch->forward_waiting_loads; k++)
        if (s->waiting.until[k] <= start)
            return &s->waiting.until[k];
    return NULL;
}

/* The load's entry is free when it leaves for the last time. */
static void hold_entry(sim *s, int32_t start, int32_t again)
{
    reservations *t = &s->reserved;
    if (again <= start || again > s->cycle + RESERVED_FARTHEST)
        return;
    t->leaving[start & RESERVED_SLOT] -= RESERVED_ONE_UOP;
    t->leaving[again & RESERVED_SLOT] += RESERVED_ONE_UOP;
    t->last = again > t->last ? again : t->last;
    s->waiting.change[start & RESERVED_SLOT]++;
    s->waiting.change[again & RESERVED_SLOT]--;
}

int32_t waiting_enter(sim *s, const op *u, int32_t start, int32_t available, bool at_once)
{
    if (at_once && available > start + u->load_latency) {
        int32_t *place = free_place(s, start);
        if (place)
            *place = available;
        at_once = place;
    }
    if (available <= start + u->load_latency)
        return available;
    available += at_once ? 0 : s->arch->forward_missed_cycles;
    available += u->load_latency - s->arch->load_latency_cycles;
    hold_entry(s, start, available - s->arch->load_latency_cycles);
    return available;
}

/* µops that wait for one of these ports, with those that left it in the cycle before. */
static uint32_t waiting_for(const sim *s, uint32_t ports)
{
    uint32_t count = 0;
    for (; ports; ports &= ports - 1)
        count += s->rn.uses.lane[port_lane((uint32_t)__builtin_ctz(ports), USE_NOW)];
    return count;
}

bool waiting_full(sim *s)
{
    const tacho_arch *a = s->arch;
    waiting_loads *w = &s->waiting;
    int8_t *change = &w->change[(s->cycle - 2) & RESERVED_SLOT];
    w->held += *change;
    *change = 0;
    return w->held && ((uint32_t)w->held + waiting_for(s, a->load_ports | a->store_address_ports) >
                           a->rs_address_width ||
                       waiting_for(s, a->alu_ports | a->store_data_ports) > a->rs_alu_width);
}

uint64_t waiting_hash(const sim *s, uint64_t h)
{
    const waiting_loads *w = &s->waiting;
    uint64_t taken = 0; /* whichever places they are */
    for (uint32_t k = 0; k < s->arch->forward_waiting_loads; k++)
        taken += w->until[k] > s->cycle ? hash_add(1, (uint32_t)(w->until[k] - s->cycle)) : 0;
    h = hash_add(h, taken);
    for (int32_t c = s->cycle >= 2 ? s->cycle - 2 : 0; c <= s->reserved.last; c++)
        if (w->change[c & RESERVED_SLOT])
            h = hash_add(h, (uint64_t)(c - s->cycle + 2) << 8 | (uint8_t)w->change[c & RESERVED_SLOT]);
    return h;
}

void waiting_link(sim *s, const op *u, int port, int32_t start, load_source *from)
{
    if (!from->store || from->blocked || from->aliased || from->renamed)
        return;
    load_link *l = &s->links[u->insn];
    const int32_t least = s->arch->forward_link_cycles - (port > l->port),
                  link = from->available - l->available;
    if (from->available > start + u->load_latency && link > s->arch->store_forward_cycles + 1 && link < least)
        from->available = l->available + least;
    *l = (load_link){from->available, port};
}

void waiting_links_reset(sim *s)
{
    for (uint32_t k = 0; k < s->b->insn_count; k++)
        s->links[k] = (load_link){SIM_LONG_AGO, 0};
}

uint64_t waiting_links_hash(const sim *s, uint64_t h)
{
    for (uint32_t k = 0; k < s->b->insn_count; k++) {
        const int32_t since = s->cycle - s->links[k].available;
        if (since < s->arch->forward_link_cycles)
            h = hash_add(h, (uint64_t)(uint32_t)since << 16 | k << 4 | (uint32_t)s->links[k].port);
    }
    return h;
}
