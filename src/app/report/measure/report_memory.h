/* report_memory.h - what a machine's memory takes, as text, JSON and a picture. */
#ifndef TACHO_REPORT_MEMORY_H
#define TACHO_REPORT_MEMORY_H

#include "base/records.h"
#include "base/str.h"
#include "tacho/memory.h"

void report_memory_text(tacho_str *out, const tacho_memory *m, bool colour);
JSON_BY(report_memory_json, tacho_memory, report_memory_table)
/** Cycles of a load over the footprint, and where the levels end; a script for gnuplot. */
void report_memory_plot(tacho_str *out, const tacho_memory *m, bool png);
/** A script's head for curves over the footprint, up to its data's lines. */
void report_size_plot_data(tacho_str *out, bool png);
/** The data's end, then title and axes: that of bytes logarithmic, the other one as `upright` commands. */
void report_size_plot_axes(tacho_str *out, const char *title, const char *upright, uint64_t low,
                           uint64_t high);

#endif
