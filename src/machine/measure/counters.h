/* counters.h - performance counters by name, for the runner to open. */
#ifndef TACHO_MEASURE_COUNTERS_H
#define TACHO_MEASURE_COUNTERS_H

#include <linux/perf_event.h>

#include "machine/measure/protocol.h"
#include "tacho/measure.h"

typedef struct counter_set {
    uint32_t count;    /**< 0: none to be had. The first is core cycles */
    bool cache_misses; /**< the second is misses of the first-level data cache */
    uint8_t attributes[RUNNER_MAX_EVENTS][RUNNER_EVENT_BYTES];
    char names[RUNNER_MAX_EVENTS][48];
} counter_set;

/** What perf_event_open wants for core cycles in user mode. */
void counters_cycles(struct perf_event_attr *out);

/** The same for an event by libpfm4's name.
 *  @return 0; TACHO_ERR_UNSUPPORTED when it is not known here, TACHO_ERR_SYSTEM */
int counters_encode(struct perf_event_attr *out, const char *name, tacho_error *err);

/** A sentence on why perf_event_open has failed with an errno. */
void counters_why_not(int error, char *why, size_t size);

/** Whether the core cycles of this process are counted. @param by_rdpmc whether that reads them
 *  @return 0, or an errno value; ENOENT also where the counter stands still */
int counters_try(bool *by_rdpmc);

/** Whether this process may count its core cycles and read the counter by RDPMC.
 *  @return NULL, or why not: a sentence, in `why` */
const char *counters_missing(char *why, size_t size);

/** Core cycles, and the comma-separated `events` (NULL: none).
 *  @return 0; TACHO_ERR_UNSUPPORTED when one is not known here, TACHO_ERR_LIMIT when there are too many */
int counters_find(counter_set *out, const char *events, tacho_error *err);

#endif
