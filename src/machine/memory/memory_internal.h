/* memory_internal.h - what the files of this module share. */
#ifndef TACHO_MEMORY_INTERNAL_H
#define TACHO_MEMORY_INTERNAL_H

#include "base/options_take.h"
#include "base/str.h"
#include "tacho/memory.h"

enum {
    MEMORY_PATH_SIZE = 1024
};

/* The descriptions that tacho has, one after the other, with a 0 at the end. */
extern const char memory_texts[];

/* Goes once over `bytes`, a multiple of 512. What is stored begins at `from`. */
typedef void memory_stream(char *to, const char *from, uint64_t bytes);
enum {
    MEMORY_LOADS,
    MEMORY_STORES,
    MEMORY_COPIES,
    MEMORY_PAST_STORES, /* non-temporal: to multiples of a vector */
    MEMORY_PAST_COPIES,
    MEMORY_STREAMS
};
/* @return the bytes of their vectors */
uint32_t memory_streams(memory_stream *out[MEMORY_STREAMS]);

/* ---- measuring: memory_measure.c, memory_pages.c ---- */

enum {
    MEMORY_HUGE_PAGE = 2 << 20
};

typedef struct memory_bench {
    const tacho_memory_options *options;
    tacho_memory *out;
    char *memory; /* `bytes`, at a multiple of a huge page */
    void *mapped;
    size_t mapped_bytes;
    uint64_t bytes;
    double cycles_per_tick; /* the last one */
    double started;         /* a moment */
} memory_bench;

typedef struct memory_chain {
    void *at;
    uint64_t loads;
} memory_chain;

/* Chains through a line of each of so many pages: cycles a load. Lines lie in all sets of the first level, or
 * in one. */
enum {
    MEMORY_REACHES = 48
};
typedef struct memory_reach {
    uint32_t count, pages[MEMORY_REACHES];
    double cycles[MEMORY_REACHES];
} memory_reach;

/* Cycles of a pass. */
double memory_time_pass(memory_bench *b, void (*run)(void *payload), void *payload);
/* Follows a memory_chain, which is linked: 8 loads at a time. */
void memory_follow(void *chain);
/* Cycles a load of a way through `count` places, all of which are loaded before where they fit into a cache.
 */
double memory_time_chain(memory_bench *b, uint64_t count, uint64_t stride);
/* The same of many ways at a time. */
double memory_time_many(memory_bench *b, uint64_t count, uint64_t stride);
/* Of the best pages that there are, as the curve has it. */
double memory_cycles_at(const tacho_memory *m, double bytes);
bool memory_is_stopped(const memory_bench *b);

/* memory_pages.c */
/* @return 0, TACHO_ERR_CANCELLED */
int memory_time_reach(memory_bench *b, memory_reach *out, bool one_set);
void memory_find_tlbs(tacho_memory *m, const memory_reach *r);
/* How many lines of one set each cache holds. `r`: of all sets; `set`: of one. */
void memory_find_sets(tacho_memory *m, const memory_reach *r, const memory_reach *set);
/* What loads of such lines take. */
void memory_time_sets(memory_bench *b);
/* Cycles of a walk with huge pages; NaN. */
double memory_time_huge_walk(memory_bench *b);
int memory_find_prefetching(memory_bench *b);

#endif
