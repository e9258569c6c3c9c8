/* learnt_path.h - where the model of this machine's processor is kept: one file for each processor and
 * microcode in the user's cache folder. */
#ifndef TACHO_LEARN_LEARNT_PATH_H
#define TACHO_LEARN_LEARNT_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/private.h"

/** Where it is, or would be. @return false: there is no such folder */
TACHO_PRIVATE bool tacho_learnt_path(char *out, size_t size);

#endif
