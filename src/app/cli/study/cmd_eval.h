/* cmd_eval.h - what the parts of tacho eval share. */
#ifndef TACHO_CLI_EVAL_H
#define TACHO_CLI_EVAL_H

#include "app/cli/cli.h"
#include "app/report/study/report_study.h"

/** Copies a name. @return false with a message */
bool eval_take_name(cli_word out, const char *name, size_t length);

/** A limit on a figure, for CI. */
typedef struct eval_threshold {
    const char *text;   /* as it was given */
    cli_word predictor; /* "": every one */
    int figure;
    double limit; /* as in JSON: errors are fractions */
    bool above;   /* fails above it; else below */
} eval_threshold;
/** Parses "MAPE=2", "llvm-mca:tau=0.9". @return false with a message */
bool eval_threshold_parse(eval_threshold *out, const char *option, const char *value, bool above);

/** What was asked for. */
typedef struct eval_request {
    eval_input in;
    eval_named models[EVAL_MAX]; /* value NULL: left out */
    size_t model_count;
    bool models_left_out;
    eval_threshold limits[EVAL_MAX];
    size_t limit_count;
    tacho_score_options score;
    tacho_model_options model;
    const char *archs, *save, *file;
    uint32_t worst, jobs;
    bool list_models, times, common, without_lower_bounds, fallback;
    int format, colour;          /* a cli_format */
    const char *heat_map, *html; /* files to be written; NULL: not asked for */
} eval_request;

enum {
    EVAL_BROKEN_LIMIT = 4 /* an exit status */
};

/** What is asked for, done. @return an exit status, with messages */
int eval_run(eval_request *r);

/** Whether all limits hold; says which do not. @return CLI_OK, EVAL_BROKEN_LIMIT, or CLI_USAGE where a limit
 * names a predictor that does not exist */
int eval_check_limits(const eval_request *request, const tacho_eval_result *r);

#endif
