/* parallel.c - numbered pieces of work on several threads: whoever is free takes the next one. */
#include "cluster/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    MAX_THREADS = 64
};

typedef struct job {
    atomic_size_t next;
    size_t pieces;
    void (*work)(void *payload, size_t piece);
    void *payload;
} job;

static void *take_pieces(void *argument)
{
    job *j = argument;
    for (size_t i; (i = atomic_fetch_add(&j->next, 1)) < j->pieces;)
        j->work(j->payload, i);
    return NULL;
}

void parallel_run(unsigned threads, size_t pieces, void (*work)(void *payload, size_t piece), void *payload)
{
    job j = {.pieces = pieces, .work = work, .payload = payload};
    pthread_t others[MAX_THREADS];
    unsigned started = 0;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    while (started + 1 < threads && started + 1 < pieces &&
           !pthread_create(&others[started], NULL, take_pieces, &j))
        started++;
    take_pieces(&j);
    for (unsigned i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}
