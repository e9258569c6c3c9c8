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
#include "base/hash.h"
#include "base/number.h"
#include "model/sim/sim.h"

#include <string.h>

enum {
    NEVER = SIM_LONG_AGO
};

void queues_reset(sim *s)
{
    if (!s->queued)
        return;
    memset(&s->queues, 0, sizeof s->queues);
    s->queues.entered_last = s->queues.stopped = NEVER;
}

/* The entries of a scheduler: a heap of the latest cycles in which µops leave, the earliest first. */
static void sink(int32_t *heap, uint32_t count)
{
    for (uint32_t k = 0, child; (child = 2 * k + 1) < count; k = child) {
        child += child + 1 < count && heap[child + 1] < heap[child];
        if (heap[k] <= heap[child])
            return;
        int32_t swapped = heap[k];
        heap[k] = heap[child];
        heap[child] = swapped;
    }
}

static void rise(int32_t *heap, uint32_t k)
{
    for (; k && heap[(k - 1) / 2] > heap[k]; k = (k - 1) / 2) {
        int32_t swapped = heap[k];
        heap[k] = heap[(k - 1) / 2];
        heap[(k - 1) / 2] = swapped;
    }
}

/* The number of its entries. For general registers and addresses it is the number that is left when a group
 * is renamed, as the whole group must find room. */
static uint32_t width_of(const sim *s, scheduler which)
{
    const tacho_arch *a = s->arch;
    switch (which) {
    case SCHEDULER_ALU:
        return a->alu_scheduler_width + 1u - a->issue_width;
    case SCHEDULER_ADDRESS:
        return a->address_scheduler_width + 1u - bits_in_16(a->load_ports);
    case SCHEDULER_STORES:
        return a->vector_store_scheduler_width;
    default:
        return a->vector_scheduler_width;
    }
}

/* How many are in it in that cycle. */
static uint32_t inside(const scheduler_places *p, int32_t cycle)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->count; k++)
        count += p->leaving[k] > cycle;
    return count;
}

/* Where both schedulers lead to ports of the µop: the one with fewer µops, or else the one with the port that
 * is free first. */
static scheduler scheduler_for(const sim *s, const op *u, int32_t cycle, int32_t ready)
{
    const scheduler_queues *q = &s->queues;
    uint16_t second = s->arch->vector_second_ports;
    if (u->flags & OP_INTEGER)
        return u->kind == UOP_LOAD || u->kind == UOP_STORE_ADDRESS ? SCHEDULER_ADDRESS : SCHEDULER_ALU;
    if (u->flags & OP_STORE_QUEUE)
        return SCHEDULER_STORES;
    if (!(u->ports & second) || !(u->ports & ~second))
        return u->ports & second ? SCHEDULER_SECOND : SCHEDULER_FIRST;
    uint32_t first = inside(&q->places[SCHEDULER_FIRST], cycle),
             other = inside(&q->places[SCHEDULER_SECOND], cycle);
    bool to_second =
        first == other ? second >> ports_choose_at_dispatch(s, u->ports, ready) & 1 : other < first;
    return to_second ? SCHEDULER_SECOND : SCHEDULER_FIRST;
}

/* The schedulers of ALUs and addresses have no queue before them: what follows waits, too. */
static int32_t enter_integer(sim *s, const op *u)
{
    scheduler_queues *q = &s->queues;
    q->last = (uint8_t)scheduler_for(s, u, s->cycle, s->cycle);
    const scheduler_places *p = &q->places[q->last];
    if (p->count < width_of(s, q->last) || p->leaving[0] <= s->cycle)
        return s->earliest;
    q->stopped = p->leaving[0] > q->stopped ? p->leaving[0] : q->stopped;
    return p->leaving[0] + (s->earliest - s->cycle);
}

/* Whether so many vector µops wait that what they wake is a cycle late. */
static bool is_crowded(const sim *s)
{
    const scheduler_queues *q = &s->queues;
    return q->entered_last > s->cycle ||
           inside(&q->places[SCHEDULER_FIRST], s->cycle) + inside(&q->places[SCHEDULER_SECOND], s->cycle) >=
               s->arch->vector_quick_places;
}

int32_t queues_enter(sim *s, const op *u, int32_t ready, uint16_t *ports)
{
    scheduler_queues *q = &s->queues;
    *ports = u->ports;
    if (u->flags & OP_INTEGER)
        return enter_integer(s, u);
    int32_t cycle = s->cycle > q->entered_last ? s->cycle : q->entered_last;
    scheduler which = scheduler_for(s, u, cycle, ready);
    const scheduler_places *p = &q->places[which];
    q->crowded = s->arch->vector_quick_places && is_crowded(s);
    if (p->count == width_of(s, which) && p->leaving[0] > cycle)
        cycle = p->leaving[0];
    q->last = (uint8_t)which;
    q->entered_last = cycle;
    q->entered[q->count++ % QUEUE_MOST] = cycle;
    if (s->arch->vector_second_ports && which != SCHEDULER_STORES)
        *ports &= which == SCHEDULER_SECOND ? s->arch->vector_second_ports
                                            : (uint16_t)~s->arch->vector_second_ports;
    return cycle + (s->earliest - s->cycle);
}

int32_t queues_late(const sim *s, const op *u)
{
    return s->queues.crowded && u->kind == UOP_COMPUTE && u->first_latency == 1; /* as block_is_quick */
}

void queues_leave(sim *s, int32_t cycle)
{
    const scheduler which = s->queues.last;
    cycle += which < SCHEDULER_ALU ? s->arch->vector_release_cycles : 0;
    scheduler_places *p = &s->queues.places[which];
    if (p->count < width_of(s, which)) {
        p->leaving[p->count] = cycle;
        rise(p->leaving, p->count++);
    } else if (cycle > p->leaving[0]) {
        p->leaving[0] = cycle;
        sink(p->leaving, p->count);
    }
}

bool queues_full(const sim *s)
{
    const scheduler_queues *q = &s->queues;
    const uint32_t room = s->arch->vector_queue_width - s->arch->issue_width;
    if (!s->queued)
        return false;
    return q->stopped > s->cycle ||
           (q->count > room && q->entered[(q->count - 1 - room) % QUEUE_MOST] > s->cycle);
}

uint64_t queues_hash(const sim *s, uint64_t h)
{
    const scheduler_queues *q = &s->queues;
    for (unsigned w = 0; w < SCHEDULERS; w++)
        for (uint32_t k = 0; k < q->places[w].count; k++)
            if (q->places[w].leaving[k] > s->cycle)
                h += hash_mix((uint64_t)(q->places[w].leaving[k] - s->cycle) << 3 | w);
    for (uint32_t k = 1; k <= q->count && k <= QUEUE_MOST; k++)
        if (q->entered[(q->count - k) % QUEUE_MOST] > s->cycle)
            h += hash_mix((uint64_t)(q->entered[(q->count - k) % QUEUE_MOST] - s->cycle) << 32 | k);
    return h;
}
