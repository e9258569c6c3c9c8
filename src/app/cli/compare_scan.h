/* compare_scan.h - the commands of a comparison: those that were written, each for all values of the
 * parameters that it mentions. */
#ifndef TACHO_CLI_COMPARE_SCAN_H
#define TACHO_CLI_COMPARE_SCAN_H

#include "base/arena.h"
#include "tacho/compare.h"

enum {
    SCAN_MAX_PARAMETERS = 8
};

/** What its values stand for: "{name}". */
typedef struct scan_parameter {
    const char *name;
    size_t name_length;
    const char *values; /**< as they were given: "1,2,4", "1..8:2"; NULL: not yet */
    bool as_words;      /**< ".." means nothing in them */
} scan_parameter;

/** What was asked for. */
typedef struct compare_scan {
    scan_parameter parameters[SCAN_MAX_PARAMETERS];
    size_t parameter_count;
    const char *names[TACHO_COMPARE_MAX_COMMANDS]; /**< of the commands as they were written */
    size_t name_count;
    tacho_compare_hooks hooks; /**< of all commands, with "{name}" in them */
    const char *input;         /**< likewise */
} compare_scan;

/** A command of the comparison, and what it is called. */
typedef struct scanned {
    const char *written;                     /**< its words, with parameters */
    const char *name;                        /**< as asked for; else the values, else its words */
    bool is_named;                           /**< the name is more than its words */
    const char *values[SCAN_MAX_PARAMETERS]; /**< of the parameters; NULL: it does not mention it */
} scanned;

typedef struct scanned_commands {
    tacho_command *commands;
    tacho_compare_hooks *hooks;
    scanned *scanned;
    size_t count;
    const char *parameters[SCAN_MAX_PARAMETERS]; /**< names */
    size_t parameter_count;
    arena memory; /**< of all of it */
} scanned_commands;

/** For options' rows: a parameter's name, then its values, or both with a '=' between them. */
bool scan_take_parameter(void *scan, const char *option, const char *value);
bool scan_take_list(void *scan, const char *option, const char *value);
bool scan_take_name(void *scan, const char *option, const char *value);

/** Makes the commands of `words`, which are divided by `separator`, or where they are NULL of `lines`, a
 * command each: at least two. What was written is changed.
 *  @return -1: go on; else the exit status, with a message */
int scan_commands(const compare_scan *scan, const cli_words *lines, char **words, const char *separator,
                  scanned_commands *out);
void scan_free(scanned_commands *s);

#endif
