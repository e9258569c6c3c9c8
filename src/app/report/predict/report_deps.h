/* report_deps.h - dependencies of a block as text, JSON and CSV. Uses public headers only. */
#ifndef TACHO_REPORT_DEPS_H
#define TACHO_REPORT_DEPS_H

#include "base/records.h"
#include "tacho/deps.h"
#include "tacho/tools.h"

/** Dependencies and what they are of. */
typedef struct report_deps {
    const char *input; /**< file name, "standard input", "--hex" */
    const tacho_region *region;
    size_t region_number, region_count; /**< 0-based */
    const tacho_deps_options *options;  /**< that they were found with */
    const tacho_deps *deps;
    const tacho_listing *listing; /**< how instructions are written; NULL: Intel syntax */
} report_deps;

void report_deps_text(tacho_str *out, const report_deps *r, bool colour);
extern const char report_deps_columns[];
JSON_BY(report_deps_json, report_deps, report_deps_table)
/** `followed`: of functions that were followed. */
void report_deps_csv_header(tacho_str *out, bool with_region, bool followed);
void report_deps_csv(tacho_str *out, const report_deps *r);

/* ---- what carries a dependency, in words ---- */

enum {
    DEPS_CARRIER_SIZE = 100
};

#endif
