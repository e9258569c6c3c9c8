/* compare_internal.h - what judging is made of. */
#ifndef TACHO_COMPARE_INTERNAL_H
#define TACHO_COMPARE_INTERNAL_H

#include <regex.h>

#include "tacho/compare.h"

enum {
    JUDGE_RUNS_OF_A_BLOCK = 4
};

/* Values that can be compared: their ratios, squares and sums are numbers. */
#define JUDGE_LEAST 1e-100
#define JUDGE_MOST  1e100

/* A block, or a layout, and what it says of the ratio. */
typedef struct judged_unit {
    uint32_t number;  /* as the samples have it */
    double log_ratio; /* of B by A */
    uint32_t unit;    /* of a block: the unit that it belongs to */
    uint32_t layout;
    uint32_t blocks; /* of a layout */
} judged_unit;

/* What samples are taken to be. */
typedef struct judging {
    const tacho_sample *samples;
    size_t count;
    bool paired;
    judged_unit *blocks; /* with both sides, in ascending order of their numbers */
    uint32_t block_count;
    judged_unit *layouts; /* of these blocks; ascending */
    uint32_t layout_count;
    tacho_sided_value *values; /* that count */
    size_t value_count;
    uint32_t units; /* of the side that has fewer */
} judging;

/* evidence.c */
/* @return 0; TACHO_ERR_INPUT, TACHO_ERR_MEMORY */
int judging_make(judging *j, const tacho_sample *samples, size_t count, bool layouts, tacho_error *err);
void judging_free(judging *j);
/* Units that the rank test needs to reject anything at this confidence. */
uint32_t judging_units_needed(double confidence);
/* Only the ratio, by `resamples`. */
int judging_ratio(const judging *j, const tacho_judge_options *o, uint32_t resamples, tacho_median_ratio *out,
                  tacho_error *err);

/* compare_judge.c: sides that are far apart; all NaN where they are not. */
typedef struct separation {
    bool is_clear;
    double low, high; /* the interval of the ratio */
    double nearest;   /* the ratio of the two values of B and A that are nearest to each other */
    double p;         /* of the rank sums */
} separation;
/* @return -1: no memory */
int separation_judge(const judging *j, const tacho_judge_options *o, separation *out);

/* compare_shape.c: modes, outliers, drift, steps. @return -1: no memory */
int shape_side(const tacho_sample *samples, size_t count, uint32_t side, const tacho_judge_options *o,
               tacho_judged_side *out);
int shape_outliers(const tacho_sample *samples, size_t count, tacho_judgement *out);
/* These need the sides. */
int shape_drift(const tacho_sample *samples, size_t count, const tacho_judge_options *o,
                tacho_judgement *out);
/* The steps in which values come, where most occur several times, by the least median; 0. */
int shape_step(const tacho_sample *samples, size_t count, tacho_judgement *out);

/* evidence.c. @return -1: no memory */
int layouts_judge(const judging *j, const tacho_judge_options *o, tacho_judgement *out);
/* Whether more blocks in the same layouts would hardly narrow the interval. */
bool layouts_dominate(const judging *j);

/* ---- a comparison while its runs are made ---- */

enum {
    COMPARE_SIDES = 2,
    COMPARE_BLOCK_RUNS = 4,
    COMPARE_OUTPUT_BYTES = 1 << 20
};

typedef struct comparing {
    const tacho_command *commands;
    tacho_compare_options own_options;
    const tacho_compare_options *options;
    tacho_compare_result *out;
    tacho_trials *trials;

    regex_t pattern; /* where there is one */
    bool has_pattern;
    char *events;         /* for the trials */
    bool metric_is_event; /* that nobody asked for otherwise */
    uint32_t event_count; /* the last of the metrics, or before "value" */

    char shell[256]; /* that runs preparations */
    uint32_t setups; /* that were begun */
    int null;        /* /dev/null */

    size_t run_capacity, value_capacity, sample_capacity;
    uint32_t warmed_up;     /* runs to warm up that are done */
    uint32_t blocks;        /* that are complete */
    uint32_t next_check;    /* blocks after which the interval is looked at again */
    uint32_t *layout_order; /* of the round */
    double started, limit;  /* seconds; no limit: infinity */
    bool soft_limit;        /* it waits for the fewest blocks that a verdict needs */
    bool late;              /* a limit that is not soft has ended a run, or kept one from being begun */
    double shortest_block;  /* seconds; others were disturbed */
    double ratio, half_width;
    bool stopped;
    double shortest_run[COMPARE_SIDES]; /* of each command, in seconds; 0: not known yet */
    double sums[COMPARE_SIDES];         /* of the values of each command */
    uint32_t counts[COMPARE_SIDES];
} comparing;

/* metrics.c */
/* Of all runs; others follow. */
enum {
    METRIC_CPU,
    METRIC_USER,
    METRIC_SYSTEM,
    METRIC_ELAPSED,
    METRIC_CYCLES,
    METRIC_CORE_CLOCK,
    METRIC_PAGE_FAULTS,
    METRIC_SWITCHES,
    METRICS
};
/* What will be measured; which metric decides; the pattern. Before the trials are made. */
int metrics_choose(comparing *c, tacho_error *err);
/* What a run took. `what`: the run in words, for messages. */
int metrics_take(const comparing *c, const tacho_trial *trial, const char *what, double *values,
                 tacho_error *err);
void metrics_free(comparing *c);

/* compare_schedule.c */
/* The side of run `i` of a block. */
uint32_t schedule_side(comparing *c, uint32_t block, uint32_t i);
/* The layout of a block: each once in a round, in an order by chance. Blocks in ascending order. */
uint32_t schedule_layout(comparing *c, uint32_t block);
/* Whether there should be no further block, and why. @return below 0: an error */
int schedule_is_over(comparing *c, bool *over, tacho_error *err);

#endif
