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

/** Options that learning takes. */
enum {
    LEARN_ARCH = 100,
    LEARN_TOPICS,
    LEARN_ALPHA,
    LEARN_BETA,
    LEARN_SEED,
    LEARN_STARTS,
    LEARN_PASSES,
    LEARN_TOLERANCE,
    LEARN_METHOD
};

#define LEARN_OPTIONS                                                                                        \
    {LEARN_ARCH, "arch", 'a', "ARCH",                                                                        \
     "microarchitecture whose ports are meant (default: HSW, as in the\npaper)"},                            \
        {LEARN_TOPICS, "topics", 'k', "N", "categories (default: 6; 1 to 64)"},                              \
        {LEARN_ALPHA, "alpha", 0, "X", "prior of a block's categories (default: 1 / topics)"},               \
        {LEARN_BETA, "beta", 0, "X", "prior of a category's µops (default: 1/13, that is 0.0769)"},          \
        {LEARN_SEED, "seed", 0, "S", "of the random beginnings (default: 1)"},                               \
        {LEARN_STARTS, "starts", 0, "N",                                                                     \
         "random beginnings, of which the better ones are followed\nfurther (default: 10)"},                 \
        {LEARN_PASSES, "passes", 0, "N", "over all blocks, at most (default: 200)"},                         \
        {LEARN_TOLERANCE, "tolerance", 0, "X",                                                               \
         "stop after a pass that lowers the perplexity by less than\nthis part (default: 1e-5; 0: never)"},  \
    {                                                                                                        \
        LEARN_METHOD, "method", 0, "WORD batch|online",                                                      \
            "batch (default), or online: from 128 blocks at a time, in\nrandom order"                        \
    }

typedef struct learn_request {
    const tacho_arch *arch; /**< NULL: not given */
    tacho_cluster_options options;
    bool any; /**< an option was given */
} learn_request;

/** @return false with a message */
bool learn_option(learn_request *r, int id, const char *value);
/** The microarchitecture: HSW if none was given. @return NULL with a message */
const tacho_arch *learn_arch(const learn_request *r);

/** A model from a file. @return NULL with a message */
tacho_cluster_model *corpus_read_model(const char *path);

#endif
