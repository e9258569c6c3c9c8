/* clocks.h - virtual clocks of threads. That a place takes less time is played by stopping the others: each
 * thread has a clock that stands while the thread is delayed, and goes back by what the place would have
 * saved where a sample of the thread falls into it. A clock that is ahead of the one that is last is to be
 * delayed by the difference. A thread that another one wakes goes on at the later of two times: its own when
 * it began to wait plus nothing, and the waker's; so it inherits the delays of its waker. Time on these
 * clocks is what the program would take. (Coz, SOSP 2015, keeps counters of delays to the same end.)
 *
 * It knows no process, so that tests make runs up. */
#ifndef TACHO_CLOCKS_H
#define TACHO_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum clock_state {
    CLOCK_RUNS = 0,
    CLOCK_READY, /* it has lost its processor, and wants one */
    CLOCK_WAITS
} clock_state;

typedef struct thread_clock {
    uint64_t process, thread;
    /* Seconds that its clock is behind the real one, since the experiment began: for delays and what the
     * place saves, of which all threads are to have as much; as other programs had its processor, or it was
     * watched. */
    double behind, stolen;
    double credit; /* what it was spared beyond the time it had waited: of the next waits, and not owed */
    clock_state state;
    double since; /* WAITS: when it began */
    double spare; /* READY: clocks.spare then */
    /* It was woken then, by whom is not sure: its clock before, and for how long it had waited; 0: it is. */
    double woken, waited, own_behind, own_stolen;
    bool outside; /* what it waits for comes from outside of the program, as was seen last */
    bool seen;    /* ... of this wait */
    /* Of the last delay: asked for, without its processor, seen to stand, and let go; 0: not yet. */
    double asked, left, stood, gone;
    bool resumes; /* it has been let go, and has no processor yet */
} thread_clock;

/* Start with {0}, but for the processors. */
typedef struct clocks {
    thread_clock *list;
    size_t count, capacity;
    double step;        /* what the last sample saved */
    double most;        /* the most that one is behind; by that much the program would have been faster */
    double began;       /* the experiment */
    thread_clock ended; /* the thread that ended last, since then */
    uint32_t processors;
    size_t running;
    double spare, told; /* seconds in which fewer ran than there are processors, up to the last event */
    bool failed;        /* memory ran out */
} clocks;

void clocks_free(clocks *c);
/* All clocks are right again. */
void clocks_begin(clocks *c, double now);
/* NULL: not known. Valid until the next thread appears or ends. */
thread_clock *clocks_of(clocks *c, uint64_t thread);

/* What happens, in the order of time. `parent`: the thread that makes it; 0: it was there before. */
void clocks_appears(clocks *c, uint64_t process, uint64_t thread, uint64_t parent, double time);
void clocks_ends(clocks *c, uint64_t thread, double time);
/* It is given a processor, and gives it up (or loses it). */
void clocks_runs(clocks *c, uint64_t process, uint64_t thread, double time);
void clocks_leaves(clocks *c, uint64_t thread, double time, bool preempted);
/* A sample of it lies in the place, which would have saved so many seconds. */
void clocks_saves(clocks *c, uint64_t thread, double saved);
/* Being watched has taken so much of its time. */
void clocks_watched(clocks *c, uint64_t thread, double seconds);

/* It is asked to stand; stands; is let go; is let go at once, without having been delayed. */
void clocks_asks(thread_clock *t, double time);
void clocks_stands(thread_clock *t, double time);
void clocks_goes(clocks *c, thread_clock *t, double time);
void clocks_spared(thread_clock *t, double time);

/* Seconds that it is to be delayed, as far as is known; that are left of the delay. */
double clocks_owed(const clocks *c, const thread_clock *t);
double clocks_left(const clocks *c, const thread_clock *t, double now);
/* What the clock of a thread that runs shows. */
double clocks_time(clocks *c, uint64_t thread, double time);

#endif
