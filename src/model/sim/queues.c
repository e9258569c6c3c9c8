/* queues.c - cores with separate schedulers for the µops of general registers, of addresses and of vectors;
 * and the queue before those of vectors.
 *
 * The schedulers of general registers and addresses: while one has no free entry, nothing is renamed.
 * Published for Zen 5 (AMD's optimization guide): 88 and 56 entries. Measured: chains begin behind 63 and 52
 * µops that wait, as if there had to be room for a whole group.
 *
 * Vector µops enter their scheduler in the order of the code. While it is full they wait in a queue before
 * it, from which nothing leaves for a port; when the queue is full, too, nothing is renamed. A scheduler of N
 * entries has a free one when all but N - 1 of the earlier µops have left, that is, some cycles after the
 * N-th latest of them leaves. Of two schedulers each leads to ports of its own, so the scheduler that a µop
 * enters decides where it goes.
 *
 * Published for Zen 5 (AMD's optimization guide): schedulers of 38 entries and a queue of 96. Measured: µops
 * that wait for a chain of square roots let a second chain begin as long as there are no more than 70 of
 * them, whatever they compute; of stores, 38. Chains of multiplications and additions one after the other
 * overlap as if an entry were free again only some four cycles after its µop has left. */
#include "model/sim/queues.h"

#include "base/hash.h"
#include "base/number.h"

#include <string.h>

enum {
    NEVER = SIM_LONG_AGO
};

scheduler queues_of(const tacho_arch *arch, const op *u)
{
    const uint16_t second = arch->vector_second_ports;
    if (!(u->flags & OP_SCHEDULER))
        return SCHEDULER_NONE;
    if (u->flags & OP_INTEGER)
        return u->kind == UOP_LOAD || u->kind == UOP_STORE_ADDRESS ? SCHEDULER_ADDRESS : SCHEDULER_ALU;
    if (u->flags & OP_STORE_QUEUE)
        return SCHEDULER_STORES;
    if (!(u->ports & second) || !(u->ports & ~second))
        return u->ports & second ? SCHEDULER_SECOND : SCHEDULER_FIRST;
    return SCHEDULER_EITHER;
}

void queues_reset(sim *s)
{
    scheduler_queues *q = &s->queues;
    const tacho_arch *a = s->arch;
    if (!s->queued)
        return;
    for (int32_t c = q->turned; c <= q->last; c++) /* of the run before */
        q->leaving[c & (SIM_HORIZON - 1)] = 0;
    q->inside = 0;
    q->last = q->turned = 0;
    q->count = 0;
    q->crowded = false;
    q->chosen = 0;
    q->entered_last = q->stopped = NEVER;
    q->width[SCHEDULER_FIRST] = q->width[SCHEDULER_SECOND] = a->vector_scheduler_width;
    q->width[SCHEDULER_STORES] = a->vector_store_scheduler_width;
    /* that are left when a group is renamed, as the whole group must find room: */
    q->width[SCHEDULER_ALU] = a->alu_scheduler_width + 1u - a->issue_width;
    q->width[SCHEDULER_ADDRESS] = a->address_scheduler_width + 1u - bits_in_16(a->load_ports);
}

/* How many have not left it after that cycle, this one or a later one. */
static uint32_t inside(const sim *s, scheduler which, int32_t cycle)
{
    uint32_t count = queues_count(s->queues.inside, which);
    for (int32_t c = s->cycle + 1; count && c <= cycle; c++)
        count -= queues_count(s->queues.leaving[c & (SIM_HORIZON - 1)], which);
    return count;
}

/* The first cycle from that one on after which an entry is free. */
static int32_t first_free_entry(const sim *s, scheduler which, int32_t cycle)
{
    const uint32_t width = s->queues.width[which];
    uint32_t count = inside(s, which, cycle);
    while (count >= width)
        count -= queues_count(s->queues.leaving[++cycle & (SIM_HORIZON - 1)], which);
    return cycle;
}

/* Where both schedulers lead to ports of the µop: the one with fewer µops, or else the one with the port that
 * is free first. */
static scheduler one_of_both(const sim *s, const op *u, int32_t cycle, int32_t ready)
{
    const uint32_t width = s->queues.width[SCHEDULER_FIRST];
    uint32_t first = min_u32(inside(s, SCHEDULER_FIRST, cycle), width),
             other = min_u32(inside(s, SCHEDULER_SECOND, cycle), width);
    bool to_second =
        first == other ? s->arch->vector_second_ports >> reservations_free_port(s, u->places, ready).port & 1
                       : other < first;
    return to_second ? SCHEDULER_SECOND : SCHEDULER_FIRST;
}

/* The schedulers of ALUs and addresses have no queue before them: what follows waits, too. */
int32_t queues_wait(sim *s, scheduler which)
{
    scheduler_queues *q = &s->queues;
    const int32_t free = first_free_entry(s, which, s->cycle);
    q->stopped = free > q->stopped ? free : q->stopped;
    return free;
}

/* Whether so many vector µops wait that what they wake is a cycle late. */
static bool is_crowded(const sim *s)
{
    const scheduler_queues *q = &s->queues;
    const uint32_t width = q->width[SCHEDULER_FIRST];
    return q->entered_last > s->cycle || min_u32(queues_count(q->inside, SCHEDULER_FIRST), width) +
                                                 min_u32(queues_count(q->inside, SCHEDULER_SECOND), width) >=
                                             s->arch->vector_quick_places;
}

int32_t queues_enter_vectors(sim *s, const op *u, int32_t ready)
{
    scheduler_queues *q = &s->queues;
    int32_t cycle = s->cycle > q->entered_last ? s->cycle : q->entered_last;
    scheduler which = u->scheduler == SCHEDULER_EITHER ? one_of_both(s, u, cycle, ready) : u->scheduler;
    q->crowded = s->arch->vector_quick_places && is_crowded(s);
    cycle = first_free_entry(s, which, cycle);
    q->chosen = (uint8_t)which;
    q->entered_last = cycle;
    q->entered[q->count++ % QUEUE_MOST] = cycle;
    return cycle;
}

/* Of the µops that leave in a cycle those that are among the latest `left` of their schedulers. */
static scheduler_counts among_latest(scheduler_counts counts, uint32_t left[SCHEDULERS])
{
    scheduler_counts out = 0;
    for (unsigned w = 0; w < SCHEDULERS; w++) {
        const uint32_t now = min_u32(queues_count(counts, w), left[w]);
        out |= (scheduler_counts)now << SCHEDULER_BITS * w;
        left[w] -= now;
    }
    return out;
}

uint64_t queues_hash(const sim *s, uint64_t h)
{
    const scheduler_queues *q = &s->queues;
    const scheduler_counts inside = q->inside - q->leaving[s->cycle & (SIM_HORIZON - 1)];
    uint32_t left[SCHEDULERS];
    bool too_many = false;
    for (unsigned w = 0; w < SCHEDULERS; w++) {
        left[w] = q->width[w];
        too_many |= queues_count(inside, w) > left[w];
    }
    for (int32_t c = q->last; c > s->cycle; c--) {
        scheduler_counts now = q->leaving[c & (SIM_HORIZON - 1)];
        if (now && too_many)
            now = among_latest(now, left);
        if (now)
            h = hash_add(hash_add(h, (uint32_t)(c - s->cycle)), now);
    }
    for (uint32_t k = 1; k <= q->count && k <= QUEUE_MOST; k++)
        if (q->entered[(q->count - k) % QUEUE_MOST] > s->cycle)
            h += hash_mix((uint64_t)(q->entered[(q->count - k) % QUEUE_MOST] - s->cycle) << 32 | k);
    return h;
}
