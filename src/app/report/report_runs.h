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

/* runs_plot.c: panels of pictures, as a script for gnuplot. */
typedef struct report_runs_plot {
    const tacho_sample *samples;
    size_t sample_count, count; /**< of commands */
    const tacho_distribution *values[TACHO_COMPARE_MAX_COMMANDS];
    const char *colours[TACHO_COMPARE_MAX_COMMANDS];
    double scale;             /**< values are divided by it */
    char label[120];          /**< of the values: made by the first function */
    char label_of_shown[200]; /**< the same, and how many runs are outside of the picture */
} report_runs_plot;

/** The data, of each command as `$runsN` (its values in the first column), and a title, which is freed, at a
 * share of the height. */
void report_runs_plot_begin(tacho_str *out, report_runs_plot *p, const char *metric, const char *unit,
                            tacho_str *title, double title_at);
/** The next panel: its left side, bottom and top as shares of the picture. */
void report_plot_panel(tacho_str *out, double left, double bottom, double top);
/** The first panel: the runs of each command with their box; `put_name` writes a quoted name. */
void report_runs_plot_strips(tacho_str *out, const report_runs_plot *p,
                             void (*put_name)(tacho_str *out, const void *report, size_t command),
                             const void *report);
/** The last one: the runs in their order. */
void report_runs_plot_order(tacho_str *out, const report_runs_plot *p);

#endif
