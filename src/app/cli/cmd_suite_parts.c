/* cmd_suite_parts.c - tacho suite sample and tacho suite split: some of the blocks, or all of them in parts.
 */
#include <string.h>

#include "app/cli/cmd_suite.h"
#include "base/mem.h"
#include "study/suite/suite_choose.h"

typedef struct part {
    char name[64];
    char *path;
    suite_output to;
    size_t blocks, rows;
} part;

typedef struct request {
    cli_words files;
    uint64_t count, seed; /* count 0: not given */
    bool by_app;
    const char *output;
    uint32_t shares[TACHO_SUITE_MAX_PARTS];
    part parts[TACHO_SUITE_MAX_PARTS];
    uint32_t part_count;
} request;
#define CLI_REQUEST request

/* A name is part of a file's name. @return false with a message */
static bool check_name(const request *r, const char *name)
{
    if (!*name ||
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != strlen(name))
        return cli_error("--parts: a name has letters, digits and _-. only, not '%s'", name);
    for (uint32_t k = 0; k < r->part_count; k++)
        if (!strcmp(r->parts[k].name, name))
            return cli_error("--parts: two parts are called '%s'", name);
    return true;
}

static bool add_part(request *r, char *text)
{
    char *equals = strchr(text, '='), number[16];
    const char *name = equals ? text : number, *share = equals ? equals + 1 : text;
    snprintf(number, sizeof number, "%u", r->part_count + 1);
    if (equals)
        *equals = '\0';
    if (r->part_count == TACHO_SUITE_MAX_PARTS)
        return cli_error("--parts: at most %d parts", TACHO_SUITE_MAX_PARTS);
    if (strlen(name) >= sizeof r->parts->name)
        return cli_error("--parts: the name '%s' is too long", name);
    if (!check_name(r, name) ||
        !cli_number32("--parts: a share", share, 1, 1000000, &r->shares[r->part_count]))
        return false;
    strcpy(r->parts[r->part_count++].name, name);
    return true;
}

static bool take_parts(void *target, const char *option, const char *list)
{
    request *r = target;
    r->part_count = 0;
    for (cli_word text; cli_next_word(&list, text);)
        if (!add_part(r, text))
            return false;
    return true;
}

#define SEED_ROW                                                                                             \
    {                                                                                                        \
        CLI_WHOLE, "seed", 0, "S", "another seed, another choice: 0 (default) to 2^64 - 1", CLI_AT(seed),    \
            .high = UINT64_MAX                                                                               \
    }

static const cli_option sample_options[] = {
    SUITE_FILES_ROW,
    {CLI_WHOLE, "count", 'n', "N", "so many blocks; all, if there are no more", CLI_AT(count), .low = 1,
     .high = UINT32_MAX},
    SEED_ROW,
    {CLI_SWITCH, "by-app", 0, NULL, "of each set of applications its share", CLI_AT(by_app)},
    {CLI_STRING, "output", 'o', "FILE", "where the suite goes (default: standard output)", CLI_AT(output)},
    {.kind = CLI_END},
};

static const cli_option split_options[] = {
    SUITE_FILES_ROW,
    {CLI_CALL, "parts", 0, "LIST", "shares of the parts: 80,20; also with names: train=80,test=20", CLI_ALL,
     .take = take_parts},
    SEED_ROW,
    {CLI_SWITCH, "by-app", 0, NULL, "divide each set of applications alike", CLI_AT(by_app)},
    {CLI_STRING, "output", 'o', "PREFIX", "the parts are PREFIX-1.csv (or PREFIX-train.csv) and so on",
     CLI_AT(output)},
    {.kind = CLI_END},
};

#define HOW                                                                                                  \
    "Blocks are chosen by a hash of their bytes and the seed: the same ones on every machine, whatever\n"    \
    "the order of the rows. The rows of one block stay together. Rows keep their order.\n\n"

static const char sample_more[] =
    HOW "Examples:\n"
        "  tacho suite sample -n 1000 blocks.csv > some.csv\n"
        "  tacho suite sample -n 1000 --seed 7 --by-app blocks.csv -o some.csv\n";

static const char split_more[] = HOW
    "Without --by-app a block's part depends on nothing else than its bytes, the seed and the shares, so\n"
    "it stays there when the suite grows; the parts' sizes are as exact as chance has it.\n\n"
    "Examples:\n"
    "  tacho suite split --parts 80,20 -o blocks blocks.csv\n"
    "  tacho suite split --parts train=8,test=1,check=1 --by-app -o blocks blocks.csv\n";

/* ---- writing ---- */

static bool open_parts(request *r)
{
    for (uint32_t k = 0; k < r->part_count; k++) {
        part *q = &r->parts[k];
        tacho_str path = {0};
        tacho_str_printf(&path, "%s-%s.csv", r->output, q->name);
        q->path = path.data;
        if (path.failed)
            return cli_error("out of memory");
        if (!suite_output_open(&q->to, q->path))
            return false;
    }
    return true;
}

static bool write_rows(request *r, const tacho_suite *s, const tacho_suite_choice *c)
{
    for (uint32_t k = 0; k < r->part_count; k++)
        tacho_suite_put_names(&r->parts[k].to.text, s);
    for (size_t i = 0; i < c->block_count; i++)
        if (c->blocks[i].part < r->part_count)
            r->parts[c->blocks[i].part].blocks++;
    for (size_t i = 0; i < s->row_count; i++) {
        uint32_t k = c->blocks[c->block_of[i]].part;
        if (k >= r->part_count)
            continue;
        r->parts[k].rows++;
        tacho_suite_put_row(&r->parts[k].to.text, s, &s->rows[i]);
        if (!suite_output_flush(&r->parts[k].to))
            return false;
    }
    for (uint32_t k = 0; k < r->part_count; k++)
        if (!suite_output_end(&r->parts[k].to))
            return false;
    return true;
}

static void say_sizes(const request *r, const tacho_suite *s, const tacho_suite_choice *c)
{
    fprintf(stderr, "%zu block%s in %zu row%s\n", c->block_count, tacho_plural(c->block_count), s->row_count,
            tacho_plural(s->row_count));
    for (uint32_t k = 0; k < r->part_count; k++)
        fprintf(stderr, "%s: %zu block%s in %zu row%s\n", r->parts[k].to.name, r->parts[k].blocks,
                tacho_plural(r->parts[k].blocks), r->parts[k].rows, tacho_plural(r->parts[k].rows));
}

static void close_parts(request *r)
{
    for (uint32_t k = 0; k < r->part_count; k++) {
        suite_output_close(&r->parts[k].to);
        tacho_mem_free(r->parts[k].path);
    }
}

static int finish(request *r, const tacho_suite *s, const tacho_suite_choice *c, bool ok)
{
    int status = CLI_INPUT;
    if (ok && write_rows(r, s, c)) {
        say_sizes(r, s, c);
        status = suite_status(s);
    }
    close_parts(r);
    return status;
}

/* ---- the commands ---- */

/* A sample is the first of two parts, the other of which is dropped. */
static int choose(request *r)
{
    tacho_suite s = {0};
    tacho_suite_choice c = {0};
    tacho_error err;
    bool ok = suite_load(&s, &r->files) &&
              suite_good(tacho_suite_choice_make(&c, &s, r->seed, r->by_app, &err), &err);
    if (r->count)
        ok = ok && suite_good(tacho_suite_choose_sample(&c, r->count, r->by_app, &err), &err) &&
             suite_output_open(&r->parts[0].to, r->output);
    else
        ok = ok &&
             suite_good(tacho_suite_choose_parts(&c, r->shares, r->part_count, r->by_app, &err), &err) &&
             open_parts(r);
    int status = finish(r, &s, &c, ok);
    tacho_suite_choice_free(&c);
    tacho_suite_free(&s);
    return status;
}

static int run_sample(void *asked)
{
    request *r = asked;
    return r->count ? choose(r) : cli_usage_error("how many blocks? -n N");
}

static int run_split(void *asked)
{
    request *r = asked;
    if (!r->part_count)
        return cli_usage_error("in which parts? --parts 80,20");
    return r->output ? choose(r) : cli_usage_error("where do the parts go? -o PREFIX");
}

CLI_DEFINE(cli_suite_sample, "suite sample", "some of the blocks, chosen at random but for a seed",
           "-n N [options] [FILE ...]", sample_options, sample_more, run_sample, request, .part_count = 1);
CLI_DEFINE(cli_suite_split, "suite split", "all blocks in parts, chosen at random but for a seed",
           "--parts LIST -o PREFIX [options] [FILE ...]", split_options, split_more, run_split, request,
           .part_count = 0);
