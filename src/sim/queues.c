/* queues.c - schedulers of their own for vector µops, and the queue before them.
 *
 * Vector µops enter their scheduler in the order of the code, and wait before it, in a queue from which
 * nothing leaves for a port, while it is full; when the queue is full, too, nothing is renamed. A scheduler
 * of N places has one when all but N - 1 of the earlier µops have left: that is when the N-th latest of these
 * leaves, and some cycles more. Of two schedulers each leads to ports of its own, so that the one that a µop
 * enters settles where it goes. Published for Zen 5 (AMD's optimization guide): schedulers of 38 places and a
 * queue of 96; measured: µops that wait for a chain of square roots let a second chain begin until there are
 * 70 of them, whatever they compute, stores 38; chains of multiplications and additions one after the other
 * overlap as if a place were free again only some four cycles after a µop has left it. */
#include "sim/sim.h"
#include "util/hash.h"

#include <string.h>

enum {
    NEVER = SIM_LONG_AGO
};

void queues_reset(sim *s)
{
    if (!s->queued)
        return;
    memset(&s->queues, 0, sizeof s->queues);
    s->queues.entered_last = NEVER;
}

/* The places of a scheduler: a heap of the latest cycles in which µops leave, the earliest first. */
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

static uint32_t width_of(const sim *s, vector_scheduler which)
{
    return which == SCHEDULER_STORES ? s->arch->vector_store_scheduler_width
                                     : s->arch->vector_scheduler_width;
}

/* How many are in it in that cycle. */
static uint32_t inside(const scheduler_places *p, int32_t cycle)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->count; k++)
        count += p->leaving[k] > cycle;
    return count;
}

/* Where both lead to ports of the µop, the one with fewer µops, else the one with the port that is free
 * first. */
static vector_scheduler scheduler_for(const sim *s, const op *u, int32_t cycle, int32_t ready)
{
    const vector_queues *q = &s->queues;
    uint16_t second = s->arch->vector_second_ports;
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

int32_t queues_enter(sim *s, const op *u, int32_t ready, uint16_t *ports)
{
    vector_queues *q = &s->queues;
    int32_t cycle = s->cycle > q->entered_last ? s->cycle : q->entered_last;
    vector_scheduler which = scheduler_for(s, u, cycle, ready);
    const scheduler_places *p = &q->places[which];
    if (p->count == width_of(s, which) && p->leaving[0] > cycle)
        cycle = p->leaving[0];
    q->last = (uint8_t)which;
    q->entered_last = cycle;
    q->entered[q->count++ % QUEUE_MOST] = cycle;
    *ports = u->ports;
    if (s->arch->vector_second_ports && which != SCHEDULER_STORES)
        *ports &= which == SCHEDULER_SECOND ? s->arch->vector_second_ports
                                            : (uint16_t)~s->arch->vector_second_ports;
    return cycle + (s->earliest - s->cycle);
}

void queues_leave(sim *s, int32_t cycle)
{
    const vector_scheduler which = s->queues.last;
    cycle += s->arch->vector_release_cycles;
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
    const vector_queues *q = &s->queues;
    const uint32_t room = s->arch->vector_queue_width - s->arch->issue_width;
    return s->queued && q->count > room && q->entered[(q->count - 1 - room) % QUEUE_MOST] > s->cycle;
}

uint64_t queues_hash(const sim *s, uint64_t h)
{
    const vector_queues *q = &s->queues;
    for (unsigned w = 0; w < SCHEDULERS; w++)
        for (uint32_t k = 0; k < q->places[w].count; k++)
            if (q->places[w].leaving[k] > s->cycle)
                h += hash_mix((uint64_t)(q->places[w].leaving[k] - s->cycle) << 2 | w);
    for (uint32_t k = 1; k <= q->count && k <= QUEUE_MOST; k++)
        if (q->entered[(q->count - k) % QUEUE_MOST] > s->cycle)
            h += hash_mix((uint64_t)(q->entered[(q->count - k) % QUEUE_MOST] - s->cycle) << 32 | k);
    return h;
}
