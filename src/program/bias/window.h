/* window.h - windows of a running program: some hundred instructions, executed one by one. */
#ifndef TACHO_BIAS_WINDOW_H
#define TACHO_BIAS_WINDOW_H

#include "program/bias/bias_internal.h"
#include "program/windows/windows.h"
#include "x86/decode/insn_struct.h"

/* A cache with sets, in which what was used longest ago goes first: of lines, or of the translations of
 * pages. What was not yet used in a window says nothing; what was used in it, and has been thrown out since
 * by others of its set, is counted. */

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

/* observe.c: translations of small pages that a processor keeps for data, at its first level, by CPUID.
 * false: it does not say; *entries and *ways are then what most have. */
bool tlb_read(uint32_t *entries, uint32_t *ways);

enum {
    WINDOW_INSNS = 1000,
    WINDOWS_A_RUN = 8,
    WINDOW_RUNS = 4,
    WINDOW_PAIR_DISTANCE = 224, /* instructions: what the reorder buffers of these processors hold */
    WINDOW_STORES = 64          /* and their store buffers */
};

/* An instruction that was seen. */
typedef struct seen_insn {
    uint64_t address;           /* first, to be searched for */
    const tacho_insn *insn;     /* NULL: not decoded; the windows' own */
    uint64_t count, loop_count; /* executed; jumped back from here to `loop_start` */
    uint64_t loop_start;
    uint64_t line_misses, page_misses; /* as of the observation */
} seen_insn;

typedef struct seen_pair {
    uint64_t store, load;                 /* addresses of the instructions */
    uint64_t store_address, load_address; /* of the data, the first time */
    uint64_t count, windows;
    uint64_t last_window;
} seen_pair;

typedef struct seen_map {
    uint64_t start, end, offset;
    const char *path;
} seen_map;

/* What was seen in a layout. */
typedef struct observation {
    seen_insn *insns;
    seen_pair *pairs;
    seen_map *maps;
    size_t insn_count, insn_capacity, pair_count, pair_capacity, map_count, map_capacity;
    uint64_t executed, windows;
    uint64_t aliased, line_crossings, page_crossings;
    /* Lines and pages that were used in the window, and that others of their set have thrown out since. */
    uint64_t line_misses, page_misses;
    /* Of the first-level data cache, and its TLB; 0: not known, and nothing was counted. */
    uint32_t line_sets, line_ways, page_sets, page_ways;
    struct windows *code; /* where the instructions are from */
    bool failed;          /* memory ran out */
} observation;

/* observe.c: what one instruction does. */
typedef struct window {
    observation *seen;
    step_access stores[WINDOW_STORES];
    uint64_t store_insns[WINDOW_STORES], store_steps[WINDOW_STORES];
    uint64_t store_count, step;
    uint64_t former;          /* address of the instruction before; 0: none */
    set_cache *lines, *pages; /* NULL: not known */
} window;

/* Notes into w->seen what windows tell. */
step_observer window_observer(window *w);
/* Caches as out->line_sets ... say; what they cannot be is set to 0. */
void window_open_caches(window *w);
void window_close_caches(window *w);
void observation_free(observation *o);

/* window.c: runs the command at this place until enough was seen. @return 0; TACHO_ERR_SYSTEM */
int window_observe(bias *b, const bias_place *place, observation *out);

/* locate.c: which file, function and source line an instruction is of. */
typedef struct locator locator;
locator *locate_start(bias *b);
int locate_insn(locator *l, const observation *o, uint64_t address, tacho_bias_insn *out);
void locate_end(locator *l);

#endif
