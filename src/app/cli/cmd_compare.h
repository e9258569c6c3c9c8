/* cmd_compare.h - what the parts of tacho compare share. */
#ifndef TACHO_CLI_COMPARE_H
#define TACHO_CLI_COMPARE_H

#include "app/cli/cli.h"
#include "app/cli/compare_scan.h"
#include "app/cli/output.h"
#include "app/cli/running.h"
#include "tacho/compare.h"

/** For --fail-if; different is both. */
enum {
    COMPARE_FAIL_SLOWER = 1,
    COMPARE_FAIL_FASTER = 2
};

/** For --fail-if: from which difference on. */
typedef struct compare_limit {
    int what;     /**< COMPARE_FAIL_SLOWER, _FASTER, both; 0: never */
    double above; /**< a fraction; 0: what the threshold makes interesting */
} compare_limit;

/** How a command's program is linked. */
typedef struct compare_linked {
    const char *command;
    char *objects[TACHO_COMPARE_MAX_OBJECTS];
    uint32_t object_count;
} compare_linked;

enum {
    COMPARE_FAILED = 4,            /**< exit status, by --fail-if */
    COMPARE_MARKDOWN = CLI_CSV + 1 /**< format */
};

/** What was asked for. */
typedef struct compare_request {
    tacho_compare_options compare;
    running running;
    compare_scan scan;         /* what the commands are made of, */
    scanned_commands commands; /* and they */
    compare_linked linked[2];
    tacho_compare_link links[2];
    const char *separator, *samples, *save, *plot;
    cli_name run_option; /**< one that only runs have, as it was given; "" */
    compare_limit limit;
    int format, colour;
    bool quiet;
    char **rest;     /**< behind "--"; NULL: there was none */
    cli_words lines; /**< else each a command */
    cli_output saved;
} compare_request;

enum {
    COMPARE_NAME_SIZE = 80
};

/* cmd_compare.c */
/** Before runs: options of the library. @return as running_open; then compare_end_running */
int compare_start_running(compare_request *r);
void compare_end_running(compare_request *r);
/** After a report with `status`: what else there is to be said of the runs. @return the exit status */
int compare_end_status(const tacho_compare_result *result, int status);
int compare_show_progress(const tacho_compare_progress *p, void *payload);

/* cmd_compare_options.c */
extern const cli_option compare_options[];
extern const char compare_help[];
/** What does not go together; finds the commands. @return -1: go on; else the exit status */
int compare_check(compare_request *r);
/** Whether a verdict with this ratio reaches the limit. */
bool compare_reaches(const compare_limit *l, tacho_verdict verdict, double ratio, bool interesting);

/** Samples of a file, for --samples. */
typedef struct compare_samples {
    tacho_sample *samples;
    size_t count;
    bool layouts;
    bool of_many;                     /**< the sides are numbers of commands */
    size_t commands;                  /**< 2, or as many as there are then */
    char (*names)[COMPARE_NAME_SIZE]; /**< of TACHO_COMPARE_MAX_COMMANDS; NULL */
    char metric[64], unit[32];
} compare_samples;

/** Reads a CSV file with the columns side (A or B), or command (a number from 1) and perhaps name, and
 *  `metric` (NULL: value, or else cpu), and perhaps block and layout; or with the columns a and b, whose rows
 *  have nothing to do with each other. `unit`: NULL: by
 * the metric's name. @return false with a message */
bool compare_samples_read(compare_samples *out, const char *path, const char *metric, const char *unit);
void compare_samples_free(compare_samples *s);

/* cmd_compare_many.c */
/** Runs the commands, or judges samples, in one table. @return the exit status */
int compare_many_run(compare_request *r);
int compare_many_judge(compare_request *r, const compare_samples *s);

#endif
