/* cmd_suite_corpus.h - options of learning categories, for tacho suite cluster and perplexity, and models in
 * files.
 */
#ifndef TACHO_CLI_SUITE_CORPUS_H
#define TACHO_CLI_SUITE_CORPUS_H

#include "app/cli/cmd_suite.h"
#include "app/report/fields.h"
#include "app/report/categories.h"
#include "study/suite/suite_corpus.h"

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

/* cmd_suite_perplexity.c */
extern const report_table suite_perplexity_table;
extern const char suite_perplexity_columns[];

#endif
