/* threads_log.h - what is seen of the threads of a run, moment by moment: which wait for what and which want
 * to run. Judging it (threads_judge.c) needs no process, so that tests make logs up. */
#ifndef TACHO_THREADS_LOG_H
#define TACHO_THREADS_LOG_H

#include <stdio.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "tacho/hot_threads.h"

#define LOG_NONE UINT32_MAX

typedef struct log_thread {
    uint64_t process, thread;
    char name[16];
    double running, ready; /* by the kernel's account, since the log knows it */
    uint32_t start;        /* where it began: a place; LOG_NONE */
    uint32_t span;         /* its last one; LOG_NONE */
    uint32_t samples;      /* of it, kept or not */
    double late;           /* seconds that the account lacks of its last span */
} log_thread;

typedef struct log_place {
    const char *object, *function, *source_file;
    uint64_t address;
    uint32_t source_line;
} log_place;

/* A kind of wait: at one place for one thing. */
typedef struct log_wait {
    tacho_wait_kind kind;
    const char *call;
    const char *name; /* of the variable */
    uint64_t offset, process, data;
    uint32_t place;
    uint32_t made, made_for; /* where the call is that initialised it, and who called that; LOG_NONE */
} log_wait;

/* What a thread does from one moment to another (numbers of moments; `end` is not in it). */
typedef struct log_span {
    uint32_t first, end;
    uint32_t thread;
    uint32_t wait;                /* LOG_NONE: it wants to run */
    uint32_t holder;              /* the thread that has the lock; LOG_NONE: not known */
    double running, ready, slept; /* by the kernel's account; slept: the rest of it, if it wants to run */
} log_span;

/* Where a thread was that ran. */
typedef struct log_sample {
    double time;
    uint32_t thread, place;
    uint32_t wait; /* it was in the kernel on behalf of this; LOG_NONE: it was not */
} log_sample;

/* Start with {0}. */
typedef struct threads_log threads_log;
struct threads_log {
    log_thread *threads;
    size_t thread_count, thread_capacity;
    log_place *places;
    size_t place_count, place_capacity;
    log_wait *waits;
    size_t wait_count, wait_capacity;
    hash_index by_wait;
    log_span *spans;
    size_t span_count, span_capacity;
    log_sample *samples;
    size_t sample_count, sample_capacity;
    double *moments; /* when; each holds until the next one */
    size_t moment_count, moment_capacity;
    uint32_t processors;
    size_t most;        /* spans, samples and moments each that it may have; 0: as many as come */
    uint32_t thinned;   /* how often: of so many bits is the number of samples of which one is kept */
    double cost;        /* processor seconds that looking took */
    uint64_t begun;     /* threads that there were, seen or not */
    uint32_t in_kernel; /* 1: samples are of the kernel, too */
    arena texts;
    bool refused; /* files of a thread that is there may not be read */
    bool failed;  /* memory ran out */
};

/* Whether it is a mutex that the function waits for, of which one thread is the holder. */
bool log_is_mutex(const log_wait *w);

/* Why no thread was seen, or but once, which says nothing of time; NULL: some were. */
const char *log_unseen(const threads_log *l);

/* All numbers are of the lists; LOG_NONE where memory ran out. */
uint32_t log_add_thread(threads_log *l, uint64_t process, uint64_t thread, const char *name);
uint32_t log_add_place(threads_log *l, const log_place *place);
/* One that is there already is found again; of a new one the texts are copied. */
uint32_t log_add_wait(threads_log *l, const log_wait *wait);
/* Where there are too many of anything, each second moment is forgotten before: what is left tells of the
 * whole run as before, at half as many moments. */
void log_add_moment(threads_log *l, double time);
/* What a thread does at the last moment. */
void log_state(threads_log *l, uint32_t thread, uint32_t wait, uint32_t holder);
/* A thread that is seen for the first time has had work for so long before the last moment. */
void log_began(threads_log *l, uint32_t thread, double seconds);
/* By the kernel's account, since the moment before. `slept`: it may have given its processor up in that time.
 */
void log_ran(threads_log *l, uint32_t thread, double running, double ready, bool slept);
void log_add_sample(threads_log *l, const log_sample *s);
void log_free(threads_log *l);

/* threads_saved.c: a log in a file. */
/* @return false with errno */
bool log_save(const threads_log *l, FILE *f);
/* Nothing of it is trusted. @return 1: it is none; 0; TACHO_ERR_INPUT: it is damaged; TACHO_ERR_MEMORY. The
 * log is to be freed in any case. */
int log_load(threads_log *l, const uint8_t *bytes, size_t size);

/* A loop that spins. */
typedef struct log_spin {
    const char *object;
    uint64_t start, end; /* addresses in it */
} log_spin;

/* Of two moments or more. @return 0, TACHO_ERR_MEMORY */
int threads_judge(tacho_hot_threads **out, const threads_log *l, const log_spin *spins, size_t spin_count);

/* threads_spin.c: whether a loop only looks whether something has changed. */
struct tacho_hot_place;
bool threads_is_spin(const struct tacho_hot_place *place);

#endif
