/* alias.h - what the options say of pointers before the first iteration. */
#ifndef TACHO_BLOCK_ALIAS_H
#define TACHO_BLOCK_ALIAS_H

#include <stddef.h>

#include "tacho/error.h"
#include "tacho/state.h"

/** Whether all name registers, each once, by one that is not known by another itself.
 *  @return 0, or TACHO_ERR_USAGE with a message */
int alias_check(const tacho_alias *aliases, size_t count, tacho_error *err);

#endif
