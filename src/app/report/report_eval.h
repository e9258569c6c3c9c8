/* report_eval.h - evaluations of predictors: as text, JSON, CSV, pictures, and a page. Uses
 * public headers only. */
#ifndef TACHO_REPORT_EVAL_H
#define TACHO_REPORT_EVAL_H

#include <jansson.h>
#include <stdbool.h>

#include "base/records.h"
#include "base/str.h"
#include "study/eval/eval_read.h"

/** A scored evaluation and what it is of. */
typedef struct report_eval {
    const tacho_eval_result *result;
    const char *measured;        /**< name of the file with the measurements */
    bool reference_predicted;    /**< what that file holds are predictions: no measurements */
    const char *arch;            /**< microarchitecture, NULL: not known */
    const eval_reason *left_out; /**< rows of the measurements that were left out */
    size_t left_out_count;
} report_eval;

void report_eval_text(tacho_str *out, const report_eval *e, bool colour);
JSON_BY(report_eval_json, report_eval, report_eval_table)
/** A row for each predictor and group; those of all blocks have the grouping "all". */
void report_eval_csv(tacho_str *out, const report_eval *e);

/** A script for gnuplot, which writes the picture to its standard output: blocks of up to 10 cycles by
 *  measured and predicted cycles, for all predictors, of which there must be one. `png`: else SVG. */
void report_plot_heat_maps(tacho_str *script, const report_eval *e, bool png);

/** One page for browsers with all of it, which needs nothing else. */
void report_eval_draw(tacho_str *out, const report_eval *e);

#endif
