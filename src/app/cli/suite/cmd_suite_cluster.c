/* cmd_suite_cluster.c - tacho suite cluster: categories of blocks. */
#include <string.h>

#include "app/cli/suite/cmd_suite.h"

static bool take_arch(void *target, const char *option, const char *value)
{
    const tacho_arch *archs[CLI_MAX_ARCHS];
    bool fallback;
    if (cli_find_archs(value, archs, &fallback) == 1) {
        *(const tacho_arch **)target = archs[0];
        return true;
    }
    return cli_error("%s: categories are of one microarchitecture", option);
}

typedef struct request {
    const tacho_arch *arch; /* NULL: not given */
    tacho_cluster_options options;
    result_request result;
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    {CLI_CALL, "arch", 'a', "ARCH",
     "microarchitecture whose ports are meant (default: HSW, as in the\npaper)", CLI_AT(arch),
     .take = take_arch},
    {CLI_WHOLE, "topics", 'k', "N", "categories (default: 6; 1 to 64)", CLI_AT(options.topics), .low = 1,
     .high = TACHO_CLUSTER_MAX_TOPICS},
    {CLI_REAL, "alpha", 0, "X", "prior of a block's categories (default: 1 / topics)", CLI_AT(options.alpha),
     .least = 1e-4, .most = 1000},
    {CLI_REAL, "beta", 0, "X", "prior of a category's µops (default: 1/13, that is 0.0769)",
     CLI_AT(options.beta), .least = 1e-4, .most = 1000},
    {CLI_WHOLE, "seed", 0, "S", "of the random beginnings (default: 1)", CLI_AT(options.seed),
     .high = UINT64_MAX},
    {CLI_WHOLE, "starts", 0, "N",
     "random beginnings, of which the better ones are followed\nfurther (default: 10)",
     CLI_AT(options.starts), .low = 1, .high = TACHO_CLUSTER_MAX_STARTS},
    {CLI_WHOLE, "passes", 0, "N", "over all blocks, at most (default: 200)", CLI_AT(options.passes), .low = 1,
     .high = 1000000},
    {CLI_REAL, "tolerance", 0, "X",
     "stop after a pass that lowers the perplexity by less than\nthis part (default: 1e-5; 0: never)",
     CLI_AT(options.tolerance), .most = 1},
    {CLI_GROUP, .rows = result_rows, CLI_TO(result)},
    {.kind = CLI_END},
};

static const char more[] =
    "Latent Dirichlet Allocation as in the BHive paper (section V): blocks are documents, the combinations\n"
    "of ports that their µops can use are words, categories are topics. The suite is written with the\n"
    "columns category and category_note. A block has the category of most of its µops; a block in which\n"
    "no µop needs a port has none. The same options give the same result, on any machine.\n\n"
    "Examples:\n"
    "  tacho suite cluster blocks.csv -o categories.csv\n"
    "  tacho suite cluster -a ICX --topics 8 --weight count blocks.csv > categories.csv\n";

/* @return -1: go on; else the exit status */
static int check(request *r)
{
    if (!r->result.jobs)
        r->result.jobs = cli_processors();
    r->options.threads = r->result.jobs;
    if (r->result.format && (!r->result.output || !strcmp(r->result.output, "-")))
        return cli_usage_error("--format: standard output has the suite; give it another place with -o FILE");
    if (r->result.batch && r->result.files.count)
        return cli_usage_error("--batch FILE is the same as FILE: give one of them");
    return -1;
}

/* Finds categories, and gives them to the suite's blocks. */
static int categorise(const request *r, const tacho_suite *s)
{
    tacho_suite_corpus c = {0};
    tacho_cluster_model *model = NULL;
    tacho_corpus *corpus;
    tacho_error err;
    const tacho_arch *arch = r->arch ? r->arch : tacho_arch_find("HSW", &err);
    if (!arch || tacho_corpus_new(&corpus, arch, &err))
        return cli_input_error("%s", err.message);
    bool ok = suite_good(tacho_suite_corpus_fill(&c, s, corpus, r->result.weight, &err), &err);
    if (ok && tacho_cluster_train(&model, c.corpus, &r->options, &err))
        ok = cli_error("%s: %s", s->files[0].table.name, err.message);
    int status = ok ? categories_write(&r->result, model, &c) : CLI_INPUT;
    tacho_cluster_model_free(model);
    tacho_suite_corpus_free(&c);
    return status;
}

static int run_cluster(void *asked)
{
    request *r = asked;
    tacho_suite s = {0};
    int status = check(r);
    if (status >= 0)
        return status;
    bool read = r->result.batch ? suite_load_one(&s, r->result.batch) : suite_load(&s, &r->result.files);
    status = read ? categorise(r, &s) : CLI_INPUT;
    tacho_suite_free(&s);
    return status;
}

CLI_DEFINE(cli_suite_cluster, "suite cluster", "categories of blocks by the ports of their µops",
           "[options] [FILE ...]", options, more, run_cluster, request,
           .options = TACHO_CLUSTER_OPTIONS_INIT);
