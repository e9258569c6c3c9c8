/* code_table.h - a table with a line for each instruction: the code first, then figures. It is filled once
 * and written within the columns of a line: columns without anything are left out, then those that can be
 * spared; an instruction that is too long has a line of its own. */
#ifndef TACHO_REPORT_CODE_TABLE_H
#define TACHO_REPORT_CODE_TABLE_H

#include "app/report/grid.h"
#include "tacho/arch.h"

enum {
    CODE_TABLE_FIGURES = 32 /* columns at most; a uint32_t has a bit for each */
};

typedef struct code_line {
    const char *style; /**< as report_paint; "" */
    bool is_row, at_start;
    size_t at; /**< a row: its number in `cells`; else its text in `lines` */
} code_line;

/** Start with code_table_start. */
typedef struct code_table {
    report_grid cells; /**< first what stands before the code, then the code; row 0: titles */
    tacho_str lines;   /**< each with a 0 byte at its end */
    code_line *list;
    size_t count, capacity;
    unsigned spare[CODE_TABLE_FIGURES]; /**< columns are spared before those with less; 0: never */
    size_t titles;
} code_table;

/** `before`, `code`: titles of the first two columns. `columns`: of figures, whose titles come next; the last
 *  `words` of them are written to the left. */
void code_table_start(code_table *t, const char *before, const char *code, size_t columns, size_t words);
/** The next column's; `spare` as above. */
void code_table_title(code_table *t, const char *title, unsigned spare);
/** A line across the columns, which begins where the code does, or `at_start`. */
void code_table_line(code_table *t, const char *style, const char *text, bool at_start);
/** The next instruction, whose cells come next. */
void code_table_row(code_table *t, const char *style, const char *before, const char *code);
void code_table_cell(code_table *t, const char *text);
/** "1", "0.5", "12.33": short, and a whole number looks like one; nothing where it is not finite, or is
 *  (nearly) 0 and `zero` is false. */
void code_table_number(code_table *t, double value, bool zero);
/** Writes and frees it. @return the columns that were written, bit i: figures' column i */
uint32_t code_table_put(tacho_str *out, code_table *t, bool colour);

#endif
