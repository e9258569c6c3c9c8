/* cpus.h - the logical processors that this process may use, and their data caches. */
#ifndef TACHO_BASE_CPUS_H
#define TACHO_BASE_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* ---- the data caches of this machine, as the kernel tells of them ---- */

enum {
    CACHES_MOST = 4
};

typedef struct data_cache {
    unsigned level; /**< from 1 */
    uint64_t bytes;
    uint32_t line_bytes, ways, sets; /**< 0: not known */
} data_cache;

/** The caches of data (and of both) of a processor, from the first level on. `root` is "" but in tests.
 *  Where /sys has none (in some containers), what the C library knows. @return how many, 0 to CACHES_MOST */
size_t caches_read(const char *root, int cpu, data_cache out[CACHES_MOST]);

#endif
