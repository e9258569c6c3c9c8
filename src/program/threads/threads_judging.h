/* threads_judging.h - what the files that judge a log share. */
#ifndef TACHO_THREADS_JUDGING_H
#define TACHO_THREADS_JUDGING_H

#include "program/threads/threads_amounts.h"

enum {
    APART_THREADS = 64 /* pairs are looked at among so many */
};

/* A thread while the moments go by. */
typedef struct thread_now {
    uint32_t span;             /* LOG_NONE: it is not there */
    size_t sample, sample_end; /* of the sorted ones: the last not after the moment, or the first */
    bool active, spins;
    uint32_t lane; /* LOG_NONE: none */
    double wanted; /* seconds */
    double slept;  /* unseen, seconds */
    double unseen; /* ... for each second that it ran where it was seen to wait */
    uint64_t samples, spinning_samples;
} thread_now;

typedef struct judging {
    tacho_hot_threads out; /* first: the public pointer is to this */
    arena memory;
    const threads_log *l;
    const log_spin *loops;
    size_t loop_count;
    log_span *spans;     /* by their first moment */
    log_sample *samples; /* by thread and time */
    int32_t *spin_of;    /* of each place: the loop, or -1 */
    uint32_t *group_of;  /* of each wait */
    tacho_thread_wait *waits;
    tacho_thread_spin *spins;
    tacho_hot_thread *threads;
    tacho_thread_lane *lanes;
    thread_now *now;
    uint32_t *here; /* the threads that are there */
    size_t here_count;
    double *together;                           /* APART_THREADS squared */
    amounts places, holders, alone, of_threads; /* the last by thread, not by place */
    uint32_t most_present;
    double last_seconds; /* from the last moment on */
    bool *serial;        /* of each moment: one thread alone has work */
    double could;
} judging;

/* Whether another thread of the program holds it up, in a way that is a loss. */
static inline bool is_held(tacho_wait_kind kind)
{
    return kind == TACHO_WAIT_LOCK || kind == TACHO_WAIT_ALLOCATOR || kind == TACHO_WAIT_BARRIER;
}

/* threads_groups.c: sorts what the log has, and finds what waits are for one thing. @return false: memory ran
 * out; so, too, of the next */
bool judging_prepare(judging *j);
/* threads_result.c: after all moments. */
bool judging_finish(judging *j);

#endif
