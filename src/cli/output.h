/* output.h - where results go; whether the file of some that take long to make can be written is found out
 * before. */
#ifndef TACHO_CLI_OUTPUT_H
#define TACHO_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "util/str.h"

typedef struct cli_output {
    const char *path; /* borrowed; NULL: standard output */
    FILE *file;
    bool made; /* it was not there before */
} cli_output;

/** Writes the text to standard output and frees it. @return false with a message where memory had run out */
bool cli_put_text(tacho_str *text);

/** Opens `path` ("-" or NULL: standard output), which keeps what it has. @return false with a message */
bool cli_output_open(cli_output *o, const char *path);
/** Empties it, before the first write. @return false with a message */
bool cli_output_begin(cli_output *o);
/** Closes it after the last one; a write to a file that failed has a message. @return false if there was one
 */
bool cli_output_end(cli_output *o);
/** Closes it where nothing was written: as it was, and gone if it was not there. */
void cli_output_drop(cli_output *o);

#endif
