/* cmd_suite.c - tacho suite: finds the subcommand and runs it; suites from files and to files; dedup and
 * sample. */
#include "app/cli/running.h"
#include "app/cli/suite/cmd_suite.h"
#include "study/suite/suite_choose.h"

const cli_command *const cli_suite_commands[] = {&cli_suite_dedup, &cli_suite_sample,  &cli_suite_filter,
                                                 &cli_suite_loops, &cli_suite_cluster, NULL};

static const char prefix[] = "suite ";

static int overview(void)
{
    printf("tacho suite: %s\n\nUsage: tacho suite COMMAND ...\n\n", cli_suite.summary);
    for (size_t i = 0; cli_suite_commands[i]; i++)
        printf("  %-10s %s\n", cli_suite_commands[i]->name + strlen(prefix), cli_suite_commands[i]->summary);
    printf("\nA suite is a CSV file whose first line names its columns: hex (the bytes of a block), and if\n"
           "known app (applications, separated by ;), address, count; others are kept.\n"
           "tacho suite COMMAND --help has the options.\n");
    return CLI_OK;
}

static int run_suite(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return overview();
    const cli_command *c = cli_find_command(cli_suite_commands, prefix, argv[1]);
    return c ? cli_run(c, argc - 1, argv + 1) : CLI_USAGE;
}

static const cli_option options[] = {{.kind = CLI_END}};

const cli_command cli_suite = {"suite",       "suites of basic blocks: transform, filter, cluster",
                               "COMMAND ...", options,
                               NULL,          .dispatch = run_suite};

/* ---- suites from files, and to files ---- */

enum {
    SHOWN_BAD_ROWS = 5,
    GATHERED_BYTES = 256 << 10
};

#define CLI_REQUEST suite_files
static const cli_option suite_files_rows[] = {
    SUITE_FILES_ROW,
    {CLI_STRING, "output", 'o', "FILE", "where the result goes (default: standard output)", CLI_AT(output)},
    {.kind = CLI_END},
};

bool suite_good(int rc, const tacho_error *err)
{
    return rc >= 0 || cli_error("%s", err->message);
}

static void say_bad_row(const tacho_suite *s, const char *message)
{
    if (s->bad_rows <= SHOWN_BAD_ROWS)
        cli_error("%s", message);
}

bool suite_load_one(tacho_suite *s, const char *path)
{
    tacho_error err;
    s->bad_row = say_bad_row;
    return suite_good(tacho_suite_read(s, path, &err), &err);
}

bool suite_load(tacho_suite *s, const cli_words *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        if (!suite_load_one(s, paths->list[i]))
            return false;
    return paths->count || suite_load_one(s, "-");
}

bool suite_output_open(suite_output *to, const char *path)
{
    const bool standard = !path || !strcmp(path, "-");
    *to = (suite_output){.open = true};
    if (!standard)
        cli_signals_ask();
    return results_open(&to->results, standard ? NULL : path, NULL, false);
}

static bool write_text(suite_output *to)
{
    if (cli_signals_asked(NULL))
        return cli_error("%s: %s is not whole", cli_signals_words(), to->results.name);
    if (!results_write(&to->results, &to->text))
        return false;
    tacho_str_clear(&to->text);
    return true;
}

bool suite_output_flush(suite_output *to)
{
    bool little = to->text.length < GATHERED_BYTES && !to->text.failed && !cli_signals_asked(NULL);
    return little || write_text(to);
}

bool suite_output_end(suite_output *to)
{
    return to->whole = write_text(to);
}

void suite_output_close(suite_output *to)
{
    tacho_str_free(&to->text);
    if (to->open && !to->whole)
        results_undo(&to->results);
    else if (to->open)
        results_close(&to->results);
    *to = (suite_output){0};
}

int suite_status(const tacho_suite *s)
{
    if (!s->bad_rows)
        return CLI_OK;
    cli_error("%zu of %zu rows were left out: their code is not hexadecimal, or none", s->bad_rows,
              s->bad_rows + s->row_count);
    return CLI_PARTIAL;
}

/* ---- tacho suite dedup: one or several suites as one in which every block stands once ---- */

static bool write_blocks(const tacho_suite *s, const tacho_suite_groups *g, suite_output *to)
{
    size_t blocks = 0;
    tacho_error err;
    tacho_suite_put_names(&to->text, s);
    for (size_t i = 0; i < s->row_count; i++) {
        if (g->last[i] == TACHO_SUITE_NOT_FIRST)
            continue;
        blocks++;
        if (!suite_good(tacho_suite_groups_put(g, s, (uint32_t)i, &to->text, &err), &err) ||
            !suite_output_flush(to))
            return false;
    }
    if (!suite_output_end(to))
        return false;
    fprintf(stderr, "%zu row%s, %zu different block%s\n", s->row_count, tacho_plural(s->row_count), blocks,
            tacho_plural(blocks));
    return true;
}

static int run_dedup(void *asked)
{
    const suite_files *r = asked;
    TACHO_ENDS(tacho_suite_free) tacho_suite s = {0};
    TACHO_ENDS(tacho_suite_groups_free) tacho_suite_groups g = {0};
    tacho_error err;
    TACHO_ENDS(suite_output_close) suite_output to = {0};
    bool ok = suite_load(&s, &r->files) && suite_good(tacho_suite_groups_make(&g, &s, &err), &err) &&
              suite_output_open(&to, r->output) && write_blocks(&s, &g, &to);
    return ok ? suite_status(&s) : CLI_INPUT;
}

CLI_DEFINE(cli_suite_dedup, "suite dedup", "every block once; merges suites", "[options] [FILE ...]",
           suite_files_rows, help_dedup, run_dedup, suite_files, .output = NULL);

/* ---- tacho suite sample: some of the blocks ---- */

typedef struct sample_request {
    cli_words files;
    uint64_t count, seed; /* count 0: not given */
    const char *output;
} sample_request;
#undef CLI_REQUEST
#define CLI_REQUEST sample_request

static const cli_option sample_options[] = {
    SUITE_FILES_ROW,
    {CLI_WHOLE, "count", 'n', "N", "so many blocks; all, if there are no more", CLI_AT(count), .low = 1,
     .high = UINT32_MAX},
    {CLI_WHOLE, "seed", 0, "S", "another seed, another choice: 0 (default) to 2^64 - 1", CLI_AT(seed),
     .high = UINT64_MAX},
    {CLI_STRING, "output", 'o', "FILE", "where the suite goes (default: standard output)", CLI_AT(output)},
    {.kind = CLI_END},
};

static int write_chosen(suite_output *to, const tacho_suite *s, const tacho_suite_choice *c)
{
    size_t kept = 0;
    tacho_suite_put_names(&to->text, s);
    for (size_t i = 0; i < s->row_count; i++) {
        if (!c->rows[i])
            continue;
        kept++;
        tacho_suite_put_row(&to->text, s, &s->rows[i]);
        if (!suite_output_flush(to))
            return CLI_INPUT;
    }
    if (!suite_output_end(to))
        return CLI_INPUT;
    fprintf(stderr, "%zu block%s in %zu row%s\n%s: %zu block%s in %zu row%s\n", c->block_count,
            tacho_plural(c->block_count), s->row_count, tacho_plural(s->row_count), to->results.name,
            c->chosen_count, tacho_plural(c->chosen_count), kept, tacho_plural(kept));
    return suite_status(s);
}

static int run_sample(void *asked)
{
    sample_request *r = asked;
    TACHO_ENDS(tacho_suite_free) tacho_suite s = {0};
    TACHO_ENDS(tacho_suite_choice_free) tacho_suite_choice c = {0};
    TACHO_ENDS(suite_output_close) suite_output to = {0};
    tacho_error err;
    if (!r->count)
        return cli_usage_error("how many blocks? -n N");
    bool ok = suite_load(&s, &r->files) &&
              suite_good(tacho_suite_choose(&c, &s, r->count, r->seed, &err), &err) &&
              suite_output_open(&to, r->output);
    return ok ? write_chosen(&to, &s, &c) : CLI_INPUT;
}

CLI_DEFINE(cli_suite_sample, "suite sample", "some of the blocks, chosen at random but for a seed",
           "-n N [options] [FILE ...]", sample_options, help_sample, run_sample, sample_request, .count = 0);
