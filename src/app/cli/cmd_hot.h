/* cmd_hot.h - tacho hot: what was asked for, and the parts that do it. */
#ifndef TACHO_CLI_HOT_H
#define TACHO_CLI_HOT_H

#include "app/cli/running.h"
#include "app/report/report_hot.h"

enum {
    HOT_MAX_RUNS = 1000 /* of each command */
};

typedef struct hot_request {
    char **command; /* NULL: none */
    uint64_t pid;   /* 0: none */
    const char *perf_data;
    const char *archs, *output, *html; /* output NULL: standard output */
    const char *roofline;              /* .svg or .html */
    tacho_hot_options sampling;
    running running;
    double min_share;
    uint64_t top;
    int format, colour, style; /* style, of instructions: auto, att, intel */
    bool count, quiet, keep_mangled;
    bool diff;               /* two commands, or two files */
    cli_words files;         /* two, of --diff */
    uint32_t runs;           /* of each command; 0: not said */
    cli_name run_option;     /* one that only commands have, as it was given; "" */
    cli_name windows_option; /* --windows as it was given; "" */
    off_t input_offset;      /* of standard input before the command ran; -1: it is no file */
} hot_request;

/** A place predicted, explained where asked for. What its subject points to lives until the next use. */
typedef struct hot_analyst {
    const report_hot *report;
    tacho_predictor *predictor;
    tacho_explainer *explainer;
    tacho_hot_costs *costs;
    tacho_hot_cause *causes; /* of the place */
    size_t cause_capacity;
    tacho_region region;
    tacho_predict_options options;
    tacho_listing listing;
    report_hot_place place;
    char message[TACHO_ERROR_MESSAGE_SIZE + 60];
    tacho_hot_roofline roofline; /* of the places that were analysed */
} hot_analyst;

/* cmd_hot_analyst.c */
/** @return false when memory runs out */
bool hot_analyst_start(hot_analyst *a, const report_hot *report);
/** After all places: the roofline; NULL: memory ran out. */
const tacho_hot_roofline *hot_analyst_roofline(hot_analyst *a);
void hot_analyst_free(hot_analyst *a);
/** Fills a->place. `trace`: NULL or a listener */
void hot_analyse(hot_analyst *a, size_t number, bool details, const tacho_trace_listener *trace);

/** Runs the command again under the counter of blocks, and finds the core's clock. @return false with a
 * message */
bool hot_count(const hot_request *r, tacho_extract **counts, double *core_hz);
/** The core's clock, by tacho's rulers around a short run; NaN: not known. */
double hot_find_clock(void);

/* cmd_hot.c */
/** That a command took too little time. @return an exit status, with that message */
int hot_no_samples(const char *command, const tacho_hot_profile *p);
/* cmd_hot_diff.c */
/** What is wrong with the request. @return an exit status, with a message where it is not CLI_OK */
int hot_diff_check(const hot_request *r);
/** Runs both commands in turns, or reads both files; writes the report. @return an exit status */
int hot_diff(hot_request *r, cli_output *out, cli_output *page, const tacho_arch *arch, bool fallback);

/** The page, with the timelines of the first `top` places. */
void hot_page(tacho_str *out, hot_analyst *a, uint64_t top);

#endif
