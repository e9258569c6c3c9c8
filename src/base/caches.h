/* caches.h - the data caches of this machine, as the kernel tells of them. */
#ifndef TACHO_BASE_CACHES_H
#define TACHO_BASE_CACHES_H

#include <stddef.h>
#include <stdint.h>

enum {
    CACHES_MOST = 4
};

typedef struct data_cache {
    unsigned level; /**< from 1 */
    uint64_t bytes;
    uint32_t line_bytes, ways, sets; /**< 0: not known */
} data_cache;

/** The caches of data (and of both) of a processor, from the first level on. `root` is "" but in tests.
 *  Where /sys has none (in some containers), what the C library knows. @return how many, 0 to CACHES_MOST */
size_t caches_read(const char *root, int cpu, data_cache out[CACHES_MOST]);

#endif
