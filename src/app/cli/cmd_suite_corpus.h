/* cmd_suite_corpus.h - a suite's rows as documents with categories, for tacho suite cluster, classify and
 * perplexity. */
#ifndef TACHO_CLI_SUITE_CORPUS_H
#define TACHO_CLI_SUITE_CORPUS_H

#include "app/cli/cmd_suite.h"
#include "app/report/categories.h"

enum {
    CORPUS_NO_WORDS = -1,
    CORPUS_UNDECODABLE = -2
};

/** What became of a row. */
typedef struct corpus_row {
    int64_t document; /**< or one of the above */
    uint32_t instructions, unknown_instructions;
    size_t message; /**< UNDECODABLE: where it starts in suite_corpus.messages */
} corpus_row;

/** Start with {0}, end with corpus_free. */
typedef struct suite_corpus {
    const suite *suite;
    tacho_corpus *corpus;
    corpus_row *rows;
    tacho_str messages; /**< each with a 0 byte at its end */
    size_t without_words, undecodable, partly_known;
} suite_corpus;

/** Adds all rows of the suite to `corpus`, which then belongs to *c, also where it fails. `weight`: a column,
 * or NULL. @return false with a message */
bool corpus_fill(suite_corpus *c, const suite *s, tacho_corpus *corpus, const char *weight);
void corpus_free(suite_corpus *c);

/** What learning is asked for. */
typedef struct learn_request {
    const tacho_arch *arch; /**< NULL: not given */
    tacho_cluster_options options;
} learn_request;

extern const cli_option learn_rows[];
/** The microarchitecture: HSW if none was given. @return NULL with a message */
const tacho_arch *learn_arch(const learn_request *r);

/** A model from a file. @return NULL with a message */
tacho_cluster_model *corpus_read_model(const char *path);

#endif
