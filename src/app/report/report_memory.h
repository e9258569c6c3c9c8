/* report_memory.h - what a machine's memory takes, as text, JSON and a picture. */
#ifndef TACHO_REPORT_MEMORY_H
#define TACHO_REPORT_MEMORY_H

#include "base/records.h"
#include "base/str.h"
#include "tacho/memory.h"

/** "32 KiB", "1.5 MiB": at most one decimal. @return out */
const char *report_size(char out[24], uint64_t bytes);
void report_memory_text(tacho_str *out, const tacho_memory *m, bool colour);
JSON_BY(report_memory_json, tacho_memory, report_memory_table)
/** Cycles of a load over the footprint, and where the levels end; a script for gnuplot. */
void report_memory_plot(tacho_str *out, const tacho_memory *m, bool png);
/** Commands for a logarithmic axis of bytes, with KiB and MiB at its marks. */
void report_size_axis(tacho_str *out, uint64_t low, uint64_t high);

#endif
