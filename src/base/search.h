/* search.h - sorting arrays of structures, and binary search in sorted ones; one number among a few. An empty
 * array may be NULL, which the C library's functions do not allow. */
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

/** The function `name`, which orders `a` and `b`, both of that type, as the expression says. */
#define ORDER_AS(name, type, order)                                                                          \
    static int name(const void *a_, const void *b_)                                                          \
    {                                                                                                        \
        const type *a = a_;                                                                                  \
        const type *b = b_;                                                                                  \
        return order;                                                                                        \
    }                                                                                                        \
    tacho_order name

/** By a member, the other way round, or by one and, where that is equal, by another. */
#define ORDER_BY(name, type, member)         ORDER_AS(name, type, ORDER(a->member, b->member))
#define ORDER_BY_FALLING(name, type, member) ORDER_AS(name, type, ORDER(b->member, a->member))
#define ORDER_BY_TWO(name, type, first, second)                                                              \
    ORDER_AS(name, type, ORDER(a->first, b->first) ?: ORDER(a->second, b->second))

/** Of numbers, and of structs that begin with one. */
#define ORDER_NUMBERS(name, type) ORDER_AS(name, type, ORDER(*a, *b))

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

/** Whether a number is one of these; all are below 256. */
#define IS_ONE_OF(number, ...)                                                                               \
    (memchr((const uint8_t[]){__VA_ARGS__}, (number), sizeof((const uint8_t[]){__VA_ARGS__})) != NULL)

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
