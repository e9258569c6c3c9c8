/* cmd_suite_cluster.c - tacho suite cluster and tacho suite classify: categories of blocks, found and used.
 */
#include <stdio.h>
#include <string.h>

#include "app/cli/cmd_suite_categories.h"
#include "app/cli/output.h"

typedef struct request {
    learn_request learn;
    result_request result;
    const char *model;
} request;
#define CLI_REQUEST request

static const cli_option cluster_options[] = {
    {CLI_GROUP, .rows = learn_rows, CLI_TO(learn)},
    {CLI_STRING, "model", 0, "FILE", "where the model goes, for classify and perplexity", CLI_AT(model)},
    {CLI_GROUP, .rows = result_rows, CLI_TO(result)},
    {.kind = CLI_END},
};

static const cli_option classify_options[] = {
    {CLI_GROUP, .rows = result_rows, CLI_TO(result)},
    {.kind = CLI_END},
};

static const char cluster_more[] =
    "Latent Dirichlet Allocation as in the BHive paper (section V): blocks are documents, the combinations\n"
    "of ports that their µops can use are words, categories are topics. The suite is written with the\n"
    "columns category and category_note. A block has the category of most of its µops; a block in which\n"
    "no µop needs a port has none. The same options give the same result, on any machine.\n\n"
    "Examples:\n"
    "  tacho suite cluster blocks.csv -o categories.csv --model model.json --plot categories.svg\n"
    "  tacho suite cluster -a ICX --topics 8 --weight count blocks.csv > categories.csv\n";

static const char classify_more[] =
    "Gives other blocks the categories of a model that tacho suite cluster made. Each block is judged by\n"
    "itself (scikit-learn calls that transform).\n\n"
    "Example:\n"
    "  tacho suite classify model.json new.csv -o categories.csv\n";

/* @return -1: go on; else the exit status */
static int check(request *r)
{
    if (!r->result.jobs)
        r->result.jobs = cli_processors();
    r->learn.options.threads = r->result.jobs;
    if (r->result.format && (!r->result.output || !strcmp(r->result.output, "-")))
        return cli_usage_error("--format: standard output has the suite; give it another place with -o FILE");
    return -1;
}

/* The suites behind `first` other arguments. @return as an exit status, with a message */
static int read_suites(const result_request *r, tacho_suite *s, size_t first)
{
    cli_words files = r->files;
    if (first) { /* there may be none, and then no list */
        files.list += first;
        files.count -= first;
    }
    if (r->batch && files.count)
        return cli_usage_error("--batch FILE is the same as FILE: give one of them");
    return (r->batch ? suite_load_one(s, r->batch) : suite_load(s, &files)) ? CLI_OK : CLI_INPUT;
}

/* ---- cluster, classify ---- */

static bool write_model(const char *path, const tacho_cluster_model *m)
{
    char *text;
    tacho_error err;
    if (tacho_cluster_model_write(m, &text, &err))
        return cli_error("%s", err.message);
    tacho_str lines = {0};
    tacho_str_puts(&lines, text);
    tacho_str_putc(&lines, '\n');
    tacho_cluster_text_free(text);
    return cli_output_text(path, &lines);
}

/* Gives the suite's blocks the categories of `model`, or where that is NULL of one that is made of them. */
static int categorise(const request *r, const tacho_suite *s, const tacho_cluster_model *model)
{
    tacho_suite_corpus c = {0};
    tacho_cluster_model *made = NULL;
    tacho_corpus *corpus;
    tacho_error err;
    const tacho_arch *arch = model ? NULL : learn_arch(&r->learn);
    if (!model && !arch)
        return CLI_INPUT;
    if (arch && r->model && tacho_arch_is_loaded(arch))
        return cli_usage_error("--model: such a file names its core, and %s is no built-in one",
                               tacho_arch_name(arch));
    if (model ? tacho_corpus_new_like(&corpus, model, &err) : tacho_corpus_new(&corpus, arch, &err))
        return cli_input_error("%s", err.message);
    bool ok = suite_good(tacho_suite_corpus_fill(&c, s, corpus, r->result.weight, &err), &err);
    if (ok && !model && tacho_cluster_train(&made, c.corpus, &r->learn.options, &err))
        ok = cli_error("%s: %s", s->files[0].table.name, err.message);
    ok = ok && (model || !r->model || write_model(r->model, made));
    int status = ok ? categories_write(&r->result, model ? model : made, &c, !model) : CLI_INPUT;
    tacho_cluster_model_free(made);
    tacho_suite_corpus_free(&c);
    return status;
}

static int run_on_suites(const request *r, const tacho_cluster_model *model)
{
    tacho_suite s = {0};
    int status = read_suites(&r->result, &s, model != NULL);
    status = status ? status : categorise(r, &s, model);
    tacho_suite_free(&s);
    return status;
}

static int run_cluster(void *asked)
{
    int status = check(asked);
    return status >= 0 ? status : run_on_suites(asked, NULL);
}

static int run_classify(void *asked)
{
    const request *r = asked;
    int status = check(asked);
    if (status >= 0)
        return status;
    if (!r->result.files.count)
        return cli_usage_error("no MODEL; tacho suite cluster --model makes one");
    tacho_cluster_model *model = corpus_read_model(r->result.files.list[0]);
    if (!model)
        return CLI_INPUT;
    status = run_on_suites(r, model);
    tacho_cluster_model_free(model);
    return status;
}

CLI_DEFINE(cli_suite_cluster, "suite cluster", "categories of blocks by the ports of their µops",
           "[options] [FILE ...]", cluster_options, cluster_more, run_cluster, request,
           .learn.options = TACHO_CLUSTER_OPTIONS_INIT);
CLI_DEFINE(cli_suite_classify, "suite classify", "the categories of a model for other blocks",
           "MODEL [options] [FILE ...]", classify_options, classify_more, run_classify, request,
           .learn.options = TACHO_CLUSTER_OPTIONS_INIT);
