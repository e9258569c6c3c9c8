/* cores.h - microarchitectures by what a user calls them: a name, or the file of a model. */
#ifndef TACHO_CLI_CORES_H
#define TACHO_CLI_CORES_H

#include "tacho/tools.h"

/** A built-in one by name or alias, "native", or the one that a file describes: what has a '/' or ends in
 *  ".tacho", and other names of files that no core has. Files are read once and stay until cli_forget_cores.
 *  @return NULL with a message */
const tacho_arch *cli_find_core(const char *name, tacho_error *err);
/** What "native" means: what was learnt of this processor (learnt.h), else the built-in core. @return NULL
 * with a message */
const tacho_arch *cli_native_core(tacho_error *err);
/** Whether it is one of the two, or another one of this processor (tacho_arch_is_native). */
bool cli_is_native(const tacho_arch *arch);
/** Where `name` is a file with something wrong in it, all of that goes to standard error. @return how much */
size_t cli_say_problems_of_core(const char *name);
void cli_forget_cores(void);

#endif
