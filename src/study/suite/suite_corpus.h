/* suite_corpus.h - a suite's rows as documents with categories, and the categories of its applications. */
#ifndef TACHO_STUDY_SUITE_CORPUS_H
#define TACHO_STUDY_SUITE_CORPUS_H

#include "base/hash_index.h"
#include "study/suite/suite_rows.h"
#include "tacho/cluster.h"

enum {
    TACHO_SUITE_NO_WORDS = -1,
    TACHO_SUITE_UNDECODABLE = -2
};

/** What became of a row. */
typedef struct tacho_suite_corpus_row {
    int64_t document; /**< or one of the above */
    uint32_t instructions, unknown_instructions;
    size_t message; /**< UNDECODABLE: where it starts in tacho_suite_corpus.messages */
} tacho_suite_corpus_row;

/** Start with {0}, end with tacho_suite_corpus_free. */
typedef struct tacho_suite_corpus {
    const tacho_suite *suite;
    tacho_corpus *corpus;
    tacho_suite_corpus_row *rows;
    tacho_str messages; /**< each with a 0 byte at its end */
    size_t without_words, undecodable, partly_known;
} tacho_suite_corpus;

/** Adds all rows of the suite to `corpus`, which then belongs to *c, also where it fails. `weight`: a column,
 * or NULL. @return 0, TACHO_ERR_INPUT, TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_suite_corpus_fill(tacho_suite_corpus *c, const tacho_suite *s, tacho_corpus *corpus,
                                          const char *weight, tacho_error *err);
TACHO_PRIVATE void tacho_suite_corpus_free(tacho_suite_corpus *c);

/** Blocks of an application. */
typedef struct tacho_suite_app {
    const char *name;
    uint64_t blocks;                         /**< with a category */
    double shares[TACHO_CLUSTER_MAX_TOPICS]; /**< of each category, summing to 1; weighted if the report says
                                                  so */
} tacho_suite_app;

/** Applications, those with most blocks first. Start with {0}. */
typedef struct tacho_suite_apps {
    tacho_suite_app *list;
    size_t count, capacity;
    hash_index by_name;
    tacho_suite_app all;
    bool weighted; /* by the suite's counts */
} tacho_suite_apps;

/** @param categories of each document. @return 0, TACHO_ERR_INPUT, TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_suite_apps_make(tacho_suite_apps *a, const tacho_suite_corpus *c,
                                        const uint8_t *categories, tacho_error *err);
TACHO_PRIVATE void tacho_suite_apps_free(tacho_suite_apps *a);

#endif
