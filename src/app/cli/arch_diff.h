/* arch_diff.h - tacho arch --diff, and tacho arch all: cores side by side. */
#ifndef TACHO_CLI_ARCH_DIFF_H
#define TACHO_CLI_ARCH_DIFF_H

#include "app/cli/cli.h"
#include "app/report/fields.h"

/** Shows in what two microarchitectures differ. @return an exit status */
int arch_diff(const tacho_arch *from, const tacho_arch *to, cli_format format);

/** Shows all microarchitectures side by side: what each parameter is on which. @return an exit status */
int arch_all(void);

extern const report_table arch_diff_table;

#endif
