/* trial.h - one run of a command under known conditions, timed.
 *
 * What is known: the processor that it runs on, whether addresses are randomised, and where the stack, the
 * heap and the mappings begin - without changing the program, as they are moved before its first instruction.
 * Why this matters: T. Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!",
 * ASPLOS 2009; seeds: bias-thesis, chapter 4.
 *
 * Linux on x86-64 only. One thread at a time may use a tacho_trials.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_TRIAL_H
#define TACHO_TRIAL_H

#include <stdbool.h>
#include "error.h"
#include "measure.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TACHO_TRIAL_MAX_EVENTS = 32,
    TACHO_LAYOUT_MAX_PAD = 100000,    /**< bytes, of each pad */
    TACHO_LAYOUT_MAX_PAGES = 1 << 20, /**< pages of 4096 bytes */
    TACHO_LAYOUT_STEP = 16            /**< stack_bytes and heap_bytes are multiples of it: what the ABI and
                                           allocators align to */
};

/** Where things lie in a program's memory. All zero: as the system has it. */
typedef struct tacho_layout {
    bool fixed;  /**< without address space randomisation: the same addresses in each run */
    bool padded; /**< the environment has a further variable, TACHO_PAD, of `environment_bytes` zeros */
    uint32_t environment_bytes; /**< 0..TACHO_LAYOUT_MAX_PAD */
    uint32_t stack_bytes;       /**< by which the stack begins lower than it would */
    uint32_t heap_bytes;        /**< by which the program break begins higher */
    uint32_t mmap_pages;        /**< left out between the dynamic linker and what is mapped after it */
} tacho_layout;

/** A layout by chance: fixed, everything moved by up to 4 KB (mappings by up to 256 pages). The same seed
 *  gives the same layout everywhere. */
TACHO_API tacho_layout tacho_layout_draw(uint64_t seed);

/** A command. The strings stay the caller's. */
typedef struct tacho_command {
    char *const *argv;        /**< ends in NULL; looked for in PATH where it has no '/' */
    char *const *environment; /**< ends in NULL; NULL: this process's */
    const char *directory;    /**< to run in; NULL: this process's */
    const char *input;        /**< file for standard input; NULL: nothing */
} tacho_command;

typedef struct tacho_trials_options {
    size_t size;
    int cpu; /**< that commands run on; TACHO_CPU_ANY: the system decides; TACHO_CPU_CHOOSE (default):
                  the last of those that this thread may use */
    tacho_clock clock;      /**< AUTO (default), PERF, or TSC_CALIBRATED */
    const char *events;     /**< further events to count, comma-separated; NULL: none. Needs counters */
    double timeout_seconds; /**< for a run; 0 (default): none */
    size_t output_bytes;    /**< so much of what a run writes to standard output is kept; 0 (default): none */
    bool clean_cache;       /**< the caches' contents are replaced before each run */
    int output; /**< descriptor of a run's standard output; -1 (default): it is dropped. Without output_bytes
                 */
    int errors; /**< of its standard error, likewise */
    /** Asked when a signal interrupts the waiting: whether to kill the run and return. May be NULL */
    bool (*stop)(void *payload);
    void *payload;
} tacho_trials_options;
enum {
    TACHO_CPU_ANY = -1,
    TACHO_CPU_CHOOSE = -2
};
#define TACHO_TRIALS_OPTIONS_INIT                                                                            \
    TACHO_OPTIONS_INIT(trials, .cpu = TACHO_CPU_CHOOSE, .output = -1, .errors = -1)
TACHO_OPTIONS(trials);

/** How a run went. Times are of the command with all its threads and the processes that it has waited for,
 * from its first instruction on. */
typedef struct tacho_trial {
    int exit_status; /**< -1 where a signal ended it, or it did not end by itself */
    int signal;      /**< 0: none */
    bool timed_out, stopped;
    double elapsed_seconds;
    double cpu_seconds;                  /**< of a processor, program and system */
    double user_seconds, system_seconds; /**< its parts; most kernels divide it by samples of some
                                              milliseconds, so that of short runs they say little */
    double cycles;  /**< core cycles: counted in the program (PERF), or cpu_seconds times the core's clock
                         as found before and after the run (TSC_CALIBRATED); NaN where neither can be had */
    double core_hz; /**< the core's clock around the run; NaN: not known, or it was not the same before and
                         after (by more than 1 %) */
    double events[TACHO_TRIAL_MAX_EVENTS]; /**< as often as they occurred in the program; NaN: not counted */
    bool multiplexed; /**< some counters were there only for a part of the run; what they say is scaled */
    int64_t page_faults, major_faults;           /**< all; those of them that read from a disk */
    int64_t switches_forced, switches_voluntary; /**< taken off its processor; waited for something */
    const char *output; /**< what was kept; ends in a NUL; valid until the next run */
    size_t output_size;
} tacho_trial;

typedef struct tacho_trials tacho_trials;

/** @return NULL with *err: TACHO_ERR_USAGE (also no such processor), TACHO_ERR_UNSUPPORTED (no such clock
 *  or event here),
 *  TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY */
TACHO_API tacho_trials *tacho_trials_new(const tacho_trials_options *options, tacho_error *err);
TACHO_API void tacho_trials_free(tacho_trials *t);

/** What cycles are: PERF, TSC_CALIBRATED. */
TACHO_API tacho_clock tacho_trials_clock(const tacho_trials *t);
/** TACHO_CPU_ANY, or the processor that commands run on. */
TACHO_API int tacho_trials_cpu(const tacho_trials *t);
TACHO_API uint32_t tacho_trials_event_count(const tacho_trials *t);
/** Lives as long as `t`. */
TACHO_API const char *tacho_trials_event_name(const tacho_trials *t, uint32_t event);
/** Why there are no performance counters here, or "". Lives as long as `t`. */
TACHO_API const char *tacho_trials_counters_missing(const tacho_trials *t);

/** Of runs from now on, as timeout_seconds of the options. `seconds`: 0: none. */
TACHO_API void tacho_trials_set_timeout(tacho_trials *trials, double seconds);
/** Runs a command and waits for its end. How it ends is no error. `layout`: NULL: as the system has it.
 *  @return 0 and *out; TACHO_ERR_INPUT (no such command, input or directory), TACHO_ERR_USAGE (a layout out
 * of range), TACHO_ERR_SYSTEM (also: the layout cannot be had here), TACHO_ERR_MEMORY */
TACHO_API int tacho_trials_run(tacho_trials *t, const tacho_command *command, const tacho_layout *layout,
                               tacho_trial *out, tacho_error *err);

#ifdef __cplusplus
}
#endif
#endif
