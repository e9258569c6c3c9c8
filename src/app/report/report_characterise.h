/* report_characterise.h - what was measured of instruction forms, or predicted, as text, JSON and CSV, beside
 * a table. */
#ifndef TACHO_REPORT_CHARACTERISE_H
#define TACHO_REPORT_CHARACTERISE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/records.h"
#include "base/str.h"
#include "tacho/characterise.h"
#include "x86/arch/arch_struct.h"

typedef struct report_characterised {
    const tacho_characterisation *result;
    const tacho_measure_clock *clock; /**< NULL: the loops were not measured, but simulated for `arch` */
    const tacho_arch *arch;           /**< whose table stands beside it; NULL: none */
    bool own_arch;                    /**< it is this machine's */
} report_characterised;

/** How many figures were compared with the table's, and what could not be measured. */
typedef struct report_agreement {
    unsigned agree, within, differ, missing; /**< within: below a measured upper bound */
} report_agreement;

report_agreement report_agreement_of(const report_characterised *c);

void report_characterised_text(tacho_str *out, const report_characterised *c);
extern const char report_characterised_columns[];
JSON_BY(report_characterised_json, report_characterised, report_characterised_table)
void report_characterised_csv(tacho_str *out, const report_characterised *c);

/** A line of a list of forms, and a line for each figure that differs. */
void report_check_header(tacho_str *out, const tacho_arch *arch);
void report_check_line(tacho_str *out, const report_characterised *c);

#endif
