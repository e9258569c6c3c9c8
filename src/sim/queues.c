/* queues.c - schedulers of their own for vector µops, and the queue before them.
 *
 * Vector µops enter their scheduler in the order of the code, and wait before it, in a queue from which
 * nothing leaves for a port, while it is full; when the queue is full, too, nothing is renamed. A scheduler
 * of N places has one when all but N - 1 of the earlier µops have left: that is when the N-th latest of these
 * leaves. Published for Zen 5 (AMD's optimization guide): schedulers of 38 places and a queue of 96;
 * measured: µops that wait for a chain of square roots let a second chain begin until there are 70 of them,
 * stores 38. */
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

static uint32_t width_of(const sim *s, const op *u)
{
    return u->flags & OP_STORE_QUEUE ? s->arch->vector_store_scheduler_width
                                     : s->arch->vector_scheduler_width;
}

int32_t queues_enter(sim *s, const op *u)
{
    vector_queues *q = &s->queues;
    const scheduler_places *p = &q->places[(u->flags & OP_STORE_QUEUE) != 0];
    int32_t cycle = s->cycle > q->entered_last ? s->cycle : q->entered_last;
    if (p->count == width_of(s, u) && p->leaving[0] > cycle)
        cycle = p->leaving[0];
    q->entered_last = cycle;
    q->entered[q->count++ % QUEUE_MOST] = cycle;
    return cycle + (s->earliest - s->cycle);
}

void queues_leave(sim *s, const op *u, int32_t cycle)
{
    scheduler_places *p = &s->queues.places[(u->flags & OP_STORE_QUEUE) != 0];
    if (p->count < width_of(s, u)) {
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
    for (unsigned w = 0; w < 2; w++)
        for (uint32_t k = 0; k < q->places[w].count; k++)
            if (q->places[w].leaving[k] > s->cycle)
                h += hash_mix((uint64_t)(q->places[w].leaving[k] - s->cycle) << 1 | w);
    for (uint32_t k = 1; k <= q->count && k <= QUEUE_MOST; k++)
        if (q->entered[(q->count - k) % QUEUE_MOST] > s->cycle)
            h += hash_mix((uint64_t)(q->entered[(q->count - k) % QUEUE_MOST] - s->cycle) << 32 | k);
    return h;
}
