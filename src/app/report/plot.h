/* plot.h - plots as scripts for gnuplot, which writes the picture to its standard output. */
#ifndef TACHO_REPORT_PLOT_H
#define TACHO_REPORT_PLOT_H

#include "base/str.h"

/** A text in single quotes. */
void report_plot_quoted(tacho_str *out, const char *text);

/** The head of a script for a picture of so many SVG pixels. */
void report_plot_terminal(tacho_str *out, size_t width, size_t height, bool png);

#endif
