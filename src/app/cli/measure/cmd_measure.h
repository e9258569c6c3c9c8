/* cmd_measure.h - the parts of tacho measure. */
#ifndef TACHO_CLI_MEASURE_H
#define TACHO_CLI_MEASURE_H

#include "app/cli/cli.h"
#include "app/report/measure/report_measure.h"

/** How a batch is measured. */
typedef struct measure_batch_request {
    const char *path;   /**< CSV, "-": standard input */
    const char *output; /**< file for the results; NULL: standard output */
    bool resume;        /**< go on after the rows that `output` has */
    uint32_t jobs;
    const tacho_measurer_options *machine;
    const tacho_measure_options *measure;
    const tacho_arch *arch; /**< also predict for it; NULL: no */
} measure_batch_request;

/** A measurer for this machine. @return an exit status; unless CLI_OK with a message */
int measure_open(tacho_measurer **out, const tacho_measurer_options *options);

/** @return an exit status */
int measure_batch(const measure_batch_request *r);

/** A measurement of what is not run, and why. */
void measure_reject(tacho_measurement *out, const tacho_measurer *m, tacho_mode mode, const char *why);

/** A prediction beside a measurement: fills m->arch, predicted, prediction_error (in `message`). */
void measure_predict(report_measured *m, tacho_predictor *predictor, const tacho_arch *arch,
                     const tacho_measure_options *options, char *message, size_t size);

/** How a loop is measured over arrays of its own. */
typedef struct measure_footprint_request {
    const char *footprint;      /**< a size, or "curve" */
    const char *memory;         /**< file of the description for predictions; NULL: this machine's */
    const char *picture;        /**< NULL: none */
    const tacho_arch *arch;     /**< of predictions; NULL: none are wanted */
    tacho_predictor *predictor; /**< for them */
    tacho_measurer *measurer;
    const tacho_measure_options *measure;
    bool huge_pages, colour;
    int format;
} measure_footprint_request;

/** Measures the loop and writes the result. @return an exit status */
int measure_footprint(const measure_footprint_request *r, const char *input, const tacho_region *region);

/** Latencies and throughput of the form of that name, beside the table of `arch` (NULL: this machine's, if
 * there is one). @return an exit status: CLI_PARTIAL when figures could not be measured */
int measure_insn(const char *form, tacho_measurer *m, const tacho_measure_options *o, const tacho_arch *arch,
                 cli_format format);

#endif
