/* hot_memory.h - what a hot place accesses, by the registers of its samples, and whether it waits for memory.
 * Part of hot.h, which includes it.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_HOT_MEMORY_H
#define TACHO_HOT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "memory.h"
#include "predict.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tacho_hot_place;

/** What is touched from a touch of an operand's line until the next one of that line, in lines, where
 *  hardware watchpoints have waited for it: in parts of its touches, the nearest first. */
enum {
    TACHO_HOT_REUSE_PARTS = 32
};
typedef struct tacho_hot_reuse {
    uint64_t watched, touched; /**< lines; of these, those that were touched while they were watched */
    double lines[TACHO_HOT_REUSE_PARTS]; /**< infinite: more than could be waited for */
    double low[TACHO_HOT_REUSE_PARTS], high[TACHO_HOT_REUSE_PARTS]; /**< 95 % interval */
} tacho_hot_reuse;

/** How the address of an operand changes from iteration to iteration. */
typedef enum tacho_hot_pattern {
    TACHO_HOT_UNSEEN = 0, /**< too few samples tell its address */
    TACHO_HOT_ONE_PLACE,  /**< the same in all iterations of an execution of the loop */
    TACHO_HOT_STRIDE,     /**< by `stride` bytes */
    TACHO_HOT_ROWS,       /**< ... by a line or more, and later executions come back to the same lines */
    TACHO_HOT_SEQUENCE, /**< forwards (or backwards) through memory, by steps that are not always the same */
    TACHO_HOT_RANDOM,
    TACHO_HOT_CHAIN, /**< it is made of what the operand itself loaded in an iteration before; at random
                        places unless `in_order` */
    TACHO_HOT_PATTERNS
} tacho_hot_pattern;

/** An operand in memory on a place's path. */
typedef struct tacho_hot_operand {
    size_t insn;     /**< number of the instruction in the place's `insns` */
    uint8_t operand; /**< of the instruction */
    bool loads, stores;
    uint32_t bytes; /**< that it accesses */
    tacho_hot_pattern pattern;
    int64_t stride;   /**< bytes an iteration; 0: none, or not known */
    bool in_order;    /**< CHAIN: one address lies behind the other */
    int32_t from;     /**< number of the operand whose loaded value the address is made of; -1: none */
    int32_t shares;   /**< number of a former operand that lies beside it, in the same lines; -1: none */
    uint32_t waiting; /**< instructions on the path that wait for what it loads */
    uint64_t samples; /**< that tell an address; 0 with a pattern: none does, and the footprint is what its
                           mapping has from its table on */
    uint64_t first, last; /**< the lowest and the highest of them; 0: none */
    /** Bytes of the lines that it touches, and a 95 % interval: the range of a stride; of random addresses by
     * capture and recapture. NaN: not known. */
    double footprint, footprint_low, footprint_high;
    double line_bytes; /**< used of each line, together with those that share it: 1 to 64; NaN: not known */
    double reach; /**< bytes that it goes to and fro in for some milliseconds, where it was seen that these
                       are fewer than its footprint; else NaN */
    double huge;  /**< share of its pages that are huge ones, 0 to 1; NaN: not known */
} tacho_hot_operand;

enum {
    TACHO_HOT_MOST_OPERANDS = 64, /**< of a place; further ones are not looked at */
    TACHO_HOT_MOST_REMEDIES = 7
};

/** What a place that waits for memory is limited by. */
typedef enum tacho_hot_wait {
    TACHO_HOT_NO_WAIT = 0,    /**< memory is not what decides, or that is not known */
    TACHO_HOT_WAIT_LATENCY,   /**< loads wait for each other, or too few are in flight */
    TACHO_HOT_WAIT_BANDWIDTH, /**< lines an iteration */
    TACHO_HOT_WAIT_TLB        /**< translation of addresses takes the larger part of the latency */
} tacho_hot_wait;

/** The share of an operand's touches whose line a cache does not hold any more. */
typedef struct tacho_hot_misses {
    double share, low, high; /**< 95 % interval */
} tacho_hot_misses;

/** An operand's part. */
typedef struct tacho_hot_operand_wait {
    int32_t level; /**< that serves it, or that most of its waiting is for: a number of tacho_memory.levels;
                      -1: not known */
    bool by_reuse; /**< that follows from watched lines, which its footprint and those beside it contradict */
    uint32_t cache_count;                         /**< 0: too few of its lines were watched */
    tacho_hot_misses misses[TACHO_MEMORY_LEVELS]; /**< by each cache */
    double cycles;     /**< of an iteration, that are observed beyond the prediction and are its part */
    double tlb_cycles; /**< ... of these, those of the TLB */
} tacho_hot_operand_wait;

/** A change that makes a place wait less. */
typedef struct tacho_hot_remedy {
    const char *kind; /**< "huge-pages", "prefetch", "interchange", "padding", "packing", "non-temporal",
                         "two-chains" */
    size_t operand;   /**< that it is about */
    double after;     /**< cycles of an iteration, estimated, in place of those observed */
    uint32_t ahead;   /**< prefetch: iterations */
} tacho_hot_remedy;

/** Whether a place waits for memory, and for what. */
typedef struct tacho_hot_memory {
    tacho_hot_wait limit;
    size_t operand;   /**< with a limit: the one that waits most */
    double cycles;    /**< of an iteration, as estimated from patterns, footprints and the machine's figures;
                         NaN:    not known */
    double explained; /**< share of the cycles beyond the prediction, 0 to 1; NaN: not known */
    double in_flight; /**< accesses that are under way at a time, as estimated; 1 in a chain; NaN: none are at
                           random */
    bool dependent;   /**< a chain of loads is what waits */
    bool no_machine;  /**< it may wait for memory, but what this machine takes was never measured */
    tacho_hot_operand_wait waits[TACHO_HOT_MOST_OPERANDS]; /**< for each operand of the place */
    tacho_hot_remedy remedies[TACHO_HOT_MOST_REMEDIES];    /**< the best first */
    size_t remedy_count;
} tacho_hot_memory;

/** Where the place's observed cycles are above TACHO_HOT_LIMITED times the prediction: how much of that its
 *  operands explain. A limit is named where it is more than a quarter. `machine`: NULL where it is not known;
 *  `prediction`: of the place, NULL where there is none. */
TACHO_API void tacho_hot_memory_of(tacho_hot_memory *out, const tacho_memory *machine,
                                   const struct tacho_hot_place *place, const tacho_prediction *prediction);
/** "latency", "bandwidth", "tlb"; "" for no wait. */
TACHO_API const char *tacho_hot_wait_name(tacho_hot_wait wait);

/* ---- the roofline (cache-aware: A. Ilic et al., 2014): operations a byte that the core accesses, operations
 * a cycle, and what the machine allows of these ---- */

/** What an iteration (execution) of a place computes and accesses. */
typedef struct tacho_hot_work {
    bool floats;            /**< operations are those of floating point; false: there are none, and they are
                                 those of whole numbers, also where these are addresses */
    uint32_t element_bytes; /**< of most of them; 0: none */
    double operations;      /**< arithmetic ones: one a lane of a vector, two where a product is added */
    double bytes;           /**< that it loads and stores */
    double level_bytes[TACHO_MEMORY_LEVELS]; /**< of these by the level that serves them; those whose level is
                                                  not known are the first one's. NaN without `memory` */
    double cycles;                           /**< observed, else predicted; NaN */
    bool observed;
} tacho_hot_work;

/** `memory`: of tacho_hot_memory_of. `machine`: NULL where it is not known. */
TACHO_API void tacho_hot_work_of(tacho_hot_work *out, const tacho_hot_memory *memory,
                                 const tacho_memory *machine, const struct tacho_hot_place *place,
                                 const tacho_prediction *prediction);

/** The most operations a cycle that a core can do, by the bounds of independent instructions. */
typedef struct tacho_hot_peak {
    const char *name; /**< "scalar", "vector" (its widest); of products that are added "FMA" (floats),
                           "products" (whole numbers) */
    bool floats;
    uint32_t element_bytes;
    double operations;
} tacho_hot_peak;
enum {
    TACHO_HOT_MOST_PEAKS = 3
};
/** Those for additions, multiplications, and sums of products of such numbers, ascending; the core may have
 *  none of them. @return how many are at `out`; -1: memory ran out */
TACHO_API int tacho_hot_peaks(tacho_hot_peak out[TACHO_HOT_MOST_PEAKS], const tacho_arch *arch, bool floats,
                              uint32_t element_bytes);
/** Bytes a cycle of a level: the highest of its streams of loads, stores and copies (both sides counted); of
 *  "L1" loads and stores together, as cores do both in a cycle. */
TACHO_API double tacho_hot_bandwidth(const tacho_memory_level *level);

/** A place in the roofline. */
typedef struct tacho_hot_point {
    const struct tacho_hot_place *place;
    tacho_hot_work work;        /**< the caller's, as `place` is */
    double per_byte, per_cycle; /**< operations; per_byte: infinite without accesses */
    double roof;                /**< operations a cycle that are allowed; NaN: not known, or there are none */
    const char *limit;          /**< the peak or the level that `roof` comes from; NULL */
} tacho_hot_point;

typedef struct tacho_hot_roofline {
    tacho_hot_point *points;
    size_t count;
    tacho_hot_peak peaks[2 * TACHO_HOT_MOST_PEAKS]; /**< for the elements that floats, and whole numbers, of
                                                         the points mostly have */
    size_t peak_count;
} tacho_hot_roofline;
/** Finds the peaks, and what the points are allowed. `machine`: NULL where it is not known.
 *  @return 0, TACHO_ERR_MEMORY */
TACHO_API int tacho_hot_roofline_find(tacho_hot_roofline *r, const tacho_arch *arch,
                                      const tacho_memory *machine);

/** "unseen", "place", "stride", "rows", "sequence", "random", "chain". */
TACHO_API const char *tacho_hot_pattern_name(tacho_hot_pattern pattern);

#ifdef __cplusplus
}
#endif
#endif
