/* report_kernels.h - studies of kernels as text, JSON and CSV. Uses public headers only.
 */
#ifndef TACHO_REPORT_KERNELS_H
#define TACHO_REPORT_KERNELS_H

#include <jansson.h>
#include <stdbool.h>

#include "app/report/grid.h"
#include "base/records.h"
#include "base/str.h"
#include "tacho/kernels.h"

/** A study and what is to be said of it. */
typedef struct report_kernels {
    const tacho_kernels_result *result;
    const tacho_arch *native;      /**< the microarchitecture of this machine, if tacho knows it; else NULL */
    double max_miss, memory_bound; /**< limits that it was made with */
} report_kernels;

/** Whether what was measured is the core that was predicted. */
bool report_kernels_same_core(const report_kernels *k);
/** How many have a status that says that something went wrong with them. */
size_t report_kernels_failed(const tacho_kernels_result *r);

void report_kernels_text(tacho_str *out, const report_kernels *k, bool colour);
/** The tables alone. */
extern const report_table report_variant_table;
extern const char report_kernels_columns[];
JSON_BY(report_kernels_json, report_kernels, report_kernels_fields)
/** A row a variant. */
void report_kernels_csv(tacho_str *out, const report_kernels *k);

#endif
