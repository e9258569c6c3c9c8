/* hot.h - where a program spends its time: samples of a run, and the innermost loops and basic blocks that
 * they fall into, ready for tacho_predict.
 *
 * Sampling sees the program's own code (user mode) in all its processes, threads, libraries. Nothing of the
 * program is changed, and no rights are needed beyond those over one's own processes. Linux on x86-64 only.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_HOT_H
#define TACHO_HOT_H

#include <stdbool.h>
#include <sys/types.h>

#include "extract.h"
#include "hot_causal.h"
#include "hot_causes.h"
#include "hot_memory.h"
#include "hot_threads.h"
#include "loops.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How samples are taken. */
typedef enum tacho_hot_via {
    TACHO_HOT_AUTO = 0, /**< the first of the next three that works here */
    TACHO_HOT_CYCLES,   /**< perf_event: the processor's counter of core cycles, precise where it can be */
    TACHO_HOT_CLOCK,    /**< perf_event: the kernel's CPU clock, which needs no counters */
    TACHO_HOT_PTRACE,   /**< each thread that runs is stopped now and then: slow, and the last resort */
    TACHO_HOT_FILE,     /**< they come from a perf.data; not for running */
} tacho_hot_via;

enum {
    TACHO_HOT_MAX_HZ = 20000,
    TACHO_HOT_MAX_PTRACE_HZ = 1000,
    TACHO_HOT_MAX_WINDOWS = 90
};

/** What code lies in. */
typedef enum tacho_hot_kind {
    TACHO_HOT_OBJECT_FILE = 0, /**< an ELF file */
    TACHO_HOT_OBJECT_VDSO,     /**< the kernel's code in each process */
    TACHO_HOT_OBJECT_MEMORY,   /**< of no file: made at run time (JIT compilers) */
    TACHO_HOT_OBJECT_UNKNOWN,  /**< nothing was known to be there */
} tacho_hot_kind;

enum {
    TACHO_HOT_BUILD_ID_BYTES = 20
};

typedef struct tacho_hot_object {
    const char *path; /**< as the program opened it; "[vdso]", "[memory]", "[unknown]" */
    const char *name; /**< its last part */
    tacho_hot_kind kind;
    uint8_t build_id[TACHO_HOT_BUILD_ID_BYTES]; /**< what it was when sampled */
    uint32_t build_id_bytes;                    /**< 0: not known */
    uint64_t inode, device_major, device_minor; /**< of the file then; inode 0: not known */
    uint64_t samples;
    double weight;    /**< see tacho_hot_sample */
    uint64_t process; /**< MEMORY: the one that has it; else 0 */
    const char *dump; /**< MEMORY: the jitdump file, in which the process has left that code; NULL: none */
} tacho_hot_object;

/** Samples at one place. */
typedef struct tacho_hot_sample {
    uint64_t offset; /**< in the file; in the other kinds of objects an address (vdso: from its start) */
    uint64_t samples;
    double weight; /**< the sum of the samples' periods (cycles, or nanoseconds with CLOCK); the number of
                        samples where they have no periods */
    uint32_t object;
} tacho_hot_sample;

/** Iterations of loops that the processor recorded (last branch records): each from a jump to `target` to the
 *  next one there, with all branches between them within [low, high] of the same object. */
typedef struct tacho_hot_round {
    uint64_t target, low, high; /**< offsets in the file */
    uint64_t count;
    double cycles; /**< of all of them together */
    uint32_t object;
} tacho_hot_round;

/** What was seen in windows of a run: for tacho_hot_find. */
typedef struct tacho_hot_windows tacho_hot_windows;

/** How far threads came between samples: for tacho_hot_find. */
typedef struct tacho_hot_pairs tacho_hot_pairs;

/** What was seen of the threads of a run: for tacho_hot_threads_find. */
typedef struct tacho_hot_thread_log tacho_hot_thread_log;

/** The samples of a run, and what became of the run. */
typedef struct tacho_hot_profile {
    tacho_hot_via via;   /**< never AUTO */
    const char *event;   /**< "cycles:u", "cpu-clock:u", "ptrace"; of a file its event's name */
    const char *skid;    /**< where samples lie relative to what took the time; a sentence */
    const char *missing; /**< why no better way was taken; "" where there is none, or none was asked for */
    double hz;           /**< samples a second of a processor's time that were asked for; NaN: not known */
    double seconds_per_weight, cycles_per_weight; /**< what a unit of weight is; NaN: not known */
    uint64_t samples;                             /**< in all objects */
    double weight;
    double weight_squares; /**< sum of the samples' squared weights, for intervals */
    uint64_t lost;         /**< samples that were taken and not delivered */
    uint64_t throttled;    /**< times that the kernel held sampling back */
    uint64_t
        kernel; /**< samples in the kernel, which count nowhere else; only with PTRACE, FILE and threads */
    uint64_t process_count, thread_count; /**< seen; threads beside the first of each process */
    double seconds;                       /**< of real time; NaN for files */
    double user_seconds, system_seconds;  /**< the command's processor time; NaN: not known */
    bool command;                         /**< a command was run: the next three mean something */
    bool ended;                           /**< by itself; false: it was ended */
    int exit_status;                      /**< -1: ended by a signal */
    int signal;                           /**< 0: none */
    const tacho_hot_object *objects;      /**< most samples first */
    size_t object_count;
    const tacho_hot_sample *places; /**< by object and offset */
    size_t place_count;
    const tacho_hot_round *rounds; /**< by object and target */
    size_t round_count;
    char *const *warnings; /**< sentences for people */
    size_t warning_count;
    const tacho_hot_windows *windows;    /**< NULL: none were to be taken */
    uint64_t window_count, window_insns; /**< taken, and executed in them one by one */
    double window_seconds;               /**< that they have taken of the run, about */
    const tacho_hot_pairs *pairs;        /**< NULL: there are none */
    const char *no_windows;              /**< why there are none, though there should be; "" else */
    size_t watched;                      /**< lines that hardware watchpoints waited at */
    const char *no_watch;                /**< why there are none, though there are windows; "" else */
    const char *not_saved;               /**< why options.save could not be completed; "" else */
    const tacho_hot_thread_log *threads; /**< NULL: they were not looked at */
    const tacho_causal *causal;          /**< NULL: not asked for */
} tacho_hot_profile;

/** How to sample. Initialise with TACHO_HOT_OPTIONS_INIT. */
typedef struct tacho_hot_options {
    size_t size;
    tacho_hot_via via;
    double hz;      /**< samples a second of processor time, up to TACHO_HOT_MAX_HZ; 0 (default): 997 by
                         perf_event, 499 by PTRACE and with `threads`, 1999 with `progress_point`. PTRACE: at most
                         TACHO_HOT_MAX_PTRACE_HZ, which is what AUTO takes of more where it comes to that */
    double seconds; /**< then sampling ends (a command is ended, too); 0 (default): never */
    int output;     /**< becomes the command's standard output; -1 (default): the caller's is */
    /** NULL, or called about ten times a second by the calling thread; not 0: sampling ends, and a command
     * is asked to end, with what it has started; more than 1: it is killed. */
    int (*progress)(double seconds, void *payload);
    void *payload;
    double windows;   /**< share of the run's time, up to TACHO_HOT_MAX_WINDOWS percent, for windows: some
                         hundred instructions each, that a thread which runs executes one by one (under ptrace);
                         0: none; default 0.01 */
    const char *save; /**< NULL, or a file for the samples, as `perf record` writes them: for tacho_hot_read;
                         not by PTRACE. What cannot be completed is no error: not_saved says it */
    bool threads; /**< look at all threads, waiting or not, as time goes by (hot_threads.h): not by PTRACE */
    /** NULL, or a point of progress: causal profiling (hot_causal.h), by CLOCK only, without windows, `save`
     * and `threads`. A function, FILE:LINE, or 0x... for an address in the program's file. */
    const char *progress_point;
    const char *what_if; /**< the place that takes less time: a function, FILE:LINE, FILE:FROM-TO; NULL: the
                            hottest functions in turn */
} tacho_hot_options;
#define TACHO_HOT_OPTIONS_INIT TACHO_OPTIONS_INIT(hot, .output = -1, .windows = 0.01)
TACHO_OPTIONS(hot);

/** Runs a command (argv[0] is looked for in PATH) and samples it, with all that it starts, until it ends. How
 *  it ends is no error; neither is a run without samples.
 *  @return 0 and *out, to be freed; TACHO_ERR_INPUT: the command cannot be executed; TACHO_ERR_USAGE;
 *  TACHO_ERR_UNSUPPORTED: it cannot be sampled (in this way) here; TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY */
TACHO_API int tacho_hot_run(tacho_hot_profile **out, char *const argv[], const tacho_hot_options *options,
                            tacho_error *err);
/** Samples a process that runs, and what it starts from now on, until it ends or sampling does. It is left as
 *  it was. The number of a thread stands for its process, which is warned of. @return as tacho_hot_run;
 * TACHO_ERR_INPUT: no such process, or not ours */
TACHO_API int tacho_hot_attach(tacho_hot_profile **out, pid_t pid, const tacho_hot_options *options,
                               tacho_error *err);
/** Reads what `perf record` has written: the samples of its first event.
 *  @return 0 and *out; TACHO_ERR_INPUT: it cannot be read, is damaged, or of a form that is not understood */
TACHO_API int tacho_hot_read(tacho_hot_profile **out, const char *path, tacho_error *err);
TACHO_API void tacho_hot_profile_free(tacho_hot_profile *profile);
/** "cycles", "clock", "ptrace", "file"; "auto". */
TACHO_API const char *tacho_hot_via_name(tacho_hot_via via);

/** An instruction of a place. */
typedef struct tacho_hot_insn {
    uint64_t address;
    const uint8_t *bytes;
    uint32_t length;
    int32_t on_path; /**< its number on the loop's path; -1: it is not on it */
    uint64_t samples;
    double share;            /**< of the place's samples, by weight */
    const char *source_file; /**< NULL unknown, as is line 0 */
    uint32_t source_line;
} tacho_hot_insn;

/** A hot place: an innermost loop, a loop with others in it that goes round without entering them, or a basic
 *  block outside of these. */
typedef struct tacho_hot_place {
    const tacho_hot_object *object;
    bool is_loop;
    bool has_inner; /**< a loop with others inside. Most samples are outside of those, and its path does not
                       enter them; they are places of their own */
    const tacho_loop *loop; /**< its blocks and path; a block outside loops is one block, which is its path.
                               The path goes where the samples are */
    const tacho_hot_insn *insns; /**< of all its blocks, by address */
    size_t insn_count;
    uint64_t samples;
    double weight;
    double share, share_low, share_high; /**< of all samples by weight; 95 % interval (Wilson) */
    double executions;       /**< iterations of the loop, or executions of the block; NaN: not known */
    double observed_cycles;  /**< core cycles for one of them; NaN: not known */
    const char *observed_by; /**< "lbr", "count", "progress"; NULL: not known */
    double observed_low, observed_high; /**< 95 % interval, with "progress"; NaN: not known */
    const tacho_hot_cause *causes;      /**< what windows show, by instructions; see tacho_hot_weigh */
    size_t cause_count;
    uint64_t window_rounds;            /**< iterations (executions) that windows saw, in part at least */
    const tacho_hot_operand *operands; /**< in memory, on the path; by instructions */
    size_t operand_count;
    const tacho_hot_reuse
        *reuse; /**< of each operand; of those with `watched` 0 nothing is known; NULL: of none */
} tacho_hot_place;

/** A function, or what was taken for one, with all its samples. */
typedef struct tacho_hot_function {
    const tacho_hot_object *object;
    const char *name; /**< NULL unknown */
    uint64_t start, end;
    uint64_t samples;
    double weight, share;
} tacho_hot_function;

typedef struct tacho_hot {
    const tacho_hot_place *places; /**< largest share first */
    size_t count;
    const tacho_hot_function *functions; /**< largest share first */
    size_t function_count;
    double covered;        /**< share of the samples that the places have together */
    double elsewhere;      /**< ... in code that is not analysed: of no file, or a file that cannot be read */
    char *const *warnings; /**< sentences for people */
    size_t warning_count;
} tacho_hot;

typedef struct tacho_hot_find_options {
    size_t size;
    double min_share; /**< places and functions with a smaller share of all samples are left out; default
                           0.001 */
    /** Blocks that a run of the same command executed, with their counts: paths then go where control went
     * most often, and executions are known. NULL (default): none */
    const tacho_extract *counts;
    double core_hz; /**< core cycles a second, to make cycles of the clock's time; NaN (default): not known */
    bool keep_mangled; /**< as in tacho_loops_options */
    /** Of tacho_hot_side_make: a further run, of which the windows are: it is as long-lived as the result.
     * NULL (default): none, as windows of runs that are compared are not looked at */
    const tacho_hot_profile *windowed;
} tacho_hot_find_options;
#define TACHO_HOT_FIND_OPTIONS_INIT                                                                          \
    TACHO_OPTIONS_INIT(hot_find, .min_share = 0.001, .core_hz = __builtin_nan(""))
TACHO_OPTIONS(hot_find);

/** Finds the hot places: reads the files that samples lie in, and looks at the functions that have some.
 *  @return 0 and *out, to be freed before the profile; TACHO_ERR_USAGE, TACHO_ERR_MEMORY */
TACHO_API int tacho_hot_find(tacho_hot **out, const tacho_hot_profile *profile,
                             const tacho_hot_find_options *options, tacho_error *err);
TACHO_API void tacho_hot_free(tacho_hot *hot);

/** From how many times the predicted cycles on observed ones limit what a gain is worth. */
#define TACHO_HOT_LIMITED 1.25

/** What a gain at one place is worth for the whole program. */
typedef struct tacho_hot_worth {
    double gain;      /**< of the predicted cycles: 1 - after / before */
    double worth;     /**< the share of the program's processor time that it takes away; where the kernel's
                           part of that is not known, of the program's own */
    double low, high; /**< 95 % interval, of the place's share: the gain is a simulation's */
    bool limited;     /**< TACHO_HOT_LIMITED times the prediction, or more, was observed: cycles that are not
                           predicted stay, and are counted so */
} tacho_hot_worth;

/** The worth of a change that makes `after` of `before` predicted cycles (above 0) at a place. Where more
 *  cycles were observed than predicted, the difference is taken away from the observed ones. */
TACHO_API void tacho_hot_worth_of(tacho_hot_worth *out, const tacho_hot_profile *profile,
                                  const tacho_hot_place *place, double before, double after);

#ifdef __cplusplus
}
#endif
#endif
