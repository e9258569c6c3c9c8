/* cmd_suite_corpus.c - options of learning, and models in files. */
#include "app/cli/cmd_suite_corpus.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum {
    MODEL_BYTES_MAX = 64 << 20
};

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

#define CLI_REQUEST learn_request
const cli_option learn_rows[] = {
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
    {CLI_CHOICE, "method", 0, "WORD batch|online",
     "batch (default), or online: from 128 blocks at a time, in\nrandom order", CLI_AT(options.method)},
    {.kind = CLI_END},
};

const tacho_arch *learn_arch(const learn_request *r)
{
    tacho_error err;
    const tacho_arch *arch = r->arch ? r->arch : tacho_arch_find("HSW", &err);
    if (!arch)
        cli_error("%s", err.message);
    return arch;
}

tacho_cluster_model *corpus_read_model(const char *path)
{
    tacho_cluster_model *model = NULL;
    tacho_error err;
    char *text;
    size_t length;
    if (tacho_file_read(path, MODEL_BYTES_MAX, &text, &length)) {
        cli_error("%s: cannot be read: %s", path, strerror(errno));
        return NULL;
    }
    if (tacho_cluster_model_read(&model, text, length, path, &err))
        cli_error("%s", err.message);
    tacho_mem_free(text);
    return model;
}
