/* parallel.h - a loop whose turns are independent of each other, on several threads. */
#ifndef TACHO_BASE_PARALLEL_H
#define TACHO_BASE_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "tacho/error.h"

enum {
    PARALLEL_CANCELLED = 1
};

/** What to do. Start with {0} and fill in; functions but `turn` may be NULL. They return 0, or a negative
 *  code with `err` filled in, and get `payload`. */
typedef struct parallel_loop {
    size_t count;     /**< of turns */
    unsigned threads; /**< at most, the caller's among them; 0 counts as 1 */
    /** Turn `index`. What it writes should be its own, or behind a lock. */
    int (*turn)(void *payload, void *state, size_t index, tacho_error *err);
    /** Makes the state of a thread, before its first turn; of the caller's thread always. */
    int (*open)(void *payload, void **state, tacho_error *err);
    void (*close)(void *payload, void *state);
    /** Asked before each turn, by all threads: whether no further one is to begin. */
    bool (*cancelled)(void *payload);
    void *payload;
} parallel_loop;

/** Does all turns, begun in their order by whichever thread is free, and waits for their end. Where no
 * further thread can be had, those that there are do all. After a failure no further turn begins. The error
 * is that of the lowest index that fails, so that threads change nothing but the time; that of `open` counts
 * for the turn that the thread would have begun with.
 *  @return 0; a turn's code; PARALLEL_CANCELLED if that kept turns from beginning and none failed */
int parallel_run(const parallel_loop *loop, tacho_error *err);

/** Processors that this process may use: 1 to 256. */
unsigned parallel_processors(void);

/** Starts a thread, where there is no doing without. @return 0; TACHO_ERR_SYSTEM, with the reason */
int parallel_start_thread(pthread_t *out, void *(*begin)(void *), void *payload, tacho_error *err);

/** A condition that can be waited for by a clock which is never set. */
void parallel_condition_init(pthread_cond_t *out);
/** Waits for it, at most so long. */
void parallel_wait_ms(pthread_cond_t *condition, pthread_mutex_t *lock, long milliseconds);

#endif
