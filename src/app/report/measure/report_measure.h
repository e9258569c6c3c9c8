/* report_measure.h - what was measured on this machine: blocks, instruction forms, the machine and its
 * memory. */
#ifndef TACHO_REPORT_MEASURE_H
#define TACHO_REPORT_MEASURE_H

#include "base/records.h"
#include "tacho/characterise.h"
#include "tacho/doctor.h"
#include "tacho/loop_data.h"
#include "tacho/measure.h"
#include "tacho/memory.h"
#include "x86/arch/arch_struct.h"

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

/* ---- what was measured of instruction forms, or predicted, as text, JSON and CSV, beside a table ---- */

typedef struct report_characterised {
    const tacho_characterisation *result;
    const tacho_measure_clock *clock; /**< NULL: the loops were not measured, but simulated for `arch` */
    const tacho_arch *arch;           /**< whose table stands beside it; NULL: none */
    bool own_arch;                    /**< it is this machine's */
} report_characterised;

void report_characterised_text(tacho_str *out, const report_characterised *c);
extern const char report_characterised_columns[];
JSON_BY(report_characterised_json, report_characterised, report_characterised_table)
void report_characterised_csv(tacho_str *out, const report_characterised *c);

/** A line of a list of forms, and a line for each figure that differs. */
void report_check_header(tacho_str *out, const tacho_arch *arch);
void report_check_line(tacho_str *out, const report_characterised *c);

/* ---- the doctor's findings as text and JSON ---- */

void report_doctor_text(tacho_str *out, const tacho_doctor_report *r, bool colour);
JSON_BY(report_doctor_json, tacho_doctor_report, report_doctor_table)

/* ---- what a machine's memory takes, as text, JSON and a picture ---- */

void report_memory_text(tacho_str *out, const tacho_memory *m, bool colour);
JSON_BY(report_memory_json, tacho_memory, report_memory_table)
/** Cycles of a load over the footprint, and where the levels end; a script for gnuplot. */
void report_memory_plot(tacho_str *out, const tacho_memory *m, bool png);
/** A script's head for curves over the footprint, up to its data's lines. */
void report_size_plot_data(tacho_str *out, bool png);
/** The data's end, then title and axes: that of bytes logarithmic, the other one as `upright` commands. */
void report_size_plot_axes(tacho_str *out, const char *title, const char *upright, uint64_t low,
                           uint64_t high);

/* ---- what a loop takes with its data behind the first level: predicted, and measured over real arrays ----
 */

/** A prediction for a level. */
typedef struct report_data {
    const tacho_data_prediction *prediction;
    const char *machine; /**< the name of its processor */
} report_data;
enum {
    REPORT_MEMORY_WARNING_SIZE = 120
};
/** Where the memory is that of a machine with another core than `arch`: a sentence that says so; "". @return
 *  out */
const char *report_memory_warning(char out[REPORT_MEMORY_WARNING_SIZE], const tacho_memory *m,
                                  const tacho_arch *arch);
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
