/* seconds.h - the moment, for lengths of time. */
#ifndef TACHO_BASE_SECONDS_H
#define TACHO_BASE_SECONDS_H

#include <time.h>

/* Seconds since some moment in the past, by a clock that is never set. */
static inline double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
