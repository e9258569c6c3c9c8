/* memory.h - what the memory of a machine takes: its caches, its main memory, its translation buffers (TLB),
 * its prefetcher; measured here, or read from a file that was written on another machine.
 *
 * All cycles are cycles of the core. Sizes are of one core's share where that is what it sees: a neighbour in
 * the same third level makes it smaller than CPUID has it. NaN is a figure that could not be had.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_MEMORY_H
#define TACHO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TACHO_MEMORY_LEVELS = 4, /**< most of them: three caches and memory */
    TACHO_MEMORY_POINTS = 96,
    TACHO_MEMORY_LINE_BYTES = 64,
    TACHO_MEMORY_MAX_FILE_BYTES = 64 << 10
};

/** The pages of a measurement. */
typedef enum tacho_memory_pages {
    TACHO_MEMORY_4K = 0,
    TACHO_MEMORY_2M, /**< transparent huge pages, which the system may refuse */
    TACHO_MEMORY_PAGE_KINDS
} tacho_memory_pages;

/** A cache of data, or memory. */
typedef struct tacho_memory_level {
    char name[8];          /**< "L1", "L2", "L3", "memory" */
    uint64_t bytes;        /**< the largest footprint whose loads take less than the mean of this level's and
                              the next one's; memory: all of it */
    uint64_t cpuid_bytes;  /**< what CPUID (or the kernel) says; 0: nothing */
    double latency_cycles; /**< from a load to the one that needs its result as its address, all loads being
                              served by this level, at random places; TLB misses are not in it where there are
                              huge pages */
    double random_cycles;  /**< of a load, where many at random places do not wait for each other */
    /** Of lines at the same place of their pages, which are all in one set of the first level: how many of
     * them this level holds, and cycles of a load of one of them that it serves, where loads do not wait for
     * each other. NaN: not known; of memory it is not measured. */
    double set_lines, set_cycles;
    /** Bytes a cycle of streams of the widest vectors that this processor has, over a footprint that only
     * this level holds, with prefetching as it is. A store's line is read before and written back after:
     * that traffic is not counted, its time is in it. Of a copy each byte is counted once. */
    double load_bytes_per_cycle, store_bytes_per_cycle, copy_bytes_per_cycle;
    /** The same with non-temporal stores, which go past the caches: of memory alone, NaN elsewhere. */
    double past_store_bytes_per_cycle, past_copy_bytes_per_cycle;
} tacho_memory_level;

/** A level of the translation buffer, for 4 KiB pages. */
typedef struct tacho_memory_tlb {
    uint32_t entries; /**< pages (reach: times 4096 bytes) that dependent loads touch without waiting more */
    double miss_cycles; /**< of a load that misses this level and hits the next one, more than one that hits;
                           of the last level: a walk, more than a hit in it */
} tacho_memory_tlb;

/** Cycles of a dependent load at a random place of so many bytes. */
typedef struct tacho_memory_point {
    uint64_t bytes;
    double cycles[TACHO_MEMORY_PAGE_KINDS];
} tacho_memory_point;

/** A machine's memory: a plain value. */
typedef struct tacho_memory {
    char processor[96];    /**< its name, as CPUID has it */
    char core[16];         /**< tacho_arch_name of its core; "": none is known */
    double clock_ghz;      /**< of the core while this was measured */
    uint32_t vector_bytes; /**< of the streams' loads and stores */
    uint32_t level_count;  /**< the last one is memory */
    tacho_memory_level levels[TACHO_MEMORY_LEVELS];
    uint32_t tlb_count; /**< 0 to 2 */
    tacho_memory_tlb tlb[2];
    /** Of a load that misses all TLBs, more than of one that hits, its page tables being in near caches. 4
     * KiB: one line in each of 8192 pages; 2 MiB: of few pages, whose entries were just invalidated. With far
     * tables: what `points` has. Hypervisors may back huge pages by small ones: then both are alike. */
    double walk_cycles[TACHO_MEMORY_PAGE_KINDS];
    double prefetch_bytes; /**< how far ahead of a stream of loads, one line after the other, lines are
                              already in a cache; 0: none are */
    uint32_t point_count;  /**< by bytes */
    tacho_memory_point points[TACHO_MEMORY_POINTS];
} tacho_memory;

/** Initialise with TACHO_MEMORY_OPTIONS_INIT. */
typedef struct tacho_memory_options {
    size_t size;
    int cpu;     /**< logical processor to measure on; -1: the last one that this process may use */
    bool afresh; /**< of tacho_memory_host: measure although there is a file */
    /** Asked between passes, with `stop_payload`: whether to end with TACHO_ERR_CANCELLED. NULL: never */
    bool (*stop)(void *payload);
    void *stop_payload;
} tacho_memory_options;
#define TACHO_MEMORY_OPTIONS_INIT TACHO_OPTIONS_INIT(memory, .cpu = -1)
TACHO_OPTIONS(memory);

/** Measures this machine: some 20 seconds at full load on one processor, and up to an eighth of its memory
 * (at most 512 MB). The calling thread stays on that processor meanwhile. `options` may be NULL.
 *  @return 0; TACHO_ERR_USAGE (no such processor), TACHO_ERR_UNSUPPORTED (not an x86-64 processor, or it does
 *  not tell of its caches), TACHO_ERR_MEMORY, TACHO_ERR_SYSTEM, TACHO_ERR_CANCELLED */
TACHO_API int tacho_memory_measure(tacho_memory *out, const tacho_memory_options *options, tacho_error *err);

/** Writes it as a text, a line for each level, TLB, point ...: `tacho memory 1` is its first. To be freed
 * with tacho_memory_text_free. @return NULL: memory ran out */
TACHO_API char *tacho_memory_write(const tacho_memory *m);
TACHO_API void tacho_memory_text_free(char *text);
/** Reads such a text, of `size` bytes.
 *  @return 0; TACHO_ERR_INPUT: the message has the line, and what would be right */
TACHO_API int tacho_memory_read(tacho_memory *out, const char *text, size_t size, tacho_error *err);

/** Machines whose description tacho has (data/arch/CORE/memory.txt). @return false: there are no more than
 * `index` */
TACHO_API bool tacho_memory_known(tacho_memory *out, size_t index);
/** The one of those whose `core` is called so; case does not matter.
 *  @return 0; TACHO_ERR_UNSUPPORTED: there is none, the message lists them */
TACHO_API int tacho_memory_find(tacho_memory *out, const char *name, tacho_error *err);

/** Where the description of this machine is kept: in $XDG_CACHE_HOME or ~/.cache, tacho/memory/PROCESSOR.
 *  @return false: there is no such place, or it does not fit */
TACHO_API bool tacho_memory_path(char *out, size_t size);
/** The description that is kept, and where there is none (or options->afresh) the one that is measured now,
 *  which is then kept; where it cannot be kept, that is no error. `options` may be NULL.
 *  @return as tacho_memory_measure and tacho_memory_read */
TACHO_API int tacho_memory_host(tacho_memory *out, const tacho_memory_options *options, tacho_error *err);
/** Only the one that is kept. @return 0; TACHO_ERR_UNSUPPORTED: there is none; as tacho_memory_read */
TACHO_API int tacho_memory_kept(tacho_memory *out, tacho_error *err);

/** The level that serves streams over so many bytes: the first whose `bytes` hold them. */
TACHO_API uint32_t tacho_memory_level_of(const tacho_memory *m, uint64_t bytes);
/** The level that a text means: by its name, or by a size (512K) as tacho_memory_level_of.
 *  @return 0; TACHO_ERR_USAGE: neither, the message lists the names */
TACHO_API int tacho_memory_level_named(uint32_t *out, const tacho_memory *m, const char *text,
                                       tacho_error *err);
/** Cycles of a dependent load at a random place of so many bytes, with such pages, between the points that
 *  were measured; of 2 MiB pages where there were none: those of 4 KiB. */
TACHO_API double tacho_memory_load_cycles(const tacho_memory *m, uint64_t bytes, tacho_memory_pages pages);

#ifdef __cplusplus
}
#endif
#endif
