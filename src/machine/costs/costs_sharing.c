/* costs_sharing.c - stores to a line that another processor writes: two threads on two processors, each with
 * a counter of its own, in one line or in two. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/cpus.h"
#include "base/parallel.h"
#include "machine/costs/costs.h"

enum {
    COUNTS = 20000,
    FAR = 32 /* words: 256 bytes, which no prefetcher takes for neighbours */
};

typedef struct other_thread {
    _Alignas(256) volatile uint64_t words[2 * FAR];
    _Alignas(256) atomic_bool end;
    atomic_bool runs;
    int cpu;
} other_thread;

static void *write_on(void *payload)
{
    other_thread *o = payload;
    cpus_stay_on(o->cpu, NULL);
    while (!atomic_load_explicit(&o->end, memory_order_relaxed)) {
        for (int i = 0; i < 100; i++)
            o->words[0]++;
        atomic_store_explicit(&o->runs, true, memory_order_relaxed);
    }
    return NULL;
}

static void count_loop(void *payload, uint64_t iterations)
{
    volatile uint64_t *word = payload;
    for (uint64_t i = 0; i < iterations; i++)
        (*word)++;
}

static cost time_beside(other_thread *o)
{
    pthread_t thread;
    tacho_error unwanted;
    if (parallel_start_thread(&thread, write_on, o, &unwanted))
        return (cost){NAN, NAN};
    while (!atomic_load_explicit(&o->runs, memory_order_relaxed))
        sched_yield();
    double apart = costs_time(count_loop, (void *)&o->words[FAR], COUNTS);
    double together = costs_time(count_loop, (void *)&o->words[1], COUNTS);
    atomic_store_explicit(&o->end, true, memory_order_relaxed);
    pthread_join(thread, NULL);
    double more = costs_more(apart, together);
    return (cost){0, more};
}

cost costs_time_sharing(void)
{
    cpus before;
    int first = -1, last = -1;
    if (cpus_allowed(&before, NULL))
        return (cost){NAN, NAN};
    for (int i = 0; i < CPUS_MOST; i++)
        if (cpus_have(&before, i)) {
            first = first < 0 ? i : first;
            last = i;
        }
    if (first >= last)
        return (cost){NAN, NAN};
    other_thread o = {.cpu = last};
    cpus_stay_on(first, NULL);
    cost out = time_beside(&o);
    cpus_return_to(&before);
    return out;
}
