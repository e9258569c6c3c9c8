/* report_benchmarks.h - two results of benchmarks compared: as text, JSON, CSV, and Markdown. Uses public
 * headers only. */
#ifndef TACHO_REPORT_BENCHMARKS_H
#define TACHO_REPORT_BENCHMARKS_H

#include "app/report/fields.h"
#include "app/report/sentences.h"
#include "app/report/grid.h"
#include "tacho/benchmarks.h"

/** A judgement and what it is of. */
typedef struct report_benchmarks {
    const tacho_benchmarks_result *result;
    const tacho_benchmarks *sides[2]; /**< old, new */
    const char *paths[2];
    const tacho_judge_options *judge;
} report_benchmarks;

/* benchmarks_words.c */
/** The answer in a sentence. */
void report_benchmarks_answer(tacho_str *out, const report_benchmarks *b);
/** The geometric mean, and what it says. */
void report_benchmarks_suite(tacho_str *out, const report_benchmarks *b);
/** What was compared, of the side. */
void report_benchmarks_side(tacho_str *out, const report_benchmarks *b, int side);
/** What should be known about it. */
void report_benchmarks_notes(report_sentences *out, const report_benchmarks *b);
/** A table of changes [from, to); `g` is not started yet. */
void report_benchmarks_table(report_grid *g, const report_benchmarks *b, size_t from, size_t to);

/* report_benchmarks.c */
void report_benchmarks_text(tacho_str *out, const report_benchmarks *b, bool colour);
/** For a comment on a pull request: what has changed; the others are folded away. */
void report_benchmarks_markdown(tacho_str *out, const report_benchmarks *b);

/* benchmarks_json.c */
extern const char report_benchmarks_columns[];
JSON_BY(report_benchmarks_json, report_benchmarks, report_benchmarks_json_table)
void report_benchmarks_csv(tacho_str *out, const report_benchmarks *b);

#endif
