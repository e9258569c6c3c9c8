/* bias.h - how the layout of its memory changes a program's time, and why.
 *
 * One factor is changed at a time and everything else is kept: the size of the environment, where stack, heap
 * and mappings begin, the allocator, the order in which object files are linked ... Each place of a factor's
 * series is run in several passes, each of them in another random order, so that a drift of the machine does
 * not look like a curve. What looked slowest (and fastest) is then run again, in turn with places that looked
 * usual: these runs alone give the effect and its interval, as the largest of many noisy numbers is large by
 * choice. After: T. Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS
 * 2009; seeds: bias-thesis, chapters 3 to 5.
 *
 * Linux on x86-64 only.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_BIAS_H
#define TACHO_BIAS_H

#include <stdbool.h>
#include "error.h"
#include "options.h"
#include "stats.h"
#include "trial.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tacho_bias_kind {
    TACHO_BIAS_ENVIRONMENT = 0, /**< bytes of the environment */
    TACHO_BIAS_STACK,           /**< where the stack begins */
    TACHO_BIAS_HEAP,            /**< where the heap (program break) begins */
    TACHO_BIAS_MAPPINGS,        /**< where mappings begin */
    TACHO_BIAS_ARGUMENT,        /**< bytes of the program's path, which is its argument 0 */
    TACHO_BIAS_DIRECTORY,       /**< bytes of the name of the current directory (PWD) */
    TACHO_BIAS_ALLOCATOR,       /**< malloc: the C library's with other settings, jemalloc, tcmalloc */
    TACHO_BIAS_BUFFERS,         /**< every other large allocation begins later */
    TACHO_BIAS_LINK_ORDER,      /**< order of object files; needs `link` and `objects` */
    TACHO_BIAS_CODE,            /**< bytes of padding before the objects' code; likewise */
    TACHO_BIAS_KIND_COUNT
} tacho_bias_kind;

/** "environment", "stack", "heap", "mappings", "argument", "directory", "allocator", "buffers", "link-order",
 *  "code"; static storage. */
TACHO_API const char *tacho_bias_kind_name(tacho_bias_kind kind);
/** What is changed, in a few words. */
TACHO_API const char *tacho_bias_kind_words(tacho_bias_kind kind);

enum {
    TACHO_BIAS_MAX_PASSES = 1000,
    TACHO_BIAS_MAX_PLACES = 4096, /**< of a factor */
    TACHO_BIAS_MAX_OBJECTS = 64,
    TACHO_BIAS_MAX_COUNTERS = TACHO_TRIAL_MAX_EVENTS + 7
};

/** What is being done for a factor. */
typedef enum tacho_bias_phase {
    TACHO_BIAS_LINKING = 0, /**< its programs are linked */
    TACHO_BIAS_SWEEPING,    /**< each place once a pass */
    TACHO_BIAS_CONFIRMING,  /**< places that stand out, again, in turn with usual ones */
    TACHO_BIAS_EXPLAINING,  /**< the slow and the fast layout are looked into */
    TACHO_BIAS_ADVISING,    /**< advice is tried out */
    TACHO_BIAS_PHASE_COUNT
} tacho_bias_phase;
/** "linking", "sweep", "confirming", "cause", "advice"; "" for other numbers; static storage. */
TACHO_API const char *tacho_bias_phase_name(tacho_bias_phase phase);

typedef struct tacho_bias_progress {
    tacho_bias_kind kind;
    tacho_bias_phase phase;
    double seconds;               /**< since the beginning */
    double seconds_left;          /**< of all factors, estimated; NaN: not known yet */
    uint32_t runs_done, runs_all; /**< of this phase: runs of the command, programs linked, layouts seen; as
                                       far as is known before */
} tacho_bias_progress;

typedef struct tacho_bias_options {
    size_t size;
    uint32_t factors;    /**< bits 1 << tacho_bias_kind; 0 (default): all that can be had here */
    uint32_t step_bytes; /**< between places; a multiple of 16; 0 (default): 16, or what time allows */
    uint32_t span_bytes; /**< that places lie in; 0 (default): 4096 */
    uint32_t passes;     /**< 0 (default): 5, or at least 3 where time is short; 2..TACHO_BIAS_MAX_PASSES */
    double max_seconds;  /**< that all factors may take; 300 */
    double timeout_seconds; /**< for a run; 0 (default): max_seconds */
    double threshold;       /**< effects smaller than this are of no interest; 0.02 */
    double confidence;      /**< of intervals; 0.95 */
    uint64_t seed;          /**< of the orders; 1 */
    int cpu;                /**< as in tacho_trials_options */
    const char *metric; /**< "cycles", "cpu", "elapsed", or an event; NULL (default): cycles, or cpu where no
                           run has a value of them */
    const char *events; /**< further events to correlate, comma-separated; NULL: none */
    const char *link;   /**< a shell command with {out} and {objects}; NULL: none */
    char *const *objects; /**< object files for it */
    uint32_t object_count;
    bool ignore_failure; /**< runs that end with another status than 0, or by a signal, count as others do */
    int output, errors;  /**< as in tacho_trials_options */
    bool why;            /**< for biased factors: look for the cause (default true) */
    /** Called before each run, link and layout that is looked into; other than 0 ends the sweep, and the
     *  result is what there is. May be NULL */
    int (*progress)(const tacho_bias_progress *progress, void *payload);
    /** Asked before each run and link, and when a signal comes during one: true ends it and the sweep, and
     *  the result is what there is. While a layout is looked into, another thread asks. May be NULL */
    bool (*stop)(void *payload);
    void *payload;
} tacho_bias_options;
#define TACHO_BIAS_OPTIONS_INIT                                                                              \
    TACHO_OPTIONS_INIT(bias, .max_seconds = 300, .threshold = 0.02, .confidence = 0.95, .seed = 1,           \
                       .cpu = TACHO_CPU_CHOOSE, .output = -1, .errors = -1, .why = true)
TACHO_OPTIONS(bias);

/** One place of a series. */
typedef struct tacho_bias_point {
    double position;        /**< bytes from where it would be; NaN: a variant, which has a label only */
    const char *label;      /**< "+1024 bytes", "jemalloc", "a.o c.o b.o" */
    double value;           /**< of the metric: median over the passes, without the drift between passes */
    double ratio;           /**< to the median of all points */
    uint32_t runs;          /**< that gave a value */
    bool spike;             /**< slower than the median by more than noise and the threshold */
    const double *counters; /**< medians, as tacho_bias.counter_names; NaN: not counted */
} tacho_bias_point;

/** A counter beside the metric. */
typedef struct tacho_bias_correlation {
    const char *counter;
    double pearson, spearman; /**< over the points; NaN where the counter, or the metric, does not vary */
} tacho_bias_correlation;

/** An instruction of the program. */
typedef struct tacho_bias_insn {
    uint64_t address;     /**< in the file */
    const char *object;   /**< file name; NULL: no file's */
    const char *symbol;   /**< function; NULL not known */
    uint64_t offset;      /**< in it */
    const char *assembly; /**< Intel syntax */
    const char *source;   /**< file; NULL without debug information */
    uint32_t line;        /**< 0 not known */
} tacho_bias_insn;

/** A store, and a load soon after it from another address that agrees with it modulo 4096. */
typedef struct tacho_bias_pair {
    tacho_bias_insn store, load;
    uint64_t store_address, load_address; /**< of the data, once, in the slow layout */
    double slow, fast;                    /**< times in 1,000 executed instructions, in the two layouts */
} tacho_bias_pair;

typedef enum tacho_bias_cause {
    TACHO_BIAS_NO_CAUSE = 0, /**< not biased, or not looked for */
    TACHO_BIAS_UNKNOWN,
    TACHO_BIAS_ALIASING,       /**< loads behind stores whose addresses agree modulo 4096 */
    TACHO_BIAS_LINE_CROSSING,  /**< accesses that cross cache lines */
    TACHO_BIAS_PAGE_CROSSING,  /**< ... and pages */
    TACHO_BIAS_CODE_ALIGNMENT, /**< hot code lies otherwise in its 64-byte blocks */
    TACHO_BIAS_INSTRUCTIONS,   /**< another path is taken: other code is hot */
    TACHO_BIAS_PAGE_FAULTS,    /**< memory that the system has to provide, page by page */
    TACHO_BIAS_MAJOR_FAULTS,   /**< ... and to read from a disk */
    TACHO_BIAS_WAITING,        /**< the program waits more often */
    TACHO_BIAS_SET_CONFLICTS,  /**< more lines of a set of the first-level data cache than it holds */
    TACHO_BIAS_TLB,            /**< more pages than the first-level data TLB holds */
} tacho_bias_cause;
/** "4k_aliasing", "line_crossing", "page_crossing", "code_alignment", "other_code", "page_faults",
 * "major_page_faults", "waiting", "set_conflicts", "tlb", "unknown"; "" for NO_CAUSE. */
TACHO_API const char *tacho_bias_cause_name(tacho_bias_cause cause);

/** What the system counts, where it explains the difference: a counter that goes with the metric over the
 *  places, and of which each event takes a time that it can take. */
typedef struct tacho_bias_counted {
    const char *counter;                /**< its name; NULL: nothing explains it */
    bool waits;                         /**< the times below are spent waiting; else on a processor */
    double slow, fast;                  /**< events of a run in the two layouts */
    double pearson;                     /**< correlation of the metric with the counter over the places */
    double more_seconds;                /**< that the slow layout takes more */
    double each_seconds;                /**< more_seconds divided by the number of events that it has more */
    double known_seconds;               /**< that one event alone takes on this machine; NaN: not measured */
    double least_seconds, most_seconds; /**< that one event can take */
} tacho_bias_counted;

/** What was seen in windows of some hundred instructions, stepped at random times, in two layouts. */
typedef struct tacho_bias_why {
    bool looked;
    uint64_t insns_slow, insns_fast;   /**< that were stepped */
    double aliased_slow, aliased_fast; /**< loads behind such a store, per 1,000 instructions */
    double line_slow, line_fast;       /**< accesses that cross a line of 64 bytes, likewise */
    double page_slow, page_fast;       /**< ... a page */
    const tacho_bias_pair *pairs;      /**< that differ, most first */
    uint32_t pair_count;
    tacho_bias_insn hot;         /**< where the loop begins that is hottest in the slow layout */
    uint32_t hot_slow, hot_fast; /**< its address modulo 64 in the two layouts; 64: not hot there */
    uint32_t hot_bytes;
    double predicted_slow, predicted_fast; /**< cycles per iteration by the simulator at these addresses */
    const char *predicted_arch;            /**< NULL: not predicted */
    tacho_bias_counted counted;            /**< where it explains the difference, there was no need to look */
    const char *sentence;                  /**< the cause in words */
    /** Accesses to lines, and to pages, that the window has used before and that others of their set have
     * thrown out of the first-level data cache, or its TLB, since: by following the addresses, oldest first.
     * Per 1,000 instructions; NaN: the sizes are not known. */
    double set_slow, set_fast, tlb_slow, tlb_fast;
    uint32_t cache_sets, cache_ways, tlb_sets, tlb_ways; /**< 0: not known */
    tacho_bias_insn
        missing; /**< with these causes, the instruction that has most of them in the slow layout */
    double missing_per_1000;             /**< that it has there; 0: none */
    const char *limit_slow, *limit_fast; /**< what limits the loop where it was predicted; NULL */
} tacho_bias_why;

/** What would help, tried out. */
typedef struct tacho_bias_advice {
    const char *sentence;    /**< NULL: none */
    const char *tried;       /**< the layout that carries it out; NULL: it was not tried */
    double ratio, low, high; /**< of its metric to that of the slow layout, with its interval; NaN */
    bool helps;              /**< the interval lies below 1, and the gain is above the threshold */
} tacho_bias_advice;

typedef struct tacho_bias_factor {
    tacho_bias_kind kind;
    const char *name;
    const char *missing; /**< why there are no figures; NULL: there are */
    const tacho_bias_point *points;
    uint32_t point_count;
    uint32_t passes, step_bytes;
    double median; /**< of the points' values */
    double noise;  /**< standard deviation of a run about its point, relative */
    bool partial;  /**< the sweep was ended early */
    /** What the verdict rests on, with its interval: the same as `spread`. All from runs of their own; NaN:
     * there were too few. */
    tacho_estimate effect;
    tacho_estimate loss;   /**< of the slowest place to usual ones */
    tacho_estimate gain;   /**< of usual places to the fastest one */
    tacho_estimate spread; /**< of the slowest place to the fastest one */
    uint32_t rounds;     /**< that these rest on, each a run at every one of them: 25, or as many as there was
                              time for, which a note says */
    bool biased;         /**< the effect is above the threshold and its interval excludes 1 */
    uint32_t slow, fast; /**< numbers of the points */
    double period_bytes; /**< after which spikes come again; NaN: not found */
    const tacho_bias_correlation *correlations; /**< by |pearson|, largest first */
    uint32_t correlation_count;
    tacho_bias_cause cause;
    tacho_bias_why why;
    tacho_bias_advice advice;
    const char *const *notes; /**< sentences for people */
    uint32_t note_count;
} tacho_bias_factor;

/** "slowest_to_fastest": what the factor's effect is; static storage. */
TACHO_API const char *tacho_bias_effect_name(const tacho_bias_factor *factor);

typedef struct tacho_bias {
    const tacho_bias_factor *factors;
    uint32_t factor_count;
    const char *metric;      /**< "cycles", "cpu", "elapsed" or the event */
    const char *metric_unit; /**< "cycles", "s" or "" */
    const char *clock;       /**< "perf" or "tsc-calibrated", of cycles */
    int cpu;
    double seconds;
    bool partial;
    const char *const *counter_names; /**< of tacho_bias_point.counters */
    uint32_t counter_count;
    const char *const *notes;
    uint32_t note_count;
} tacho_bias;

/** Sweeps. How the command ends is no error as long as it is always the same.
 *  @return 0 and *out; TACHO_ERR_INPUT (no such command; it crashes, times out, or ends in different ways;
 *  the link command fails), TACHO_ERR_USAGE, TACHO_ERR_UNSUPPORTED (metric, processor or event not to be
 * had), TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY */
TACHO_API int tacho_bias_sweep(tacho_bias **out, const tacho_command *command,
                               const tacho_bias_options *options, tacho_error *err);
TACHO_API void tacho_bias_free(tacho_bias *bias);

#ifdef __cplusplus
}
#endif
#endif
