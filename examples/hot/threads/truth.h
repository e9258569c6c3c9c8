/* truth.h - threads that run; how long threads wait for a lock, by the clock on both sides of taking it, and
 * how long they have it. Compiled with -DTRUTH the programs print that at their end; else locks are taken
 * without it. */
#ifndef TRUTH_H
#define TRUTH_H

#define _GNU_SOURCE

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds to run for: the first argument. */
static inline double seconds_of(int argc, char **argv)
{
    return argc > 1 ? atof(argv[1]) : 2;
}

/* That this process may use; 1 where that is not known. */
static inline unsigned processors(void)
{
    cpu_set_t cpus;
    return sched_getaffinity(0, sizeof cpus, &cpus) ? 1 : (unsigned)CPU_COUNT(&cpus);
}

/* Runs so many threads, each with its number, to their end. */
static inline void run_threads(unsigned count, void *(*run)(void *))
{
    pthread_t *threads = calloc(count, sizeof *threads);
    unsigned *numbers = calloc(count, sizeof *numbers);
    for (unsigned i = 0; i < count; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, run, &numbers[i]);
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    free(numbers);
}

#ifdef TRUTH
static _Atomic long long truth_waited; /* nanoseconds */

static inline void truth_add(double since)
{
    truth_waited += (long long)(1e9 * (now() - since));
}
#define TRULY(wait)                                                                                          \
    do {                                                                                                     \
        const double truth_began = now();                                                                    \
        wait;                                                                                                \
        truth_add(truth_began);                                                                              \
    } while (0)
#define SAY_TRUTH(name) fprintf(stderr, "truth: %s %.6f\n", name, 1e-9 * (double)truth_waited)
#else
#define TRULY(wait)     wait
#define SAY_TRUTH(name) ((void)0)
#endif

/* Some work on `x`, which a compiler leaves in. */
#define WORK(x, steps)                                                                                       \
    for (unsigned work_i = 0; work_i < (steps); work_i++) {                                                  \
        (x) = (x)*1664525u + 1013904223u;                                                                    \
        __asm__ volatile("" : "+r"(x));                                                                      \
    }

enum {
    MICROSECOND = 1000 /* steps of work, about */
};

#endif
