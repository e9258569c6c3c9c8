/* seconds.h - the moment, for lengths of time. */
#ifndef TACHO_BASE_SECONDS_H
#define TACHO_BASE_SECONDS_H

#include <sys/time.h>
#include <time.h>

/* What a clock shows; 0 where it cannot be read. */
static inline double seconds_by(clockid_t clock)
{
    struct timespec t = {0, 0};
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds since some moment in the past, by a clock that is never set. */
static inline double seconds_now(void)
{
    return seconds_by(CLOCK_MONOTONIC);
}

static inline double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static inline void seconds_pause(double seconds)
{
    if (!(seconds > 0))
        return;
    const time_t whole = (time_t)seconds;
    nanosleep(&(struct timespec){whole, (long)((seconds - (double)whole) * 1e9)}, NULL);
}

#endif
