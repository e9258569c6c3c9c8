/* hash.h - mixing of 64-bit words, for hashes of states and for pseudo-random numbers. Not for hostile input.
 */
#ifndef TACHO_BASE_HASH_H
#define TACHO_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* An odd constant with its bits well mixed. */
#define HASH_MULTIPLIER 0x9fb21c651e98df25u

/* The hash `h` with `x` added: a multiplication that carries each bit upwards and a fold that brings it back.
 */
static inline uint64_t hash_add(uint64_t h, uint64_t x)
{
    h = (h ^ x) * HASH_MULTIPLIER;
    return h ^ (h >> 32);
}

/* Of `count` bytes. */
static inline uint64_t hash_bytes(const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    uint64_t h = count, word;
    for (; count >= sizeof word; at += sizeof word, count -= sizeof word) {
        memcpy(&word, at, sizeof word);
        h = hash_add(h, word);
    }
    word = 0;
    memcpy(&word, at, count);
    h = hash_add(h, word);
    return h ^ h >> 29;
}

/* splitmix64 (Steele, Lea, Flood 2014): consecutive numbers give independent-looking ones. */
#define HASH_STEP 0x9e3779b97f4a7c15u
static inline uint64_t hash_mix(uint64_t x)
{
    x += HASH_STEP;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The next of splitmix64's own numbers. */
static inline uint64_t hash_next_random(uint64_t *state)
{
    uint64_t out = hash_mix(*state);
    *state += HASH_STEP;
    return out;
}

/* 0..below-1, by the next of the numbers that *state counts. */
static inline uint32_t hash_draw(uint64_t *state, uint32_t below)
{
    return (uint32_t)((hash_mix((*state)++) >> 32) * below >> 32);
}

/* The numbers 0..count-1 in an order by chance (Fisher, Yates). */
static inline void hash_draw_order(uint64_t *state, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = hash_draw(state, i), kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
}

#endif
