/* arch_check.h - tacho arch --check. */
#ifndef TACHO_CLI_ARCH_CHECK_H
#define TACHO_CLI_ARCH_CHECK_H

#include "app/cli/cli.h"
#include "base/records.h"

/** Measures the set of forms of tacho_check_form and compares with the table of `name`; NULL: this machine's.
 *  `only`: mnemonics with commas; NULL: all. `quick`: fewer and shorter passes.
 *  @return an exit status: CLI_PARTIAL when figures could not be measured, CLI_INPUT when there is no table
 *  for this machine and no name */
int arch_check(const char *name, const char *only, bool quick, cli_format format);

extern const report_table arch_check_table;

#endif
