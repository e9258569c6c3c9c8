/* cmd_arch.h - what of tacho arch and insn other commands have, too. */
#ifndef TACHO_CLI_ARCH_H
#define TACHO_CLI_ARCH_H

#include "app/cli/cli.h"
#include "app/report/tables/report_insn.h"

extern const report_table arch_check_table;

/* ---- tacho learn --diff ---- */

/** Shows in what two microarchitectures differ. @return an exit status */
int arch_diff(const tacho_arch *from, const tacho_arch *to, cli_format format);

extern const report_table arch_diff_table;

/* ---- what tacho insn shares: finding one form, its loops ---- */

#endif
