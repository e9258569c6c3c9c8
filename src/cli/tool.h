/* tool.h - programs of others that draw pictures: Graphviz, gnuplot. */
#ifndef TACHO_CLI_TOOL_H
#define TACHO_CLI_TOOL_H

#include <stdbool.h>

#include "util/str.h"

/** Runs argv[0] (looked for in PATH) with `input` as its standard input and the file `path` as its standard
 * output, for at most 60 seconds of processor time. @return false with a message that names `package` when
 * the program is missing; what was written is then removed. */
bool tool_run(const char *const *argv, const char *package, const tacho_str *input, const char *path);

#endif
