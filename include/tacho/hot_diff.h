/* hot_diff.h - two versions of a program, or two of its inputs: which hot places became faster or slower, are
 * new or gone, and how much of the whole change each explains. Places are matched by the names of functions
 * and inlined functions, by source lines and by the likeness of their code, never by address.
 *
 * Times are those of one run, and of processors: all threads and processes together.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_HOT_DIFF_H
#define TACHO_HOT_DIFF_H

#include "hot.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What times are counted in. */
typedef enum tacho_hot_unit {
    TACHO_HOT_SECONDS = 0,
    TACHO_HOT_CORE_CYCLES, /**< a file's counter */
    TACHO_HOT_SAMPLES,     /**< of a file that does not say what a sample stands for */
} tacho_hot_unit;

/** All runs of one version. */
typedef struct tacho_hot_side {
    const tacho_hot_profile *profile; /**< of all runs together */
    const tacho_hot *hot;             /**< its places */
    tacho_hot_unit unit;
    size_t runs;
    const double *own;       /**< of each run: time in the program's own code */
    const double *kernel;    /**< in the kernel; NaN: not known */
    const double *places;    /**< in each place: that of run r and place p is [r * hot->count + p] */
    const double *functions; /**< in each function: [r * hot->function_count + f] */
    tacho_hot_threads *const *threads; /**< of each run; NULL: they were not looked at, or not in all */
} tacho_hot_side;

/** Analyses runs of one version together. The profiles are no longer needed afterwards, but for those with
 * threads, which are to be freed after the side.
 *  @return 0 and *out; TACHO_ERR_USAGE (none, or of different ways of sampling), TACHO_ERR_MEMORY */
TACHO_API int tacho_hot_side_make(tacho_hot_side **out, tacho_hot_profile *const *profiles, size_t count,
                                  const tacho_hot_find_options *options, tacho_error *err);
TACHO_API void tacho_hot_side_free(tacho_hot_side *side);

/** What a change is of. */
typedef enum tacho_hot_part {
    TACHO_HOT_PLACES = 0, /**< loops that belong together: `a`, `b` are numbers of places */
    TACHO_HOT_FUNCTION,   /**< what remains of functions of one name: numbers of functions */
    TACHO_HOT_OTHER,      /**< all other code of the program's own; no numbers, as with: */
    TACHO_HOT_KERNEL,
    TACHO_HOT_RUNS,   /**< of elapsed time, as are the next: a thread has a processor, and does not spin */
    TACHO_HOT_SPINS,  /**< in loops that only look */
    TACHO_HOT_READY,  /**< wants a processor */
    TACHO_HOT_WAITS,  /**< for `wait`; NULL: for all other things */
    TACHO_HOT_ABSENT, /**< it is not there, or was not seen */
} tacho_hot_part;

/** Threads of one kind: those that gave themselves a name, without numbers in it, are told apart by it;
 * others, by the function in which they begin. The program's first thread is a kind of its own. */
typedef struct tacho_hot_role {
    const char *name;  /**< NULL: neither is known */
    bool first;        /**< the program's first thread */
    bool by_start;     /**< `name` is the function's */
    double threads[2]; /**< of A, B: in a run, on average */
} tacho_hot_role;

typedef enum tacho_hot_state {
    TACHO_HOT_SAME = 0, /**< no difference beyond chance */
    TACHO_HOT_FASTER,
    TACHO_HOT_SLOWER,
    TACHO_HOT_NEW,  /**< only in B; of one run each, also where that could be chance */
    TACHO_HOT_GONE, /**< only in A, likewise */
} tacho_hot_state;

/** By what the two sides of a change are known to be the same. */
typedef enum tacho_hot_match {
    TACHO_HOT_BY_NOTHING = 0,
    TACHO_HOT_BY_NAME,   /**< of the function, or the inlined one */
    TACHO_HOT_BY_SOURCE, /**< file and lines */
    TACHO_HOT_BY_CODE,
} tacho_hot_match;

typedef struct tacho_hot_change tacho_hot_change;
struct tacho_hot_change {
    tacho_hot_part part;
    const uint32_t *a, *b; /**< most time first */
    size_t a_count, b_count;
    tacho_hot_match matched;
    double likeness;                      /**< of the code of the first two, 0 to 1; NaN: not looked at */
    tacho_estimate before, after, change; /**< time of a run in A, in B; B less A. 95 % intervals, NaN where
                                               there is one run and no sampling error */
    double p;                       /**< of such a change, or a larger one, by chance; NaN as the interval */
    double share;                   /**< of the whole change; NaN where that could be chance */
    tacho_hot_state state;          /**< faster or slower: with Holm's correction over all changes, at 5 % */
    const tacho_hot_change *blocks; /**< FUNCTION: blocks and loops in it that are no changes of their own,
                                       largest change first; without intervals, p and states */
    size_t block_count;
    const tacho_hot_role *role;    /**< of elapsed time: whose; else NULL */
    const tacho_thread_wait *wait; /**< WAITS: one such, of a run of either side */
};

/** Elapsed time is divided once for each kind of threads: as one of them spends it on average, if they come
 * one after the other as all of them together. So the parts of each kind add up to the runs' elapsed time. */
typedef struct tacho_hot_diff {
    const tacho_hot_change *changes; /**< largest change first; all together they are the whole change */
    size_t count;
    tacho_hot_change whole; /**< of all time that is known */
    bool kernel;            /**< the kernel's is */
    const tacho_hot_change
        *elapsed_changes;     /**< by kind, those with the largest change first; of a kind likewise */
    size_t elapsed_count;     /**< 0: threads were not looked at */
    tacho_hot_change elapsed; /**< of the runs */
} tacho_hot_diff;

/** Compares version A with version B. Places and functions with less than `min_share` of the time on both
 * sides are put down to what they are in.
 *  @return 0 and *out, which needs both sides; TACHO_ERR_USAGE (units differ, no runs), TACHO_ERR_MEMORY */
TACHO_API int tacho_hot_diff_make(tacho_hot_diff **out, const tacho_hot_side *a, const tacho_hot_side *b,
                                  double min_share, tacho_error *err);
TACHO_API void tacho_hot_diff_free(tacho_hot_diff *diff);

/** Two instructions that correspond; -1: none does on that side. Numbers in tacho_hot_place.insns. */
typedef struct tacho_hot_pair {
    int32_t a, b;
    bool same; /**< up to the choice of registers, displacements and targets */
} tacho_hot_pair;

/** Aligns the code of two places: their paths in the order of execution, without NOPs. `out` has room for all
 * instructions of both.
 *  @return 0 and *count; TACHO_ERR_MEMORY */
TACHO_API int tacho_hot_align(tacho_hot_pair *out, size_t *count, const tacho_hot_place *a,
                              const tacho_hot_place *b);

/** Why a place's time is another one: a sentence without its full stop, and what it is about. */
typedef struct tacho_hot_reason {
    const char
        *kind; /**< "new", "gone", "versions", "cycles", "observed", "iterations", "bottleneck",
                    "dependencies", "ports", "front_end", "vectors", "instructions", "causes", "same_code" */
    char text[280];
} tacho_hot_reason;
enum {
    TACHO_HOT_MAX_REASONS = 16
};
typedef struct tacho_hot_reasons {
    tacho_hot_reason list[TACHO_HOT_MAX_REASONS];
    size_t count;
} tacho_hot_reasons;

/** What is known of a side's first place beside its code. */
typedef struct tacho_hot_known {
    const tacho_prediction *prediction; /**< with bounds and details; NULL: there is none */
    const tacho_hot_cause *causes;      /**< as tacho_hot_weigh has written them, those first that are told */
    size_t told;
} tacho_hot_known;

/** Says what differs between the first places of a change of places, or of a block: in their predictions, in
 * what was observed and counted, in what windows show, in their code. Nothing for changes that are not of
 * places.
 *  @return 0 and *out; TACHO_ERR_MEMORY */
TACHO_API int tacho_hot_why(tacho_hot_reasons *out, const tacho_hot_change *change, const tacho_hot_side *a,
                            const tacho_hot_side *b, const tacho_hot_known *of_a,
                            const tacho_hot_known *of_b);

/** "faster", "slower", "same", "new", "gone". */
TACHO_API const char *tacho_hot_state_name(tacho_hot_state state);
/** "places", "function", "other", "kernel"; "runs", "spins", "ready", "waits", "absent". */
TACHO_API const char *tacho_hot_part_name(tacho_hot_part part);
/** "name", "source", "code"; NULL for TACHO_HOT_BY_NOTHING. */
TACHO_API const char *tacho_hot_match_name(tacho_hot_match match);
/** "s", "cycles", "samples". */
TACHO_API const char *tacho_hot_unit_name(tacho_hot_unit unit);

#ifdef __cplusplus
}
#endif
#endif
