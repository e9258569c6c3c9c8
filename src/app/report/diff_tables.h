/* diff_tables.h - the tables and words of a comparison, before they are written. */
#ifndef TACHO_REPORT_DIFF_TABLES_H
#define TACHO_REPORT_DIFF_TABLES_H

#include "app/report/fields.h"
#include "app/report/grid.h"
#include "app/report/report_diff.h"

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
