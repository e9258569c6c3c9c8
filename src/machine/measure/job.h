/* job.h - one block on its way to a measurement: scouted, then timed in passes. */
#ifndef TACHO_MEASURE_JOB_H
#define TACHO_MEASURE_JOB_H

#include "machine/measure/counters.h"
#include "machine/measure/estimate.h"
#include "machine/measure/measure_block.h"
#include "machine/measure/measure_child.h"

enum {
    JOB_MAX_PASSES = 400,
    JOB_TLB_PAGES =
        48, /**< of 64, the first-level data TLB of Intel's cores since Nehalem, beside the runner's */
    JOB_SCOUT_ITERATIONS = 200,                   /**< of a looped run, the short one */
    JOB_OWN_LOOP_LEAST = 4 * JOB_SCOUT_ITERATIONS /**< iterations that the block's own loop has to allow */
};

/** How much is measured. */
typedef struct quality_plan {
    uint32_t samples;    /**< of a pass */
    uint32_t min_passes; /**< undisturbed ones, before a block may end early */
    uint32_t max_passes; /**< undisturbed ones, before it is called unstable; or as many of any kind ... */
    double seconds;      /**< ... and so long must have been tried */
} quality_plan;

struct tacho_measurer {
    child_host host;
    clock_profile profile;
    double looked; /**< moment of the latest look at the clocks */
    counter_set counters;
    tacho_measure_clock clock;
    bool is_intel, has_sse41, has_avx, has_avx512, has_wide_masks;
    uint32_t own_pages; /**< physical pages that fit into the first-level data cache, beside the runner */
    double scratch[2 * RUNNER_MAX_SAMPLES];
};

typedef struct job {
    const tacho_measure_options *options;
    measure_block block;
    codegen_block code;
    tacho_measurement *out;
    uint64_t pattern; /**< which loads meet which stores */
    own_loop own;
    bool done;              /**< the status is final */
    bool accesses;          /**< loads and stores both */
    double ticks;           /**< of an iteration, roughly */
    uint32_t physical;      /**< pages; 1: all that the block touches are one */
    uint32_t room;          /**< pages that a run may touch */
    double pages_each;      /**< pages that an iteration touches for the first time, roughly ... */
    double pages_before;    /**< ... beside so many that any number of iterations touches */
    bool fits;              /**< all that the runs touch is to have a place in the first-level cache */
    bool short_for_pages;   /**< runs are as long as their pages allow */
    uint32_t plans;         /**< how often the runs have been planned again */
    uint64_t turns[2];      /**< of the loop that the copies are in; 1 without */
    uint64_t iterations[2]; /**< of the block: copies times turns */
    pass_estimate passes[JOB_MAX_PASSES];
    uint32_t pass_count;
    uint32_t usable; /**< undisturbed ones among them */
    double event_sums[RUNNER_MAX_EVENTS];
} job;

static inline bool is_looped(const job *j)
{
    return j->out->mode == TACHO_MODE_LOOP;
}

/* measure.c */
/** Looks at the clocks if that was not done for a moment, so that what is known about them does not come from
 * passes in which a block runs. A look that fails is none: why, the next pass will say. */
void measurer_look(tacho_measurer *m);

/* prepare.c */
/** Decodes and checks; chooses mode and counter. @return 0 with job->done set where the status is final; an
 * error */
int job_prepare(const tacho_measurer *m, job *j, const uint8_t *code, size_t size,
                const tacho_measure_options *options, tacho_error *err);
/** Gives the loop a counter of our own, instead of the block's last branch if it has one. */
void job_add_counter(job *j);
void job_free(job *j);

/* measure_child.c */
/** A status without a number, also when an earlier pass had one: it is final. And why, in words. */
void job_stop(job *j, tacho_measure_status status, int64_t offset, const char *format, ...)
    TACHO_PRINTF(4, 5);
/** Sets the status from the way a child ended that did not finish. @return 0, or an error where it is ours */
int job_explain_end(job *j, const runner_report *c, child_end end, int signal, tacho_error *err);

/* job.c */
/** The plan for runs of as many iterations as the job has. @return 0, or TACHO_ERR_LIMIT */
int job_make_plan(tacho_measurer *m, job *j, bool traced, tacho_error *err);
/** Runs the plan. Afterwards j->done is set if it did not finish. @return 0, or TACHO_ERR_SYSTEM */
int job_run_plan(tacho_measurer *m, job *j, tacho_error *err);
/** Runs it shortly: does it run, how long does it take, what does it access. */
int job_scout(tacho_measurer *m, job *j, tacho_error *err);
/** Adds a pass: of new runs, and the first of these, where those that were planned prove wrong. `disturbed`:
 * of samples as they come, where there are no undisturbed ones. */
int job_pass(tacho_measurer *m, job *j, const quality_plan *quality, bool disturbed, tacho_error *err);
/** Sets profile.start, by runs of a NOP; NaN, which nothing is judged by, where they say nothing. @return 0,
 * or an error as of job_pass */
int job_learn_start(tacho_measurer *m, tacho_error *err);
/** Sets the status from the passes so far. @return whether no more are needed */
bool job_conclude(const tacho_measurer *m, job *j, const quality_plan *quality);
/** Whether to look for agreement no longer, after so many seconds. */
bool job_is_enough(const job *j, const quality_plan *quality, double seconds);
/** Whether a pass, disturbed or not, has given a number. */
bool job_has_number(const job *j);

#endif
