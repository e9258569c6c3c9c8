/* report_data.h - what a loop takes with its data behind the first level: predicted, and measured over real
 * arrays. */
#ifndef TACHO_REPORT_DATA_H
#define TACHO_REPORT_DATA_H

#include "base/records.h"
#include "base/str.h"
#include "tacho/loop_data.h"

/** A prediction for a level. */
typedef struct report_data {
    const tacho_data_prediction *prediction;
    const char *machine; /**< the name of its processor */
} report_data;
/** A line for each level. */
void report_data_text(tacho_str *out, const report_data *d, bool colour);
JSON_BY(report_data_json, report_data, report_data_table)

/** A loop measured over so many bytes. */
typedef struct report_footprint_point {
    uint64_t bytes, iterations;
    tacho_measurement result; /**< status REJECTED: it cannot be measured so, `message` says why */
    const char *level;        /**< that the prediction is for; NULL: none was asked for */
    double predicted;
} report_footprint_point;

typedef struct report_footprint {
    const char *input, *region;
    bool huge_pages;
    tacho_streams streams;
    report_footprint_point *points;
    size_t count;
} report_footprint;
void report_footprint_text(tacho_str *out, const report_footprint *f, bool colour);
JSON_BY(report_footprint_json, report_footprint, report_footprint_table)
/** The rows, behind a line with the columns' names where `head`. */
void report_footprint_csv(tacho_str *out, const report_footprint *f, bool head);
/** Cycles over footprint; a script for gnuplot. */
void report_footprint_plot(tacho_str *out, const report_footprint *f, bool png);

#endif
