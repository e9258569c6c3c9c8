/* processor.h - which microarchitecture a processor has. */
#ifndef TACHO_ARCH_PROCESSOR_H
#define TACHO_ARCH_PROCESSOR_H

#include "x86/insndb/tables.h"

enum {
    OTHER_VENDOR = GEN_AMD + 1
};

/** What CPUID says of it. */
typedef struct processor {
    unsigned vendor, family, model, stepping; /* vendor: a gen_vendor */
} processor;

/** NULL: none that is known. */
const tacho_arch *processor_arch(const processor *p);

#endif
