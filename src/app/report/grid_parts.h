/* grid_parts.h - what the writers of tables share (grid.c, code_table.c). */
#ifndef TACHO_REPORT_GRID_PARTS_H
#define TACHO_REPORT_GRID_PARTS_H

#include "app/report/layout.h"

enum {
    GRID_GAP = 2 /* blanks before a column of words */
};

size_t grid_rows(const report_grid *g);
const char *grid_cell_at(const report_grid *g, size_t row, size_t column);
/* Whether it is the first column, or one of words. */
bool grid_is_left(const report_grid *g, size_t column);
void grid_free(report_grid *g);

void grid_pad(tacho_str *out, size_t columns);
void grid_put_cell(tacho_str *out, const char *text, size_t width, bool left);
/* The last cell of a line, which goes on below column `at` where `width` columns have no room for it. */
void grid_put_words(tacho_str *out, tacho_str *line, const char *text, size_t width, size_t at);
/* Writes a line without blanks at its end, and empties it. */
void grid_end_line(tacho_str *out, tacho_str *line);

#endif
