/* place.h - what these programs share: SECONDS to run for, of one PLACE so many percent LESS work, and how
 * often progress() is called, which is printed as visits a second. */
#ifndef PLACE_H
#define PLACE_H

#include "../threads/truth.h"

#include <string.h>

static const char *place = "";
static unsigned less; /* percent */
static double began, end;
static unsigned long visits;
static volatile int over;
static unsigned parts[3 * 16] = {1}; /* of each thread, a cache line apart */

/* Some work on *x. `function`: that does it. */
static inline void work(const char *function, unsigned *x, unsigned microseconds)
{
    const unsigned share = strcmp(place, function) ? 100 : 100 - less,
                   steps = microseconds * MICROSECOND / 100 * share;
    unsigned y = *x;
    WORK(y, steps)
    *x = y;
}

/* Called by one thread at a time, when a piece of work is done. */
static __attribute__((noinline)) void progress(void)
{
    visits++;
    __asm__ volatile("" ::: "memory");
}

/* SECONDS PLACE LESS */
static inline void begin(int argc, char **argv)
{
    began = now();
    end = began + seconds_of(argc, argv);
    place = argc > 2 ? argv[2] : "";
    less = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
}

static inline void say_rate(void)
{
    printf("visits a second: %.3f\n", (double)visits / (now() - began));
}

#endif
