/* report_bias.h - reports of bias sweeps. */
#ifndef TACHO_REPORT_BIAS_H
#define TACHO_REPORT_BIAS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/records.h"
#include "base/str.h"
#include "tacho/bias.h"

/** A sweep and what it is of. */
typedef struct report_bias {
    const tacho_bias *bias;
    char *const *argv; /**< of the command; ends in NULL */
    double confidence;
} report_bias;

void report_bias_text(tacho_str *out, const report_bias *r, bool colour);
extern const report_table report_factor_table;
extern const char report_bias_columns[];
extern const char report_points_columns[];
JSON_BY(report_bias_json, report_bias, report_bias_table)
/** A row for each factor. */
void report_bias_csv(tacho_str *out, const report_bias *r);
/** A row for each point. */
void report_bias_points(tacho_str *out, const report_bias *r);
/** A script for gnuplot: the curves, one below the other. `png`: else SVG. @return false: no factor has any
 */
bool report_bias_plot(tacho_str *out, const report_bias *r, bool png);

#endif
