/* compare.h - is program B faster than program A? Interleaved runs, and what can be said of them.
 *
 * doc/COMPARE.md has the method and what it takes for granted. Seeds: perf-book, chapter 2; bias-thesis,
 * chapter 2. Everywhere, side 0 is A, and a ratio is that of B by A: of times, below 1 B is faster.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_COMPARE_H
#define TACHO_COMPARE_H

#include "options.h"
#include "stats.h"
#include "trial.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- judging samples ---- */

typedef enum tacho_verdict {
    TACHO_VERDICT_NONE = 0, /**< too few samples to say anything */
    TACHO_VERDICT_NO_DIFFERENCE,
    TACHO_VERDICT_FASTER, /**< B is better: takes less, or has more of what is better when higher */
    TACHO_VERDICT_SLOWER
} tacho_verdict;

/** "faster", "slower", "no_difference", "none". */
TACHO_API const char *tacho_verdict_name(tacho_verdict verdict);

typedef struct tacho_judge_options {
    size_t size;
    double confidence;  /**< of intervals and tests, 0.5..0.9999; 0.95 */
    double threshold;   /**< differences above it are interesting: a fraction of A, 0..10; 0.02 */
    uint32_t resamples; /**< for the interval, 100..TACHO_MAX_RESAMPLES; 4000 */
    uint64_t seed;      /**< of all that is drawn; 1 */
    bool higher_is_better;
} tacho_judge_options;
#define TACHO_JUDGE_OPTIONS_INIT                                                                             \
    TACHO_OPTIONS_INIT(judge, .confidence = 0.95, .threshold = 0.02, .resamples = 4000, .seed = 1)
TACHO_OPTIONS(judge);

#define TACHO_NO_BLOCK UINT32_MAX

/** A sample: what a run took. */
typedef struct tacho_sample {
    double value;    /**< 1e-100 to 1e100; NaN: there is none */
    uint32_t side;   /**< 0: A, 1: B */
    uint32_t block;  /**< samples of one block were taken one after the other. TACHO_NO_BLOCK: is shown, but
                          does not count; where no sample has a block, the two sides are independent samples */
    uint32_t layout; /**< number of the layout; looked at with options->layouts only */
} tacho_sample;

/** How a side's samples are distributed. */
typedef struct tacho_judged_side {
    tacho_distribution values;
    size_t missing;     /**< samples without a value */
    double dip, dip_p;  /**< Hartigan's dip test against one mode; NaN below 20 samples */
    bool several_modes; /**< dip_p is below 0.01, and the groups are further apart than a quarter of the
                             threshold */
    double group_low, group_high; /**< medians of two groups into which the samples divide best; NaN */
    double group_high_share;      /**< of the samples */
    double layout_share;          /**< of the variance (of logarithms) that comes from the layouts; NaN */
} tacho_judged_side;

typedef struct tacho_outlier {
    size_t sample; /**< its place among the samples */
    bool far; /**< outside of the outer fences: 3 instead of 1.5 interquartile ranges beyond a quartile */
} tacho_outlier;

/** The sides in one layout. */
typedef struct tacho_layout_ratio {
    uint32_t layout;
    uint32_t blocks;
    double ratio; /**< geometric mean of the blocks' ratios */
} tacho_layout_ratio;

typedef struct tacho_judgement {
    tacho_verdict verdict; /**< of FASTER and SLOWER only where both the interval and the rank test say so */
    bool interesting;      /**< faster or slower, by more than the threshold */
    double ratio; /**< median of B by median of A, of the samples that count; NaN where there are none */
    double ratio_low, ratio_high; /**< NaN where the verdict is NONE */
    double confidence;
    double p_value;        /**< of the test: signed ranks of the units, or rank sums; NaN with NONE */
    bool paired;           /**< there are blocks, and the test is that of signed ranks */
    bool by_separation;    /**< FASTER or SLOWER of fewer units than are needed, as all values of one side are
                                far beyond all of the other: the test is that of rank sums, and takes for
                                granted that runs are independent (doc/COMPARE.md) */
    double nearest;        /**< then: the ratio of the two values of B and A that are nearest; else NaN */
    double standard_error; /**< of the ratio, relative; NaN with NONE and by_separation */
    double detectable; /**< the relative difference that would have been found with 95 % probability, of which
                            this is an estimate; not below `step`; NaN with NONE and by_separation */
    double step;       /**< values come in steps of this size relative to the median; 0: none to be seen */
    uint32_t blocks;   /**< with both sides */
    uint32_t units, units_needed; /**< independent pieces of evidence: blocks, or layouts, or samples of the
                                       smaller side; what a verdict needs at this confidence */
    uint32_t units_needed_apart;  /**< ... where the sides are far apart */
    size_t left_out; /**< samples with a value that do not count: they belong to no block with both sides */
    tacho_judged_side sides[2];

    bool drifts; /**< drift_p is below 0.01, and the change larger than a quarter of the threshold */
    double drift_rho, drift_p; /**< Spearman's correlation of values (by their side's median) with time */
    double drift_change;       /**< of the last quarter of the samples relative to the first; NaN */

    tacho_outlier *outliers; /**< Tukey's fences; they count like all others */
    size_t outlier_count;

    tacho_layout_ratio *layouts; /**< where there are layouts */
    size_t layout_count;
    double layouts_p; /**< that ratios differ between layouts as much or more by chance: by shuffling; NaN */
    bool depends_on_layout; /**< they do (layouts_p below 0.01), and are on both sides of 1 */
} tacho_judgement;

/** Judges samples, which are in the order in which they were taken. `layouts`: the units are not blocks but
 *  the layouts of their blocks, so that the verdict is of layouts in general.
 *  @return 0 and *out, to be freed; TACHO_ERR_USAGE (options, no samples), TACHO_ERR_INPUT (a value that is
 *  not above 0, a block with two layouts, layouts without blocks), TACHO_ERR_MEMORY */
TACHO_API int tacho_judge(const tacho_sample *samples, size_t count, bool layouts,
                          const tacho_judge_options *options, tacho_judgement *out, tacho_error *err);
TACHO_API void tacho_judgement_free(tacho_judgement *j);

/* ---- running ---- */

enum {
    TACHO_COMPARE_MAX_METRICS = 16 + TACHO_TRIAL_MAX_EVENTS,
    TACHO_COMPARE_MIN_BLOCKS = 10,    /**< before precision can end it */
    TACHO_COMPARE_MAX_RUNS = 1000000, /**< of each side */
    TACHO_COMPARE_MAX_LAYOUTS = 10000
};

/** What is measured of each run. */
typedef struct tacho_metric {
    char name[64];    /**< cpu, user, system, elapsed, cycles, core_clock, page_faults, switches; an event's
                           name; "value": what the command wrote */
    char unit[32];    /**< "s", "cycles", "Hz", or "" */
    double median[2]; /**< of the runs that have one; NaN */
} tacho_metric;

typedef struct tacho_compare_run {
    uint32_t side;
    uint32_t block; /**< TACHO_NO_BLOCK: in one that was not completed */
    uint32_t layout;
    int exit_status, signal; /**< as in tacho_trial */
    bool timed_out;          /**< no sample */
} tacho_compare_run;

typedef enum tacho_compare_end {
    TACHO_COMPARE_PRECISE = 0, /**< the interval is as narrow as was wanted */
    TACHO_COMPARE_RUNS,        /**< as many runs as were wanted */
    TACHO_COMPARE_MAX_REACHED, /**< the most runs that were allowed */
    TACHO_COMPARE_TIME,        /**< the time was over */
    TACHO_COMPARE_LAYOUTS,     /**< more runs would not help, more layouts would */
    TACHO_COMPARE_STOPPED
} tacho_compare_end;

/** "precise", "runs", "max_runs", "max_time", "layouts", "stopped". */
TACHO_API const char *tacho_compare_end_name(tacho_compare_end end);

typedef struct tacho_compare_progress {
    bool warm_up;
    uint32_t runs; /**< done, of both sides, without those thrown away */
    double seconds;
    double ratio, half_width; /**< of the interval, relative; as they were found last; NaN */
    uint32_t command;         /**< that has just run: 0, 1 */
    double mean;              /**< of the metric that decides, of its runs so far; NaN */
    const char *unit;         /**< of that */
    double seconds_left;      /**< about; NaN where nothing is known yet */
} tacho_compare_progress;

/** What is run around the runs of a command, by sh -c and not timed; each must end with status 0. NULL:
 *  nothing. */
typedef struct tacho_compare_hooks {
    const char *setup;    /**< once, before the first run of any of the commands */
    const char *prepare;  /**< before each run */
    const char *conclude; /**< after each run, however that went */
    const char *cleanup;  /**< once, at the end, also after an error; only where the setup was begun */
} tacho_compare_hooks;

typedef struct tacho_compare_options {
    size_t size;
    tacho_trials_options trials; /**< processor, clock, events, timeout of a run, clean caches; `stop` and
                                      `output_bytes` are not looked at */
    tacho_judge_options judge;
    const char *metric;  /**< that decides: a name as in tacho_metric; NULL: cpu, or value with a pattern */
    const char *pattern; /**< POSIX extended regular expression with a group, looked for in each run's
                              standard output: the group's number is its "value". NULL */
    const char *unit;    /**< of that; NULL: none */
    double precision;    /**< enough: half of the width of the interval, relative to the ratio; 0 (default): a
                              quarter of the threshold */
    uint32_t warm_up;    /**< runs of each side that are thrown away, 0..1000; 1 */
    uint32_t runs; /**< of each side, rounded up to whole blocks: no more, no fewer. 0 (default): as many as
                        the precision needs */
    uint32_t max_runs;    /**< of each side; 0 (default): TACHO_COMPARE_MAX_RUNS */
    double max_seconds;   /**< for all, warm-up included: a block or a run that cannot end in time is not
                               begun, one that has not ended by then is ended, and does not count. 0
                               (default): no limit with `runs`, else 60, or more until there are enough blocks
                               for a verdict, or the sides are far apart */
    uint32_t layouts;     /**< layouts that both sides are run in: tacho_layout_draw(judge.seed + 0, 1, ...);
                               0 (default): as the system has it */
    bool fixed_addresses; /**< no address space randomisation; layouts imply it */
    bool ignore_failure;  /**< a run that fails counts like others */
    const char
        *prepare; /**< for sh -c, before each run, not timed; must end with status 0. NULL: as `hooks` */
    /** Asked when a signal interrupts the waiting: whether to end here. May be NULL */
    bool (*stop)(void *payload);
    /** Called after each run; other than 0: to end here. May be NULL */
    int (*progress)(const tacho_compare_progress *p, void *payload);
    void *payload;
    const tacho_compare_hooks *hooks; /**< of both commands; NULL: none */
} tacho_compare_options;
#define TACHO_COMPARE_OPTIONS_INIT                                                                           \
    TACHO_OPTIONS_INIT(compare, .trials = TACHO_TRIALS_OPTIONS_INIT, .judge = TACHO_JUDGE_OPTIONS_INIT,      \
                       .warm_up = 1)
TACHO_OPTIONS(compare);

typedef struct tacho_compare_result {
    tacho_metric metrics[TACHO_COMPARE_MAX_METRICS];
    size_t metric_count, metric; /**< the one that decided */
    tacho_compare_run *runs;     /**< in order; what was thrown away is not among them */
    double *values;              /**< of run r: metric m is values[r * metric_count + m]; NaN: none */
    tacho_sample *samples;       /**< of each run, of the metric that decided: what was judged */
    size_t run_count;
    tacho_judgement judgement; /**< of the samples */
    tacho_judgement elapsed;   /**< of the same runs' real time, whatever decided */
    double processors[2];      /**< that a side uses on average: median of processor time by that of real
                                    time. Below 1, for so much of it at least nothing of the command ran */
    tacho_compare_end end;
    double seconds;           /**< that all took */
    size_t failed, timed_out; /**< runs among `runs`; not of those that were thrown away */
    bool multiplexed;         /**< some events were counted for a part of the runs only */
    int cpu;                  /**< as tacho_trials_cpu */
    tacho_clock clock;
    char counters_missing[160];                    /**< why there are no performance counters, or "" */
    char cleanup_failed[TACHO_ERROR_MESSAGE_SIZE]; /**< what is wrong with a cleanup, or "" */
} tacho_compare_result;

/** Compares commands[1] with commands[0]: warm-up, then blocks of four runs, A B B A or B A A B by the toss
 *  of a coin.
 *  @return 0 and *out, to be freed; TACHO_ERR_FAILED (a run that failed), TACHO_ERR_LIMIT (after the warm-up
 *  there was no time left for a run), TACHO_ERR_INPUT (no such command; a run that had no value; a value that
 *  is not above 0; the preparation failed), TACHO_ERR_USAGE, _UNSUPPORTED, _SYSTEM,
 *  _MEMORY */
TACHO_API int tacho_compare(const tacho_command commands[2], const tacho_compare_options *options,
                            tacho_compare_result *out, tacho_error *err);
TACHO_API void tacho_compare_free(tacho_compare_result *r);

#ifdef __cplusplus
}
#endif
#endif
