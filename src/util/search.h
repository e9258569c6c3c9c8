/* search.h - binary search in sorted arrays of structures. */
#ifndef TACHO_UTIL_SEARCH_H
#define TACHO_UTIL_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Of `count` items of `size` bytes, sorted by the uint64_t that each begins with: how many are below `key`.
 */
static inline size_t tacho_count_below(const void *items, size_t count, size_t size, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t found;
        memcpy(&found, (const char *)items + middle * size, sizeof found);
        if (found < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
