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

/** Where the results go. */
enum {
    RESULT_OUTPUT = 200,
    RESULT_FORMAT,
    RESULT_JSON,
    RESULT_PLOT,
    RESULT_WEIGHT,
    RESULT_JOBS,
    RESULT_BATCH
};

#define RESULT_OPTIONS                                                                                       \
    {RESULT_BATCH, "batch", 0, "FILE", "the same as FILE"},                                                  \
        {RESULT_WEIGHT, "weight", 0, "COLUMN",                                                               \
         "blocks count so many times (for instance: count);\ndefault: once"},                                \
        {RESULT_OUTPUT, "output", 'o', "FILE",                                                               \
         "where the suite goes, with the column category\n(default: standard output)"},                      \
        {RESULT_PLOT, "plot", 0, "FILE", "categories by application: .svg or .png (with gnuplot)"},          \
        {RESULT_FORMAT, "format", 'f', "FORMAT text|json|csv",                                               \
         "of the table of categories, which is on standard output\nwith -o, else on standard error: "        \
         "text (default), json\nor csv"},                                                                    \
        {RESULT_JSON, "json", 0, NULL, "the same as --format json"},                                         \
    {                                                                                                        \
        RESULT_JOBS, "jobs", 'j', "N", "threads (default: all processors); they change no result"            \
    }

typedef struct result_request {
    const char *output, *plot, *weight;
    int format; /* a cli_format */
    uint32_t jobs;
} result_request;

/** @return false with a message */
bool result_option(result_request *r, int id, const char *value);

/** Classifies the rows, writes the suite, the table and the picture. `trained`: the model was made from this
 *  corpus. @return an exit status, with a message where it is not CLI_OK */
int categories_write(const result_request *r, const tacho_cluster_model *m, const suite_corpus *c,
                     bool trained);

#endif
