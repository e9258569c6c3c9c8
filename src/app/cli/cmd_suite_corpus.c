/* cmd_suite_corpus.c - a suite's rows as documents, and the options of learning. */
#include "app/cli/cmd_suite_corpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum {
    MODEL_BYTES_MAX = 64 << 20
};

/* ---- rows ---- */

/* A row's weight; without a figure 0, so that nothing is learned from it. @return false with a message */
static bool row_weight(const suite *s, const suite_row *row, int column, double *out)
{
    const char *text = suite_cell(s, row, column);
    char place[300], *end;
    *out = column < 0 ? 1 : 0;
    if (column < 0 || !*text)
        return true;
    *out = strtod(text, &end);
    if (end != text && !*end && *out >= 0 && *out <= TACHO_CLUSTER_MAX_WEIGHT)
        return true;
    cli_error("%s: %s is a number from 0 to %g, not '%s'", suite_place(s, row, place, sizeof place),
              s->names[column], TACHO_CLUSTER_MAX_WEIGHT, text);
    return false;
}

static void keep_message(suite_corpus *c, corpus_row *out, const char *message)
{
    out->document = CORPUS_UNDECODABLE;
    out->message = c->messages.length;
    tacho_str_append(&c->messages, message, strlen(message) + 1);
    c->undecodable++;
}

/* @return false with a message where it is no use to go on */
static bool add_row(suite_corpus *c, size_t i, int column)
{
    const suite_row *row = &c->suite->rows[i];
    tacho_corpus_block seen;
    tacho_error err;
    double weight;
    corpus_row *out = &c->rows[i];
    if (!row_weight(c->suite, row, column, &weight))
        return false;
    int rc = tacho_corpus_add(c->corpus, row->code, row->code_size, weight, &seen, &err);
    if (rc == TACHO_ERR_MEMORY) {
        cli_error("%s", err.message);
        return false;
    }
    if (rc) {
        keep_message(c, out, err.message);
        return true;
    }
    *out = (corpus_row){.document = seen.document,
                        .instructions = seen.instructions,
                        .unknown_instructions = seen.unknown_instructions};
    c->without_words += seen.document < 0;
    c->partly_known += seen.document >= 0 && seen.unknown_instructions;
    return true;
}

bool corpus_fill(suite_corpus *c, const suite *s, tacho_corpus *corpus, const char *weight)
{
    int column = weight ? suite_column(s, weight) : TACHO_TABLE_NONE;
    *c = (suite_corpus){.suite = s, .corpus = corpus};
    if (weight && column < 0) {
        cli_error("%s: --weight: there is no column '%s'", s->files[0].table.name, weight);
        return false;
    }
    c->rows = tacho_mem_zalloc(s->row_count + 1, sizeof *c->rows);
    bool ok = c->rows != NULL;
    if (!ok)
        cli_error("out of memory");
    for (size_t i = 0; ok && i < s->row_count; i++)
        ok = add_row(c, i, column);
    if (ok && c->messages.failed) {
        cli_error("out of memory");
        ok = false;
    }
    return ok;
}

void corpus_free(suite_corpus *c)
{
    tacho_corpus_free(c->corpus);
    tacho_mem_free(c->rows);
    tacho_str_free(&c->messages);
    *c = (suite_corpus){0};
}

/* ---- learning ---- */

static bool take_arch(void *target, const char *option, const char *value)
{
    const tacho_arch *archs[CLI_MAX_ARCHS];
    bool fallback;
    if (cli_find_archs(value, archs, &fallback) == 1) {
        *(const tacho_arch **)target = archs[0];
        return true;
    }
    cli_error("%s: categories are of one microarchitecture", option);
    return false;
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
