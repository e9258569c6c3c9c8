/* hot_causes.h - why a hot place takes longer than predicted: what no prediction sees of it, seen in windows
 * of the run, with what it costs. Part of hot.h, which includes it.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_HOT_CAUSES_H
#define TACHO_HOT_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "predict.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tacho_hot_place;

typedef enum tacho_hot_cause_kind {
    TACHO_HOT_SUBNORMAL = 0, /**< floating-point arithmetic (SSE, AVX) with a subnormal operand or result */
    TACHO_HOT_LINE_CROSSING, /**< the access lies in two cache lines of a page */
    TACHO_HOT_PAGE_CROSSING, /**< ... in two pages */
    TACHO_HOT_FORWARDING,    /**< a load of bytes that no single store in flight has: `other` is that store */
    TACHO_HOT_ALIAS_4K,      /**< a load a multiple of 4096 bytes beside a store just before: `other` */
    TACHO_HOT_MISPREDICTION, /**< a conditional branch that its history does not predict */
    TACHO_HOT_CACHE,         /**< data that do not fit a level of this machine's caches */
    TACHO_HOT_FALSE_SHARING, /**< two threads use different bytes of a line in turn, one at least writes;
                                `other` is the other's instruction */
    TACHO_HOT_TRUE_SHARING,  /**< ... the same bytes */
    TACHO_HOT_CAUSE_KINDS
} tacho_hot_cause_kind;

/** Another instruction that has a part in it. */
typedef struct tacho_hot_other {
    const char *object;      /**< path of its file; NULL: there is no other, or it is not known */
    uint64_t address;        /**< in the file */
    const char *source_file; /**< NULL unknown, as is line 0 */
    uint32_t source_line;
} tacho_hot_other;

typedef struct tacho_hot_cause {
    tacho_hot_cause_kind kind;
    size_t insn;           /**< number of the instruction in the place's `insns` */
    tacho_hot_other other; /**< kinds that have one */
    bool is_store;         /**< the access is one */
    bool one_way; /**< SHARING: one of the two threads only reads; the share is then of accesses that the
                     other one's can have made the line come back for */
    uint64_t executions, times;          /**< of the instruction in windows, and how many of them it was; for
                                              MISPREDICTION what a predictor would have got wrong that remembers all
                                              that the windows show; for CACHE accesses to a line that was not accessed
                                              before in its window */
    uint64_t windows;                    /**< that the executions are of */
    double share, share_low, share_high; /**< times of executions, with a 95 % interval for which windows are
                                              the units */
    double a_round;       /**< executions of the instruction for one iteration of the place; NaN: not known */
    double taken;         /**< MISPREDICTION: share of the executions; else NaN */
    int64_t stride;       /**< CACHE: bytes from one access to the next, nearly always; 0: no such number */
    uint64_t least_bytes; /**< CACHE: of the data; a lower limit, with 97.5 % */
    double reach_seconds; /**< CACHE: windows so far apart tell this; data of longer ago may be others */
    uint32_t level;       /**< CACHE: the last level that the data do not fit, from 1; 0: not known here */
    uint64_t level_bytes; /**< ... and its size */
    bool dependent;       /**< of a load: its address was loaded by a former execution of it */
    const char *variable; /**< SHARING: what the instruction accesses: the symbol; NULL unknown */
    uint64_t variable_offset; /**< in it */
    uint64_t data;            /**< SHARING: the address in the process */

    /* What tacho_hot_weigh fills in. */
    double cycles_least, cycles_most; /**< of one time: where nothing waits for it, and where all does. NaN:
                                           not known */
    const char *cycles_from;          /**< a sentence; lives as long as the costs. "" for none */
    double least, most; /**< of an iteration; most: no more than what is observed beyond the prediction */
    bool predicted;     /**< the prediction has it already */
    bool told;          /**< large enough to be spoken of, see tacho_hot_weigh */
} tacho_hot_cause;

/** Figures of this machine that models of its core do not have: loops are timed when one is first needed
 *  (some milliseconds; half a second for a load from memory). */
typedef struct tacho_hot_costs tacho_hot_costs;
/** @return NULL: memory ran out */
TACHO_API tacho_hot_costs *tacho_hot_costs_new(void);
TACHO_API void tacho_hot_costs_free(tacho_hot_costs *costs);

/** Weighs the causes of a place: writes place->cause_count of them to `out`, those that are told first, and
 *  of them the most expensive first. A cause is reported (told) if at least 30 executions in three windows
 *  were seen, if at least five of these showed it, and if it may cost (by the low end of its share, and
 * `most`) at least 2 % of the cycles of an iteration: those observed, else those predicted. A cause whose
 * cost is not known is told if at least a tenth of the iterations have it. `prediction`: of the place; NULL:
 * there is none. Mispredictions, failed forwarding, crossed lines and 4K aliasing cost what the model of its
 * core says, the others what this machine takes.
 *  @return how many are told */
TACHO_API size_t tacho_hot_weigh(tacho_hot_costs *costs, const struct tacho_hot_place *place,
                                 const tacho_prediction *prediction, tacho_hot_cause *out);
/** "subnormal", "line-crossing", "page-crossing", "forwarding", "4k-aliasing", "misprediction", "cache",
 *  "false-sharing", "true-sharing". */
TACHO_API const char *tacho_hot_cause_name(tacho_hot_cause_kind kind);

#ifdef __cplusplus
}
#endif
#endif
