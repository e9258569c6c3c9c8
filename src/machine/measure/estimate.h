/* estimate.h - from ticks to cycles: which samples were undisturbed, and what they say. */
#ifndef TACHO_MEASURE_ESTIMATE_H
#define TACHO_MEASURE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/measure/protocol.h"
#include "tacho/measure.h"

enum {
    ESTIMATE_FEWEST = 20,   /**< samples that a pass needs */
    ESTIMATE_HISTORY = 256, /**< looks that undisturbed canaries are learnt from */
    ESTIMATE_FIRST = 5,     /**< looks before any is taken for a disturbed one */
    ESTIMATE_DISTURBED = 16 /**< of the disturbed ones after that, one in so many is learnt from */
};

/** What is known about the clocks, from samples without a block (looks): nothing that a block does can change
 * it. */
typedef struct clock_profile {
    double tsc_hz;
    uint32_t granularity; /**< ticks that the TSC moves by (estimate_step), rounded up */
    uint32_t imul_latency;
    double core_clock;   /**< core cycles a tick */
    double adds_clock;   /**< the same by additions, each of which takes a cycle */
    double start;        /**< core cycles that a run takes beside its iterations */
    uint32_t multiplier; /**< core clock in units of 100 MHz, where it is a whole number that holds; else 0 */
    double canary[RUNNER_CANARIES]; /**< core cycles that each canary takes undisturbed, with the cost of
                                       reading the clock */
    uint32_t disturbed;             /**< looks that were */
    double history[RUNNER_CANARIES][ESTIMATE_HISTORY]; /**< what looks found, the latest ones */
    uint32_t history_count;                            /**< of all */
    bool chains_agree; /**< multiplications take a whole number of additions */
} clock_profile;

/** What a pass found. */
typedef struct pass_estimate {
    double cycles;                  /**< per iteration; NaN where too few samples were accepted */
    double error;                   /**< standard error of `cycles` from the pass's epochs */
    double start;                   /**< cycles of the short run that are not its iterations' ... */
    double run;                     /**< ... of so many */
    double core_clock;              /**< core cycles a tick during the pass */
    double canary[RUNNER_CANARIES]; /**< core cycles that the canaries took around the accepted samples */
    uint32_t accepted;              /**< samples */
} pass_estimate;

/** How runs are timed. */
typedef enum estimate_unit {
    ESTIMATE_CYCLES,     /**< run[] are core cycles */
    ESTIMATE_CALIBRATED, /**< ticks, made cycles by the chains */
    ESTIMATE_TICKS       /**< ticks, taken for cycles */
} estimate_unit;
estimate_unit estimate_unit_of(tacho_clock clock);

/** The steps in which a counter moves: the most ticks, up to 128 and not always whole (24.45 where a clock of
 * 100 MHz drives one of 2445), of which nearly all of these durations are multiples. 1 where there are none.
 * The durations have to be of many lengths, or they have multiples in common that are no steps. */
double estimate_step(const uint32_t *durations, size_t count);

/** Fills all of *out but tsc_hz and granularity, which it uses. @return false when the samples say nothing
 * (too few, all zero) */
bool estimate_profile(const runner_sample *samples, size_t count, clock_profile *out);

/** Adds what the canaries took in a look, and learns what they take when nothing disturbs them: the least
 * that was found several times. Looks in which they took more than that count seldom, so that some minutes of
 * noise are not taken for the usual; but what was learnt by mistake is forgotten in the end. */
void estimate_learn(clock_profile *p, const double canary[RUNNER_CANARIES]);

/** What a single canary may take, for the runner (runner_plan.limits). */
void estimate_limits(const clock_profile *p, uint32_t limits[RUNNER_CANARIES], uint32_t *slack);

/** Whether the canaries of a sample took no more than they may: else the runner gives it up. */
bool estimate_is_clean(const clock_profile *p, const runner_sample *sample);

/** Whether the canaries of a pass took no more than they do at the least, and its parts agree. */
bool estimate_undisturbed(const clock_profile *p, const pass_estimate *pass);

/** Whether a core can execute so many instructions in so many cycles: a neighbour that slows the short run
 * down, and not the long one, can leave next to nothing. */
bool estimate_is_possible(double cycles, size_t instructions);

/** Whether the first iterations took about as long as those that only the long run has: else `cycles` is not
 * what an iteration takes. A block can find out which run it is in, and be slow in the short one. */
bool estimate_is_steady(const clock_profile *p, const pass_estimate *pass);

/** Most of what a pass says about the short and the long run, which differ by `iterations`; `turn` of these
 * are a turn of the code's loop. `loop`: estimates use the lower part of each distribution, because an exit
 * from a loop costs at times more. `scratch` has room for 2 * count doubles. */
void estimate_pass(const clock_profile *p, const runner_sample *samples, size_t count, estimate_unit unit,
                   bool loop, double iterations, double turn, double *scratch, pass_estimate *out);

/** Passes that agree. */
typedef struct passes_estimate {
    double cycles, low, high; /**< NaN without a pass that counts */
    bool stable;
    uint32_t usable, agreeing; /**< passes that were undisturbed; of these, the ones that agree. Without a
                                  usable one the figures are the disturbed ones'. */
} passes_estimate;

/** What the undisturbed ones among the passes say together. @param sorted room for `count` doubles */
void estimate_passes(const clock_profile *p, const pass_estimate *passes, size_t count, double *sorted,
                     passes_estimate *out);

#endif
