/* output.h - where results go. Whether a file can be written is found out before the work, and nobody else
 * writes it in the meantime (base/lock.h). */
#ifndef TACHO_CLI_OUTPUT_H
#define TACHO_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"

/** A file for writing, with what it has, made if it is not there (`made`), and locked if it is a file: not a
 *  device or a pipe. `access`: O_WRONLY or O_RDWR. @return a descriptor; -1 with a message */
int cli_output_descriptor(const char *path, int access, bool *made);
/** Empties what is open, if it is a file. @return false with errno set */
bool cli_output_empty(int fd);

/** A file for results that takes long to make. */
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
/** Closes it where nothing was written, or what was written is not whole: gone if it was not there. */
void cli_output_drop(cli_output *o);

/** All of a file at once. @return false with a message */
bool cli_output_text(const char *path, const tacho_str *text);

#endif
