/* grid.h - a table of texts that is filled once and written for terminals. */
#ifndef TACHO_REPORT_GRID_H
#define TACHO_REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "tacho/error.h"

/** Row after row; the first one has the columns' names. Start with report_grid_start. */
typedef struct report_grid {
    size_t columns;
    size_t words;   /**< so many of the last columns are words, written to the left as the first column is */
    tacho_str text; /**< the cells, each with a 0 byte at its end */
    size_t *starts;
    size_t count, capacity; /**< cells */
    bool failed;            /**< memory ran out */
} report_grid;

void report_grid_start(report_grid *g, size_t columns, size_t words);
/** The next cell. Line ends, tabs and other control characters become blanks. */
void report_grid_cell(report_grid *g, const char *text);
void report_grid_cellf(report_grid *g, const char *format, ...) TACHO_PRINTF(2, 3);
size_t report_grid_rows(const report_grid *g);
bool report_grid_is_left(const report_grid *g, size_t column);
const char *report_grid_at(const report_grid *g, size_t row, size_t column);
void report_grid_free(report_grid *g);

/** In columns, in lines of at most report_line_columns(): a last column of words goes on in further lines; a
 *  table that is wider all the same is written in parts, one below the other, each with the first column; of
 * names in the first column that are long the figures come on the next line. */
void report_grid_text(tacho_str *out, const report_grid *g, bool colour);

/** Writes a line of a table without blanks at its end, and empties it. */
void report_end_line(tacho_str *out, tacho_str *line);
/** The last cell of a line, which goes on below column `at` where `width` columns have no room for it; a
 * longer word ends where they do. */
void report_put_words(tacho_str *out, tacho_str *line, const char *text, size_t width, size_t at);

/** Any text for a terminal: control characters become blanks. */
void report_put_plain(tacho_str *out, const char *text);
/** The same in place. @return text */
char *report_plain(char *text);

#endif
