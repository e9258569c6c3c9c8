/* measure_clock.h - the clocks of this machine. */
#ifndef TACHO_MEASURE_CLOCK_H
#define TACHO_MEASURE_CLOCK_H

#include "machine/measure/estimate.h"
#include "machine/measure/measure_child.h"

/** Ticks of the time stamp counter a second: from CPUID, else against CLOCK_MONOTONIC_RAW for some 20 ms. */
double clock_tsc_hz(void);

/** Ticks that the time stamp counter moves by (estimate_step), measured in a millisecond or so. */
double clock_step(void);

/** Takes so many samples (up to RUNNER_MAX_SAMPLES) of the rulers alone, after so many that do not count:
 * h->report->samples. @return 0, or TACHO_ERR_SYSTEM: the sandbox does not work here */
int clock_samples(child_host *h, uint32_t samples, uint32_t warm_ups, tacho_error *err);

/** Runs the rulers alone, in a process in which no block runs, and learns from them. @return 0, or
 * TACHO_ERR_SYSTEM */
int clock_examine(child_host *h, clock_profile *out, tacho_error *err);

/** Another short look, from time to time. *err as of clock_examine. */
int clock_look(child_host *h, clock_profile *p, tacho_error *err);

#endif
