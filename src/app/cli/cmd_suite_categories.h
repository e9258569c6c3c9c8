/* cmd_suite_categories.h - what tacho suite cluster makes of a suite and a model. */
#ifndef TACHO_CLI_SUITE_CATEGORIES_H
#define TACHO_CLI_SUITE_CATEGORIES_H

#include "app/cli/cmd_suite.h"
#include "study/suite/suite_corpus.h"

/** The suites, and where the results go. */
typedef struct result_request {
    cli_words files;
    const char *batch, *output, *weight;
    int format; /* a cli_format */
    uint32_t jobs;
} result_request;

extern const cli_option result_rows[];

/** Writes the suite with the categories of its rows, and the table. @return an exit status, with a message
 * where it is not CLI_OK */
int categories_write(const result_request *r, const tacho_cluster_model *m, const tacho_suite_corpus *c);

#endif
