/* compare_many.h - two or more programs in one table: which differ from the first one, the baseline, and in
 * which order they come, with no more false alarms in the whole table than a comparison of two has.
 *
 * doc/COMPARE.md, "Many commands", has the method. A sample's `side` is the number of its command here, from
 * 0, the baseline; ratios are those by the baseline.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_COMPARE_MANY_H
#define TACHO_COMPARE_MANY_H

#include "compare.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What can be said of a command. */
typedef struct tacho_many_row {
    tacho_judged_side side;       /**< of all its samples */
    size_t outliers;              /**< of these, beyond Tukey's inner fences */
    tacho_estimate median;        /**< of the samples that count; the interval is for itself; NaN */
    tacho_verdict verdict;        /**< compared with the baseline; NONE of the baseline itself */
    bool interesting;             /**< faster or slower, by more than the threshold */
    bool by_separation;           /**< as in tacho_judgement */
    double ratio;                 /**< of the medians; NaN where there is none */
    double ratio_low, ratio_high; /**< all rows' intervals hold at once with the confidence; NaN */
    double p_value;               /**< of this comparison for itself; NaN */
    double p_corrected;           /**< by Holm, for as many comparisons as the table has; NaN */
    double standard_error;        /**< of the ratio, relative; NaN */
    double detectable;            /**< as in tacho_judgement, with all corrections; NaN */
    uint32_t units;               /**< pieces of evidence: blocks, layouts, or samples of the smaller side */
    uint32_t rank_low, rank_high; /**< its place is between these, of 1 (the best); all rows' at once with the
                                       confidence */
} tacho_many_row;

typedef struct tacho_many_judgement {
    tacho_many_row *rows;
    size_t count; /**< of commands */
    double confidence;
    bool paired;                                   /**< there are blocks */
    bool has_layouts;                              /**< the units are layouts */
    uint32_t blocks;                               /**< with all commands */
    uint32_t units_needed, units_needed_for_ranks; /**< for a verdict; for ranks */
    double critical; /**< intervals reach so many standard errors on both sides; NaN */
    double step;     /**< values come in steps of this size relative to the least median; 0 */
    size_t left_out; /**< samples with a value that do not count */
    bool drifts;     /**< as in tacho_judgement, as are the next */
    double drift_rho, drift_p, drift_change;
} tacho_many_judgement;

/** Judges samples of `commands` commands, 2 to TACHO_COMPARE_MAX_COMMANDS, in the order in which they were
 *  taken; otherwise as tacho_judge.
 *  @return 0 and *out, to be freed; TACHO_ERR_USAGE, TACHO_ERR_INPUT, TACHO_ERR_MEMORY */
TACHO_API int tacho_judge_many(const tacho_sample *samples, size_t count, size_t commands, bool layouts,
                               const tacho_judge_options *options, tacho_many_judgement *out,
                               tacho_error *err);
TACHO_API void tacho_many_judgement_free(tacho_many_judgement *j);

typedef struct tacho_many_result {
    tacho_compare_result runs; /**< without judgement and medians of metrics */
    double *medians;           /**< of command c and metric m: medians[c * runs.metric_count + m]; NaN */
    tacho_many_judgement judgement;
} tacho_many_result;

/** Compares `count` commands, 2 to TACHO_COMPARE_MAX_COMMANDS, the first of which is the baseline: warm-up,
 *  then blocks in which each command runs once, in an order by chance. Without options->max_seconds the limit
 *  is 30 seconds for each command. Otherwise as tacho_compare. */
TACHO_API int tacho_compare_many(const tacho_command *commands, size_t count,
                                 const tacho_compare_options *options, tacho_many_result *out,
                                 tacho_error *err);
TACHO_API void tacho_many_result_free(tacho_many_result *r);

#ifdef __cplusplus
}
#endif
#endif
