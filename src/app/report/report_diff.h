/* report_diff.h - what changed between two files of predictions, as text, JSON and CSV. Uses public
 * headers only. */
#ifndef TACHO_REPORT_DIFF_H
#define TACHO_REPORT_DIFF_H

#include <jansson.h>
#include <stdbool.h>

#include "app/report/fields.h"
#include "app/report/report_eval.h"
#include "tacho/eval_diff.h"

/** A scored comparison and what it is of. */
typedef struct report_diff {
    const tacho_diff_result *result;
    const char *files[TACHO_DIFF_SIDE_COUNT]; /**< names of the files, by tacho_diff_side */
    const char *measured;                     /**< name of the file with the measurements, NULL: none */
    const char *archs[TACHO_DIFF_SIDE_COUNT]; /**< microarchitectures; "": not known */
    const report_eval_reason *left_out;       /**< rows of the measurements that were left out */
    size_t left_out_count;
} report_diff;

/** Whether both predictions are for one core, as far as is known. */
bool report_diff_same_arch(const report_diff *d);
void report_diff_text(tacho_str *out, const report_diff *d, bool colour);
JSON_BY(report_diff_json, report_diff, report_diff_table)
/** A row for each block. */
void report_diff_csv(tacho_str *out, const report_diff *d);
/** Fit for a comment on a pull request. */

#endif
