/* report_study.h - evaluations of predictors, studies of kernels, dependencies of runs, categories of
 * blocks. */
#ifndef TACHO_REPORT_STUDY_H
#define TACHO_REPORT_STUDY_H

#include "app/report/layout.h"
#include "base/records.h"
#include "study/eval/eval_bins.h"
#include "study/eval/eval_read.h"
#include "study/suite/suite_corpus.h"
#include "tacho/cluster.h"
#include "tacho/eval.h"
#include "tacho/kernels.h"
#include "tacho/tools.h"

/** A scored evaluation and what it is of. */
typedef struct report_eval {
    const tacho_eval_result *result;
    const char *measured;        /**< name of the file with the measurements */
    bool reference_predicted;    /**< what that file holds are predictions: no measurements */
    const char *arch;            /**< microarchitecture, NULL: not known */
    const eval_reason *left_out; /**< rows of the measurements that were left out */
    size_t left_out_count;
} report_eval;

void report_eval_text(tacho_str *out, const report_eval *e, bool colour);
JSON_BY(report_eval_json, report_eval, report_eval_table)
/** A row for each predictor and group; those of all blocks have the grouping "all". */
void report_eval_csv(tacho_str *out, const report_eval *e);

/** A script for gnuplot, which writes the picture to its standard output: blocks of up to 10 cycles by
 *  measured and predicted cycles, for all predictors, of which there must be one. `png`: else SVG. */
void report_plot_heat_maps(tacho_str *script, const report_eval *e, bool png);

/** One page for browsers with all of it, which needs nothing else. */
void report_eval_draw(tacho_str *out, const report_eval *e);

/* ---- the tables of an evaluation, before they are written ---- */

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

/** What all errors are relative to, as a word before "cycles": "measured" or "reference". */
const char *report_eval_reference(const report_eval *e);
/** A number with thousands separated: "125,291". */
const char *report_count(char out[TACHO_NUMBER_SIZE], size_t count);

/* eval_json.c */
/** The figures of a set of blocks, from `count` to `within_10`; of tacho_score. */
extern const report_table report_score_table;
/** Of tacho_score_options, eval_reason, tacho_eval_predictor. */
extern const report_table report_score_options_table, report_left_out_table, report_predictor_table;
extern const char report_eval_columns[];

/** The instructions of a block as a list of texts; "(bad)" where bytes are none. A new reference. */
json_t *report_block_asm_json(const char *hex);

/* ---- studies of kernels as text, JSON and CSV. Uses public headers only ---- */

/** A study and what is to be said of it. */
typedef struct report_kernels {
    const tacho_kernels_result *result;
    const tacho_arch *native;      /**< the microarchitecture of this machine, if tacho knows it; else NULL */
    double max_miss, memory_bound; /**< limits that it was made with */
} report_kernels;

/** How many have a status that says that something went wrong with them. */
size_t report_kernels_failed(const tacho_kernels_result *r);

void report_kernels_text(tacho_str *out, const report_kernels *k, bool colour);
/** The tables alone. */
extern const report_table report_variant_table;
extern const char report_kernels_columns[];
JSON_BY(report_kernels_json, report_kernels, report_kernels_fields)
/** A row a variant. */
void report_kernels_csv(tacho_str *out, const report_kernels *k);

/* ---- dependencies of a run as text, JSON and CSV. Uses public headers only ---- */

typedef struct report_deps_run {
    char *const *command; /**< ends in NULL */
    const tacho_deps_run *run;
    double hot;   /**< as in the options */
    uint32_t top; /**< dependencies that the text shows */
} report_deps_run;

void report_deps_run_text(tacho_str *out, const report_deps_run *r, bool colour);
void report_deps_run_csv(tacho_str *out, const report_deps_run *r);
extern const report_table report_deps_run_table;
extern const char report_deps_run_columns[];
/** @return a new reference, as report_record_json */
json_t *report_deps_run_json(const report_deps_run *r);

enum {
    DEPS_RUN_ASM_SIZE = 200
};

/* ---- categories of a suite's blocks: as text, JSON and CSV ---- */

typedef struct report_categories {
    const char *suite; /**< name of the file, for titles */
    const tacho_cluster_model *model;
    const char *weight; /**< the column that weighs blocks, or NULL: each counts once */
    size_t rows;
    size_t without_words, undecodable; /**< rows without a category, and why */
    size_t partly_known;               /**< rows with a category that have instructions without figures */
    const char *app_weight;      /**< the column by which shares of applications are weighted, or NULL */
    const tacho_suite_app *apps; /**< in the order in which to show them */
    size_t app_count;
    tacho_suite_app all; /**< all blocks, weighted alike */
} report_categories;

void report_categories_text(tacho_str *out, const report_categories *r, bool colour);
extern const char report_categories_columns[];
JSON_BY(report_categories_json, report_categories, report_categories_table)
/** A row for each category, then one for each application and category. */
void report_categories_csv(tacho_str *out, const report_categories *r);

#endif
