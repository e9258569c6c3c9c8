/* cmd_suite.h - what the subcommands of tacho suite share: reading suites, and writing them. */
#ifndef TACHO_CLI_SUITE_H
#define TACHO_CLI_SUITE_H

#include "app/cli/cli.h"
#include "app/cli/output.h"
#include "study/suite/suite_corpus.h"
#include "study/suite/suite_rows.h"

extern const cli_command cli_suite_dedup, cli_suite_sample, cli_suite_filter, cli_suite_loops;
extern const cli_command cli_suite_cluster;

/** Reads the suites; standard input if there is none. Messages say which rows are left out. @return false
 * with a message */
bool suite_load(tacho_suite *s, const cli_words *paths);
/** One of them more. */
bool suite_load_one(tacho_suite *s, const char *path);
/** For a function that may have failed. @return false with its message */
bool suite_good(int rc, const tacho_error *err);

/** What a command with files and nothing but -o is asked for. */
typedef struct suite_files {
    cli_words files;
    const char *output;
} suite_files;
/** The row of the files, in a struct with these. */
#define SUITE_FILES_ROW                                                                                      \
    {                                                                                                        \
        CLI_WORDS, "", 0, "FILE", NULL, CLI_AT(files)                                                        \
    }

/** A file that is being written. Start with {0}, end with suite_output_close. */
typedef struct suite_output {
    tacho_str text; /**< append to this */
    results results;
    bool open, whole; /**< whole: all has been written */
} suite_output;

/** Opens `path` (NULL or "-": standard output). From then on a signal ends the writing of a file, with a
 * message; what is not whole when it is closed is removed, or emptied if it was there before. @return false
 * with a message */
bool suite_output_open(suite_output *to, const char *path);
/** Writes what has gathered if it is much. @return false with a message */
bool suite_output_flush(suite_output *to);
/** Writes what has gathered. @return false with a message */
bool suite_output_end(suite_output *to);
void suite_output_close(suite_output *to);

/** The exit status, when all has been written; says how many rows were left out. */
int suite_status(const tacho_suite *s);

/* ---- what tacho suite cluster makes of a suite and a model ---- */

/** The suites, and where the results go. */
typedef struct result_request {
    cli_words files;
    const char *batch, *output, *weight;
    int format; /* a cli_format */
    uint32_t jobs;
} result_request;

#endif
