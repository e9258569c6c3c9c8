/* truth.h - how long threads wait for a lock, by the clock on both sides of taking it, and how long they have
 * it. Compiled with -DTRUTH the programs print that at their end; else locks are taken without it. */
#ifndef TRUTH_H
#define TRUTH_H

#include <pthread.h>
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
