/* threads_describe.c - what a thread does that is looked at: for what it waits, and where; who has the lock.
 *
 * The owner of a mutex of the GNU C library is the number behind its lock word (struct __pthread_mutex_s:
 * __lock, __count, __owner). */
#include "program/threads/threads_watching.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/seconds.h"
#include "base/str.h"

enum {
    MUTEX_OWNER_AT = 8,
    MUSL_LOCKED = EBUSY | 1 << 31, /* a mutex of musl that somebody waits for */
    MANY_LOOKS = 1000,             /* from then on it is not asked where a thread has begun */
    MANY_SAMPLES = 20,
    CONDITION_LOCK_AT = 32, /* glibc: the low bits of __g1_orig_size are a lock of its own */
    SMALL_VARIABLE = 64     /* bytes: offsets in it say nothing */
};

/* ---- places ---- */

/* As that of the same code in another process, if there is one: all symbols of its file are gone through. */
static void name_place(threads_watch *w, thread_stacks *stacks, uint64_t address, uint32_t number)
{
    log_place *place = &w->log.places[number];
    const char *object = place->object ? place->object : "";
    const uint64_t hash = hash_add(hash_mix(place->address), hash_bytes(object, strlen(object)));
    hash_probe p;
    for (p = hash_find(&w->by_name, hash); hash_next(&p);) {
        const log_place *same = &w->log.places[p.item];
        if (same->address == place->address && tacho_same_text(same->object, place->object)) {
            *place = *same;
            return;
        }
    }
    stacks_name(stacks, address, &w->log.texts, place);
    w->log.failed |= place->object && hash_add_item(&w->by_name, hash, number);
}

/* Names of the places in a process's program, which are not looked for again. */
void describe_places(threads_watch *w, uint32_t process)
{
    thread_stacks *stacks = w->processes[process].stacks;
    for (size_t i = 0; stacks && i < w->place_count; i++) {
        watched_place *p = &w->places[i];
        if (p->process != process)
            continue;
        name_place(w, stacks, p->address, p->number);
        p->process = LOG_NONE;
    }
}

uint32_t describe_place(threads_watch *w, uint32_t process, uint64_t address)
{
    const uint64_t hash = hash_add(hash_mix(address), process);
    hash_probe p;
    if (!address)
        return LOG_NONE;
    for (p = hash_find(&w->by_place, hash); hash_next(&p);)
        if (w->places[p.item].address == address && w->places[p.item].process == process)
            return w->places[p.item].number;
    log_place place;
    stacks_place(w->processes[process].stacks, address, &w->log.texts, &place);
    const uint32_t number = log_add_place(&w->log, &place);
    w->log.failed |= number == LOG_NONE ||
                     tacho_mem_grow(&w->places, &w->place_capacity, w->place_count + 1, sizeof *w->places) ||
                     hash_add_item(&w->by_place, hash, (uint32_t)w->place_count);
    if (!w->log.failed)
        w->places[w->place_count++] = (watched_place){address, process, number};
    return number;
}

/* ---- what a thread does ---- */

/* The variable that it waits for, or where that was made. A condition without either is one of two words, in
 * turn: the place says more. */
static void describe_thing(threads_watch *w, const watched_process *p, const stack_found *found,
                           log_wait *out)
{
    code_symbol symbol;
    const bool named = stacks_symbol(p->stacks, out->data, &symbol) && out->data - symbol.start < symbol.size;
    const made_lock *made = named ? NULL : threads_made_at(w, (uint32_t)(p - w->processes), out->data);
    uint64_t start = out->data, size = 0;
    if (named) {
        start = symbol.start;
        size = symbol.size;
        out->name = symbol.name;
        out->offset = size > SMALL_VARIABLE ? out->data - start : 0;
    } else if (made) {
        start = made->address;
        size = made->size;
        out->made = made->place;
        out->made_for = made->caller;
    }
    if (out->kind == TACHO_WAIT_LOCK && size == sizeof(pthread_cond_t) &&
        out->data - start == CONDITION_LOCK_AT) {
        out->kind = TACHO_WAIT_CONDITION;
        out->call = found->call;
    }
    if (out->kind == TACHO_WAIT_CONDITION && !named)
        out->data = made ? start : 0;
}

/* Who waits for the end of a thread waits until its number is no longer where it is; pthread_join(3) may have
 * no frame of its own. Where a function is known, the word is a count, which may be the same number. */
static void describe_futex(threads_watch *w, watched_process *p, const thread_call *call,
                           const stack_found *found, log_wait *out)
{
    out->kind = found->kind;
    if (out->kind == TACHO_WAIT_FUTEX && watched_thread_of(w, p->pid, call->arguments[2]))
        out->kind = TACHO_WAIT_JOIN;
    out->data = call->arguments[0];
    if (out->kind == TACHO_WAIT_CONDITION && (call->arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT) {
        out->kind = TACHO_WAIT_LOCK; /* the condition has come, and its mutex is to be taken again */
        out->call = "pthread_mutex_lock";
    }
    if (out->kind == TACHO_WAIT_FUTEX && found->in_runtime && found->place && found->call)
        out->kind = TACHO_WAIT_LOCK; /* the C library's own, as of a stream */
    if (out->kind == TACHO_WAIT_FUTEX && (int)call->arguments[2] == MUSL_LOCKED)
        out->kind = TACHO_WAIT_LOCK; /* musl, which cannot be unwound */
    if (out->kind == TACHO_WAIT_JOIN || out->kind == TACHO_WAIT_ALLOCATOR)
        out->data = 0;
    else
        describe_thing(w, p, found, out);
}

static void note_start(threads_watch *w, uint32_t process, uint32_t number, const stack_found *found)
{
    if (found->start && number != LOG_NONE)
        w->log.threads[number].start = describe_place(w, process, found->start);
}

/* A process's first thread begins where all do. */
static bool wants_start(const threads_watch *w, uint32_t number)
{
    const log_thread *t = number == LOG_NONE ? NULL : &w->log.threads[number];
    return t && t->start == LOG_NONE && t->thread != t->process;
}

uint32_t describe_wait(threads_watch *w, const watched_thread *t, const thread_call *call)
{
    watched_process *p = &w->processes[t->process];
    const pid_t tid = (pid_t)t->tid;
    log_wait wait = {.process = (uint64_t)p->pid, .place = LOG_NONE, .made = LOG_NONE, .made_for = LOG_NONE};
    wait.kind = calls_kind(tid, call, &wait.call);
    if (p->stacks) {
        stack_found found;
        const bool whole = t->looks < MANY_LOOKS && wants_start(w, t->number);
        stacks_find(p->stacks, &(stack_start){.thread = tid, .pc = call->pc, .sp = call->sp, .whole = whole},
                    &found);
        note_start(w, t->process, t->number, &found);
        if (found.call)
            wait.call = found.call;
        if (wait.kind == TACHO_WAIT_FUTEX)
            describe_futex(w, p, call, &found, &wait);
        wait.place = describe_place(w, t->process, found.place);
    }
    return log_add_wait(&w->log, &wait);
}

/* What it works for in futex(2): to wait for a lock (condition, ...), or to wake who does. */
static uint32_t describe_work(threads_watch *w, uint32_t process, const thread_call *call,
                              const stack_found *found)
{
    watched_process *p = &w->processes[process];
    log_wait wait = {
        .process = (uint64_t)p->pid, .call = found->call, .made = LOG_NONE, .made_for = LOG_NONE};
    if (!call || !found->call || found->kind == TACHO_WAIT_FUTEX)
        return LOG_NONE;
    describe_futex(w, p, call, found, &wait);
    wait.place = describe_place(w, process, found->place);
    return log_add_wait(&w->log, &wait);
}

/* Who has the lock. */
uint32_t describe_holder(const threads_watch *w, const watched_thread *t)
{
    const log_wait *wait = t->wait == LOG_NONE ? NULL : &w->log.waits[t->wait];
    uint32_t owner = 0;
    if (!wait || !log_is_mutex(wait))
        return LOG_NONE;
    const pid_t pid = w->processes[t->process].pid;
    if (proc_read_memory((pid_t)t->tid, wait->data + MUTEX_OWNER_AT, &owner, sizeof owner) != sizeof owner)
        return LOG_NONE;
    const watched_thread *holder = watched_thread_of(w, pid, owner);
    return holder ? holder->number : LOG_NONE;
}

/* A thread that is there, or was last of that number. @return its number in the log, LOG_NONE: it has none */
static uint32_t number_of(const threads_watch *w, uint64_t pid, uint64_t tid)
{
    const watched_thread *here = watched_thread_of(w, (pid_t)pid, tid);
    if (here)
        return here->number;
    for (size_t i = w->log.thread_count; i-- > 0;)
        if (w->log.threads[i].thread == tid && w->log.threads[i].process == pid)
            return (uint32_t)i;
    return LOG_NONE;
}

void threads_sampled(threads_watch *w, uint64_t pid, uint64_t tid, double time, const stack_start *at,
                     const thread_call *call)
{
    const double before = seconds_by(CLOCK_THREAD_CPUTIME_ID);
    const uint32_t process = watched_process_of(w, (pid_t)pid), number = number_of(w, pid, tid);
    if (number == LOG_NONE || process == LOG_NONE || !w->processes[process].stacks)
        return;
    stack_found found;
    stack_start start = *at;
    start.whole = w->log.threads[number].samples < MANY_SAMPLES && wants_start(w, number);
    stacks_find(w->processes[process].stacks, &start, &found);
    note_start(w, process, number, &found);
    log_add_sample(&w->log,
                   &(log_sample){.time = time,
                                 .thread = number,
                                 .place = describe_place(w, process, found.place ? found.place : at->pc),
                                 .wait = describe_work(w, process, call, &found)});
    w->sampled_cost += watched_cost(w, before);
}
