/* search.h - sorting arrays of structures, and binary search in sorted ones. An empty array may be NULL,
 * which the C library's functions do not allow. */
#ifndef TACHO_BASE_SEARCH_H
#define TACHO_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** For qsort and bsearch. */
typedef int tacho_order(const void *, const void *);

/** Of two numbers or pointers, as these functions have it. Orders by several: ORDER(a, b) ?: ORDER(c, d). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/** The function `name`, which orders by a member, or the other way round. */
#define ORDER_BY(name, type, member)                                                                         \
    static int name(const void *a, const void *b)                                                            \
    {                                                                                                        \
        return ORDER(((const type *)a)->member, ((const type *)b)->member);                                  \
    }                                                                                                        \
    tacho_order name
#define ORDER_BY_FALLING(name, type, member)                                                                 \
    static int name(const void *a, const void *b)                                                            \
    {                                                                                                        \
        return ORDER(((const type *)b)->member, ((const type *)a)->member);                                  \
    }                                                                                                        \
    tacho_order name

/** Of numbers, and of structs that begin with one. */
#define ORDER_NUMBERS(name, type)                                                                            \
    static int name(const void *a, const void *b)                                                            \
    {                                                                                                        \
        return ORDER(*(const type *)a, *(const type *)b);                                                    \
    }                                                                                                        \
    tacho_order name

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

/** Sets `at` to how many of `count` items `before` holds for: an expression about item `at` that holds for
 * the first ones, and for none after them. */
#define COUNT_BEFORE(at, count, before)                                                                      \
    do {                                                                                                     \
        size_t low_ = 0, high_ = (count);                                                                    \
        while (low_ < high_) {                                                                               \
            (at) = low_ + (high_ - low_) / 2;                                                                \
            if (before)                                                                                      \
                low_ = (at) + 1;                                                                             \
            else                                                                                             \
                high_ = (at);                                                                                \
        }                                                                                                    \
        (at) = low_;                                                                                         \
    } while (0)

/** Of `count` items of `size` bytes, sorted by the uint64_t that each begins with: how many are below `key`.
 */
static inline size_t tacho_count_below(const void *items, size_t count, size_t size, uint64_t key)
{
    size_t at;
    uint64_t it;
    COUNT_BEFORE(at, count, (memcpy(&it, (const char *)items + at * size, sizeof it), it < key));
    return at;
}

#endif
