/* memory_option.h - the description of a memory that --memory FILE names, or that of this machine. */
#ifndef TACHO_CLI_MEMORY_OPTION_H
#define TACHO_CLI_MEMORY_OPTION_H

#include "tacho/arch.h"
#include "tacho/memory.h"

/** Reads it; `path` NULL: the one of this machine that is kept. @return a CLI_ status, with a message */
int cli_memory(tacho_memory *out, const char *path);
/** Whether this machine has such a core. */
bool cli_memory_fits(const tacho_arch *arch);
/** The same for predictions of `arch`: of another core's machine only where a file is given. */
int cli_memory_of(tacho_memory *out, const char *path, const tacho_arch *arch);
/** The number of the level that `text` names, or that holds as many bytes. @return a CLI_ status, with a
 * message */
int cli_data_level(uint32_t *out, const tacho_memory *m, const char *text);

#endif
