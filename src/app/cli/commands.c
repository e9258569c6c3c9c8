/* commands.c - the program's commands, in the order of the overview. A program with other ones has a list of
 * its own (integrations/compiler-explorer). */
#include "app/cli/cli.h"

const cli_command *const cli_commands[] = {
    &cli_predict, &cli_measure, &cli_deps, &cli_extract, &cli_suite,  &cli_eval,  &cli_kernels,    &cli_hot,
    &cli_compare, &cli_bias,    &cli_arch, &cli_insn,    &cli_doctor, &cli_learn, &cli_completion, NULL};
