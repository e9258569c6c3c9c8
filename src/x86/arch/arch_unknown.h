/* arch_unknown.h - names that are no microarchitecture. */
#ifndef TACHO_ARCH_UNKNOWN_H
#define TACHO_ARCH_UNKNOWN_H

#include "tacho/error.h"
#include "x86/arch/arch_struct.h"

/** Its name, then its aliases; NULL behind the last. */
static inline const char *arch_name(const tacho_arch *arch, size_t i)
{
    return i == 0 ? arch->name : tacho_arch_alias(arch, i - 1);
}

/** Says what the name may mean: TACHO_ERR_USAGE with a message. */
void arch_explain_unknown(const char *name, tacho_error *err);

#endif
