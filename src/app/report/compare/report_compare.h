/* report_compare.h - comparisons of two programs as text, JSON, CSV and a picture. Uses public headers only.
 */
#ifndef TACHO_REPORT_COMPARE_H
#define TACHO_REPORT_COMPARE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/records.h"
#include "app/report/sentences.h"
#include "base/str.h"
#include "tacho/compare.h"

/** A judgement and what it is of. */
typedef struct report_compare {
    const tacho_judgement *judgement;
    const tacho_sample *samples;
    size_t sample_count;
    const tacho_judge_options *judge;
    const char *metric, *unit;            /**< "s", "cycles" ... or "" */
    char *const *commands[2];             /**< each ends in NULL; NULL: the samples come from a file */
    const char *names[2];                 /**< of the commands, where they are not their words; NULL */
    const char *file;                     /**< that file */
    const tacho_compare_result *result;   /**< NULL: as before */
    const tacho_compare_options *options; /**< the same */
} report_compare;

/* compare_words.c */
/** The answer in a sentence. */
void report_compare_answer(tacho_str *out, const report_compare *c);
/** Whether the rank test is that of signed ranks. */
bool report_compare_is_signed(const tacho_judgement *j);
/** Of commands that do not keep one processor busy, or more than one: elapsed time, and how many they use. */
void report_compare_elapsed(tacho_str *out, const report_compare *c);
/** What should be known about it. */
void report_compare_notes(report_sentences *out, const report_compare *c);
/** By what values are divided to be read, and what they are then: "ms". */
double report_compare_scale(const report_compare *c, char *unit, size_t size);

/* report_compare.c */
void report_compare_text(tacho_str *out, const report_compare *c, bool colour);

/* compare_json.c */
/** Of a tacho_judged_side. */
extern const report_table report_side_table;
extern const char report_compare_columns[];
JSON_BY(report_compare_json, report_compare, report_compare_table)
/** All runs with all metrics; what tacho compare --samples reads. There must be a result. */
void report_compare_csv(tacho_str *out, const report_compare *c);

#endif
