/* eval_tables.h - the tables of an evaluation, before they are written. */
#ifndef TACHO_REPORT_EVAL_TABLES_H
#define TACHO_REPORT_EVAL_TABLES_H

#include "base/records.h"
#include "app/report/grid.h"
#include "app/report/report_eval.h"
#include "study/eval/eval_bins.h"
#include "tacho/eval.h"

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
/** What all errors are relative to, as a word before "cycles": "measured" or "reference". */
const char *report_eval_reference(const report_eval *e);
/** "measured", or "predicted, not measured": what was done to the blocks. */
const char *report_eval_origin(const report_eval *e);
/** What the figures of all of them are: a sentence without its end. */
void report_eval_caption(tacho_str *out, const report_eval *e);
/** "application: MAPE in % / Kendall's tau" */
void report_eval_group_caption(tacho_str *out, const tacho_eval_result *r, size_t grouping);
/** Sentences about what is left out, each with a line end. */
void report_left_out(tacho_str *out, const eval_reason *reasons, size_t count);
/** A number with thousands separated: "125,291". */
const char *report_count(char out[TACHO_NUMBER_SIZE], size_t count);

/* eval_json.c */
/** The figures of a set of blocks, from `count` to `within_10`; of tacho_score. */
extern const report_table report_score_table;
/** Of tacho_score_options, eval_reason, tacho_eval_predictor. */
extern const report_table report_score_options_table, report_left_out_table, report_predictor_table;
extern const char report_eval_columns[];

/* eval_asm.c */
/** The instructions of a block as a list of texts; "(bad)" where bytes are none. A new reference. */
json_t *report_block_asm_json(const char *hex);
/** Of code that is long the beginning, and how many bytes there are. */
void report_block_hex(tacho_str *out, const char *hex);
/** The first instructions of a block, indented, for people. */
void report_asm_text(tacho_str *out, const char *hex);

#endif
