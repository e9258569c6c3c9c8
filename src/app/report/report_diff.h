/* report_diff.h - what changed between two files of predictions, as text, JSON and CSV. Uses public
 * headers only. */
#ifndef TACHO_REPORT_DIFF_H
#define TACHO_REPORT_DIFF_H

#include <jansson.h>
#include <stdbool.h>

#include "app/report/fields.h"
#include "app/report/grid.h"
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

/* the tables and words of a comparison, before they are written. */

/* diff_json.c */
extern const char report_diff_columns[];

/** Kinds of blocks in the order in which reports have them. */
typedef struct report_diff_kind {
    tacho_diff_kind kind;
    const char *words; /**< beside the count */
} report_diff_kind;
extern const report_diff_kind report_diff_kinds[TACHO_DIFF_KIND_COUNT];

/** ", SKL", or that the two are for different cores; nothing where it is not known. */
void report_diff_archs(tacho_str *out, const report_diff *d);

/** Counts of kinds that there are; `g` is not started yet. */
void report_diff_counts(report_grid *g, const tacho_diff_result *r);
/** The figures of both and their difference. */
void report_diff_figures(report_grid *g, const tacho_diff_result *r);
/** How the predictions changed: "100 blocks are predicted to take more cycles than before, 72 fewer"; ""
 * where none did. */
void report_diff_direction(tacho_str *out, const tacho_diff_result *r);
/** What the figures are of. */
void report_diff_caption(tacho_str *out, const tacho_diff_result *r);

/** Whether the new predictions are better: -1 worse, 0 not shown, 1 better; of the interval of the difference
 * of MAPE. @return false where there is none */
bool report_diff_verdict(const tacho_diff_result *r, int *out);
/** In a sentence; "" where there is none. */
void report_diff_verdict_text(tacho_str *out, const tacho_diff_result *r);

/** |predicted - measured| / measured of a side; NaN. */
double report_diff_error(const tacho_diff_block *b, int side);

#endif
