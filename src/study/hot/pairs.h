/* pairs.h - two samples of a thread in a row, with its registers: how far a loop has come in between
 * (observed_progress.c) is told by a register that each round changes by the same. */
#ifndef TACHO_HOT_PAIRS_H
#define TACHO_HOT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

struct hot_tally;

enum {
    PAIRS_REGISTERS = 16, /* general ones, by their numbers */
    PAIRS_MOST = 8192     /* kept: some of all, by chance */
};

/** A sample. */
typedef struct hot_moment {
    uint64_t offset; /* of the instruction in its file */
    uint64_t registers[PAIRS_REGISTERS];
} hot_moment;

/** Both in the same file, and with the same stack pointer. */
typedef struct hot_pair {
    uint32_t object;
    double time; /* of a processor that the thread has had between them: seconds, or cycles */
    hot_moment before, after;
} hot_pair;

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
#endif
