/* threads.h - looks at all threads of a program's processes from time to time, running or not, without
 * stopping any: what each waits for, and who has the lock. It costs a few microseconds a thread, and comes as
 * often as a small share of a processor's time allows. Not for use by several threads at once. */
#ifndef TACHO_THREADS_H
#define TACHO_THREADS_H

#include "program/threads/thread_stacks.h"
#include "program/threads/threads_calls.h"

typedef struct threads_watch threads_watch;

enum {
    THREADS_MAKERS = 4 /* functions that initialise locks, and so many breakpoints has a processor */
};

/** @return NULL: memory ran out */
threads_watch *threads_new(void);
/** Samples are of the kernel, too. */
void threads_in_kernel(threads_watch *w);
/** A thread, or process, begins. */
void threads_begins(threads_watch *w);
void threads_free(threads_watch *w);
/** Watches this process, too, from now on. `running`: it was there before, so that only what its threads do
 * from now on counts. */
void threads_add(threads_watch *w, pid_t pid, bool running);
/** A process executes another program. */
void threads_exec(threads_watch *w, pid_t pid);
/** Looks at the threads again and again, for so long, or until none is left. */
void threads_look(threads_watch *w, double seconds);
/** A thread that ran was there. The start's `bytes` may be NULL. `call`: it was in futex(2); NULL: it was
 * not.
 */
void threads_sampled(threads_watch *w, uint64_t pid, uint64_t tid, double time, const stack_start *at,
                     const thread_call *call);
/** Where the functions begin by which the first process, which stands, initialises locks; 0: it has none. */
void threads_makers(threads_watch *w, uint64_t out[THREADS_MAKERS]);
/** One of them is called for the lock there. @return false: it is none of them */
bool threads_makes(threads_watch *w, uint64_t pid, const stack_start *at, uint64_t lock);
/** Whether threads_makes is to be told on: it takes the program little time. */
bool threads_makers_due(threads_watch *w);
/** Finds the names of all places. @return 0, TACHO_ERR_MEMORY */
int threads_finish(threads_watch *w);
const threads_log *threads_log_of(const threads_watch *w);

#endif
