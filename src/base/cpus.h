/* cpus.h - the logical processors that this process may use. */
#ifndef TACHO_BASE_CPUS_H
#define TACHO_BASE_CPUS_H

#include <stdbool.h>

#include "tacho/error.h"

enum {
    CPUS_MOST = 8192 /* that Linux can be built for */
};

/** Some of them. */
typedef struct cpus {
    unsigned long bits[CPUS_MOST / (8 * sizeof(unsigned long))];
} cpus;

/** Those that the calling thread may use. @return 0, or TACHO_ERR_SYSTEM */
int cpus_allowed(cpus *out, tacho_error *err);
bool cpus_have(const cpus *c, int cpu);
unsigned cpus_count(const cpus *c);

/** Which of them to run on: `wanted`, or the last one where that is negative.
 *  @return 0 and *cpu; TACHO_ERR_USAGE where it may not be used, or there is none; TACHO_ERR_SYSTEM */
int cpus_choose(int wanted, int *cpu, tacho_error *err);

/** Keeps the calling thread on one of them. @return 0, or TACHO_ERR_SYSTEM */
int cpus_stay_on(int cpu, tacho_error *err);
/** Lets the calling thread run where it did, which was allowed. */
void cpus_return_to(const cpus *before);

#endif
