/* cmd_suite.h - what the subcommands of tacho suite share: suites in memory, several as one, and writing
 * them. */
#ifndef TACHO_CLI_SUITE_H
#define TACHO_CLI_SUITE_H

#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/output.h"
#include "base/str.h"
#include "base/table.h"

extern const cli_command cli_suite_dedup, cli_suite_sample, cli_suite_split, cli_suite_filter,
    cli_suite_loops;
extern const cli_command cli_suite_join, cli_suite_cluster, cli_suite_classify, cli_suite_perplexity;

/** A block of a suite. */
typedef struct suite_row {
    const uint8_t *code;
    uint32_t code_size;
    uint32_t file; /**< its number among those that were read */
    size_t row;    /**< in that file's table */
} suite_row;

/** One file's table, and for each of the suite's columns its own. */
typedef struct suite_file {
    tacho_table table;
    uint8_t *code; /**< of all rows */
    int *columns;  /**< of each of the suite's columns: that of the table, or TACHO_TABLE_NONE */
    size_t capacity;
} suite_file;

/** Suites that were read: all rows with valid hexadecimal code, in their order, with the columns of all.
 * Start with {0}, end with suite_free. */
typedef struct suite {
    suite_file *files;
    size_t file_count, file_capacity;
    const char **names; /**< of the columns; the first is "hex", and applications are called "app" */
    size_t column_count, column_capacity;
    suite_row *rows;
    size_t row_count, row_capacity;
    bool keep_bad; /**< set it before reading: rows without hexadecimal code stay, with a code of no bytes */
    size_t bad_rows; /**< left out because their code is not hexadecimal; messages have been written */
    int app, address, count; /**< columns, or TACHO_TABLE_NONE */
} suite;

/** Adds the rows of `path` ("-": standard input). @return false with a message */
bool suite_read(suite *s, const char *path);
/** Reads all of them; standard input if there is none. @return false with a message */
bool suite_read_all(suite *s, const cli_words *paths);
void suite_free(suite *s);

/** A row's field in one of the suite's columns, "" where its file has no such column. */
const char *suite_cell(const suite *s, const suite_row *row, int column);
/** How often the row's block was executed. @return 1; 0 where that is not known; -1 with a message */
int suite_read_count(const suite *s, const suite_row *row, unsigned long long *out);
/** For messages: "FILE: line N". */
const char *suite_place(const suite *s, const suite_row *row, char *out, size_t size);
/** The column of this name ("apps" is "app"), without regard to case, or TACHO_TABLE_NONE. */
int suite_column(const suite *s, const char *name);

/** Appends the names of the columns after the first one, or a row's fields there, each after a comma. */
void suite_put_other_names(tacho_str *out, const suite *s);
void suite_put_other_fields(tacho_str *out, const suite *s, const suite_row *row);
/** Appends the line with the names of the columns, or a row. */
void suite_put_names(tacho_str *out, const suite *s);
void suite_put_row(tacho_str *out, const suite *s, const suite_row *row);
/** Appends a row's code, in lower case without spaces. */
void suite_put_hex(tacho_str *out, const suite_row *row);
/** Appends a row's code, or what stands in its place if that is none. */
void suite_put_code(tacho_str *out, const suite *s, const suite_row *row);
/** Appends a list of applications, separated by ";". */
void suite_put_apps(tacho_str *out, const char *apps);

/** What a command with files and nothing but -o is asked for. */
typedef struct suite_files {
    cli_words files;
    const char *output;
} suite_files;
/** The row of -o FILE, in a struct with an `output`. */
#define SUITE_OUTPUT_ROW(help)                                                                               \
    {                                                                                                        \
        CLI_STRING, "output", 'o', "FILE", help, CLI_AT(output)                                              \
    }
#define SUITE_FILES_ROW                                                                                      \
    {                                                                                                        \
        CLI_WORDS, "", 0, "FILE", NULL, CLI_AT(files)                                                        \
    }

/** A file that is being written. Start with {0}, end with suite_output_close. */
typedef struct suite_output {
    tacho_str text; /**< append to this */
    cli_output output;
    FILE *file;       /**< of `output`; NULL: it is not open */
    const char *name; /**< for messages */
    bool whole;       /**< all has been written */
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
int suite_status(const suite *s);

#endif
