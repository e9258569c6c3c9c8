/* report_many.h - comparisons of many commands as text, Markdown, JSON, CSV and a picture. Uses public
 * headers only. */
#ifndef TACHO_REPORT_MANY_H
#define TACHO_REPORT_MANY_H

#include <jansson.h>
#include <stdbool.h>

#include "app/report/fields.h"
#include "app/report/sentences.h"
#include "base/str.h"
#include "tacho/compare_many.h"

typedef struct report_many_command {
    const char *name;
    const char *written;       /**< the command before parameters had values; NULL: not known */
    char *const *argv;         /**< ends in NULL; NULL: the samples come from a file */
    const char *const *values; /**< of each parameter; NULL: the command does not have it */
} report_many_command;

/** A judgement and what it is of. */
typedef struct report_many {
    const tacho_many_judgement *judgement;
    const tacho_sample *samples;
    size_t sample_count;
    const tacho_judge_options *judge;
    const char *metric, *unit;
    const report_many_command *commands; /**< as many as the judgement has */
    const char *const *parameters;       /**< names */
    size_t parameter_count;
    const char *file;                     /**< where the samples come from; NULL: from commands */
    const tacho_many_result *result;      /**< NULL: from a file */
    const tacho_compare_options *options; /**< the same */
} report_many;

/* many_words.c */
/** The answer in a sentence. */
void report_many_answer(tacho_str *out, const report_many *m);
/** What should be known about it. */
void report_many_notes(report_sentences *out, const report_many *m);
/** By what values are divided to be read, and what they are then: "ms". */
double report_many_scale(const report_many *m, char *unit, size_t size);
/** What is said of a command in the table: "3.1 % slower". */
void report_many_verdict(tacho_str *out, const report_many *m, size_t command);

/* many_text.c */
void report_many_text(tacho_str *out, const report_many *m, bool colour);
/** A table for Markdown, under the answer. */
void report_many_markdown(tacho_str *out, const report_many *m);

/* many_json.c */
extern const report_table report_many_command_table;
extern const char report_many_columns[];
JSON_BY(report_many_json, report_many, report_many_table)
/** All runs with all metrics; what tacho compare --samples reads. There must be a result. */
void report_many_csv(tacho_str *out, const report_many *m);

/* many_plot.c */
/** A script for gnuplot: the runs of each command with their box; of a scan of one parameter of numbers, the
 * medians over it; else the runs in their order. */
void report_many_plot(tacho_str *out, const report_many *m, bool png);

#endif
