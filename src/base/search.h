/* search.h - sorting arrays of structures, and binary search in sorted ones. What is empty may be NULL, which
 * the C library does not allow. */
#ifndef TACHO_UTIL_SEARCH_H
#define TACHO_UTIL_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** For qsort and bsearch. */
typedef int tacho_order(const void *, const void *);

static inline void tacho_sort(void *items, size_t count, size_t size, tacho_order *order)
{
    if (count)
        qsort(items, count, size, order);
}

/** @return NULL: there is no such item */
static inline void *tacho_find_sorted(const void *key, const void *items, size_t count, size_t size,
                                      tacho_order *order)
{
    return count ? bsearch(key, items, count, size, order) : NULL;
}

/** Of `count` items of `size` bytes, sorted by the uint64_t that each begins with: how many are below `key`.
 */
static inline size_t tacho_count_below(const void *items, size_t count, size_t size, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t at_middle;
        memcpy(&at_middle, (const char *)items + middle * size, sizeof at_middle);
        if (at_middle < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
