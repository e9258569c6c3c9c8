/* cmd_suite.c - tacho suite: finds the subcommand and runs it. */
#include <stdio.h>
#include <string.h>

#include "app/cli/cmd_suite.h"
#include "base/suggest.h"

const cli_command *const cli_suite_commands[] = {
    &cli_suite_dedup, &cli_suite_sample,  &cli_suite_split,    &cli_suite_filter,     &cli_suite_loops,
    &cli_suite_join,  &cli_suite_cluster, &cli_suite_classify, &cli_suite_perplexity, NULL};

enum {
    PREFIX = sizeof "suite " - 1
};

static int overview(void)
{
    printf("tacho suite: %s\n\nUsage: tacho suite COMMAND ...\n\n", cli_suite.summary);
    for (size_t i = 0; cli_suite_commands[i]; i++)
        printf("  %-10s %s\n", cli_suite_commands[i]->name + PREFIX, cli_suite_commands[i]->summary);
    printf("\nA suite is a CSV file whose first line names its columns: hex (the bytes of a block), and if\n"
           "known app (applications, separated by ;), address, count; others are kept.\n"
           "tacho suite COMMAND --help has the options.\n");
    return CLI_OK;
}

static int unknown(const char *name)
{
    tacho_suggest s;
    char text[300];
    tacho_suggest_start(&s, name);
    for (size_t i = 0; cli_suite_commands[i]; i++)
        tacho_suggest_offer(&s, cli_suite_commands[i]->name + PREFIX);
    tacho_suggest_text(&s, text, sizeof text);
    return cli_usage_error("unknown command 'suite %s'%s", name,
                           *text ? text : "; 'tacho suite' lists the commands");
}

static int run_suite(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return overview();
    for (size_t i = 0; cli_suite_commands[i]; i++)
        if (!strcmp(cli_suite_commands[i]->name + PREFIX, argv[1]))
            return cli_suite_commands[i]->run(argc - 1, argv + 1);
    return unknown(argv[1]);
}

static const cli_option options[] = {{.kind = CLI_END}};

const cli_command cli_suite = {"suite",       run_suite, "suites of basic blocks: transform, filter, cluster",
                               "COMMAND ...", options,   NULL};
