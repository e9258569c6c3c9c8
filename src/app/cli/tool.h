/* tool.h - programs of others that draw pictures: Graphviz, gnuplot. */
#ifndef TACHO_CLI_TOOL_H
#define TACHO_CLI_TOOL_H

#include <stdbool.h>

#include "base/str.h"

/** Has gnuplot draw a picture, in at most 60 seconds of processor time; frees the script. @return false with
 * a message, which names the package where the program is missing; what was written is then removed */
bool tool_plot(tacho_str *script, const char *path);
/** The same with Graphviz of a graph; a file's name that ends in .dot gets the text itself. */
bool tool_graph(tacho_str *script, const char *path);

/** For a picture that is drawn after much work: whether `program` is found and `path` can be written.
 * @return false with its message */
bool tool_can_run(const char *program, const char *package, const char *path);

/** Whether a picture is to be PNG, and not SVG. */
bool tool_is_png(const char *path);
/** Whether a file's name has this ending, in any case. */
bool tool_ends_in(const char *path, const char *ending);

#endif
