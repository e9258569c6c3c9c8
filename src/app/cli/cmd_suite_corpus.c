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

static bool take_number(const char *option, const char *value, double low, double high, double *out)
{
    char *end;
    *out = strtod(value, &end);
    if (end != value && !*end && *out >= low && *out <= high)
        return true;
    cli_error("%s is a number from %g to %g, not '%s'", option, low, high, value);
    return false;
}

bool learn_option(learn_request *r, int id, const char *value)
{
    tacho_cluster_options *o = &r->options;
    const tacho_arch *archs[CLI_MAX_ARCHS];
    bool fallback;
    int method;
    r->any = true;
    switch (id) {
    case LEARN_ARCH:
        if (cli_find_archs(value, archs, &fallback) != 1) {
            cli_error("--arch: categories are of one microarchitecture");
            return false;
        }
        r->arch = archs[0];
        return true;
    case LEARN_TOPICS:
        return cli_number32("--topics", value, 1, TACHO_CLUSTER_MAX_TOPICS, &o->topics);
    case LEARN_ALPHA:
        return take_number("--alpha", value, 1e-4, 1000, &o->alpha);
    case LEARN_BETA:
        return take_number("--beta", value, 1e-4, 1000, &o->beta);
    case LEARN_SEED:
        return cli_number("--seed", value, 0, UINT64_MAX, &o->seed);
    case LEARN_STARTS:
        return cli_number32("--starts", value, 1, TACHO_CLUSTER_MAX_STARTS, &o->starts);
    case LEARN_PASSES:
        return cli_number32("--passes", value, 1, 1000000, &o->passes);
    case LEARN_TOLERANCE:
        return take_number("--tolerance", value, 0, 1, &o->tolerance);
    default:
        method = cli_choice("--method", value, "batch|online");
        o->method = method == 1 ? TACHO_CLUSTER_ONLINE : TACHO_CLUSTER_BATCH;
        return method >= 0;
    }
}

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
