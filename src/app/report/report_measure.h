/* report_measure.h - measurements as text, JSON and CSV. */
#ifndef TACHO_REPORT_MEASURE_H
#define TACHO_REPORT_MEASURE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/records.h"
#include "base/str.h"
#include "tacho/measure.h"

/** A measurement, what it is of, and a prediction beside it. */
typedef struct report_measured {
    const char *input;
    const char *region; /**< its name; NULL: none */
    const uint8_t *code;
    size_t code_size;
    const tacho_measurement *result;
    const tacho_measure_clock *clock;
    const char *arch;             /**< of the prediction; NULL: none was asked for */
    double predicted;             /**< cycles; NaN: it failed */
    bool predicted_at_least;      /**< a lower bound: instructions have no figures */
    const char *prediction_error; /**< why; NULL */
} report_measured;

/** Whether there is a number. */
bool report_has_cycles(const tacho_measurement *m);

enum {
    REPORT_MEASURE_STATUSES = TACHO_MEASURED_REJECTED + 1
};
/** Of a batch, whose rows are counted by tacho_measure_status: "2 crashed, 1 rejected", all that have no
 * number. @return how many these are */
uint64_t report_measure_failed(tacho_str *out, const uint64_t by_status[REPORT_MEASURE_STATUSES]);

/** Of one that has a number. */
void report_measure_text(tacho_str *out, const report_measured *m, bool colour);
extern const char report_measure_columns[];
JSON_BY(report_measure_json, report_measured, report_measured_table)
void report_measure_csv_header(tacho_str *out, bool predicted);
/** `hex` is the block as it was given. */
void report_measure_csv_row(tacho_str *out, const char *hex, size_t hex_length, const report_measured *m);

#endif
