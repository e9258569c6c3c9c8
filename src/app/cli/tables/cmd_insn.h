/* cmd_insn.h - what tacho insn shares: finding one form, its loops. */
#ifndef TACHO_CLI_INSN_H
#define TACHO_CLI_INSN_H

#include "app/cli/cli.h"
#include "app/report/tables/report_insn.h"

/** Shows the loops by which a form is characterised, as the simulator of `arch` predicts them.
 *  @return an exit status */
int insn_chains(const char *form, const tacho_arch *arch, cli_format format);

/** The one form of that name, as tacho insn understands names. @return an exit status; unless CLI_OK with a
 *  message */
int insn_find_one(const char *text, uint32_t *id);

#endif
