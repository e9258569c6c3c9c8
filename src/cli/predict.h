/* predict.h - the batch side of tacho predict. */
#ifndef TACHO_CLI_PREDICT_H
#define TACHO_CLI_PREDICT_H

#include "cli/shard.h"
#include "tacho/predict.h"

/** How a batch is predicted. */
typedef struct predict_batch_request {
    const char *path;   /**< CSV, "-": standard input */
    const char *output; /**< file for the results; NULL: standard output */
    shard shard;        /**< which rows */
    const tacho_arch *const *archs;
    size_t arch_count;
    const tacho_predict_options *options;
    uint64_t jobs; /**< threads; 0: one a processor */
} predict_batch_request;

/** Predicts the blocks and writes a CSV row for each and each of the microarchitectures, in order. @return an
 * exit status */
int predict_batch(const predict_batch_request *r);

#endif
