/* threads_log.c - the log as it grows, and as it is thinned. */
#include "program/threads/threads_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"

enum {
    MOST_THINNED = 20
};

/* Room for one more item of a list. @return false: there is none */
#define MORE(l, list, count, capacity)                                                                       \
    (!((l)->failed |= tacho_mem_grow(&(l)->list, &(l)->capacity, (l)->count + 1, sizeof *(l)->list) != 0))

bool log_is_mutex(const log_wait *w)
{
    return w->kind == TACHO_WAIT_LOCK && (strstr(w->call, "mutex") || tacho_starts_with(w->call, "mtx_"));
}

const char *log_unseen(const threads_log *l)
{
    return l->thread_count && l->moment_count > 1 ? NULL
           : l->refused ? "/proc/PID/task/TID/syscall may not be read (kernel.yama.ptrace_scope, "
                          "or another user's)"
                        : "it was too short, or the kernel has no /proc/PID/task/TID/syscall, or schedstat";
}

uint32_t log_add_thread(threads_log *l, uint64_t process, uint64_t thread, const char *name)
{
    if (!MORE(l, threads, thread_count, thread_capacity))
        return LOG_NONE;
    log_thread *t = &l->threads[l->thread_count];
    *t = (log_thread){.process = process, .thread = thread, .start = LOG_NONE, .span = LOG_NONE};
    snprintf(t->name, sizeof t->name, "%s", name);
    return (uint32_t)l->thread_count++;
}

uint32_t log_add_place(threads_log *l, const log_place *place)
{
    if (!MORE(l, places, place_count, place_capacity))
        return LOG_NONE;
    l->places[l->place_count] = *place;
    return (uint32_t)l->place_count++;
}

static bool same_wait(const log_wait *a, const log_wait *b)
{
    return a->kind == b->kind && a->place == b->place && a->process == b->process && a->data == b->data &&
           a->made == b->made && a->made_for == b->made_for && !strcmp(a->call, b->call);
}

uint32_t log_add_wait(threads_log *l, const log_wait *wait)
{
    const uint64_t hash =
        hash_mix(hash_mix(wait->data ^ wait->place) ^ wait->process ^ (uint64_t)wait->kind << 60);
    hash_probe p;
    for (p = hash_find(&l->by_wait, hash); hash_next(&p) && !same_wait(&l->waits[p.item], wait);)
        ;
    if (p.item != HASH_INDEX_NONE)
        return p.item;
    if (!MORE(l, waits, wait_count, wait_capacity))
        return LOG_NONE;
    log_wait *new = &l->waits[l->wait_count];
    *new = *wait;
    new->call = arena_text(&l->texts, wait->call);
    new->name = wait->name ? arena_text(&l->texts, wait->name) : NULL;
    l->failed |= !new->call || (wait->name && !new->name);
    l->failed |= hash_add_item(&l->by_wait, hash, (uint32_t)l->wait_count) != 0;
    return (uint32_t)l->wait_count++;
}

/* A thread that does what it did makes its span longer. */
static void add_span(threads_log *l, log_span s)
{
    log_thread *t = &l->threads[s.thread];
    log_span *last = t->span == LOG_NONE ? NULL : &l->spans[t->span];
    if (last && last->end == s.first && last->wait == s.wait && last->holder == s.holder) {
        last->end = s.end;
        last->running += s.running;
        last->ready += s.ready;
        last->slept += s.slept;
    } else if (MORE(l, spans, span_count, span_capacity)) {
        t->span = (uint32_t)l->span_count;
        l->spans[l->span_count++] = s;
    }
}

void log_state(threads_log *l, uint32_t thread, uint32_t wait, uint32_t holder)
{
    const uint32_t now = (uint32_t)l->moment_count - 1;
    add_span(l, (log_span){.first = now, .end = now + 1, .thread = thread, .wait = wait, .holder = holder});
}

void log_began(threads_log *l, uint32_t thread, double seconds)
{
    const size_t now = l->moment_count - 1;
    const double since = l->moments[now] - seconds;
    size_t first;
    COUNT_BEFORE(first, now, l->moments[first] < since);
    if (first < now)
        add_span(l, (log_span){.first = (uint32_t)first,
                               .end = (uint32_t)now,
                               .thread = thread,
                               .wait = LOG_NONE,
                               .holder = LOG_NONE});
}

/* The kernel's account of a thread is brought up to date by the tick, and when it gives its processor up.
 * What it lacks is not sleep, nor is what a hypervisor takes from a thread that runs. */
void log_ran(threads_log *l, uint32_t thread, double running, double ready, bool slept)
{
    log_thread *t = &l->threads[thread];
    const size_t now = l->moment_count - 1;
    const double passed = now ? l->moments[now] - l->moments[now - 1] : 0;
    t->running += running;
    t->ready += ready;
    t->late += passed - running - ready;
    if (t->span != LOG_NONE) {
        log_span *s = &l->spans[t->span];
        s->running += running;
        s->ready += ready;
        s->slept += slept && s->wait == LOG_NONE ? fmin(t->late, passed) : 0;
    }
    t->late = slept ? 0 : t->late;
}

void log_add_sample(threads_log *l, const log_sample *s)
{
    if (l->threads[s->thread].samples++ % (1U << l->thinned) == 0 &&
        MORE(l, samples, sample_count, sample_capacity))
        l->samples[l->sample_count++] = *s;
}

/* The span's moment is forgotten: what it did counts for the one before. */
static void join_account(threads_log *l, const log_span *s)
{
    const log_thread *t = &l->threads[s->thread];
    log_span *to = t->span == LOG_NONE ? NULL : &l->spans[t->span];
    const double seconds =
        s->end < l->moment_count ? l->moments[s->end] - l->moments[s->first] : s->running + s->ready;
    if (!to)
        return;
    to->running += s->running;
    to->ready += s->ready;
    to->slept += to->wait != LOG_NONE ? 0 : s->wait == LOG_NONE ? s->slept : seconds - s->running - s->ready;
}

/* Each second moment, and each second sample of a thread, is left: so, too, of those to come. */
static void thin(threads_log *l)
{
    const size_t spans = l->span_count, samples = l->sample_count, moments = l->moment_count;
    const uint32_t before = l->thinned;
    for (size_t i = 0; i < l->thread_count; i++) {
        l->threads[i].span = LOG_NONE;
        l->threads[i].samples = 0;
    }
    l->span_count = l->sample_count = 0;
    l->thinned = 1;
    for (size_t i = 0; i < spans; i++) {
        log_span s = l->spans[i];
        const log_span whole = s;
        s.first = (s.first + 1) / 2;
        s.end = (s.end + 1) / 2;
        if (s.first < s.end)
            add_span(l, s);
        else
            join_account(l, &whole);
    }
    for (size_t i = 0; i < samples; i++)
        log_add_sample(l, &l->samples[i]);
    l->moment_count = 0;
    for (size_t i = 0; i < moments; i += 2)
        l->moments[l->moment_count++] = l->moments[i];
    l->thinned = before < MOST_THINNED ? before + 1 : before;
}

void log_add_moment(threads_log *l, double time)
{
    if (l->most && (l->span_count > l->most || l->sample_count > l->most || l->moment_count > l->most))
        thin(l);
    if (MORE(l, moments, moment_count, moment_capacity))
        l->moments[l->moment_count++] = time;
}

void log_free(threads_log *l)
{
    TACHO_MEM_FREE(l->threads, l->places, l->waits, l->spans, l->samples, l->moments);
    hash_index_free(&l->by_wait);
    arena_free(&l->texts);
}
