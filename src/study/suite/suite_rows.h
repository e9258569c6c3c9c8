/* suite_rows.h - suites in memory: several files as one, and their rows as text. */
#ifndef TACHO_STUDY_SUITE_ROWS_H
#define TACHO_STUDY_SUITE_ROWS_H

#include "base/private.h"
#include "base/str.h"
#include "base/table.h"
#include "tacho/suite.h"

/** A block of a suite. */
typedef struct tacho_suite_row {
    const uint8_t *code;
    uint32_t code_size;
    uint32_t file; /**< its number among those that were read */
    size_t row;    /**< in that file's table */
} tacho_suite_row;

/** One file's table, and for each of the suite's columns its own. */
typedef struct tacho_suite_file {
    tacho_table table;
    uint8_t *code; /**< of all rows */
    int *columns;  /**< of each of the suite's columns: that of the table, or TACHO_TABLE_NONE */
    size_t capacity;
} tacho_suite_file;

/** Suites that were read: all rows with valid hexadecimal code, in their order, with the columns of all.
 * Start with {0}, end with tacho_suite_free. */
typedef struct tacho_suite tacho_suite;
struct tacho_suite {
    tacho_suite_file *files;
    size_t file_count, file_capacity;
    const char **names; /**< of the columns; the first is "hex", and applications are called "app" */
    size_t column_count, column_capacity;
    tacho_suite_row *rows;
    size_t row_count, row_capacity;
    bool keep_bad; /**< set it before reading: rows without hexadecimal code stay, with a code of no bytes */
    /** Set it before reading: told of each row that is left out because its code is not hexadecimal; NULL. */
    void (*bad_row)(const tacho_suite *s, const char *message);
    size_t bad_rows;         /**< of these, this one included */
    int app, address, count; /**< columns, or TACHO_TABLE_NONE */
};

/** Adds the rows of `path` ("-": standard input), which is borrowed.
 *  @return 0, TACHO_ERR_INPUT, TACHO_ERR_MEMORY, TACHO_ERR_LIMIT */
TACHO_PRIVATE int tacho_suite_read(tacho_suite *s, const char *path, tacho_error *err);
TACHO_PRIVATE void tacho_suite_free(tacho_suite *s);

/** A row's field in one of the suite's columns, "" where its file has no such column. */
TACHO_PRIVATE const char *tacho_suite_cell(const tacho_suite *s, const tacho_suite_row *row, int column);
/** Whether the row's field there is `value`, or a list that has it. */
TACHO_PRIVATE bool tacho_suite_has_value(const tacho_suite *s, const tacho_suite_row *row, int column,
                                         const char *value);
/** How often the row's block was executed. @return 1; 0 where that is not known; TACHO_ERR_INPUT */
TACHO_PRIVATE int tacho_suite_read_count(const tacho_suite *s, const tacho_suite_row *row,
                                         unsigned long long *out, tacho_error *err);
/** For messages: "FILE: line N". */
TACHO_PRIVATE const char *tacho_suite_place(const tacho_suite *s, const tacho_suite_row *row, char *out,
                                            size_t size);
/** The column of this name ("apps" is "app"), without regard to case, or TACHO_TABLE_NONE. */
TACHO_PRIVATE int tacho_suite_column(const tacho_suite *s, const char *name);

/** Appends the names of the columns after the first one, or a row's fields there, each after a comma. */
TACHO_PRIVATE void tacho_suite_put_other_names(tacho_str *out, const tacho_suite *s);
TACHO_PRIVATE void tacho_suite_put_other_fields(tacho_str *out, const tacho_suite *s,
                                                const tacho_suite_row *row);
/** Appends the line with the names of the columns, or a row. */
TACHO_PRIVATE void tacho_suite_put_names(tacho_str *out, const tacho_suite *s);
TACHO_PRIVATE void tacho_suite_put_row(tacho_str *out, const tacho_suite *s, const tacho_suite_row *row);
/** Appends a row's code, or what stands in its place if that is none. */
TACHO_PRIVATE void tacho_suite_put_code(tacho_str *out, const tacho_suite *s, const tacho_suite_row *row);
/** Appends a list of applications, separated by ";", each once. */
TACHO_PRIVATE void tacho_suite_put_apps(tacho_str *out, const char *apps);
/** Appends one of a row's fields, but the first. */
TACHO_PRIVATE void tacho_suite_put_field(tacho_str *out, const tacho_suite *s, const tacho_suite_row *row,
                                         int column);

#endif
