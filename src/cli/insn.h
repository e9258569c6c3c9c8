/* insn.h - the coverage side of tacho insn. */
#ifndef TACHO_CLI_INSN_H
#define TACHO_CLI_INSN_H

#include "cli/cli.h"

/** Lists the distinct instructions of a batch that have no form on `arch`, and what share has one.
 *  @return an exit status */
int insn_missing(const char *path, const tacho_arch *arch, cli_format format);

#endif
