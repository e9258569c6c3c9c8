/* arch_unknown.h - names that are no microarchitecture. */
#ifndef TACHO_ARCH_UNKNOWN_H
#define TACHO_ARCH_UNKNOWN_H

#include "tacho/error.h"

/** Says what the name may mean: TACHO_ERR_USAGE with a message. */
void arch_explain_unknown(const char *name, tacho_error *err);

#endif
