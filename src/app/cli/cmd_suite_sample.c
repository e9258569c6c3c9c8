/* cmd_suite_sample.c - tacho suite sample: some of the blocks. */
#include "app/cli/cmd_suite.h"
#include "study/suite/suite_choose.h"

typedef struct request {
    cli_words files;
    uint64_t count, seed; /* count 0: not given */
    bool by_app;
    const char *output;
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    SUITE_FILES_ROW,
    {CLI_WHOLE, "count", 'n', "N", "so many blocks; all, if there are no more", CLI_AT(count), .low = 1,
     .high = UINT32_MAX},
    {CLI_WHOLE, "seed", 0, "S", "another seed, another choice: 0 (default) to 2^64 - 1", CLI_AT(seed),
     .high = UINT64_MAX},
    {CLI_SWITCH, "by-app", 0, NULL, "of each set of applications its share", CLI_AT(by_app)},
    {CLI_STRING, "output", 'o', "FILE", "where the suite goes (default: standard output)", CLI_AT(output)},
    {.kind = CLI_END},
};

static const char more[] =
    "Blocks are chosen by a hash of their bytes and the seed: the same ones on every machine, whatever\n"
    "the order of the rows. The rows of one block stay together. Rows keep their order.\n\n"
    "Examples:\n"
    "  tacho suite sample -n 1000 blocks.csv > some.csv\n"
    "  tacho suite sample -n 1000 --seed 7 --by-app blocks.csv -o some.csv\n";

static int write_chosen(suite_output *to, const tacho_suite *s, const tacho_suite_choice *c)
{
    size_t blocks = 0, kept = 0;
    for (size_t i = 0; i < c->block_count; i++)
        blocks += c->blocks[i].chosen;
    tacho_suite_put_names(&to->text, s);
    for (size_t i = 0; i < s->row_count; i++) {
        if (!c->blocks[c->block_of[i]].chosen)
            continue;
        kept++;
        tacho_suite_put_row(&to->text, s, &s->rows[i]);
        if (!suite_output_flush(to))
            return CLI_INPUT;
    }
    if (!suite_output_end(to))
        return CLI_INPUT;
    fprintf(stderr, "%zu block%s in %zu row%s\n%s: %zu block%s in %zu row%s\n", c->block_count,
            tacho_plural(c->block_count), s->row_count, tacho_plural(s->row_count), to->results.name, blocks,
            tacho_plural(blocks), kept, tacho_plural(kept));
    return suite_status(s);
}

static int run_sample(void *asked)
{
    request *r = asked;
    tacho_suite s = {0};
    tacho_suite_choice c = {0};
    suite_output to = {0};
    tacho_error err;
    if (!r->count)
        return cli_usage_error("how many blocks? -n N");
    bool ok = suite_load(&s, &r->files) &&
              suite_good(tacho_suite_choose(&c, &s, r->count, r->seed, r->by_app, &err), &err) &&
              suite_output_open(&to, r->output);
    int status = ok ? write_chosen(&to, &s, &c) : CLI_INPUT;
    suite_output_close(&to);
    tacho_suite_choice_free(&c);
    tacho_suite_free(&s);
    return status;
}

CLI_DEFINE(cli_suite_sample, "suite sample", "some of the blocks, chosen at random but for a seed",
           "-n N [options] [FILE ...]", options, more, run_sample, request, .count = 0);
