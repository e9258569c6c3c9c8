/* set_cache.h - a cache with sets, in which what was used longest ago goes first: of lines, or of the
 * translations of pages. What was not yet used in a window says nothing; what was used in it, and has been
 * thrown out since by others of its set, is counted. */
#ifndef TACHO_BIAS_SET_CACHE_H
#define TACHO_BIAS_SET_CACHE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct set_cache {
    uint32_t sets, ways, unit_bytes; /* sets and unit: powers of two */
    uint64_t *kept;                  /* of each set, the youngest first: numbers of units */
    uint32_t *used;                  /* how many of them */
    uint64_t *known;                 /* a table of units that the window has used */
    uint32_t known_count;
} set_cache;

/* @return NULL: memory ran out, or it is no such cache (of 4096 units at most) */
set_cache *set_cache_new(uint32_t sets, uint32_t ways, uint32_t unit_bytes);
void set_cache_free(set_cache *c);
/* Begins a window. */
void set_cache_clear(set_cache *c);
/* Uses the unit of an address. @return whether it was used before, and thrown out since */
bool set_cache_use(set_cache *c, uint64_t address);

/* set_cache.c: translations of small pages that a processor keeps for data, at its first level, by CPUID.
 * false: it does not say; *entries and *ways are then what most have. */
bool tlb_read(uint32_t *entries, uint32_t *ways);

#endif
