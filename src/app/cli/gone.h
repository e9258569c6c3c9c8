/* gone.h - what the command line had in the version before. */
#ifndef TACHO_CLI_GONE_H
#define TACHO_CLI_GONE_H

#include <stdbool.h>
#include <stddef.h>

/** Whether the command had this option ("--import"), value of one ("--format latex") or subcommand ("join" of
 * "suite"), with a message that says what is there instead. */
bool cli_is_gone(const char *command, const char *word, size_t length);

#endif
