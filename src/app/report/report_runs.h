/* report_runs.h - what comparisons of two and of many commands say of their runs in the same way. Uses public
 * headers only. */
#ifndef TACHO_REPORT_RUNS_H
#define TACHO_REPORT_RUNS_H

#include "app/report/report_many.h"

/* runs_json.c */
/** TACHO_NO_BLOCK: null */
report_value report_block_number(uint32_t block);
/** Of tacho_compare_options: how the runs were made. */
extern const report_table report_runs_asked;
/** Of tacho_compare_result: what they ran on, and what went wrong. */
extern const report_table report_runs_done;

typedef struct report_runs {
    const tacho_compare_result *result;
    bool layouts;
    const report_many_command *commands; /**< NULL: their names are no column */
} report_runs;
/** All runs with all metrics. */
void report_runs_csv(tacho_str *out, const char *columns, const report_runs *runs);

#endif
