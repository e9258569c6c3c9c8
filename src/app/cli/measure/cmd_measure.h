/* cmd_measure.h - the parts of tacho measure. */
#ifndef TACHO_CLI_MEASURE_H
#define TACHO_CLI_MEASURE_H

#include "app/cli/source.h"
#include "app/report/measure/report_measure.h"

/** What is asked for. */
typedef struct measure_request {
    source source;
    initial_state state;
    tacho_measurer_options machine;
    tacho_measure_options measure;
    const char *arch;   /**< of predictions; NULL: this machine's */
    const char *output; /**< of a batch: file for the results; NULL: standard output */
    bool resume;        /**< go on after the rows that `output` has */
    uint32_t jobs;
    const char *insn;      /**< a form; NULL: code */
    const char *footprint; /**< a size, or "curve" */
    const char *memory;    /**< file of the description for predictions; NULL: this machine's */
    const char *picture;   /**< NULL: none */
    bool predict, cpu_given, huge_pages;
    int format, colour; /**< format -1: not given */
} measure_request;

/** What measures and predicts. */
typedef struct measure_tools {
    tacho_measurer *measurer;
    tacho_predictor *predictor; /**< NULL: no predictions */
    const tacho_arch *arch;     /**< of these */
} measure_tools;

/** A measurer for this machine. @return an exit status; unless CLI_OK with a message */
int measure_open(tacho_measurer **out, const tacho_measurer_options *options);

/** Measures a batch, and predicts it for `arch` (NULL: no). @return an exit status */
int measure_batch(const measure_request *r, const tacho_arch *arch);

/** A measurement of what is not run, and why. */
void measure_reject(tacho_measurement *out, const tacho_measurer *m, tacho_mode mode, const char *why);

/** A prediction beside a measurement: fills m->arch, predicted, prediction_error (in `message`). */
void measure_predict(report_measured *m, tacho_predictor *predictor, const tacho_arch *arch,
                     const tacho_measure_options *options, char *message, size_t size);

/** Measures the loop over arrays of its own and writes the result. @return an exit status */
int measure_footprint(const measure_request *q, const measure_tools *t, const tacho_region *region);

/** Latencies and throughput of the form of that name, beside the table of `arch` (NULL: this machine's, if
 * there is one). @return an exit status: CLI_PARTIAL when figures could not be measured */
int measure_insn(const char *form, tacho_measurer *m, const tacho_measure_options *o, const tacho_arch *arch,
                 cli_format format);

#endif
