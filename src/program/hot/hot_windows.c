/* hot_windows.c - when windows are taken while a program is sampled, and of which threads. All of them
 * together may take a share of the time since the run began; they come at moments chosen by chance, and go to
 * threads that had samples of late, so that code is seen about as often as it takes time. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/proc.h"
#include "base/seconds.h"
#include "machine/measure/counters.h"
#include "program/hot/hot_watch.h"
#include "program/hot/hot_windows.h"

enum {
    USUAL_INSNS = 400,
    FIRST_INSNS = 100, /* of the first, which tells what stepping costs here */
    RECENT = 32,
    TRIES = 4,
    REFUSED_IS_ALL = 20 /* in vain so often, and never not: no more is tried */
};
static const double first_after = 0.0015, nap_seconds = 0.005; /* seconds; the first divided by the share */
static const double pair_apart = 0.005, most_nap = 0.05;
static const double most_looking = 0.005; /* of the time, in addition to windows; and half of their share */

typedef struct recent_thread {
    uint64_t process, thread;
} recent_thread;

struct tacho_hot_windows {
    windows *engine;
    hot_observers *observers;
    double share, began, spent; /* seconds; began 0: not yet */
    double next;                /* when the next window may be taken */
    hot_watch *watch;           /* of the lines that looks touch; NULL: there are none */
    double look_spent, next_look;
    uint64_t random;
    bool is_pair;       /* the next window follows soon on the last one */
    recent_thread last; /* of which that was */
    uint64_t refused;
    int error;
    pid_t root;
    bool is_child, running;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    recent_thread recent[RECENT];
    uint64_t sampled;
    bool end;
};

hot_windows *hot_windows_new(double share)
{
    hot_windows *h = tacho_mem_zalloc(1, sizeof *h);
    if (!h)
        return NULL;
    pthread_mutex_init(&h->lock, NULL);
    parallel_condition_init(&h->changed);
    h->share = share;
    h->random = (uint64_t)(seconds_now() * 1e9);
    h->engine = windows_new();
    h->observers = h->engine ? hot_observers_new(h->engine) : NULL;
    if (h->observers)
        return h;
    hot_windows_free(h);
    return NULL;
}

void hot_windows_free(hot_windows *h)
{
    if (!h)
        return;
    hot_windows_end(h);
    hot_observers_free(h->observers);
    windows_free(h->engine);
    hot_watch_free(h->watch);
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
    tacho_mem_free(h);
}

/* ---- when ---- */

static double draw(hot_windows *h)
{
    return (double)hash_draw(&h->random, 1 << 20) / (1 << 20);
}

static void begin_time(hot_windows *h, double now)
{
    if (h->began > 0)
        return;
    h->began = now;
    h->next = now + first_after / h->share * (1 + draw(h) / 2);
    h->next_look = now + nap_seconds;
}

/* How many instructions a window may have that comes now. */
static uint64_t insns_now(const hot_windows *h)
{
    return windows_steps(h->engine) ? USUAL_INSNS : FIRST_INSNS;
}

/* A window has taken so long. They come in pairs, as two of a thread a little apart show how much memory the
 * code comes back to in the meantime (program/windows/causes_reach.c): after the second, the next is for when
 * there is time for two like these again. */
static void account(hot_windows *h, double seconds, double now)
{
    uint64_t steps = windows_steps(h->engine);
    h->spent += seconds;
    h->is_pair = !h->is_pair && steps > FIRST_INSNS;
    if (h->is_pair) {
        h->next = now + pair_apart;
        return;
    }
    /* a window that ended at once says little of what a step takes */
    double one = h->spent / (double)(steps > FIRST_INSNS ? steps : FIRST_INSNS) * USUAL_INSNS;
    double due = h->began + (h->spent + 2 * one) / h->share;
    h->next = due + (due > now ? due - now : 0) * draw(h) / 4;
    h->next = h->next < now + nap_seconds ? now + nap_seconds : h->next;
}

/* ---- of threads that are sampled by perf_event ---- */

void hot_windows_sampled(hot_windows *h, uint64_t process, uint64_t thread)
{
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    h->recent[h->sampled++ % RECENT] = (recent_thread){process, thread};
    pthread_mutex_unlock(&h->lock);
}

static recent_thread choose(hot_windows *h)
{
    recent_thread out = {(uint64_t)h->root, (uint64_t)h->root};
    bool same = h->is_pair && hash_draw(&h->random, 2);
    pthread_mutex_lock(&h->lock);
    if (same)
        out = h->last;
    else if (h->sampled)
        out = h->recent[hash_draw(&h->random, h->sampled < RECENT ? (uint32_t)h->sampled : RECENT)];
    pthread_mutex_unlock(&h->lock);
    return out;
}

/* Another thread of the same process, any: those that had samples may have ended since. */
static recent_thread any_beside(hot_windows *h, recent_thread at)
{
    uint32_t seen = 0;
    DIR *d = proc_open_tasks((pid_t)at.process);
    for (pid_t thread; (thread = proc_next_task(d));)
        if (!hash_draw(&h->random, ++seen))
            at.thread = (uint64_t)thread;
    if (d)
        closedir(d);
    return at;
}

static visit_end visit_some(hot_windows *h, uint64_t most, const windows_look *look)
{
    visit_end end = VISIT_ELSEWHERE;
    for (int i = 0; i < TRIES && end == VISIT_ELSEWHERE; i++) {
        const recent_thread at = i % 2 ? any_beside(h, choose(h)) : choose(h);
        end = windows_visit(h->engine, &(visit){.process = (pid_t)at.process,
                                                .thread = (pid_t)at.thread,
                                                .kept = h->is_child ? h->root : 0,
                                                .most = most,
                                                .seconds = seconds_now() - h->began,
                                                .look = look});
        h->error = end == VISIT_REFUSED ? errno : h->error;
        h->last = look ? h->last : at;
    }
    h->refused += end == VISIT_REFUSED;
    return end;
}

static void visit_one(hot_windows *h)
{
    const double before = seconds_now();
    hot_watch_collect(h->watch);
    const visit_end end = visit_some(h, insns_now(h), NULL);
    const double now = seconds_now();
    if (end == VISIT_DONE)
        account(h, now - before, now);
    else
        h->next = now + nap_seconds;
}

/* Some instructions, one of whose words is watched from then on until the next look or window. */
static void look_at_one(hot_windows *h)
{
    const double before = seconds_by(CLOCK_THREAD_CPUTIME_ID);
    hot_watch_collect(h->watch);
    const windows_look look = hot_watch_look(h->watch);
    if (visit_some(h, WATCH_LOOK_STEPS, &look) ==
        VISIT_DONE) /* each of the two threads as long as the other */
        h->look_spent += 2 * (seconds_by(CLOCK_THREAD_CPUTIME_ID) - before) + hot_watch_cost(h->watch);
    const double due = h->began + h->look_spent / fmin(h->share / 2, most_looking);
    h->next_look = fmax(due, seconds_now()) + nap_seconds * (1 + draw(h));
}

static bool goes_on(const hot_windows *h)
{
    return !h->end && !windows_failed(h->engine) && (windows_count(h->engine) || h->refused < REFUSED_IS_ALL);
}

static void *take_windows(void *payload)
{
    hot_windows *h = payload;
    pthread_mutex_lock(&h->lock);
    while (goes_on(h)) {
        const bool looks = !h->is_pair && !hot_watch_error(h->watch) && h->next_look < h->next;
        double wait = (looks ? h->next_look : h->next) - seconds_now();
        windows_bury(h->is_child ? h->root : 0);
        if (wait > 0) {
            wait = wait < most_nap ? wait : most_nap;
            parallel_wait_ms(&h->changed, &h->lock, (long)(wait * 1e3) + 1);
            continue;
        }
        pthread_mutex_unlock(&h->lock);
        (looks ? look_at_one : visit_one)(h);
        pthread_mutex_lock(&h->lock);
    }
    pthread_mutex_unlock(&h->lock);
    hot_watch_collect(h->watch);
    return NULL;
}

void hot_windows_begin(hot_windows *h, pid_t root, bool is_child)
{
    tacho_error unwanted;
    if (!h)
        return;
    h->root = root;
    h->is_child = is_child;
    begin_time(h, seconds_now());
    h->watch = hot_watch_new();
    h->running = h->watch && !parallel_start_thread(&h->thread, take_windows, h, &unwanted);
}

void hot_windows_end(hot_windows *h)
{
    if (!h || !h->running)
        return;
    pthread_mutex_lock(&h->lock);
    h->end = true;
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->thread, NULL);
    h->running = false;
}

/* ---- of threads that ptrace has stopped ---- */

bool hot_windows_stopped(hot_windows *h, walk_thread *t, int *signal)
{
    double now = seconds_now();
    if (!h)
        return true;
    begin_time(h, now);
    if (now < h->next || windows_failed(h->engine))
        return true;
    t->most = insns_now(h);
    t->seconds = now - h->began;
    bool stands = windows_walk(h->engine, t, signal);
    double after = seconds_now();
    account(h, after - now, after);
    return stands;
}

/* ---- the end ---- */

void hot_windows_finish(hot_windows *h, hot_tally *b)
{
    tacho_hot_profile *p = &b->profile;
    if (!h)
        return;
    hot_windows_end(h);
    p->windows = h;
    p->window_count = windows_count(h->engine);
    p->window_insns = windows_steps(h->engine);
    p->window_seconds = h->spent;
    if (!p->window_count && h->refused)
        snprintf(b->no_windows, sizeof b->no_windows, "ptrace: %s", strerror(h->error));
    hot_windows_watched(p, &p->watched);
    if (!h->watch)
        snprintf(b->no_watch, sizeof b->no_watch, "that is done beside samples by perf_event only");
    else if (hot_watch_error(h->watch) == ENOSPC)
        snprintf(b->no_watch, sizeof b->no_watch, "the processor's debug registers are taken%s",
                 b->threads ? " by --threads" : "");
    else if (hot_watch_error(h->watch))
        counters_why_not(hot_watch_error(h->watch), b->no_watch, sizeof b->no_watch);
}

const watched_line *hot_windows_watched(const tacho_hot_profile *p, size_t *count)
{
    *count = 0;
    return p->windows && p->windows->watch ? hot_watch_lines(p->windows->watch, count) : NULL;
}

const tacho_hot_object *hot_windows_object(const tacho_hot_profile *p, uint32_t object)
{
    const windows_object *w = windows_object_at(p->windows->engine, object);
    for (size_t i = 0; i < p->object_count; i++) {
        const tacho_hot_object *o = &p->objects[i];
        bool memory = o->kind == TACHO_HOT_OBJECT_MEMORY;
        if (memory != proc_is_memory(w->path) || o->process != w->process)
            continue;
        if (memory)
            return o;
        if (!strcmp(o->path, w->path) && (!o->inode || (o->inode == w->inode && o->device_major == w->major &&
                                                        o->device_minor == w->minor)))
            return o;
    }
    return NULL;
}

hot_observers *hot_windows_observers(const tacho_hot_profile *p)
{
    return p->windows ? p->windows->observers : NULL;
}
