/* memory_elsewhere.c - only x86-64 processors are measured. */
#include "tacho/memory.h"

int tacho_memory_measure(tacho_memory *out, const tacho_memory_options *options, tacho_error *err)
{
    (void)out, (void)options;
    return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                           "measuring needs an x86-64 processor; this is another");
}
