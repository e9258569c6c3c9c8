/* delays.h - delays threads, one by one: those that owe time by their clocks (clocks.h). */
#ifndef TACHO_DELAYS_H
#define TACHO_DELAYS_H

#include <sys/types.h>

#include "program/causal/clocks.h"

/* Start with {0} and, where it is the caller's child, the process whose end is left to be waited for. */
typedef struct delays {
    pid_t kept;
    uint64_t count;
    uint64_t refused; /* times that a thread might not be traced */
    int error;        /* of the last of these */
} delays;

/* Stops threads that owe time, and lets go those that have paid. @return seconds until it is to be done again
 */
double delays_turn(delays *d, clocks *c);
/* Lets all go. */
void delays_end(delays *d, clocks *c);

#endif
