/* sources.h - the files of the folder kernels/, as they were when the library was built. */
#ifndef TACHO_KERNELS_SOURCES_H
#define TACHO_KERNELS_SOURCES_H

#include <stddef.h>

struct tacho_kernels_source {
    const char *name; /* of the file, without folder */
    const char *text; /* 0-terminated */
    size_t size;      /* in bytes, without that 0 */
};

/* In no order. The kernels are those *.c that have a main. */
extern const struct tacho_kernels_source tacho_kernels_sources[];
extern const size_t tacho_kernels_sources_count;

#endif
