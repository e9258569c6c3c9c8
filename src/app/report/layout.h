/* layout.h - how reports are written: painted text in lines, tables, sentences, plots, pages. */
#ifndef TACHO_REPORT_LAYOUT_H
#define TACHO_REPORT_LAYOUT_H

#include <jansson.h>

#include "base/str.h"
#include "tacho/arch.h"
#include "tacho/error.h"

/* ---- text ---- */

/** Cycles, latencies, µops and whatever else is counted per iteration, for people: at most TACHO_DECIMALS
 *  decimals, no zeros at the end; "-" where there is no number. Text, pages and pictures have them all so. */
const char *report_number(char out[TACHO_NUMBER_SIZE], double value);

/** Columns of a line of text: the terminal's, else 100. */
size_t report_line_columns(void);
void report_set_line_columns(size_t columns);
#define REPORT_BOLD   "\033[1m"
#define REPORT_DIM    "\033[2m"
#define REPORT_YELLOW "\033[33m"
#define REPORT_RED    "\033[31m"
#define REPORT_GREEN  "\033[32m"
#define REPORT_PLAIN  "\033[0m"
/** In this style where there is `colour`; as report_put_plain. */
void report_paint(tacho_str *out, bool colour, const char *style, const char *text);
/** The same of what printf makes. */
void report_paintf(tacho_str *out, bool colour, const char *style, const char *format, ...)
    TACHO_PRINTF(4, 5);
enum {
    REPORT_VALUE_AT = 13 /**< where a line goes on behind its label */
};
/** What begins a line of a report. */
void report_label(tacho_str *out, bool colour, const char *text);
/** A label and a sentence behind it, as report_wrapped. */
void report_line(tacho_str *out, bool colour, const char *label, const char *format, ...) TACHO_PRINTF(4, 5);
/** The same with a text that was made for it, which is freed. */
void report_line_text(tacho_str *out, bool colour, const char *label, tacho_str *text);
/** The words of a command, with blanks between them. */
void report_command(tacho_str *out, char *const *argv);
/** A sentence in lines of at most 100 columns, with a newline; it begins at column `at`, where the cursor
 * must be, and so do the other lines. As report_put_plain. */
void report_wrapped(tacho_str *out, const char *text, size_t at);
/** The same where the cursor is at `column` already. */
void report_wrapped_from(tacho_str *out, const char *text, size_t at, size_t column);
/** The same with a text that was made for it, which is freed. */
void report_wrapped_text(tacho_str *out, tacho_str *text, size_t at);
/** A line in bold, of a text that was made for it, which is freed. */
void report_bold_text(tacho_str *out, bool colour, tacho_str *text);
/** Cuts text that is longer than `columns`, with dots at its end. */
void report_cut(tacho_str *text, size_t columns);
/** Whole lines of text within 100 columns: warnings go on in the next line, others are cut; `text` is freed.
 */
void report_narrow(tacho_str *out, tacho_str *text);

/* ---- a table of texts that is filled once and written for terminals ---- */

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
/** The next ones. */
void report_grid_cells(report_grid *g, const char *const *texts, size_t count);
void report_grid_cellf(report_grid *g, const char *format, ...) TACHO_PRINTF(2, 3);

/** Writes and frees it. In columns, in lines of at most report_line_columns(): a last column of words goes on
 * in further lines; a table that is wider all the same is written in parts, one below the other, each with
 * the first column; of names in the first column that are long the figures come on the next line. */
void report_grid_put(tacho_str *out, report_grid *g, bool colour);

/** Any text for a terminal: control characters become blanks. */
void report_put_plain(tacho_str *out, const char *text);
/** The same in place. @return text */
char *report_plain(char *text);

/* ---- a table with a line for each instruction: the code first, then figures. It is filled once and
 * written within the columns of a line: columns without anything are left out, then those that can be
 * spared; an instruction that is too long has a line of its own ---- */

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
#define code_table_cellf(t, ...) report_grid_cellf(&(t)->cells, __VA_ARGS__)
/** "1", "0.5", "12.33": short, and a whole number looks like one; nothing where it is not finite, or is
 *  (nearly) 0 and `zero` is false. */
void code_table_number(code_table *t, double value, bool zero);
/** Writes and frees it. @return the columns that were written, bit i: figures' column i */
uint32_t code_table_put(tacho_str *out, code_table *t, bool colour);

/* ---- what should be known about a result, a sentence each: collected once, then written in any form ---- */

typedef struct report_sentences {
    tacho_str text; /* one note after the other; each that is complete ends in a NUL */
    size_t begin;   /* of the one that is being written */
} report_sentences;

/** What was written to `text` since the last one is a note; nothing is none. */
void report_sentences_end(report_sentences *n);
void report_sentences_free(report_sentences *n);

/** An empty line, and each with its label; nothing where there are none. */
void report_sentences_text(tacho_str *out, const report_sentences *n, bool colour);
/** Frees them. @return a new reference to an array */
json_t *report_sentences_json(report_sentences *n);
/* A getter (base/records.h) of the sentences that write(report_sentences *, const RECORD *) collects of a
 * record.
 */
#define NOTES_BY(function, write)                                                                            \
    REPORT_MAKER(report_value, function, report_sentences notes = {0}; write(&notes, r);                     \
                 return report_list(report_sentences_json(&notes));)

/* ---- plots as scripts for gnuplot, which writes the picture to its standard output ---- */

/** A text in single quotes. */
void report_plot_quoted(tacho_str *out, const char *text);

/** The head of a script for a picture of so many SVG pixels. */
void report_plot_terminal(tacho_str *out, size_t width, size_t height, bool png);

/* ---- JSON, and pages for browsers: one file that needs nothing else ---- */

enum {
    REPORT_JSON_DIGITS = 12 /**< of real numbers, but where an evaluation is saved */
};
/** Writes JSON over lines, with real numbers of so many digits; takes the reference. NULL, and no memory for
 * the text, are out->failed. */
void report_put_json(tacho_str *out, json_t *json, size_t digits);

/** What a page is made of: in `html`, comments are the places of style, script, words and data. */
typedef struct report_page_files {
    const char *html, *style, *script;
} report_page_files;
/** The pages, by their data. One of a prediction: {"trace": tacho-trace-1, "report": or null}; of several:
 * {"cores": list of such, of which the traces may be null where there is an error, but not all}; of hot
 * places: {"hot": the report, "traces": one or null for each place, "roofline": SVG}; of two versions:
 * {"diff": the report}; of an evaluation: its report with what pictures show. */
extern const report_page_files report_page_page, report_cores_page, report_hot_page, report_hot_diff_page,
    report_eval_page;
/** Appends a page. Takes the reference; NULL: memory ran out. */
void report_page_put(tacho_str *out, const report_page_files *page, json_t *data);

#endif
