/* hash.h - mixing of 64-bit words, for hashes of states and for pseudo-random numbers. Not for hostile input.
 */
#ifndef TACHO_UTIL_HASH_H
#define TACHO_UTIL_HASH_H

#include <stdint.h>

/* An odd constant with its bits well mixed. */
#define HASH_MULTIPLIER 0x9fb21c651e98df25u

/* The hash `h` with `x` added: a multiplication that carries each bit upwards and a fold that brings it back.
 */
static inline uint64_t hash_add(uint64_t h, uint64_t x)
{
    h = (h ^ x) * HASH_MULTIPLIER;
    return h ^ (h >> 32);
}

/* splitmix64 (Steele, Lea, Flood 2014): consecutive numbers give independent-looking ones. */
static inline uint64_t hash_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

#endif
