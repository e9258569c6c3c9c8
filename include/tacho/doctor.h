/* doctor.h - is this machine fit for measuring? What was found of it, what each thing means for measurements,
 * and what to change.
 *
 * Facts come from /proc and /sys, from CPUID, from asking the kernel for what tacho measure needs, and from
 * measuring: the time stamp counter, the core's clock, and how often something gets in the way. What is good
 * and what is not follows D. Bakhvalov, "Performance Analysis and Tuning on Modern CPUs", chapter 2, for the
 * settings, and for the clocks what repeatable measurements without performance counters need.
 *
 * Everything in a report belongs to it and lives until tacho_doctor_free.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_DOCTOR_H
#define TACHO_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a finding means for measuring. */
typedef enum tacho_doctor_state {
    TACHO_DOCTOR_GOOD = 0,
    TACHO_DOCTOR_ACCEPTABLE, /**< results can be had as they are; better is possible or not in our hands */
    TACHO_DOCTOR_BAD,        /**< results are worse, or take longer, for it */
    TACHO_DOCTOR_UNKNOWN,    /**< could not be found out; the value says why */
    TACHO_DOCTOR_STATE_COUNT
} tacho_doctor_state;

/** What findings are about; a report lists them in this order. */
typedef enum tacho_doctor_group {
    TACHO_DOCTOR_COUNTERS = 0, /**< performance counters */
    TACHO_DOCTOR_CLOCK,        /**< time stamp counter and core clock */
    TACHO_DOCTOR_FREQUENCY,    /**< frequency scaling, turbo */
    TACHO_DOCTOR_SHARING, /**< who else uses this processor: sibling thread, hypervisor, other processes */
    TACHO_DOCTOR_NOISE,   /**< isolation, interrupts, measured disturbances */
    TACHO_DOCTOR_MEMORY,  /**< where things lie in memory */
    TACHO_DOCTOR_SANDBOX, /**< what running unknown code safely needs */
    TACHO_DOCTOR_GROUP_COUNT
} tacho_doctor_group;

/** A number of a finding. */
typedef struct tacho_doctor_figure {
    const char *name; /**< as in JSON: "tsc_mhz" */
    double value;     /**< finite; shares are fractions */
    const char *unit; /**< "MHz", "ticks", "us" ...; "" for counts, ratios and fractions */
} tacho_doctor_figure;

enum {
    TACHO_DOCTOR_MAX_FIGURES = 8
};

typedef struct tacho_doctor_finding {
    const char *id;    /**< as in JSON: "perf_counters"; doc/JSON.md lists them */
    const char *title; /**< a few words for people */
    tacho_doctor_group group;
    tacho_doctor_state state;
    bool unfit;          /**< alone makes the machine unfit */
    const char *value;   /**< what was found; never empty */
    const char *why;     /**< why it matters for measuring: a sentence without its full stop */
    const char *advice;  /**< what to change, in the same form; NULL: nothing */
    const char *command; /**< the command that does it, for a shell; NULL: none */
    tacho_doctor_figure figures[TACHO_DOCTOR_MAX_FIGURES];
    size_t figure_count;
} tacho_doctor_finding;

/** The clock that a measurement would use here, the best one first. */
typedef enum tacho_doctor_clock {
    TACHO_DOCTOR_CLOCK_PERF = 0,       /**< core cycles from performance counters */
    TACHO_DOCTOR_CLOCK_TSC_CALIBRATED, /**< time stamp counter, and chains of known latency beside each sample
                                        */
    TACHO_DOCTOR_CLOCK_TSC,            /**< time stamp counter alone: no core cycles */
    TACHO_DOCTOR_CLOCK_COUNT
} tacho_doctor_clock;

typedef enum tacho_doctor_verdict {
    TACHO_DOCTOR_FIT = 0,
    TACHO_DOCTOR_FIT_WITH_CARE, /**< something is bad, or counters are missing */
    TACHO_DOCTOR_UNFIT,
    TACHO_DOCTOR_VERDICT_COUNT
} tacho_doctor_verdict;

typedef struct tacho_doctor_report {
    tacho_doctor_verdict verdict;
    const char *const *reasons; /**< for a verdict other than fit: each a few words */
    size_t reason_count;
    tacho_doctor_clock clock;
    const char *processor;                /**< its name; "unknown processor" where it does not say */
    int cpu;                              /**< the one that was examined, as the kernel numbers it */
    double seconds;                       /**< that the measuring took */
    const tacho_doctor_finding *findings; /**< by group */
    size_t finding_count;
} tacho_doctor_report;

/** What to examine. Initialise with TACHO_DOCTOR_OPTIONS_INIT. */
typedef struct tacho_doctor_options {
    size_t size;
    int cpu; /**< the CPU that would measure; -1: the last one that this process may use */
} tacho_doctor_options;
#define TACHO_DOCTOR_OPTIONS_INIT TACHO_OPTIONS_INIT(doctor, .cpu = -1)
TACHO_OPTIONS(doctor);

/** Examines the machine: half a second on one CPU. The calling thread is pinned to that CPU meanwhile; child
 * processes are started and end. Not from several threads
 * at once, which would disturb each other. `options` may be NULL.
 *  @return 0 and *out; TACHO_ERR_USAGE (no such CPU, or not allowed to this process), TACHO_ERR_SYSTEM
 * (cannot be pinned), TACHO_ERR_UNSUPPORTED (not an x86-64 processor), TACHO_ERR_MEMORY. */
TACHO_API int tacho_doctor_examine(tacho_doctor_report **out, const tacho_doctor_options *options,
                                   tacho_error *err);
/** NULL is allowed. */
TACHO_API void tacho_doctor_free(tacho_doctor_report *report);

/** Names as in JSON. "good", "acceptable", "bad", "unknown". */
TACHO_API const char *tacho_doctor_state_name(tacho_doctor_state state);
/** "counters", "clock", "frequency", "sharing", "noise", "memory", "sandbox". */
TACHO_API const char *tacho_doctor_group_name(tacho_doctor_group group);
/** "perf", "tsc-calibrated", "tsc". */
TACHO_API const char *tacho_doctor_clock_name(tacho_doctor_clock clock);
/** "fit", "fit_with_care", "unfit". */
TACHO_API const char *tacho_doctor_verdict_name(tacho_doctor_verdict verdict);

#ifdef __cplusplus
}
#endif
#endif
