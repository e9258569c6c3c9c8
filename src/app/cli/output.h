/* output.h - where results go. Whether a file can be written is found out before the work, and nobody else
 * writes it in the meantime (base/lock.h). */
#ifndef TACHO_CLI_OUTPUT_H
#define TACHO_CLI_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"

/** Opens a file for writing, and makes it if there is none (*made). Its content stays. It is locked, unless
 * it is a device or a pipe. `access`: O_WRONLY or O_RDWR. @return a descriptor; -1 with a message */
int cli_output_descriptor(const char *path, int access, bool *made);
/** Empties what is open, if it is a file. @return false with errno set */
bool cli_output_empty(int fd);

/** A file for results that takes long to make. */
typedef struct cli_output {
    const char *path; /* borrowed; NULL: standard output */
    FILE *file;
    bool made; /* it was not there before */
} cli_output;

/** Opens `path` ("-" or NULL: standard output), which keeps what it has. @return false with a message */
bool cli_output_open(cli_output *o, const char *path);
/** Empties it, before the first write. @return false with a message */
bool cli_output_begin(cli_output *o);
/** Writes it to a file, which stays open for what replaces it; to nothing but a file. @return false with a
 *  message */
bool cli_output_meanwhile(cli_output *o, const char *text);
/** Closes it after the last one; a write to a file that failed has a message. @return false if there was one
 */
bool cli_output_end(cli_output *o);
/** Closes it where nothing was written, or what was written is not whole: gone if it was not there. */
void cli_output_drop(cli_output *o);

/** Writes all of the text, frees it, and closes what is a file. @return false with a message */
bool cli_output_write(cli_output *o, tacho_str *text);
/** The same with a file that is opened for it. */
bool cli_output_text(const char *path, tacho_str *text);
/** The same with standard output: of writing to it, main says what went wrong. */
bool cli_put_text(tacho_str *text);
/** The same of JSON, whose reference it takes; NULL: memory had run out. */
bool cli_put_json(json_t *json);
/** The same of results: one is an object, several are a list. The reference stays the caller's. */
bool cli_put_results(json_t *list);

#endif
