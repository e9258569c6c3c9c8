/* arch_diff.h - tacho learn --diff. */
#ifndef TACHO_CLI_ARCH_DIFF_H
#define TACHO_CLI_ARCH_DIFF_H

#include "app/cli/cli.h"
#include "base/records.h"

/** Shows in what two microarchitectures differ. @return an exit status */
int arch_diff(const tacho_arch *from, const tacho_arch *to, cli_format format);

extern const report_table arch_diff_table;

#endif
