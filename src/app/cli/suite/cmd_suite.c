/* cmd_suite.c - tacho suite: finds the subcommand and runs it. */
#include <stdio.h>
#include <string.h>

#include "app/cli/suite/cmd_suite.h"

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
