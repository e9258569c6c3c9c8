/* eval_tables.h - the tables of an evaluation, before they are written as text, Markdown or LaTeX. */
#ifndef TACHO_REPORT_EVAL_TABLES_H
#define TACHO_REPORT_EVAL_TABLES_H

#include "report/eval.h"
#include "report/grid.h"

enum {
    REPORT_EVAL_MESSAGES = 50, /**< different messages of a predictor's failures that are told apart */
    REPORT_ESTIMATE_SIZE = 4 * TACHO_NUMBER_SIZE
};

/** How often a predictor failed with a message. */
typedef struct report_eval_message {
    const char *text;
    size_t count;
} report_eval_message;

/** The messages of a predictor's failures, the most frequent first. */
typedef struct report_eval_messages {
    report_eval_message *list; /**< free with tacho_mem_free */
    size_t count;
    size_t different; /**< of all, listed or not */
    size_t unlisted;  /**< failures with messages that are not listed */
} report_eval_messages;
/** @return 0, or -1 when memory runs out. */
int report_eval_find_messages(report_eval_messages *out, const tacho_eval_result *r, size_t predictor);

/** "12.34", or "-" for what there is not; a fraction in percent. */
const char *report_percent(char out[TACHO_NUMBER_SIZE], double fraction);
/** With the interval, where there is one: "1.23 [1.11, 1.36]". `percent`: of a fraction; else with 4
 * decimals. */
const char *report_estimate(char out[REPORT_ESTIMATE_SIZE], const tacho_estimate *e, bool percent);

/** Tables; `g` is not started yet. */
void report_eval_summary(report_grid *g, const tacho_eval_result *r);
void report_eval_closeness(report_grid *g, const tacho_eval_result *r);
void report_eval_groups(report_grid *g, const tacho_eval_result *r, size_t grouping);
/** What the figures of all of them are: a sentence without its end. */
void report_eval_caption(tacho_str *out, const report_eval *e);
/** "application: MAPE in % / Kendall's tau" */
void report_eval_group_caption(tacho_str *out, const tacho_eval_result *r, size_t grouping);
/** Sentences about what is left out, each with a line end. */
void report_eval_left_out(tacho_str *out, const report_eval *e);
json_t *report_score_options_json(const tacho_score_options *o);
/** A number with thousands separated: "125,291". */
const char *report_count(char out[TACHO_NUMBER_SIZE], size_t count);

#endif
