/* threads_made.c - where locks were made: breakpoints at the functions of the C library that initialise them
 * tell, as far as that takes the program little time. */
#include "program/threads/threads_watching.h"

#include <pthread.h>

#include "base/mem.h"
#include "base/seconds.h"

enum {
    MOST_MADE = 4096 /* all are gone through for each wait */
};

/* Each initialises what its first argument points to. */
static const struct {
    const char *name;
    size_t size;
} makers[THREADS_MAKERS] = {
    {"pthread_mutex_init", sizeof(pthread_mutex_t)},
    {"pthread_rwlock_init", sizeof(pthread_rwlock_t)},
    {"pthread_cond_init", sizeof(pthread_cond_t)},
    {"pthread_barrier_init", sizeof(pthread_barrier_t)},
};

void threads_makers(threads_watch *w, uint64_t out[THREADS_MAKERS])
{
    thread_stacks *stacks = w->process_count ? w->processes[0].stacks : NULL;
    for (size_t i = 0; i < THREADS_MAKERS; i++)
        out[i] = w->makers[i] = stacks ? stacks_library_point(stacks, makers[i].name) : 0;
}

/* In place of what was there before. */
static void keep(threads_watch *w, made_lock lock)
{
    const size_t before = w->made_count;
    for (size_t i = w->made_count; i-- > 0;) {
        const made_lock *old = &w->made[i];
        if (old->process == lock.process && old->address < lock.address + lock.size &&
            lock.address < old->address + old->size)
            w->made[i] = w->made[--w->made_count];
    }
    lock.again = w->made_count < before;
    if (w->makers_off) /* told late: others may have followed unseen */
        return;
    w->log.failed |= tacho_mem_grow(&w->made, &w->made_capacity, w->made_count + 1, sizeof *w->made) != 0;
    if (!w->log.failed)
        w->made[w->made_count++] = lock;
}

bool threads_makes(threads_watch *w, uint64_t pid, const stack_start *at, uint64_t lock)
{
    size_t i = 0;
    while (i < THREADS_MAKERS && (!w->makers[i] || w->makers[i] != at->pc))
        i++;
    if (i == THREADS_MAKERS)
        return false;
    const double before = seconds_by(CLOCK_THREAD_CPUTIME_ID);
    const uint32_t process = watched_process_of(w, (pid_t)pid);
    stack_found found = {0};
    w->making++;
    if (process != LOG_NONE && w->processes[process].stacks)
        stacks_find(w->processes[process].stacks, at, &found);
    if (found.place)
        keep(w, (made_lock){.address = lock,
                            .size = makers[i].size,
                            .process = process,
                            .place = describe_place(w, process, found.place),
                            .caller = describe_place(w, process, found.caller)});
    w->sampled_cost += watched_cost(w, before);
    return true;
}

/* Where locks come and go others are made unseen. */
static void forget_changing(threads_watch *w)
{
    for (size_t i = w->made_count; i-- > 0;)
        if (w->made[i].again)
            w->made[i] = w->made[--w->made_count];
}

/* Breakpoints cost each call some time, and each change of threads: measured on a virtual machine (Zen 5),
 * where debug registers are the hypervisor's. */
bool threads_makers_due(threads_watch *w)
{
    const double each_call = 15e-6, each_slice = 3e-6, most = 0.01, at_once = 0.01; /* seconds; a share */
    const double spent = each_call * (double)w->making + each_slice * (double)w->slices;
    const double may = most * (seconds_now() - w->began);
    const bool off = w->made_count >= MOST_MADE || spent > (w->makers_off ? may : may + at_once);
    if (off && !w->makers_off)
        forget_changing(w);
    w->makers_off = off;
    return !off;
}

const made_lock *threads_made_at(const threads_watch *w, uint32_t process, uint64_t address)
{
    for (size_t i = 0; i < w->made_count; i++)
        if (address - w->made[i].address < w->made[i].size && w->made[i].process == process)
            return &w->made[i];
    return NULL;
}
