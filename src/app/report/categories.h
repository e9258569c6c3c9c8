/* categories.h - categories of a suite's blocks: as text, JSON and CSV. */
#ifndef TACHO_REPORT_CATEGORIES_H
#define TACHO_REPORT_CATEGORIES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/records.h"
#include "base/str.h"
#include "study/suite/suite_corpus.h"
#include "tacho/cluster.h"

typedef struct report_categories {
    const char *suite; /**< name of the file, for titles */
    const tacho_cluster_model *model;
    const char *weight; /**< the column that weighs blocks, or NULL: each counts once */
    size_t rows;
    size_t without_words, undecodable; /**< rows without a category, and why */
    size_t partly_known;               /**< rows with a category that have instructions without figures */
    const char *app_weight;      /**< the column by which shares of applications are weighted, or NULL */
    const tacho_suite_app *apps; /**< in the order in which to show them */
    size_t app_count;
    tacho_suite_app all; /**< all blocks, weighted alike */
} report_categories;

void report_categories_text(tacho_str *out, const report_categories *r, bool colour);
extern const char report_categories_columns[];
JSON_BY(report_categories_json, report_categories, report_categories_table)
/** A row for each category, then one for each application and category. */
void report_categories_csv(tacho_str *out, const report_categories *r);

#endif
