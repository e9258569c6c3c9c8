/* tool.h - programs of others that draw pictures: Graphviz, gnuplot. */
#ifndef TACHO_CLI_TOOL_H
#define TACHO_CLI_TOOL_H

#include <stdbool.h>

#include "base/str.h"

/** Runs argv[0] (looked for in PATH) with `input` as its standard input and the file `path` as its standard
 * output, for at most 60 seconds of processor time. @return false with a message that names `package` when
 * the program is missing; what was written is then removed. */
bool tool_run(const char *const *argv, const char *package, const tacho_str *input, const char *path);

/** For a picture that is drawn after much work: whether tool_run would find `program` and could write `path`.
 * @return false with its message */
bool tool_can_run(const char *program, const char *package, const char *path);

/** Whether the name of a picture's file ends in .svg or .png. @return false with a message about `option` */
bool tool_is_picture(const char *option, const char *path);
/** Of such a name: whether it is the latter. */
bool tool_is_png(const char *path);

#endif
