/* table.h - a whole CSV file in memory: rows of text, columns by the names in its first line. */
#ifndef TACHO_BASE_TABLE_H
#define TACHO_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "tacho/error.h"

/** Read only; start with {0}, end with tacho_table_free. */
typedef struct tacho_table {
    const char *name; /**< for messages: the path as it was given, or "standard input"; borrowed */
    char *data;
    size_t *cells; /**< where each field starts in `data`, row after row; they end with a 0 byte */
    size_t *lines; /**< of each row: the 1-based line on which it starts */
    size_t row_count, column_count;
    size_t *names; /**< where the columns' names start in `data` */
} tacho_table;

enum {
    TACHO_TABLE_NONE = -1
};

/** Reads all of `path` ("-": standard input), which gzip may have compressed. Lines at its beginning that
 *  start with '#' are comments, which are passed over. The first row names the columns, unless
 * `without_header` is given and none of its fields is this list's first name: then all rows are data and the
 * columns have these names (comma-separated). Empty lines are no rows; a row with fewer fields than columns
 * has empty ones; fields beyond the last column are dropped.
 *  @return 0; TACHO_ERR_INPUT (cannot be read; nothing in it; a byte that is 0; quotes that do not end; a
 *  record longer than TACHO_CSV_MAX_RESULT), TACHO_ERR_MEMORY, TACHO_ERR_LIMIT (over 16 GiB). */
int tacho_table_read(tacho_table *out, const char *path, const char *without_header, tacho_error *err);
void tacho_table_free(tacho_table *t);

/** The column of this name, without regard to case, or TACHO_TABLE_NONE. */
int tacho_table_column(const tacho_table *t, const char *name);
const char *tacho_table_column_name(const tacho_table *t, size_t column);

/** A field, without white space around it; "" also for the column TACHO_TABLE_NONE. */
static inline const char *tacho_table_cell(const tacho_table *t, size_t row, int column)
{
    return column < 0 ? "" : t->data + t->cells[row * t->column_count + (size_t)column];
}

/** A field as a number. @return 1; 0 when it is empty; -1 when it is no finite number */
int tacho_table_number(const tacho_table *t, size_t row, int column, double *out);

#endif
