/* compare_run.h - a comparison while its runs are made. */
#ifndef TACHO_COMPARE_RUN_H
#define TACHO_COMPARE_RUN_H

#include <regex.h>

#include "program/compare/compare_internal.h"

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

/* compare_hooks.c */
/* Whether there is what runs them. */
int hooks_prepare(comparing *c, tacho_error *err);
int hooks_before_all(comparing *c, tacho_error *err);
int hooks_before_run(comparing *c, uint32_t command, tacho_error *err);
/* The error of `rc`, if it is one, stays. */
int hooks_after_run(comparing *c, uint32_t command, int rc, tacho_error *err);
void hooks_after_all(comparing *c);

/* compare_run.c */
bool compare_asks_to_stop(void *payload);

/* compare_schedule.c */
/* The side of run `i` of a block. */
uint32_t schedule_side(comparing *c, uint32_t block, uint32_t i);
/* The layout of a block: each once in a round, in an order by chance. Blocks in ascending order. */
uint32_t schedule_layout(comparing *c, uint32_t block);
/* The error that no run has a value. */
int compare_no_values(const comparing *c, tacho_error *err);
/* Whether there should be no further block, and why. @return below 0: an error */
int schedule_is_over(comparing *c, bool *over, tacho_error *err);

#endif
