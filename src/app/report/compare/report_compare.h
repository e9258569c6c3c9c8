/* report_compare.h - comparisons of two programs, and bias sweeps of one. */
#ifndef TACHO_REPORT_COMPARE_H
#define TACHO_REPORT_COMPARE_H

#include "app/report/layout.h"
#include "base/records.h"
#include "tacho/bias.h"
#include "tacho/compare.h"

/** A judgement and what it is of. */
typedef struct report_compare {
    const tacho_judgement *judgement;
    const tacho_sample *samples;
    size_t sample_count;
    const tacho_judge_options *judge;
    const char *metric, *unit;            /**< "s", "cycles" ... or "" */
    char *const *commands[2];             /**< each ends in NULL; NULL: the samples come from a file */
    const char *names[2];                 /**< of the commands, where they are not their words; NULL */
    const char *file;                     /**< that file */
    const tacho_compare_result *result;   /**< NULL: as before */
    const tacho_compare_options *options; /**< the same */
} report_compare;

/** The answer in a sentence. */
void report_compare_answer(tacho_str *out, const report_compare *c);
/** Whether the rank test is that of signed ranks. */
bool report_compare_is_signed(const tacho_judgement *j);
/** What should be known about it. */
void report_compare_notes(report_sentences *out, const report_compare *c);

/* report_compare.c */
void report_compare_text(tacho_str *out, const report_compare *c, bool colour);

/* compare_json.c */
/** Of a tacho_judged_side. */
extern const report_table report_side_table;
extern const char report_compare_columns[];
JSON_BY(report_compare_json, report_compare, report_compare_table)
/** All runs with all metrics; what tacho compare --samples reads. There must be a result. */
void report_compare_csv(tacho_str *out, const report_compare *c);

/* ---- reports of bias sweeps ---- */

/** A sweep and what it is of. */
typedef struct report_bias {
    const tacho_bias *bias;
    char *const *argv; /**< of the command; ends in NULL */
    double confidence;
} report_bias;

void report_bias_text(tacho_str *out, const report_bias *r, bool colour);
extern const report_table report_factor_table;
extern const char report_bias_columns[];
extern const char report_points_columns[];
JSON_BY(report_bias_json, report_bias, report_bias_table)
/** A row for each factor. */
void report_bias_csv(tacho_str *out, const report_bias *r);
/** A row for each point. */
void report_bias_points(tacho_str *out, const report_bias *r);
/** A script for gnuplot: the curves, one below the other. `png`: else SVG. @return false: no factor has any
 */
bool report_bias_plot(tacho_str *out, const report_bias *r, bool png);

#endif
