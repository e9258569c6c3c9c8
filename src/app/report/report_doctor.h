/* report_doctor.h - the doctor's findings as text and JSON. */
#ifndef TACHO_REPORT_DOCTOR_H
#define TACHO_REPORT_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>

#include "app/report/fields.h"
#include "base/str.h"
#include "tacho/doctor.h"

void report_doctor_text(tacho_str *out, const tacho_doctor_report *r, bool colour);
extern const report_table report_doctor_table;
/** @return a new reference, as report_record_json */
json_t *report_doctor_json(const tacho_doctor_report *r);

#endif
