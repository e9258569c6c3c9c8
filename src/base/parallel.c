/* parallel.c - the turns of a loop on several threads: each free thread takes the next turn. */
#include "base/parallel.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_THREADS = 256
};

typedef struct run {
    const parallel_loop *loop;
    atomic_size_t next;
    atomic_bool stopped; /* no further turn begins */
    atomic_bool cancelled;
    pthread_mutex_t lock; /* of the following */
    size_t failed;        /* where `code` is set: the lowest index that has failed */
    int code;
    tacho_error error;
} run;

static void fail(run *r, size_t index, int code, const tacho_error *error)
{
    pthread_mutex_lock(&r->lock);
    if (!r->code || index < r->failed) {
        r->failed = index;
        r->code = code;
        r->error = *error;
    }
    pthread_mutex_unlock(&r->lock);
    r->stopped = true;
}

/* The next turn. @return false: there is none */
static bool take(run *r, size_t *index)
{
    const parallel_loop *loop = r->loop;
    if (r->stopped || (*index = atomic_fetch_add(&r->next, 1)) >= loop->count)
        return false;
    if (!loop->cancelled || !loop->cancelled(loop->payload))
        return true;
    r->cancelled = r->stopped = true;
    return false;
}

/* Turns from `index` on; the first one may be beyond the last. */
static void do_turns(run *r, size_t index, bool more)
{
    const parallel_loop *loop = r->loop;
    void *state = NULL;
    tacho_error error;
    int code = loop->open ? loop->open(loop->payload, &state, &error) : 0;
    bool opened = !code;
    while (!code && more) {
        code = loop->turn(loop->payload, state, index, &error);
        more = !code && take(r, &index);
    }
    if (code)
        fail(r, index, code, &error);
    if (opened && loop->close)
        loop->close(loop->payload, state);
}

static void *work(void *payload)
{
    run *r = payload;
    size_t index;
    if (take(r, &index))
        do_turns(r, index, true);
    return NULL;
}

int parallel_run(const parallel_loop *loop, tacho_error *err)
{
    run r = {.loop = loop};
    pthread_t others[MAX_THREADS];
    size_t started = 0, index = loop->count;
    pthread_mutex_init(&r.lock, NULL);
    bool more = take(&r, &index);
    while (started + 1 < loop->threads && started + 1 < loop->count && started < MAX_THREADS && !r.stopped &&
           !pthread_create(&others[started], NULL, work, &r))
        started++;
    do_turns(&r, index, more);
    while (started)
        pthread_join(others[--started], NULL);
    pthread_mutex_destroy(&r.lock);
    if (r.code && err)
        *err = r.error;
    return r.code ? r.code : r.cancelled ? PARALLEL_CANCELLED : 0;
}

int parallel_start_thread(pthread_t *out, void *(*begin)(void *), void *payload, tacho_error *err)
{
    int why = pthread_create(out, NULL, begin, payload);
    return why ? tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot start a thread: %s", strerror(why)) : 0;
}

void parallel_condition_init(pthread_cond_t *out)
{
    pthread_condattr_t by_clock;
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(out, &by_clock);
    pthread_condattr_destroy(&by_clock);
}

void parallel_wait_ms(pthread_cond_t *condition, pthread_mutex_t *lock, long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(condition, lock, &until);
}

unsigned parallel_processors(void)
{
    cpu_set_t set;
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
        n = CPU_COUNT(&set);
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}
