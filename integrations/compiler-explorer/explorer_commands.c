/* explorer_commands.c - the only command of the program for Compiler Explorer. */
#include "app/cli/cli.h"

const cli_command *const cli_commands[] = {&cli_predict, NULL};
