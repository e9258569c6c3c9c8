/* processor.h - which microarchitecture a processor has. */
#ifndef TACHO_ARCH_PROCESSOR_H
#define TACHO_ARCH_PROCESSOR_H

#include "base/private.h"
#include "x86/arch/tables.h"

enum {
    OTHER_VENDOR = GEN_AMD + 1
};

/** What CPUID says of it. */
typedef struct processor {
    unsigned vendor, family, model, stepping; /* vendor: a gen_vendor */
} processor;

/** NULL: none that is known. */
TACHO_PRIVATE const tacho_arch *tacho_processor_arch(const processor *p);

#endif
