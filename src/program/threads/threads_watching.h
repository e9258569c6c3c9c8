/* threads_watching.h - what the files that look at threads share: threads_watch.c looks, threads_describe.c
 * says what a thread does that is looked at, threads_made.c where locks were made. */
#ifndef TACHO_THREADS_WATCHING_H
#define TACHO_THREADS_WATCHING_H

#include <sys/stat.h>

#include "program/threads/thread_files.h"
#include "program/threads/threads.h"

/* A lock (barrier, ...) that a function of the C library has initialised: where it was called, and where its
 * caller was: places in the log. */
typedef struct made_lock {
    uint64_t address, size;
    uint32_t process, place, caller;
    bool again; /* in place of another one */
} made_lock;

typedef struct watched_process {
    pid_t pid;
    int directory;         /* /proc/PID/task; below 0: it has ended */
    nlink_t links;         /* of it: two more than there are threads */
    bool running;          /* it was there before */
    thread_stacks *stacks; /* NULL: not read */
} watched_process;

typedef struct watched_thread {
    uint32_t process, number, wait; /* number: in the log */
    uint64_t tid;
    thread_files files;
    thread_times times; /* by the last look */
    uint64_t looks;
} watched_thread;

/* A place in the log, by its address in a process. */
typedef struct watched_place {
    uint64_t address;
    uint32_t process, number;
} watched_place;

struct threads_watch {
    threads_log log;
    watched_process *processes;
    size_t process_count, process_capacity;
    watched_thread *threads;
    size_t thread_count, thread_capacity;
    watched_place *places;
    size_t place_count, place_capacity;
    hash_index by_place, by_name; /* places here, and in the log: those that have been named */
    thread_code *code;
    size_t stacks;
    double look_cost; /* the last ones', about */
    double began, sampled_cost;
    uint64_t makers[THREADS_MAKERS]; /* addresses; 0: there is none */
    made_lock *made;                 /* of which none lies in another one */
    size_t made_count, made_capacity;
    bool makers_off;         /* the functions' calls are not told */
    uint64_t making, slices; /* calls; times that a thread was given a processor while they are */
    uint64_t random;
    bool precedes; /* this thread does, when it is time to look */
};

/* threads_made.c */
/* NULL: it is not known. */
const made_lock *threads_made_at(const threads_watch *w, uint32_t process, uint64_t address);

/* threads_describe.c */
/* A place in the log, which is new if need be; LOG_NONE where the address is 0. */
uint32_t describe_place(threads_watch *w, uint32_t process, uint64_t address);
/* What a thread waits for in that call: a wait in the log. */
uint32_t describe_wait(threads_watch *w, const watched_thread *t, const thread_call *call);
/* Who has the lock that it waits for. */
uint32_t describe_holder(const threads_watch *w, const watched_thread *t);
/* Names of the places in a process's program, which are not looked for again. */
void describe_places(threads_watch *w, uint32_t process);

/* threads_watch.c */
uint32_t watched_process_of(const threads_watch *w, pid_t pid);
const watched_thread *watched_thread_of(const threads_watch *w, pid_t pid, uint64_t tid);
/* What this thread has done since is told as a cost. */
double watched_cost(threads_watch *w, double since);

#endif
