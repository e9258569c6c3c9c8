/* report_arch.h - microarchitectures as JSON. */
#ifndef TACHO_REPORT_ARCH_H
#define TACHO_REPORT_ARCH_H

#include "app/report/report.h"

extern const report_table arch_table;
/** All that is known of one. @return a new reference, as report_record_json */
json_t *report_arch_json(const tacho_arch *arch);
/** A list: how each is called. */
json_t *report_archs_json(void);

#endif
