/* measure.h - cycles per iteration of a block of machine code, measured on this machine.
 *
 * A block runs in a process of its own that can do nothing but compute: it has no descriptors, no system
 * calls, no memory but one page that all its addresses lead to. With performance counters cycles are counted;
 * without them they are derived from the time stamp counter, by chains of known latency between the samples.
 * Method: BHive (Chen et al., IISWC 2019), section III; uiCA (Abel, Reineke, ICS 2022), section 5.3;
 * doc/MEASURING.md.
 *
 * A measurement is a status before it is a number. Linux on x86-64 only. One thread at a time may use a
 * measurer.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_MEASURE_H
#define TACHO_MEASURE_H

#include <stdbool.h>
#include "decode.h"
#include "error.h"
#include "options.h"
#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tacho_clock {
    TACHO_CLOCK_AUTO = 0,       /**< the first of the following that works here */
    TACHO_CLOCK_PERF,           /**< the performance counter of core cycles, read by RDPMC */
    TACHO_CLOCK_TSC_CALIBRATED, /**< the time stamp counter, and the core's clock by dependency chains */
    TACHO_CLOCK_TSC,            /**< the time stamp counter alone: its ticks are called cycles */
} tacho_clock;

/** Passes are fresh processes, spread over time. See doc/MEASURING.md for what they cost and give. */
typedef enum tacho_quality {
    TACHO_QUALITY_QUICK = 0,
    TACHO_QUALITY_DEFAULT,
    TACHO_QUALITY_THOROUGH,
} tacho_quality;

typedef enum tacho_measure_status {
    TACHO_MEASURED_OK = 0,
    TACHO_MEASURED_UNSTABLE, /**< passes disagree: `cycles` is their median, `low` and `high` their range */
    TACHO_MEASURED_UNSUPPORTED, /**< this processor does not know an instruction */
    TACHO_MEASURED_CRASHED,     /**< the block stopped; `message` says where and why */
    TACHO_MEASURED_TIMEOUT,     /**< it did not end */
    TACHO_MEASURED_REJECTED, /**< it must not be run: system calls, privileged instructions, jumps out of it
                              */
} tacho_measure_status;

/** What is to be known about a measurement, bits. */
enum {
    TACHO_MEASURE_LINE_CROSSING = 1 << 0, /**< an access crosses a line of 64 bytes */
    TACHO_MEASURE_PAGE_CROSSING = 1 << 1,
    TACHO_MEASURE_ALIASING = 1 << 2, /**< a load reads what an earlier store wrote only because the block's
                                        addresses share physical pages, or because of the initial values */
    TACHO_MEASURE_FORWARDING_FAILS = 1 << 3, /**< a load needs more than an earlier store wrote */
    TACHO_MEASURE_STATE_DEPENDENT = 1 << 4,  /**< which accesses alias depends on the initial values */
    TACHO_MEASURE_MANY_PAGES =
        1 << 5, /**< more pages than the first-level data cache, or its TLB, has room for */
    TACHO_MEASURE_X87_UNBALANCED = 1 << 6,    /**< the x87 stack over- or underflows */
    TACHO_MEASURE_INPUT_DEPENDENT = 1 << 7,   /**< division or square root: time depends on the values */
    TACHO_MEASURE_LONG_CODE = 1 << 8,         /**< the copies do not fit into the instruction cache */
    TACHO_MEASURE_COUNTER_IN_VECTOR = 1 << 9, /**< no general register was free for the loop's counter */
    TACHO_MEASURE_BRANCH_REPLACED = 1 << 10,  /**< the loop's own branch was replaced by a counted one */
    TACHO_MEASURE_BRANCH_KEPT_INSIDE =
        1 << 11,                        /**< a branch that leaves the block goes to the next instruction */
    TACHO_MEASURE_NOT_TRACED = 1 << 12, /**< some addresses are not known: notes on accesses may be missing */
    TACHO_MEASURE_INTERCEPTED = 1 << 13,  /**< an instruction that virtual machines intercept (CPUID) */
    TACHO_MEASURE_NOISY = 1 << 14,        /**< few samples were undisturbed */
    TACHO_MEASURE_CACHE_MISSES = 1 << 15, /**< counters saw misses of the first-level data cache */
    /** a walk through memory, let run only as far as the first-level data cache, and its TLB, hold what it
     * touches */
    TACHO_MEASURE_KEPT_IN_CACHE = 1 << 16,
    TACHO_MEASURE_NOTE_COUNT = 17
};

enum {
    TACHO_MEASURE_MAX_EVENTS = 3,
    TACHO_MEASURE_MAX_BYTES = 16 << 10, /**< longest block */
    TACHO_MEASURE_MAX_INSTRUCTIONS = 4096
};

/** What a measurer is for. Initialise with TACHO_MEASURER_OPTIONS_INIT. */
typedef struct tacho_measurer_options {
    size_t size;
    tacho_clock clock;
    int cpu;            /**< logical processor to measure on; -1: the last one that this process may use */
    const char *events; /**< further events to count, comma-separated, by libpfm4's names; NULL: none. Only
                           with counters. Borrowed during tacho_measurer_new. */
} tacho_measurer_options;
#define TACHO_MEASURER_OPTIONS_INIT TACHO_OPTIONS_INIT(measurer, .cpu = -1)
TACHO_OPTIONS(measurer);

/** How to measure a block. Initialise with TACHO_MEASURE_OPTIONS_INIT. */
typedef struct tacho_measure_options {
    size_t size;
    tacho_mode mode;
    tacho_init init; /**< distinct and aligned: each register its own multiple of 64 */
    const uint64_t
        *known_values; /**< initial value of register n where bit n of known_mask is set. Borrowed. */
    uint16_t known_mask;
    tacho_quality quality;
    uint32_t
        pages; /**< physical pages, 1..16: the first pages that the block touches have one each, then they
                  share them. 1: all are one. 0: as many as the first-level data cache has room for */
    uint32_t max_pages; /**< different virtual pages that it may touch, 1..4096; 4096 */
    double seconds;     /**< deadline of one pass, 0.01..600; 2 */
    const tacho_listing
        *listing; /**< how messages write the block's instructions; NULL: Intel syntax. Borrowed */
    /** Asked between passes, with `stop_payload`: whether to end with TACHO_ERR_CANCELLED. NULL: never */
    bool (*stop)(void *payload);
    void *stop_payload;
} tacho_measure_options;
#define TACHO_MEASURE_OPTIONS_INIT                                                                           \
    TACHO_OPTIONS_INIT(measure, .quality = TACHO_QUALITY_DEFAULT, .max_pages = 4096, .seconds = 2)
TACHO_OPTIONS(measure);

/** A further event's count. */
typedef struct tacho_measured_event {
    char name[48];
    double per_iteration;
} tacho_measured_event;

/** A measurement: a plain value. */
typedef struct tacho_measurement {
    tacho_measure_status status;
    double cycles;      /**< core cycles per iteration; NaN unless status is OK or UNSTABLE */
    double uncertainty; /**< half the range of the passes relative to `cycles`, at least their standard error;
                           NaN without cycles */
    double low, high;   /**< lowest and highest pass that counted */
    tacho_clock clock;  /**< never AUTO */
    tacho_mode mode;    /**< AUTO only where the bytes are no instructions */
    uint32_t notes;     /**< TACHO_MEASURE_* bits */
    char message[200];  /**< why there is no number, or why it is not stable; "" with OK */
    int64_t offset;     /**< of the instruction that `message` is about; -1 none */
    uint32_t passes;
    uint32_t samples, accepted; /**< in all passes, and those that were undisturbed */
    uint32_t pages;             /**< virtual pages that the block touches */
    uint64_t repetitions[2];    /**< iterations of the short and of the long run */
    double core_clock;          /**< core cycles a tick of the time stamp counter; NaN where not known */
    uint32_t event_count;
    tacho_measured_event events[TACHO_MEASURE_MAX_EVENTS];
} tacho_measurement;

/** A block to measure, and where its result goes. */
typedef struct tacho_measure_job {
    const uint8_t *code; /**< borrowed */
    size_t code_size;
    tacho_measurement result;
    double *pass_cycles; /**< NULL, or room for `pass_capacity` results of single passes, in their order */
    uint32_t pass_capacity;
} tacho_measure_job;

/** What a measurer found out about its machine. */
typedef struct tacho_measure_clock {
    tacho_clock clock;
    int cpu;
    double tsc_hz;         /**< ticks of the time stamp counter a second */
    uint32_t granularity;  /**< ticks that it moves by */
    double core_clock;     /**< core cycles a tick, when the measurer was made */
    uint32_t multiplier;   /**< core clock over base_hz, where that is a whole number that holds; else 0 */
    double base_hz;        /**< 100 MHz */
    uint32_t imul_latency; /**< cycles, found from chains of additions (1 cycle) */
    char promise[320];     /**< a sentence: what can be promised here */
    char counters[160];    /**< why there are no performance counters, or "" */
} tacho_measure_clock;

typedef struct tacho_measurer tacho_measurer;

/** Examines the clocks of this machine (some 50 ms; longer while a neighbour is busy) and prepares the
 * sandbox.
 *  @return NULL with *err: TACHO_ERR_USAGE (no such processor), TACHO_ERR_UNSUPPORTED (the clock that was
 * asked for does not work here, no such event), TACHO_ERR_SYSTEM (no sandbox), TACHO_ERR_MEMORY */
TACHO_API tacho_measurer *tacho_measurer_new(const tacho_measurer_options *options, tacho_error *err);
TACHO_API void tacho_measurer_free(tacho_measurer *m);
/** Lives as long as the measurer. */
TACHO_API const tacho_measure_clock *tacho_measurer_clock(const tacho_measurer *m);

/** Measures a block. What the block does is never an error but a status, as are bytes that cannot be decoded
 * or are too many: REJECTED, with offset and message.
 *  @return 0; TACHO_ERR_USAGE, TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY, TACHO_ERR_CANCELLED */
TACHO_API int tacho_measure(tacho_measurer *m, const uint8_t *code, size_t size,
                            const tacho_measure_options *options, tacho_measurement *out, tacho_error *err);

/** Measures several blocks with their passes interleaved: the passes of a block then lie further apart, and a
 *  disturbance does not affect all of them. A block that cannot be decoded is REJECTED with its message.
 *  @return 0, or TACHO_ERR_USAGE, TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY, TACHO_ERR_CANCELLED: then the results
 *  are not to be used */
TACHO_API int tacho_measure_many(tacho_measurer *m, tacho_measure_job *jobs, size_t count,
                                 const tacho_measure_options *options, tacho_error *err);

/** Gives the next block, which stays valid until it is done. @return false when there are no more */
typedef bool tacho_measure_next(void *payload, tacho_measure_job **job);
/** Called when a block's result is there. Some 64 blocks are under way at a time, and do not end in their
 *  order. */
typedef void tacho_measure_done(void *payload, tacho_measure_job *job);

/** The same for any number of blocks. @return as tacho_measure_many; after an error some blocks are never
 * done */
TACHO_API int tacho_measure_stream(tacho_measurer *m, tacho_measure_next *next, tacho_measure_done *done,
                                   void *payload, const tacho_measure_options *options, tacho_error *err);

/** Memory of its own for a block. */
typedef struct tacho_measure_array {
    uint64_t address, bytes; /**< whole pages; below the end of user space, and apart from each other */
} tacho_measure_array;

enum {
    TACHO_MEASURE_MAX_ARRAYS = 16
};

/** A walk through arrays. */
typedef struct tacho_measure_sweep {
    const tacho_measure_array *arrays; /**< borrowed */
    size_t array_count;                /**< 0 to TACHO_MEASURE_MAX_ARRAYS; together 768 MB at most */
    uint64_t iterations;               /**< of the loop, from the initial registers on; 250 to 2^32 */
    bool huge_pages;                   /**< have the arrays in huge pages, where the system gives any */
} tacho_measure_sweep;

/** Measures a loop that walks through real memory: it is run for so many iterations again and again, each
 * time from the same initial registers (options->known_values), so that its data are where as many bytes have
 * their place. What it accesses beside the arrays is as with tacho_measure. The loop's own branch is replaced
 * by a counted one. A low quantile of the runs counts: whoever shares the caches makes it slower.
 *  @return as tacho_measure; TACHO_ERR_USAGE: a sweep that cannot be */
TACHO_API int tacho_measure_sweep_run(tacho_measurer *m, const uint8_t *code, size_t size,
                                      const tacho_measure_options *options, const tacho_measure_sweep *sweep,
                                      tacho_measurement *out, tacho_error *err);

/** Names as scripts see them: "ok", "tsc-calibrated", "line-crossing"; static storage. */
TACHO_API const char *tacho_measure_status_name(tacho_measure_status status);
TACHO_API const char *tacho_clock_name(tacho_clock clock);
/** Of one TACHO_MEASURE_* bit. */
TACHO_API const char *tacho_measure_note_name(uint32_t note);
/** A sentence on it. */
TACHO_API const char *tacho_measure_note_text(uint32_t note);

#ifdef __cplusplus
}
#endif
#endif
