/* predict.h - the batch side of tacho predict. */
#ifndef TACHO_CLI_PREDICT_H
#define TACHO_CLI_PREDICT_H

#include "tacho/predict.h"

/** Predicts the blocks of a CSV file ("-": standard input) in `jobs` threads (0: one a processor) and writes
 *  a CSV row for each and each of the microarchitectures, in order. @return an exit status */
int predict_batch(const char *path, const tacho_arch *const *archs, size_t arch_count,
                  const tacho_predict_options *options, uint64_t jobs);

#endif
