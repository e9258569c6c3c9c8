/* pairs.h - samples with the thread's registers, each with the one before it where they belong together: how
 * far a loop has come in between (observed_progress.c) is told by a register that each round changes by the
 * same, and what it accesses (operand_samples.c) by the registers of addresses. */
#ifndef TACHO_HOT_PAIRS_H
#define TACHO_HOT_PAIRS_H

#include <stdio.h>

#include "base/hash_index.h"

struct hot_tally;

enum {
    PAIRS_REGISTERS = 16, /* general ones, by their numbers */
    PAIRS_MOST = 1 << 14  /* kept: some of all, by chance */
};

/** A sample. */
typedef struct hot_moment {
    uint64_t offset; /* of the instruction in its file */
    uint64_t registers[PAIRS_REGISTERS];
} hot_moment;

/** `after` is the sample; where there is a time, `before` is the thread's one before it, in the same file and
 * with the same stack pointer. */
typedef struct hot_pair {
    uint32_t object;
    uint64_t process;
    double time; /* of a processor that the thread has had between them: seconds, or cycles; NaN: none */
    hot_moment before, after;
    uint64_t thread;
    double when; /* `after` was: by a clock that only goes forth, or by the thread's own */
} hot_pair;

/** A mapping of a process, as it was when it was last looked at. */
typedef struct hot_area {
    uint64_t process, start, end;
    double huge; /* share of what it has of memory that is in huge pages, 0 to 1; NaN: not known */
} hot_area;

typedef struct pairs_thread {
    uint64_t thread, process;
    double time;
    uint32_t object;
    hot_moment last;
} pairs_thread;

typedef struct tacho_hot_pairs {
    hot_pair *list;
    size_t count, capacity;
    uint64_t seen, random;
    bool in_cycles;
    double sample_seconds; /* that a sample takes of the thread's time */
    pairs_thread *threads; /* while samples come in */
    size_t thread_count, thread_capacity;
    hash_index by_thread;
    hot_area *areas; /* of processes with many samples: by process, then by address */
    size_t area_count, area_capacity;
} hot_pairs;

/** A sample that comes in. */
typedef struct pairs_sample {
    uint64_t process, thread, address;
    double time;   /* by a clock that only goes forth, or by the thread's own */
    double period; /* after which a sample is taken, by the same clock; 0: the clock is the thread's own, and
                      there is no period */
    bool cycles;   /* the period is one of cycles, and the time of no interest */
    const uint64_t *registers;
} pairs_sample;

/** @return as tally.c */
int pairs_add(struct hot_tally *b, const pairs_sample *s);
/** Forgets the threads; objects have new numbers. */
void pairs_finish(hot_pairs *p, const uint32_t *rank);
void pairs_free(hot_pairs *p);

/* areas.c */
/** Looks at the mappings of a process again, of which the former ones are forgotten; one that is gone keeps
 * those. @return 0, TACHO_ERR_MEMORY */
int areas_read(hot_pairs *p, uint64_t process);
/** The same from what /proc/PID/smaps has. */
int areas_take(hot_pairs *p, uint64_t process, FILE *smaps);
/** One mapping, that was made just now. */
int areas_add(hot_pairs *p, uint64_t process, uint64_t start, uint64_t end, double huge);
void areas_forget(hot_pairs *p, uint64_t process);
/** When there are all: */
void areas_sort(hot_pairs *p);
/** The mapping there; NULL: none is known. */
const hot_area *areas_find(const hot_pairs *p, uint64_t process, uint64_t address);
#endif
