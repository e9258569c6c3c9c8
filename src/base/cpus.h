/* cpus.h - the logical processors that this process may use. */
#ifndef TACHO_BASE_CPUS_H
#define TACHO_BASE_CPUS_H

#include "tacho/error.h"

/** Which of them to run on: `wanted`, or the last one where that is negative.
 *  @return 0 and *cpu; TACHO_ERR_USAGE where it may not be used, or there is none; TACHO_ERR_SYSTEM */
int cpus_choose(int wanted, int *cpu, tacho_error *err);

#endif
