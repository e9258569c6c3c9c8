/* ring.h - the ring buffers into which the kernel writes records, one a processor, and the order of what is
 * in them. */
#ifndef TACHO_HOT_RING_H
#define TACHO_HOT_RING_H

#include <poll.h>

#include "program/hot/record.h"

typedef struct ring {
    int fd;
    struct perf_event_mmap_page *page;
    uint8_t *data;
    size_t size; /* of data: a power of two */
} ring;

/** A record that waits for its turn. */
typedef struct pending {
    uint64_t time, number; /* as they came: of two at the same time the first is first */
    size_t at, size;       /* in `bytes` */
} pending;

typedef struct ring_set {
    ring *rings;
    size_t count, capacity;
    int *others; /* events that write into another one's ring */
    size_t other_count, other_capacity;
    struct pollfd *polls;
    record_form form;
    uint8_t *bytes;
    size_t byte_count, byte_capacity;
    pending *waiting;
    size_t waiting_count, waiting_capacity;
    uint64_t number, newest, newest_before; /* times */
    uint64_t damaged;
    FILE *save; /* where records are kept, too; NULL: nowhere */
} ring_set;

/** Adds the ring of an event, which now belongs to the set. @return 0, or an errno */
int ring_add(ring_set *s, int fd);
/** Adds an event that writes into ring `ring`. @return 0, or an errno */
int ring_add_other(ring_set *s, int fd, size_t ring);
/** Waits for at most so long until there is much to read, or `also` (a descriptor, or -1) has something. */
void ring_wait(ring_set *s, int also, double seconds);
/** Takes what is in the rings and puts down what is sure to be next in time; `all`: everything.
 *  @return as tally.c */
int ring_drain(ring_set *s, hot_tally *b, bool all);
/** Starts or stops all events. */
void ring_enable(ring_set *s, bool on);
void ring_free(ring_set *s);

/* sample_cost.c */
/** Seconds that a sample by the CPU clock, with these attributes, takes of the thread; 0: not known. Takes
 * some hundredths of a second. */
double sample_cost(const struct perf_event_attr *like);
/** What a visit of a breakpoint takes, beside such samples; 0: not found. */
double visit_cost(const struct perf_event_attr *samples);

#endif
