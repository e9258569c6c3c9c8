/* cmd_suite_categories.h - what tacho suite cluster and classify make of a suite and a model. */
#ifndef TACHO_CLI_SUITE_CATEGORIES_H
#define TACHO_CLI_SUITE_CATEGORIES_H

#include "app/cli/cmd_suite_corpus.h"
#include "base/hash_index.h"

/** Applications, those with most blocks first. Start with {0}. */
typedef struct category_apps {
    report_category_app *list;
    size_t count, capacity;
    hash_index by_name;
    report_category_app all;
    bool weighted; /* by the suite's counts */
} category_apps;

/** @return false with a message */
bool category_apps_make(category_apps *a, const suite_corpus *c, const uint8_t *categories);
void category_apps_free(category_apps *a);

/** The suites, and where the results go. */
typedef struct result_request {
    cli_words files;
    const char *batch, *output, *plot, *weight;
    int format; /* a cli_format */
    uint32_t jobs;
} result_request;

extern const cli_option result_rows[];

/** Classifies the rows, writes the suite, the table and the picture. `trained`: the model was made from this
 *  corpus. @return an exit status, with a message where it is not CLI_OK */
int categories_write(const result_request *r, const tacho_cluster_model *m, const suite_corpus *c,
                     bool trained);

#endif
