/* plot.h - plots as scripts for gnuplot, which writes the picture to its standard output. */
#ifndef TACHO_REPORT_PLOT_H
#define TACHO_REPORT_PLOT_H

#include "app/report/alignment.h"
#include "app/report/report_trace.h"

/** A text in single quotes. */
void report_plot_quoted(tacho_str *out, const char *text);

/** The head of a script for a picture of so many SVG pixels. */
void report_plot_terminal(tacho_str *out, size_t width, size_t height, bool png);

/** How full the queues are in each cycle. `png`: else SVG. */
void report_plot_occupancy(tacho_str *out, const report_subject *s, const report_trace *t, bool png);
/** Cycles per iteration for each start offset. */
void report_plot_alignment(tacho_str *out, const report_subject *s, const report_alignments *a, bool png);

#endif
