/* report_doctor.h - the doctor's findings as text and JSON. */
#ifndef TACHO_REPORT_DOCTOR_H
#define TACHO_REPORT_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>

#include "base/records.h"
#include "base/str.h"
#include "tacho/doctor.h"

void report_doctor_text(tacho_str *out, const tacho_doctor_report *r, bool colour);
JSON_BY(report_doctor_json, tacho_doctor_report, report_doctor_table)

#endif
