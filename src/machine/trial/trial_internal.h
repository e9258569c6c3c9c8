/* trial_internal.h - what runs of a command share. */
#ifndef TACHO_TRIAL_INTERNAL_H
#define TACHO_TRIAL_INTERNAL_H

#include <sched.h>

#include "base/process.h"
#include "base/str.h"
#include "machine/measure/counters.h"
#include "machine/trial/trial_layout.h"

struct tacho_trials {
    tacho_trials_options options;
    tacho_clock clock; /* PERF, TSC_CALIBRATED */
    int cpu;           /* TACHO_CPU_ANY: none in particular */
    cpu_set_t cpus;    /* that one */
    bool may_trace;
    int null; /* /dev/null */

    /* To be counted: core cycles first, then the further events. */
    struct perf_event_attr counts[1 + TACHO_TRIAL_MAX_EVENTS];
    int count_fds[1 + TACHO_TRIAL_MAX_EVENTS];
    uint32_t counts_open;
    char event_names[TACHO_TRIAL_MAX_EVENTS][64];
    uint32_t event_count;
    char counters_missing[160];

    double tsc_hz;
    bool has_ruler; /* chains of multiplications and additions agree here */
    unsigned ruler_tries;

    uint8_t *cache; /* as large as the caches and more; NULL: they are left as they are */
    size_t cache_bytes;
    tacho_str output;
};

/* counts.c */
/* Which clock, and which events. @return as tacho_trials_new */
int counts_find(tacho_trials *t, tacho_error *err);
/* Counts in the process and all that it starts, from now on. @return 0, or an errno */
int counts_open(tacho_trials *t, pid_t pid);
void counts_read(const tacho_trials *t, tacho_trial *out);
void counts_close(tacho_trials *t);

#endif
