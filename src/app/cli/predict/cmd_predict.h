/* cmd_predict.h - what tacho predict does with an input, and with a batch. */
#ifndef TACHO_CLI_PREDICT_H
#define TACHO_CLI_PREDICT_H

#include "app/cli/predict/pictures.h"
#include "app/cli/source.h"
#include "tacho/predict.h"

/** How a batch is predicted. */
typedef struct predict_batch_request {
    const char *path;   /**< CSV, "-": standard input */
    const char *output; /**< file for the results; NULL: standard output */
    const tacho_arch *const *archs;
    size_t arch_count;
    const tacho_predict_options *options;
    typeof(tacho_predict) *predict; /**< tacho_predict, or tacho_predict_bounds */
    uint64_t jobs;                  /**< threads; 0: one a processor */
} predict_batch_request;

/** Predicts the blocks and writes a CSV row for each and each of the microarchitectures, in order. @return an
 * exit status */
int predict_batch(const predict_batch_request *r);

/** How an input is predicted and shown. */
typedef struct predict_request {
    source *source;
    const tacho_predict_options *options;
    typeof(tacho_predict) *predict; /**< tacho_predict, or tacho_predict_bounds */
    bool simulates;                 /**< the first of them */
    pictures *pictures;
    const tacho_arch *const *archs;
    size_t arch_count;
    bool alignment_given; /**< else the addresses decide */
    bool all_archs;       /**< these are all: some may well not execute the code */
    int format;           /**< a cli_format */
    bool colour, all_what_ifs;
    const char *data, *memory; /**< where the data lie; NULL: in the first level. The description's file */
    bool pane; /**< text for a pane beside the code: narrow, and it says where there is no loop */
} predict_request;

/** Whether it failed because the core lacks an extension that the code needs. (With --unknown error or skip
 * it may have failed for want of instruction timing: then false.) */
bool predict_is_refusal(const tacho_predict_options *o, const tacho_error *err);
/** With -a all, cores that cannot execute the code are left out, and a note says how many: where nothing else
 * failed and some of `all` predictions were made. @return whether that is the case */
bool predict_leaves_out(size_t refused, size_t failed, size_t all);

/** Writes text as cli_put_text; for a pane within 100 columns. */
bool predict_put_text(const predict_request *r, tacho_str *text);

/** Predicts and reports each region for each of the microarchitectures, in order. @return an exit status */
int predict_input(const predict_request *r, const source_parts *parts);

/** The same for each innermost loop. @return an exit status */
int predict_loops(const predict_request *r, const source_parts *parts);

/** Predicts what is meant of two inputs, which has to be one block each, and compares it. @return an exit
 * status */
int predict_versions(const predict_request *r, source *other);

#endif
